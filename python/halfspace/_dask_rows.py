# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of rows, where they lie: what is in one (a task for each), and several as one data set of the library."""
import numpy as np
import scipy.sparse as sparse

from . import _data
from ._checks import FLOATS


def as_floats(x):
    """A block as the library reads it: float64 or float32, dense or CSR; frames by their columns."""
    if hasattr(x, "to_numpy"):
        x = x.to_numpy()
    if not sparse.issparse(x):
        x = x.tocsr() if hasattr(x, "tocsr") else np.asarray(x)
    elif x.format != "csr":
        x = x.tocsr()
    if x.dtype not in FLOATS:
        if x.dtype.kind not in "biufO":
            raise ValueError(f"values of the type {x.dtype}; numbers are expected")
        x = x.astype(np.float64)
    return x


def _labels(y):
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y: labels in one dimension are expected, not in {y.ndim}")
    return y


def _first(wrong):
    return int(np.flatnonzero(wrong)[0])


def _absent(y):
    if y.dtype.kind == "f":
        return ~np.isfinite(y)
    return np.array([value is None or value != value for value in y.tolist()]) if y.dtype.kind == "O" else np.zeros(len(y), bool)


def exact_sum(weights):
    """The sum without rounding, as whole numbers of 2^-1126: whoever adds up parts of it gets the same."""
    mantissas, exponents = np.frexp(weights)
    whole, total = np.ldexp(mantissas, 53).astype(np.int64), 0
    for exponent in np.unique(exponents).tolist():
        some = whole[exponents == exponent]
        total += (int((some >> 27).sum()) * 2**27 + int((some & (2**27 - 1)).sum())) << (exponent + 1073)
    return total


def sum_of(total):
    """The number that such a sum is nearest to."""
    return total / 2**1126


def look_at(x, y, w):
    """What a block says of itself. problem: (what of, number of the row in the block, words); the first in the order X, y, weights."""
    out = {"rows": x.shape[0], "columns": x.shape[1] if x.ndim == 2 else None, "problem": None, "weight": None}
    if x.ndim != 2:
        return {**out, "problem": ("X", None, f"a block with {x.ndim} dimensions; rows and columns are expected")}
    try:
        y = _labels(y)
    except ValueError as error:
        return {**out, "problem": ("", None, str(error))}
    if len(y) != x.shape[0]:
        return {**out, "problem": ("", None, f"a block of X has {x.shape[0]} rows, that of y {len(y)}")}
    absent = _absent(y)
    if absent.any():
        return {**out, "problem": ("y", _first(absent), f"{y[_first(absent)]}; a label is expected")}
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        return {**out, "problem": ("y", _first(y != np.floor(y)), f"{y[y != np.floor(y)][0]}; labels are words or whole numbers")}
    try:
        classes, numbers = np.unique(y, return_inverse=True)
    except TypeError:
        return {**out, "problem": ("", None, "y has labels that are words and labels that are numbers")}
    out.update(classes=classes, counts=np.bincount(numbers, minlength=len(classes)), heavy=np.ones(len(classes), bool))
    if w is not None:
        w = np.asarray(w)
        if w.shape != y.shape:
            return {**out, "problem": ("", None, f"a block of sample_weight has the shape {w.shape}, that of y {y.shape}")}
        w = w.astype(np.float64)
        wrong = ~(np.isfinite(w) & (w >= 0))
        if wrong.any():
            return {**out, "problem": ("sample_weight", _first(wrong), f"{w[_first(wrong)]}; a finite number of at least 0")}
        out.update(weight=exact_sum(w), heavy=np.bincount(numbers, w, len(classes)) > 0)
    return out


def _place(X, first, names):
    """Where the first value that is not finite stands; None: there is none."""
    values = X.data if sparse.issparse(X) else X
    wrong = ~np.isfinite(values)
    if not wrong.any():
        return None
    if sparse.issparse(X):
        entry = _first(wrong)
        row, column = int(np.searchsorted(X.indptr, entry, side="right")) - 1, int(X.indices[entry])
        value = X.data[entry]
    else:
        row, column = divmod(_first(wrong.ravel()), X.shape[1])
        value = X[row, column]
    if names is not None:
        return f"row {first + row} of X (from 0), column {names[column]}: {value}; a finite number is expected"
    return f"X[{first + row}, {column}]: {value}; a finite number is expected"


def dataset(blocks, how, threads):
    """The data set of one member. blocks: (number of the first row, how many, x, y, weights) in order, a stretch of all rows."""
    rows, labels, weights = [], [], []
    for first, count, x, y, w in blocks:
        if x.shape[0] != count:
            raise ValueError(f"the block from row {first} on had {count} rows, and {x.shape[0]} when it was computed again")
        try:
            x, y = as_floats(x), _labels(y)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the block of X from row {first} on: {error}") from None
        numbers = np.searchsorted(how["classes"], y).clip(0, len(how["classes"]) - 1)
        if not np.array_equal(how["classes"][numbers], y):
            raise ValueError(f"the block from row {first} on had other labels when it was computed again")
        rows.append(x)
        labels.append(numbers)
        if w is not None:
            weights.append(np.asarray(w, np.float64))
    if len({sparse.issparse(x) for x in rows}) > 1:
        rows = [sparse.csr_matrix(x) for x in rows]
    X = rows[0] if len(rows) == 1 else sparse.vstack(rows, format="csr") if sparse.issparse(rows[0]) else np.concatenate(rows)
    numbers = np.concatenate(labels).astype(np.uint32)
    w = np.concatenate(weights) if weights else None
    if how["factors"] is not None:
        w = how["factors"][numbers] if w is None else w * how["factors"][numbers]
    try:
        return _data.dataset(X, numbers, how["names"], w, how["columns"], how["label_name"], n_jobs=threads)
    except ValueError:
        place = _place(X, blocks[0][0], how["columns"])
        if place is not None:
            raise ValueError(place) from None
        raise


def weight_of(x, y, w, classes, factors):
    """The weight of all rows of a block with the factors of their classes."""
    weights = factors[np.searchsorted(classes, _labels(y))] if x.shape[0] else np.zeros(0)
    return exact_sum(weights if w is None else weights * np.asarray(w, np.float64))


def scored(x, model, method, width, kind):
    """method of an estimator on a block. width: the classes, where there is a value for each; a frame gives a series or frame with its index."""
    values = np.empty((0,) if width is None else (0, len(width)), kind)
    if x.shape[0]:
        values = getattr(model, method)(x if hasattr(x, "columns") else as_floats(x))
    if not hasattr(x, "columns"):
        return values
    import pandas
    return pandas.Series(values, index=x.index) if width is None else pandas.DataFrame(values, index=x.index, columns=width)


def right(given, y, w):
    """The weight of the rows whose label is right, and that of all."""
    same = np.asarray(given) == _labels(y)
    weights = np.ones(len(same)) if w is None else np.asarray(w, np.float64)
    return float(weights[same].sum()), float(weights.sum())
