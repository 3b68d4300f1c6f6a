# SPDX-License-Identifier: BSD-3-Clause
"""Learners that walk over the rows: what they have besides other estimators."""
import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from . import _data, _model
from ._base import Classifier
from ._checks import CHECKS


class OnlineClassifier(Classifier):
    """Walks over the rows, each as often as it counts: a row of a class with the weight k is taken k times."""

    def fit(self, X, y, sample_weight=None):
        """Trains on rows X (float64 or float32, dense or CSR: read where they are, but for dense ones that are mostly zeros) with labels y. Returns self.

        With order="content" what stands in the rows decides the walk: it is the same wherever they stand, and with other rows of weight 0 among
        them (not with scale="standard": roundings of the means and deviations make it another walk). sample_weight: a row of weight k is taken k times in every pass, one of weight 0.3 in three passes of ten, one of weight 0 is absent.
        """
        before = self.__dict__.get("model_") if self.__dict__.get("warm_start") else None
        data = self._training_set(X, y, sample_weight)
        if before is not None and set(before.classes) != set(self._names):
            raise ValueError(f"warm_start: the classes were {', '.join(before.classes)}, now they are {', '.join(self._names)}")
        model, report = self._with_trainer(self._algorithm, self._options(), lambda trainer: _model.train(data, trainer), before)
        self._keep(model, report)
        self.t_ = 1.0 + self.n_iter_ * self._weight_of_rows
        return self


class PartialFitMixin:
    """Learners that can go on with rows that come later."""

    _keeps_votes = False  # the model is a part of what a walk goes on from

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """One pass over some of the rows, in their order, going on where the last call stopped. Returns self.

        Calls with parts of the rows leave the plane of one pass over all of them, to the bit: that of fit with passes=1 and
        order="cyclic". The first call needs all `classes`. After fit it starts from the plane that is there. `sample_weight`: a row of weight k
        is taken k times; of rows with the weight 0.5 every second one is taken, and so on.
        """
        first = _check_partial_fit_first_call(self, classes)
        if self.scale != "none":
            raise ValueError("partial_fit: a scaling needs all rows before training; scale the rows first")
        if self._calibration() is not None:
            raise ValueError("partial_fit: it keeps no rows to learn probabilities from; CalibratedClassifierCV(cv='prefit') can")
        if isinstance(self.class_weight, str):
            raise ValueError(f"class_weight {self.class_weight!r} is not supported for partial_fit. In order to use 'balanced' weights, use "
                             "compute_class_weight('balanced', classes=classes, y=y) of rows that you have, and give the result as a dict")
        X, y = self._part(X, y, first)
        numbers = np.searchsorted(self.classes_, y).clip(0, len(self.classes_) - 1)
        if not np.array_equal(self.classes_[numbers], y):
            raise ValueError("y contains labels that are not in classes")
        if len(self.classes_) < 2:
            raise ValueError("classes has only one class; at least two classes are needed")
        weights = self._copies(X, y, numbers, sample_weight)
        data = _data.dataset(X, numbers, self._names, weights, getattr(self, "feature_names_in_", None), self.__dict__.get("_label_name"),
                             n_jobs=self.n_jobs, categories=self._categories)
        walk = self.__dict__.get("_walk")
        start = self.model_ if (walk is None or self._keeps_votes) and "model_" in self.__dict__ and not first else None
        self._rows_seen = self.__dict__.get("_rows_seen", 0) + len(y)
        self._class_weight_text, self._weight_of_rows = None, None
        options = self._options(**{name: value for name, value in (("passes", 1), ("order", "cyclic")) if name in self._defaults})
        model, report, self._walk = self._with_trainer(self._algorithm, options, lambda trainer: _model.learn(data, trainer, walk), start)
        self._keep(model, report)
        self.t_ = (1.0 if first else self.__dict__.get("t_", 1.0)) + (len(y) if weights is None else float(weights.sum()))
        return self

    def _part(self, X, y, first):
        if first:
            self._forget()
            label_name = getattr(y, "name", None)
            self._label_name = label_name if isinstance(label_name, str) else None
            X = self._columns(X)
            self._names = _data.label_names(self.classes_)
            self._rows_seen = 0
        else:
            self.__dict__.pop("_kept_planes", None)
            X = self._columns_again(X)
        X, y = check_X_y(X, y, estimator=self, **CHECKS)
        if self._categories is None:
            self._check_n_features(X, reset=first)
        check_classification_targets(y)
        return X, y

    def _copies(self, X, y, numbers, sample_weight):
        """How often every row is taken: the whole part of the weight so far, as in a pass of the library. None: each once."""
        if sample_weight is None and self.class_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if not np.all(np.isfinite(weights)) or np.any(weights < 0):
            raise ValueError("sample_weight must be finite and not negative")
        if self.class_weight is not None:
            named = {label: factor for label, factor in self.class_weight.items() if np.any(self.classes_ == label)}
            if len(named) < len(self.class_weight):
                raise ValueError(f"class_weight has labels that are no classes: {sorted(set(self.class_weight) - set(named), key=str)}")
            weights = weights * np.array([float(named.get(label, 1.0)) for label in self.classes_.tolist()])[numbers]
        # As in the first pass of the library: see visits_of_pass() there.
        turns = (self.__dict__.get("_rows_seen", 0) + np.arange(len(weights))) * 0.6180339887498949
        phase = np.where(weights == np.floor(weights), 0.0, turns - np.floor(turns))
        return np.floor(weights + phase)
