# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest: scikit-learn's own test modules see our classes under the names of theirs.

The stand-ins have scikit-learn's defaults, and hand keywords on to our classes, which know scikit-learn's words. A keyword for which there is
nothing here ends the test as one that does not apply, with the keyword as the reason. So do private functions and classes of
scikit-learn that are no stand-ins. The outcome of every test goes to a JSON file.
"""
import collections
import inspect
import json
import os

import pytest
import sklearn.linear_model
import sklearn.svm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

import halfspace

USED = collections.Counter()


class DoesNotApply(BaseException):
    """Not an Exception, so that pytest.raises of a test does not take it for an answer."""


# What their classes have after a fit, and these have under no name or another.
PRIVATE = ("_average_coef", "_average_intercept", "_standard_coef", "_standard_intercept", "_gamma", "_n_support", "_label_encoder")
THEIR_RESULTS = ("scores_", "Cs_", "coefs_paths_", "l1_ratio_", "l1_ratios_", "probA_", "probB_", "class_weight_", "shape_fit_", "standard_coef_", "standard_intercept_", "average_coef_",
                 "average_intercept_", "loss_function_", "fit_status_")
RESULTS = ("coef_", "intercept_", "classes_", "n_iter_", "n_features_in_", "feature_names_in_", "support_", "support_vectors_", "dual_coef_",
           "n_support_", "t_", "C_")
# Keywords of scikit-learn whose default, and the values listed, mean what we do anyway; any value: how something is computed, not what.
ANY = object()
IGNORED = {"tol": ANY, "verbose": ANY, "cache_size": ANY, "solver": ANY, "shrinking": ANY, "dual": ANY, "intercept_scaling": (1, 1.0),
           "l1_ratio": (None, 0.15), "epsilon": (0.1,), "n_iter_no_change": (5,), "validation_fraction": (0.1,),
           "early_stopping": (False,), "power_t": (0.5,), "break_ties": (False,), "coef0": (0.0,), "degree": (3,), "eta0": (0.0, 1.0),
           "decision_function_shape": ("ovr",), "penalty": ("l2",), "warm_start": (False,)}
OTHER_LOSSES = ("modified_huber", "squared_error", "squared_loss", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
OTHER_SCORES = ("precision", "f1", "recall", "neg_mean_squared_error")
# Narrower than ours, so that numbers can be compared.
NARROW = {"LogisticRegression": {"gap": 1e-9}, "LogisticRegressionCV": {"gap": 1e-9}, "LinearSVC": {"gap": 1e-9}, "SVC": {"gap": 1e-10}}


def _taken(name, value):
    allowed = IGNORED.get(name)
    return allowed is ANY or (allowed is not None and any(value is one or value == one for one in allowed if type(value) in (type(one), int, float)))


def _is_callable_kernel(name, value):
    return name == "kernel" and callable(value)


def _said(name, ours, defaults, given):
    """Keywords of ours for those of theirs."""
    out = dict(NARROW.get(name, {}))
    known = ours._defaults
    for key, value in {**defaults, **given}.items():
        if key in given and _is_callable_kernel(key, value):
            raise DoesNotApply("keyword kernel=a function: kernel='precomputed' takes the matrix that it makes")
        if key == "tol" and "gap" in known:
            continue
        if name == "LinearSVC" and key == "fit_intercept":  # penalised there
            out["offset"] = "lifted" if value else "none"
            continue
        if key == "average" and not isinstance(value, bool):
            raise DoesNotApply(f"keyword average={value!r}: the mean of the planes from a step on")
        if key == "cv" and value is not None and not isinstance(value, int):
            raise DoesNotApply("keyword cv: folds are the library's own")
        if key == "scoring" and callable(value) or key == "scoring" and value in OTHER_SCORES:
            raise DoesNotApply("keyword scoring: one that tuning does not have")
        if key == "decision_function_shape" and value == "ovo":
            raise DoesNotApply("keyword decision_function_shape='ovo'")
        if key == "loss" and value in OTHER_LOSSES:
            raise DoesNotApply(f"keyword loss={value!r}")
        if key == "multi_class" and value == "crammer_singer":
            raise DoesNotApply("keyword multi_class='crammer_singer'")
        if key == "multi_class" and value == "auto" and given.get("solver") in ("liblinear", "newton-cholesky"):
            value = "ovr"
        if key == "max_iter" and "gap" in known and key not in given:
            continue
        if key in known and not (key in IGNORED and _taken(key, value) and key in defaults and key not in given):
            out[key] = value
        elif key in given and not _taken(key, value):
            raise DoesNotApply(f"keyword {key}={value!r}")
    everything = {**defaults, **given}
    if everything.get("learning_rate") in ("constant", "optimal") and "eta0" in everything and "learning_rate" in known:
        out["eta0"] = everything["eta0"] if everything["learning_rate"] == "constant" else None
    elif given.get("learning_rate") is not None:
        raise DoesNotApply(f"keyword learning_rate={given['learning_rate']!r}")
    return out


def _has(ours, attribute):
    return lambda self: hasattr(self.__dict__.get("_ours") or ours(**_said(type(self).__name__, ours, *self._params())), attribute)


def _stand_in(name, ours, theirs):
    signature = inspect.signature(theirs.__init__)
    their_defaults = {key: one.default for key, one in signature.parameters.items() if key != "self"}

    class StandIn(ClassifierMixin, BaseEstimator):
        def __init__(self, *arguments, **keywords):
            USED[name] += 1
            bound = signature.bind(self, *arguments, **keywords)
            bound.apply_defaults()
            for key, value in bound.arguments.items():
                if key != "self":
                    setattr(self, key, value)

        @classmethod
        def _get_param_names(cls):
            return sorted(their_defaults)

        def _params(self):
            given = {key: value for key, value in self.get_params(deep=False).items() if value is not their_defaults[key]}
            return {key: value for key, value in their_defaults.items() if key not in given}, given

        def _made(self):
            return ours(**_said(name, ours, *self._params()))

        def _keep(self, fitted):
            self._ours, self.fitted_ = fitted, True
            return self

        def fit(self, X, y, sample_weight=None, **more):
            if more:
                raise DoesNotApply(f"fit with {', '.join(more)}")
            made = self._made()
            before = self.__dict__.get("_ours")
            if before is not None and self.get_params(deep=False).get("warm_start"):
                made = before.set_params(**{key: value for key, value in made.get_params().items()})
            return self._keep(made.fit(X, y) if sample_weight is None else made.fit(X, y, sample_weight=sample_weight))

        def _asked(self):
            if "_ours" not in self.__dict__:  # an AttributeError too
                raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")
            return self._ours

        def predict(self, X):
            return self._asked().predict(X)

        def decision_function(self, X):
            return self._asked().decision_function(X)

        @available_if(_has(ours, "predict_proba"))
        def predict_proba(self, X):
            return self._asked().predict_proba(X)

        @available_if(_has(ours, "predict_log_proba"))
        def predict_log_proba(self, X):
            return self._asked().predict_log_proba(X)

        @available_if(lambda self: hasattr(ours, "partial_fit"))
        def partial_fit(self, X, y, classes=None, sample_weight=None):
            made = self.__dict__.get("_ours") or self._made()
            return self._keep(made.partial_fit(X, y, classes, sample_weight))

        def sparsify(self):
            return self._keep(self._asked().sparsify())

        def densify(self):
            return self._keep(self._asked().densify())

        def __getattr__(self, attribute):
            if attribute in PRIVATE:
                raise DoesNotApply(f"private attribute {attribute}")
            if not attribute.startswith("__") and (hasattr(theirs, attribute) or attribute in THEIR_RESULTS) and not hasattr(ours, attribute):
                raise DoesNotApply(f"member {attribute}")
            raise AttributeError(f"'{name}' object has no attribute '{attribute}'")

    for result in RESULTS:
        setattr(StandIn, result, property(lambda self, result=result: getattr(self._asked(), result)))
    StandIn.__name__ = StandIn.__qualname__ = name
    StandIn.__init__.__signature__ = signature
    return StandIn


for _module, _parts in (
        (sklearn.linear_model, {"_logistic": ("LogisticRegression", "LogisticRegressionCV"), "_perceptron": ("Perceptron",),
                                "_stochastic_gradient": ("SGDClassifier",), "_passive_aggressive": ("PassiveAggressiveClassifier",)}),
        (sklearn.svm, {"_classes": ("LinearSVC", "SVC", "NuSVC")})):
    for _part, _names in _parts.items():
        for _name in _names:
            _made = _stand_in(_name, getattr(halfspace, _name), getattr(_module, _name))
            setattr(_module, _name, _made)
            setattr(getattr(_module, _part), _name, _made)  # tests take some from there

OUTCOMES = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    USED.clear()
    outcome = yield
    node = "/".join(item.path.parts[-3:]) + "::" + item.name
    if outcome.excinfo and issubclass(outcome.excinfo[0], DoesNotApply):
        OUTCOMES[node] = ["does not apply", str(outcome.excinfo[1])]
        outcome.force_result(None)
    elif outcome.excinfo and issubclass(outcome.excinfo[0], pytest.skip.Exception):
        OUTCOMES[node] = ["does not apply", f"skipped by scikit-learn: {outcome.excinfo[1]}"]
    elif not sum(USED.values()):
        OUTCOMES[node] = ["does not apply", "uses none of the classes"]
        outcome.force_result(None)
    elif outcome.excinfo:
        OUTCOMES[node] = ["fails", f"{outcome.excinfo[0].__name__}: {' '.join(str(outcome.excinfo[1]).split())[:160]}"]
    else:
        OUTCOMES[node] = ["passes", ""]


def pytest_sessionfinish(session):
    with open(os.environ["HALFSPACE_OUTCOMES"], "w", encoding="utf-8") as file:
        json.dump(OUTCOMES, file, indent=1)
