# SPDX-License-Identifier: BSD-3-Clause
"""What the estimators share: input checks by scikit-learn's rules, training, prediction, files."""
import re
import warnings

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state, check_X_y, compute_class_weight
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from . import _data, _model, _show
from ._progress import Bar
from ._tables import as_array, table_of
from ._parameters import TABLES, keyword, option_texts, value_of_text

_CHECKS = dict(accept_sparse="csr", dtype=[np.float64, np.float32], accept_large_sparse=True)
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.+-]+")


class Classifier(ClassifierMixin, BaseEstimator):
    """Base of all estimators."""

    _algorithm = None
    _class_weight_text = None

    # ---- training

    def fit(self, X, y, sample_weight=None):
        """Trains on rows X (float64 or float32, dense or CSR: read where they are) with labels y. Returns self."""
        data = self._training_set(X, y, sample_weight)
        model, report = self._train(data)
        self._keep(model, report)
        return self

    def _training_set(self, X, y, sample_weight):
        self._forget()
        if y is None:
            raise ValueError(f"requires y to be passed, but the target y is None: {type(self).__name__} learns from labels")
        label_name = getattr(y, "name", None)
        X = self._columns(X)
        X, y = check_X_y(X, y, estimator=self, **_CHECKS)
        if self._categories is None:
            self._check_n_features(X, reset=True)
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"the labels have only one class, {self.classes_[0]!r}; at least two classes are needed")
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        if weights is not None:
            self._check_weights(weights, numbers)
        self._names = _data.label_names(self.classes_)
        weights = self._class_weights(y, numbers, weights)
        self._weight_of_rows = float(len(numbers) if weights is None else weights.sum())
        return _data.dataset(X, numbers, self._names, weights, getattr(self, "feature_names_in_", None),
                             label_name if isinstance(label_name, str) else None, n_jobs=self.n_jobs, categories=self._categories)

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
        for name in ("coef_", "intercept_", "separability_", "_walk"):
            self.__dict__.pop(name, None)

    def _check_weights(self, weights, numbers):
        if not np.all(np.isfinite(weights)) or np.any(weights < 0):
            raise ValueError("sample_weight must be finite and not negative")
        if np.count_nonzero(np.bincount(numbers, weights, len(self.classes_))) < 2:
            raise ValueError("fewer than two classes have rows with a weight above 0; at least two classes are needed")

    def _class_weights(self, y, numbers, weights):
        """class_weight as the option of the library where it can be said so, else in the weights of the rows."""
        self._class_weight_text = None
        given = getattr(self, "class_weight", None)
        if given is None:
            return weights
        if not isinstance(given, dict) and given != "balanced":
            raise ValueError(f"class_weight must be a dict, 'balanced' or None, not {given!r}")
        factors = compute_class_weight(given, classes=self.classes_, y=y)
        if isinstance(given, str) and weights is None:
            self._class_weight_text = "balanced"
            return weights
        if all(_PLAIN_NAME.fullmatch(name) for name in self._names) and np.all(factors > 0):
            self._class_weight_text = ",".join(f"{name}:{factor!r}" for name, factor in zip(self._names, factors.tolist()))
            return weights
        if np.any(factors < 0) or not np.all(np.isfinite(factors)):
            raise ValueError("class_weight must be finite and not negative")
        return factors[numbers] if weights is None else weights * factors[numbers]

    def _options(self, **changed):
        params = {**self.get_params(deep=False), **changed}
        options = self._translate(params)
        pairs = option_texts(self._algorithm, options)
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
            default = type(self).__init__.__signature__.parameters[own].default
            if out[own] is not None and out[own] != default:
                raise ValueError("C and alpha are two ways to say the same: give one of them")
            if not out[other] > 0:
                raise ValueError(f"{other} must be above 0, not {out[other]!r}")
            if self._weight_of_rows is None:
                raise ValueError(f"partial_fit does not know how many rows will come: give {own}, not {other}")
            out[own] = 1.0 / (float(out[other]) * self._weight_of_rows)
        out.pop(other)
        return out

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
        bar = Bar(type(self).__name__, self.callback) if self.progress else None
        try:
            return work(_model.Trainer(algorithm, options, self.scale, self._seed(), self.n_jobs, self.seconds, bar or self.callback, start))
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
        self.certificate_ = model.certificate
        if report["outcome"] == "limit":
            warnings.warn(f"{type(self).__name__}: stopped before the end ({report['stop']})", ConvergenceWarning)
        self._set_planes()

    def _set_planes(self):
        planes = self.model_.coefficients()
        if planes is None:
            return
        self.coef_, self.intercept_ = planes
        if self._order is not None:
            if len(self.classes_) == 2:
                self.coef_, self.intercept_ = -self.coef_, -self.intercept_
            else:
                self.coef_, self.intercept_ = self.coef_[self._order], self.intercept_[self._order]

    def _order_of(self, model):
        """The place of every class in the model, which sorts words that are numbers as numbers; None: the same order."""
        order = [model.classes.index(name) for name in self._names]
        return None if order == list(range(len(order))) else np.array(order)

    # ---- prediction

    def _rows(self, X):
        check_is_fitted(self, "model_")
        X = check_array(self._columns_again(X), estimator=self, **_CHECKS)
        if self.__dict__.get("_categories") is None:
            self._check_n_features(X, reset=False)
        return _data.dataset(X, n_jobs=self.n_jobs), X.shape[0]

    def _quick_scores(self, X):
        """Scores of a plain array by planes, every value looked at once; None where the long way has to be gone, or has to complain."""
        model = self.__dict__.get("model_")
        if (type(X) is not np.ndarray or model is None or not model.plain or X.ndim != 2 or X.dtype not in _FLOATS
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

    # ---- files

    def save(self, path):
        """Writes the model in the file format of the command line."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    def report(self, path, X, y, X_test=None, y_test=None):
        """Writes the page of `halfspace report` about this model on rows with labels; it opens in a browser, offline."""
        check_is_fitted(self, "model_")
        sets = [None if rows is None else self._labelled_rows(rows, labels) for rows, labels in ((X, y), (X_test, y_test))]
        page = _model.report(self.model_, sets[0], sets[1], type(self).__name__, self.n_jobs)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def _labelled_rows(self, X, y):
        X, y = check_X_y(self._columns_again(X), y, **_CHECKS)
        numbers = np.searchsorted(self.classes_, y).clip(0, len(self.classes_) - 1)
        if not np.array_equal(self.classes_[numbers], y):
            raise ValueError("y has labels that are no classes of the model")
        about = self.model_.describe
        return _data.dataset(X, numbers, self._names, None, about["names"], about["label"], self.n_jobs)

    def get_feature_names_out(self, input_features=None):
        """The names of the features that the planes have weights for: categories of a table have one for each value."""
        check_is_fitted(self, "model_")
        names = self.model_.describe["names"]
        return np.array(names if names is not None else [f"x{k}" for k in range(self.model_.features)], dtype=object)

    # ---- for people

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
        out.certificate_ = model.certificate
        out._set_planes()
        return out

    def _weights_for_check(self, y, sample_weight):
        """The weights of the rows as they were trained: class weights in them, unless the model knows those itself."""
        check_is_fitted(self, "model_")
        if self._class_weight_text is not None:
            return sample_weight
        numbers = np.unique(y, return_inverse=True)[1]
        return self._class_weights(np.asarray(y), numbers, sample_weight)


class OnlineClassifier(Classifier):
    """Walks over the rows in their order, each taken as often as it is there: a row with weight k is given k times."""

    def fit(self, X, y):
        """Trains on rows X (float64 or float32, dense or CSR: read where they are) with labels y. Returns self."""
        return super().fit(X, y)


class PartialFitMixin:
    """Learners that can go on with rows that come later."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """One pass over some of the rows, in their order, going on where the last call stopped. Returns self.

        Calls with parts of the rows leave the plane of one pass over all of them, to the bit: that of fit with passes=1 and
        order="cyclic". The first call needs all `classes`. After fit it starts from the plane that is there. `sample_weight`: whole
        numbers, a row of weight k is taken k times.
        """
        first = _check_partial_fit_first_call(self, classes)
        if self.scale != "none":
            raise ValueError("partial_fit: a scaling needs all rows before training; scale the rows first")
        if first:
            self._forget()
            label_name = getattr(y, "name", None)
            self._label_name = label_name if isinstance(label_name, str) else None
            X = self._columns(X)
            self._names = _data.label_names(self.classes_)
        else:
            X = self._columns_again(X)
        X, y = check_X_y(X, y, estimator=self, **_CHECKS)
        if self._categories is None:
            self._check_n_features(X, reset=first)
        check_classification_targets(y)
        numbers = np.searchsorted(self.classes_, y).clip(0, len(self.classes_) - 1)
        if not np.array_equal(self.classes_[numbers], y):
            raise ValueError("y contains labels that are not in classes")
        if len(self.classes_) < 2:
            raise ValueError("classes has only one class; at least two classes are needed")
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        data = _data.dataset(X, numbers, self._names, weights, getattr(self, "feature_names_in_", None), self.__dict__.get("_label_name"),
                             n_jobs=self.n_jobs, categories=self._categories)
        walk = self.__dict__.get("_walk")
        start = self.model_ if walk is None and "model_" in self.__dict__ and not first else None
        self._class_weight_text, self._weight_of_rows = None, None
        options = self._options(**{name: value for name, value in (("passes", 1), ("order", "cyclic")) if hasattr(self, name)})
        model, report, self._walk = self._with_trainer(self._algorithm, options, lambda trainer: _model.learn(data, trainer, walk), start)
        self._keep(model, report)
        return self


class ProbabilityMixin:
    def predict_proba(self, X):
        """The probability of every class, row after row."""
        data, rows = self._rows(X)
        shares = self.model_.probabilities(data, rows, self.n_jobs)
        return shares if self._order is None else shares[:, self._order]

    def predict_log_proba(self, X):
        """Logarithms of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
