# SPDX-License-Identifier: BSD-3-Clause
"""Models as files: those of the command line, other forms, and the page of a report."""
import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils.validation import check_is_fitted

from . import _data, _model
from ._checks import CHECKS


class FilesMixin:
    """What estimators write."""

    def save(self, path):
        """Writes the model in the file format of the command line."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    def export(self, path, to=None, name=None, X=None):
        """Writes the model in a form that runs without halfspace; `to` is onnx, c, javascript, sql, json, liblinear or libsvm, else the
        ending of the path decides. It is run on rows of X, or on rows drawn from the model, before it is handed over; returns what was compared.
        """
        check_is_fitted(self, "model_")
        data, said = self.model_.export(to or str(path), name, None if X is None else self._rows(X)[0], self.n_jobs)
        with open(path, "wb") as file:
            file.write(data)
        return said

    def report(self, path, X, y, X_test=None, y_test=None):
        """Writes the page of `halfspace report` about this model on rows with labels; it opens in a browser, offline."""
        check_is_fitted(self, "model_")
        sets = [None if rows is None else self._labelled_rows(rows, labels) for rows, labels in ((X, y), (X_test, y_test))]
        page = _model.report(self.model_, sets[0], sets[1], type(self).__name__, self.n_jobs)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def _labelled_rows(self, X, y):
        X, y = check_X_y(self._columns_again(X), y, **CHECKS)
        numbers = np.searchsorted(self.classes_, y).clip(0, len(self.classes_) - 1)
        if not np.array_equal(self.classes_[numbers], y):
            raise ValueError("y has labels that are no classes of the model")
        about = self.model_.describe
        return _data.dataset(X, numbers, self._names, None, about["names"], about["label"], self.n_jobs)
