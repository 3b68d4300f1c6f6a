# SPDX-License-Identifier: BSD-3-Clause
"""What the estimators share: training, prediction, files."""
import math
import warnings

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _checks, _data, _model, _show
from ._checks import CHECKS, FLOATS, PLAIN_NAME
from ._files import FilesMixin
from ._parameters import TABLES, in_our_words, keyword, option_texts, value_of_text
from ._progress import Bar
from ._tables import as_array, table_of


def _may_have_probabilities(estimator):
    if "model_" in estimator.__dict__:
        known = estimator.model_.describe["probabilities"]
    else:
        known = estimator._gives_probabilities()
    if not known:
        how = "calibrate='platt' learns them" if "calibrate" in estimator._defaults else "algorithm='logistic' has them"
        raise AttributeError(f"this {type(estimator).__name__} has no probabilities; {how}")
    return True


class Classifier(FilesMixin, ClassifierMixin, BaseEstimator):
    """Base of all estimators."""

    _algorithm = None
    _class_weight_text = None

    # ---- training

    def fit(self, X, y, sample_weight=None):
        """Trains on rows X (float64 or float32, dense or CSR: read where they are, but for dense ones that are mostly zeros) with labels y. Returns self."""
        data = self._training_set(X, y, sample_weight)
        model, report = self._train(data)
        self._keep(model, report)
        return self

    @classmethod
    def _get_param_names(cls):
        return cls._names_of_params

    def _training_set(self, X, y, sample_weight):
        self._forget()
        if y is None:
            raise ValueError(f"requires y to be passed, but the target y is None: {type(self).__name__} learns from labels")
        label_name = getattr(y, "name", None)
        if _checks.is_plain(X):
            self.__dict__.pop("feature_names_in_", None)
            self._categories, self.n_features_in_ = None, X.shape[1]
            X, y = _checks.rows_and_labels(self, X, y)
        else:
            X = self._columns(X)
            X, y = _checks.rows_and_labels(self, X, y)
            if self._categories is None:
                self._check_n_features(X, reset=True)
        self.classes_, numbers = _checks.classes_of(y)
        if len(self.classes_) < 2:
            raise ValueError(f"the labels have only one class, {self.classes_[0]!r}; at least two classes are needed")
        weights = _checks.row_weights(sample_weight, X, numbers, self.classes_)
        self._rows_of_classes = np.bincount(numbers if weights is None else numbers[weights > 0], minlength=len(self.classes_))
        self._names = _data.label_names(self.classes_)
        weights = self._class_weights(y, numbers, weights)
        self._weight_of_rows = float(len(numbers)) if weights is None else math.fsum(weights)  # without rounding: whoever adds up
        self._look_at(X, numbers)
        try:
            return _data.dataset(X, numbers, self._names, weights, self.__dict__.get("feature_names_in_"),
                                 label_name if isinstance(label_name, str) else None, n_jobs=self.n_jobs, decimals=self._decimals(),
                                 categories=self._categories)
        except ValueError:
            _checks.complain(self, X)
            raise

    def _decimals(self):
        value = self.__dict__.get("decimals", False)
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"decimals must be True or False, not {value!r}")
        return bool(value)

    def _look_at(self, X, numbers):
        """What options ask of the rows."""

    def _columns(self, X):
        """X as an array, its columns remembered: their names where they have some, and the values of those that hold categories."""
        table = table_of(X)
        if table is None:
            self._check_feature_names(X, reset=True)
            self._categories = None
            return as_array(X)
        self.feature_names_in_ = np.array(table.names, dtype=object)
        self.n_features_in_ = len(table.names)
        self._categories = table.categories()
        return table.encoded(self._categories)

    def _columns_again(self, X):
        """X as an array with the columns of the training rows."""
        table, categories = table_of(X), self.__dict__.get("_categories")
        if table is None:
            if categories is not None and any(values is not None for values in categories):
                raise ValueError(f"{type(self).__name__} was trained on a table with categories; a table with the columns "
                                 f"{', '.join(self.feature_names_in_)} is expected")
            self._check_feature_names(X, reset=False)
            return as_array(X)
        own = getattr(self, "feature_names_in_", None)
        if own is not None and table.names != list(own):
            raise ValueError(f"the columns are {', '.join(table.names)}; those of the training rows were {', '.join(own)}")
        if len(table.names) != self.n_features_in_:
            raise ValueError(f"X has {len(table.names)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        return table.encoded(categories or [None] * len(table.names))

    def _forget(self):
        for name in ("_kept_planes", "separability_", "_walk"):
            self.__dict__.pop(name, None)

    def _class_weights(self, y, numbers, weights):
        """class_weight as the option of the library where it has one and can say so, else in the weights of the rows."""
        factors = self._row_factors(lambda given: _checks.class_factors(given, self.classes_, y), weights is not None)
        if factors is None:
            return weights
        return factors[numbers] if weights is None else weights * factors[numbers]

    def _row_factors(self, factors_of, weighted):
        """Factors of the classes for the weights of their rows; None: there are none, or the option of the library says them."""
        self._class_weight_text = None
        given = self.__dict__.get("class_weight")
        if given is None:
            return None
        factors = factors_of(given)
        if any(option["name"] == "class-weight" for option in TABLES[self._algorithm]["options"]):
            if isinstance(given, str) and not weighted:
                self._class_weight_text = "balanced"
                return None
            if all(PLAIN_NAME.fullmatch(name) for name in self._names) and np.all(factors > 0):
                self._class_weight_text = ",".join(f"{name}:{factor!r}" for name, factor in zip(self._names, factors.tolist()))
                return None
        return factors

    def _said(self):
        """The parameters in the words of the library."""
        params = in_our_words(type(self), self.get_params(deep=False), self.__dict__.get("n_features_in_"), lambda: self._gamma_of_rows)
        return self._translate(params)

    def _options(self, **changed):
        said = self._said()
        said.update(changed)
        pairs = option_texts(self._algorithm, said)
        if self._class_weight_text is not None:
            pairs += ["class-weight", self._class_weight_text]
        return pairs

    def _translate(self, params):
        """C or alpha, whichever is given, as the one that the algorithm has."""
        if "C" not in params or "alpha" not in params:
            return params
        out = dict(params)
        own, other = ("alpha", "C") if any(o["name"] == "lambda" for o in TABLES[self._algorithm]["options"]) else ("C", "alpha")
        if out[other] is not None:
            if out[own] is not None and out[own] != self._defaults[own]:
                raise ValueError("C and alpha are two ways to say the same: give one of them")
            if isinstance(out[other], (str, bool)) or not out[other] > 0:
                raise ValueError(f"{other} must be above 0, not {out[other]!r}")
            if self._weight_of_rows is None:
                raise ValueError(f"partial_fit does not know how many rows will come: give {own}, not {other}")
            out[own] = 1.0 / (float(out[other]) * self._weight_of_rows)
        out.pop(other)
        return out

    def _gives_probabilities(self):
        return self._algorithm == "logistic" or self._calibration() is not None

    def _calibration(self):
        """How probabilities are learned: platt, isotonic; None: not."""
        how = self.__dict__.get("calibrate")
        if self.__dict__.get("probability"):
            if how not in (None, "none", "platt"):
                raise ValueError("probability and calibrate are two ways to say the same: give one of them")
            how = "platt"
        if how is True:
            raise ValueError("calibrate must be 'none', 'platt' or 'isotonic', not True")
        return None if how in (None, "none") else how

    def _deal(self):
        """What decides which rows are together in a fold of the library."""
        how = self.__dict__.get("deal", "content")
        if how not in ("content", "place"):
            raise ValueError(f"deal must be 'content' or 'place', not {how!r}")
        return how

    def _seed(self):
        if self.random_state is None:
            return 0
        if isinstance(self.random_state, (int, np.integer)):
            if self.random_state < 0:
                raise ValueError(f"random_state must not be negative, but is {self.random_state}")
            return int(self.random_state) or 2**63  # 0 stands for the default
        return int(check_random_state(self.random_state).randint(1, 2**31 - 1))

    def _train(self, data):
        return self._with_trainer(self._algorithm, self._options(), lambda trainer: _model.train(data, trainer))

    def _with_trainer(self, algorithm, options, work, start=None):
        """work(trainer) with what the common parameters say, and a bar where progress is wanted."""
        own = self.__dict__
        deal = self._deal()
        bar = Bar(type(self).__name__, self.callback) if self.progress or own.get("verbose") else None
        watch = bar or self.callback
        most = own.get("max_iter") if "tol" in self._words and self._words["max_iter"].own is None else None
        if most is not None and most != -1:
            watch = _at_most(most, watch)
        try:
            return work(_model.Trainer(algorithm, options, self.scale, self._seed(), self.n_jobs, self.seconds, watch, start, self._calibration(), deal))
        finally:
            if bar is not None:
                bar.close()

    def _keep(self, model, report):
        if model is None:
            raise ValueError(report["reason"] or f"no model: {report['stop']}")
        self.model_ = model
        self.report_ = report
        self._order = self._order_of(model)
        self.n_iter_ = max(1, report["iterations"])
        if report["outcome"] == "limit":
            most = self.__dict__.get("max_iter")
            why = {"time": "seconds were over", "limit": f"{self.n_iter_} passes, none of them without a mistake" if "max_passes" in self._defaults else "no progress was left",
                   "cancelled": "the callback ended it" if most is None else f"max_iter={most}"}.get(report["stop"], report["stop"])
            warnings.warn(f"{type(self).__name__}: stopped before the end ({why}), with the best model so far", ConvergenceWarning)

    def _planes(self, which):
        """Weights and offsets in the order of classes_, which nobody may change: scores are those of the model."""
        kept = self.__dict__.get("_kept_planes")
        if kept is None:
            model = self.__dict__.get("model_")
            kept = model.coefficients() if model is not None else None
            if kept is None:
                why = "is not fitted yet" if model is None else "has no planes of the rows as they are"
                raise AttributeError(f"this {type(self).__name__} {why}: no coef_, no intercept_")
            if self._order is not None:
                kept = tuple(-part for part in kept) if len(self.classes_) == 2 else tuple(part[self._order] for part in kept)
            for part in kept:
                part.setflags(write=False)
            self._kept_planes = kept
        return kept[which]

    @property
    def coef_(self):
        """Weights: one row between two classes, else one for each class. Read-only, like everything that the model says."""
        return self._planes(0)

    @property
    def intercept_(self):
        """Offsets of the planes."""
        return self._planes(1)

    @property
    def certificate_(self):
        """What is proved about the model, as its file has it; None: nothing."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: no certificate_")
        return self.model_.certificate

    def __getstate__(self):
        state = dict(super().__getstate__())
        if not sparse.issparse(state.get("_kept_planes", (None,))[0]):
            state.pop("_kept_planes", None)
        return state

    def _order_of(self, model):
        """The place of every class in the model, which sorts words that are numbers as numbers; None: the same order."""
        order = [model.classes.index(name) for name in self._names]
        return None if order == list(range(len(order))) else np.array(order)

    # ---- prediction

    def _rows(self, X):
        check_is_fitted(self, "model_")
        X = check_array(self._columns_again(X), estimator=self, **CHECKS)
        if self.__dict__.get("_categories") is None:
            self._check_n_features(X, reset=False)
        return _data.dataset(X, n_jobs=self.n_jobs), X.shape[0]

    def _quick_scores(self, X):
        """Scores of a plain array by planes, every value looked at once; None where the long way has to be gone, or has to complain."""
        model = self.__dict__.get("model_")
        if (type(X) is not np.ndarray or model is None or not model.plain or X.ndim != 2 or X.dtype not in FLOATS
                or not X.flags.c_contiguous or X.shape[1] != model.features or not len(X) or "feature_names_in_" in self.__dict__):
            return None
        return model.scores_of_array(X, self.n_jobs)

    def decision_function(self, X):
        """Scores: one per row between two classes, above 0 for the second; else one per class."""
        scores = self.model_scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def model_scores(self, X):
        scores = self._quick_scores(X)
        if scores is None:
            data, rows = self._rows(X)
            scores = self.model_.scores(data, rows, self.n_jobs)
        if self._order is not None:
            scores = -scores if len(self.classes_) == 2 else scores[:, self._order]
        return scores

    def predict(self, X):
        """The class of every row."""
        scores = self.model_scores(X) if self.__dict__.get("_order") is not None else self._quick_scores(X)
        if scores is not None:
            return self.classes_[(scores[:, 0] > 0).astype(int) if len(self.classes_) == 2 else scores.argmax(axis=1)]
        data, rows = self._rows(X)
        return self.classes_[self.model_.labels(data, rows, self.n_jobs)]

    @available_if(_may_have_probabilities)
    def predict_proba(self, X):
        """The probability of every class, row after row."""
        scores = self._quick_scores(X)
        if scores is not None and self.model_.describe["probabilities"]:
            shares = self.model_.probabilities_of(scores)
        else:
            data, rows = self._rows(X)
            shares = self.model_.probabilities(data, rows, self.n_jobs)
        return shares if self._order is None else shares[:, self._order]

    @available_if(_may_have_probabilities)
    def predict_log_proba(self, X):
        """Logarithms of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    # ---- for people

    def get_feature_names_out(self, input_features=None):
        """The names of the features that the planes have weights for: categories of a table have one for each value."""
        check_is_fitted(self, "model_")
        names = self.model_.describe["names"]
        return np.array(names if names is not None else [f"x{k}" for k in range(self.model_.features)], dtype=object)

    def _repr_html_inner(self):
        return _show.html(self)

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": repr(self), "text/html": _show.html(self)}

    @classmethod
    def _of_model(cls, model):
        out = cls()
        known = out.get_params()
        for name, text in model.describe["options"].items():
            if keyword(name) in known and name != "class-weight":
                out.set_params(**{keyword(name): value_of_text(text)})
        out._names = model.classes
        out.classes_ = _data.label_values(model.classes)
        out.n_features_in_, out._categories = model.features, None
        columns = model.describe["columns"]
        if columns is not None:
            out.feature_names_in_ = np.array([column["name"] for column in columns], dtype=object)
            if any(column["categories"] is not None for column in columns):
                out.n_features_in_, out._categories = len(columns), [column["categories"] for column in columns]
        elif model.describe["names"] is not None:
            out.feature_names_in_ = np.array(model.describe["names"], dtype=object)
        out.model_, out._order, out.report_ = model, None, None
        return out

    def _weights_for_check(self, y, sample_weight):
        """The weights of the rows as they were trained: class weights in them, unless the model knows those itself."""
        check_is_fitted(self, "model_")
        if self._class_weight_text is not None:
            return sample_weight
        numbers = np.unique(y, return_inverse=True)[1]
        return self._class_weights(np.asarray(y), numbers, sample_weight)


class PlanesMixin:
    """Estimators whose models are planes of the rows as they are."""

    def sparsify(self):
        """coef_ as a CSR matrix from now on. Returns self."""
        check_is_fitted(self, "model_")
        coef = self.coef_
        self._kept_planes = (coef if sparse.issparse(coef) else sparse.csr_matrix(coef), self.intercept_)
        return self

    def densify(self):
        """coef_ as an array from now on. Returns self."""
        check_is_fitted(self, "model_")
        self.__dict__.pop("_kept_planes", None)
        return self


def _at_most(most, watch):
    """A callback that ends the fit after so many iterations."""
    def look(progress):
        go_on = watch(progress) if watch is not None else None
        return False if progress["iterations"] >= most else go_on
    return look
