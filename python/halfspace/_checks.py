# SPDX-License-Identifier: BSD-3-Clause
"""What estimators are given: by scikit-learn's rules, and quickly where it is plain arrays that the library checks itself."""
import re

import numpy as np
from sklearn.utils import check_array, check_X_y, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d

CHECKS = dict(accept_sparse="csr", dtype=[np.float64, np.float32], accept_large_sparse=True)
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
PLAIN_NAME = re.compile(r"[A-Za-z0-9_.+-]+")


def is_plain(X):
    """An array whose rows the library reads where they are. It looks at every value: what is not finite is refused there."""
    return type(X) is np.ndarray and X.dtype in FLOATS and X.ndim == 2 and X.shape[0] > 0 and X.shape[1] > 0


def rows_and_labels(estimator, X, y):
    """X and y as arrays: checked by scikit-learn unless both are plain."""
    if is_plain(X) and type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iub" and len(y) == len(X):
        return X, y
    X, y = check_X_y(X, y, estimator=estimator, **CHECKS)
    check_classification_targets(y)
    return X, column_or_1d(y, warn=True)


def complain(estimator, X):
    """Scikit-learn's words for rows that the library has refused, if it has some."""
    check_array(X, estimator=estimator, **CHECKS)


def classes_of(y):
    """Sorted classes, and the number of its class for every row: np.unique, without sorting where labels are whole numbers close together."""
    if y.dtype.kind in "iub" and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low <= 2 * len(y) + 1000:
            places = y.astype(np.int64) - low if y.dtype.kind != "u" else (y - y.dtype.type(low)).astype(np.int64)
            present = np.flatnonzero(np.bincount(places))
            numbers = np.empty(high - low + 1, np.uint32)
            numbers[present] = np.arange(len(present), dtype=np.uint32)
            values = [low + place for place in present.tolist()]
            return np.array(values, dtype=y.dtype), numbers[places]
    return np.unique(y, return_inverse=True)


def row_weights(sample_weight, X, numbers, classes):
    """Weights of the rows as floats, or None. There must be rows of two classes."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ValueError("sample_weight must be finite and not negative")
    if not np.any(weights > 0):
        raise ValueError("sample_weight is zero for all rows")
    if np.count_nonzero(np.bincount(numbers, weights, len(classes))) < 2:
        raise ValueError("sample_weight leaves rows of fewer than two classes; at least two classes are needed")
    return weights


def class_factors(given, classes, y):
    """class_weight as a factor for every class."""
    if not isinstance(given, dict) and not (isinstance(given, str) and given == "balanced"):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, not {given!r}")
    factors = compute_class_weight(given, classes=classes, y=y)
    if np.any(factors < 0) or not np.all(np.isfinite(factors)):
        raise ValueError("class_weight must be finite and not negative")
    return factors
