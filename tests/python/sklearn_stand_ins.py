# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest: scikit-learn's own test modules see our classes under the names of theirs.

The stand-ins take scikit-learn's keywords and say ours: fit_intercept=False is offset="none", multi_class="ovr" is multiclass="one-vs-rest",
and so on. A keyword for which there is nothing here ends the test as one that does not apply, with the keyword as the reason. So do
private functions and classes of scikit-learn that are no stand-ins. The outcome of every test goes to a JSON file.
"""
import collections
import inspect
import json
import os

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.svm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

import halfspace

USED = collections.Counter()


class DoesNotApply(BaseException):
    """Not an Exception, so that pytest.raises of a test does not take it for an answer."""


# What their classes have after a fit, and these have under no name or another.
THEIR_RESULTS = ("dual_coef_", "support_", "support_vectors_", "n_support_", "probA_", "probB_", "class_weight_", "shape_fit_", "t_",
                 "standard_coef_", "standard_intercept_", "average_coef_", "average_intercept_", "loss_function_", "fit_status_")
# Keywords of scikit-learn whose default, and the values listed, mean what we do anyway; any value: how something is computed, not what.
ANY = object()
IGNORED = {"tol": ANY, "max_iter": ANY, "verbose": ANY, "cache_size": ANY, "solver": ANY, "shrinking": ANY, "dual": ANY,
           "intercept_scaling": (1, 1.0), "l1_ratio": (None, 0.15), "warm_start": (False,), "epsilon": (0.1,),
           "n_iter_no_change": (5,), "validation_fraction": (0.1,), "early_stopping": (False,), "power_t": (0.5,),
           "probability": (False,), "break_ties": (False,), "coef0": (0.0,), "degree": (3,), "average": (False,), "refit": (True,)}


def _taken(name, value):
    allowed = IGNORED.get(name)
    return allowed is ANY or (allowed is not None and any(value is one or value == one for one in allowed if type(value) in (type(one), int, float)))


def _common(params):
    out = {}
    for name in ("C", "random_state", "n_jobs", "class_weight"):
        if name in params:
            out[name] = params.pop(name)
    if "fit_intercept" in params:
        out["offset"] = "free" if params.pop("fit_intercept") else "none"
    if params.get("penalty", "l2") in ("l2", None):
        params.pop("penalty", None)
    return out


def _finish(params, out):
    for name, value in params.items():
        if not _taken(name, value):
            raise DoesNotApply(f"keyword {name}={value!r}")
    return out


def _logistic(params):
    out = _common(params)
    kind = params.pop("multi_class", "auto")
    if kind == "ovr":
        out["multiclass"] = "one-vs-rest"
    out["gap"] = 1e-9
    return _finish(params, out)


def _linear_svc(params):
    out = _common(params)
    loss = params.pop("loss", "squared_hinge")
    out["loss"] = {"hinge": "hinge", "squared_hinge": "squared-hinge"}.get(loss, loss)
    params.pop("multi_class", None) if params.get("multi_class", "ovr") == "ovr" else None
    return _finish(params, out)


def _kernel(params):
    out = _common(params)
    if "nu" in params:
        out["nu"] = params.pop("nu")
    kernel, gamma = params.pop("kernel", "rbf"), params.pop("gamma", "scale")
    if kernel == "linear":
        out["kernel"] = "linear"
    elif kernel == "rbf" and isinstance(gamma, (int, float)):
        out["kernel"] = f"rbf:{gamma}"
    elif kernel == "poly" and isinstance(gamma, (int, float)):
        out["kernel"] = f"poly:{params.pop('degree', 3)},{gamma},{params.pop('coef0', 0.0)}"
    else:
        raise DoesNotApply(f"keyword kernel={kernel!r} with gamma={gamma!r}")
    shape = params.pop("decision_function_shape", "ovr")
    if shape != "ovr":
        raise DoesNotApply(f"keyword decision_function_shape={shape!r}")
    return _finish(params, out)


def _online(params):
    out = _common(params)
    if out.pop("class_weight", None) is not None:
        raise DoesNotApply("keyword class_weight: online learners take no weights")
    if "offset" in out:
        out["offset"] = "lifted" if out["offset"] == "free" else "none"
    out["order"] = "shuffled" if params.pop("shuffle", True) else "cyclic"
    out["passes"] = params.pop("max_iter", 10)
    return out


def _perceptron(params):
    return _finish(params, _online(params))


def _passive_aggressive(params):
    out = _online(params)
    loss = params.pop("loss", "hinge")
    out["variant"] = {"hinge": "pa1", "squared_hinge": "pa2"}.get(loss) or loss
    return _finish(params, out)


def _sgd(params):
    out = _online(params)
    if "offset" in out:
        out["offset"] = "free" if out["offset"] == "lifted" else "none"
    out["alpha"] = params.pop("alpha", 1e-4)
    loss = params.pop("loss", "hinge")
    out["loss"] = {"log_loss": "logistic", "squared_hinge": "squared-hinge"}.get(loss, loss)
    rate = params.pop("learning_rate", "optimal")
    if rate == "constant":
        out["rate"] = f"constant:{params.pop('eta0', 0.0)}"
    elif rate == "optimal":
        params.pop("eta0", None)
        out["rate"] = "inverse:0.1,0.01"
    else:
        raise DoesNotApply(f"keyword learning_rate={rate!r}")
    out["keep"] = "average" if params.pop("average", False) else "last"
    return _finish(params, out)


def _stand_in(name, ours, theirs, translate):
    signature = inspect.signature(theirs.__init__)

    class StandIn(ClassifierMixin, BaseEstimator):
        def __init__(self, *arguments, **keywords):
            USED[name] += 1
            bound = signature.bind(self, *arguments, **keywords)
            bound.apply_defaults()
            for key, value in bound.arguments.items():
                if key != "self":
                    setattr(self, key, value)

        def _made(self, X):
            defaults = {key: one.default for key, one in signature.parameters.items() if key != "self"}
            given = {key: value for key, value in self.get_params(deep=False).items() if value is not defaults[key]}
            if "gamma" in defaults and given.get("kernel", "rbf") != "linear" and isinstance(self.gamma, str):
                rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X, float)
                given["gamma"] = 1.0 / (rows.shape[1] * ((rows.var() or 1.0) if self.gamma == "scale" else 1.0))
            return ours(**translate(given))

        def _keep(self, fitted):
            self._ours = fitted
            for key in ("coef_", "intercept_", "classes_", "n_iter_", "n_features_in_", "feature_names_in_"):
                if hasattr(fitted, key):
                    setattr(self, key, getattr(fitted, key))
            return self

        def fit(self, X, y, sample_weight=None, **more):
            if more:
                raise DoesNotApply(f"fit with {', '.join(more)}")
            if sample_weight is not None and "sample_weight" not in inspect.signature(ours.fit).parameters:
                raise DoesNotApply("fit with sample_weight")
            made = self._made(X)
            return self._keep(made.fit(X, y) if sample_weight is None else made.fit(X, y, sample_weight=sample_weight))

        def __getattr__(self, attribute):
            if attribute == "partial_fit" and hasattr(ours, attribute):
                return self._partial_fit
            if attribute in ("predict", "decision_function", "predict_proba", "predict_log_proba") and hasattr(ours, attribute):
                if "_ours" not in self.__dict__:
                    raise NotFittedError(f"This {name} instance is not fitted yet")
                return getattr(self._ours, attribute)
            if not attribute.startswith("__") and (hasattr(theirs, attribute) or attribute in THEIR_RESULTS):
                raise DoesNotApply(f"member {attribute}")
            raise AttributeError(f"'{name}' object has no attribute '{attribute}'")

        def _partial_fit(self, X, y, classes=None, sample_weight=None):
            made = self.__dict__.get("_ours") or self._made(X)
            return self._keep(made.partial_fit(X, y, classes, sample_weight))

    StandIn.__name__ = StandIn.__qualname__ = name
    StandIn.__init__.__signature__ = signature
    return StandIn


for _module, _names in ((sklearn.linear_model, {"LogisticRegression": _logistic, "Perceptron": _perceptron, "SGDClassifier": _sgd,
                                                "PassiveAggressiveClassifier": _passive_aggressive}),
                        (sklearn.svm, {"LinearSVC": _linear_svc, "SVC": _kernel, "NuSVC": _kernel})):
    for _name, _translate in _names.items():
        setattr(_module, _name, _stand_in(_name, getattr(halfspace, _name), getattr(_module, _name), _translate))

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
