# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of numpy and scipy as data sets of the library, and files as arrays."""
import ctypes

import numpy as np
import scipy.sparse as sparse

from . import _library as lib


def _array(values, rows, cols, row_stride, col_stride):
    return lib.Array(values.ctypes.data, lib.TYPES[values.dtype.name], rows, cols, row_stride, col_stride)


def _list(values):
    return _array(values, len(values), 1, values.itemsize, values.itemsize)


def _in_lines(X):
    """Row after row or column after column, both forwards, perhaps with gaps: read where they are."""
    rows, cols = X.shape
    down, along = X.strides
    item = X.itemsize

    def fits(inner, length, outer, lines):
        return (length <= 1 or inner == item) and (lines <= 1 or (outer % item == 0 and outer >= length * item))

    return fits(along, cols, down, rows) or fits(down, rows, along, cols)


def dataset(X, labels=None, classes=None, weights=None, names=None, label_name=None, n_jobs=None, decimals=False, categories=None):
    """X: float64 or float32, in C or Fortran order, or CSR; read where it is (mostly zeros in a dense one: copied without them). labels: a number of `classes` for every row."""
    keep = [X]
    rows = lib.Rows(hold=lib.BORROW, decimals=int(decimals), threads=lib.threads(n_jobs))
    if labels is not None:
        labels = np.ascontiguousarray(labels, np.uint32)
        rows.labels, rows.classes, rows.class_count = labels.ctypes.data, lib.texts(classes), len(classes)
    if weights is not None:
        weights = np.ascontiguousarray(weights, np.float64)
        rows.weights = weights.ctypes.data
    if names is not None:
        rows.names, rows.name_count = lib.texts(names), len(names)
        rows.label_name = lib.text_bytes(label_name) if label_name else None
        if categories is not None:
            counts = [0 if values is None else len(values) for values in categories]
            rows.category_counts = (ctypes.c_uint64 * max(1, len(counts)))(*counts)
            rows.categories = lib.texts([value for values in categories for value in values or ()])
    out = ctypes.c_void_p()
    if sparse.issparse(X):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        parts = [np.require(part, requirements=["C", "A"]) for part in (X.data, X.indices, X.indptr)]
        keep += parts
        lib.call("dataset_csr", *[ctypes.byref(_list(part)) for part in parts], ctypes.c_uint64(X.shape[1]),
                 ctypes.byref(rows), ctypes.byref(out))
    else:
        if not _in_lines(X) or not X.flags.aligned:
            X = np.array(X, order="C")
        keep.append(X)
        values = _array(X, *X.shape, *X.strides)
        lib.call("dataset_dense", ctypes.byref(values), ctypes.byref(rows), ctypes.byref(out))
    return lib.Handle("dataset", out, keep)


def read(path, *, as_frame=False, n_jobs=None, **options):
    """Rows and labels of a file: libsvm text, CSV, TSV, IDX, NPY or .hsd, compressed or not.

    Options are those of the command line: format, label, weight, ignore, categorical, text, missing, zero_based. Returns (X, y): X a
    numpy array, or a scipy CSR matrix where the rows are sparse; y as numbers where all labels are numbers, else as words, None
    where the file has none; with weight= also the weights of the rows, (X, y, weights), which are weight's column or, with True, those that
    the file has; False leaves those out. Values that the library keeps as floats are used where they are, read-only; those that it keeps smaller
    (ones, decimals) become float64. With as_frame=True X is a pandas frame with the names of the columns.

    >>> import halfspace
    >>> X, y = halfspace.read("data/iris.csv")
    >>> X.shape, sorted(set(y))
    ((150, 4), ['setosa', 'versicolor', 'virginica'])
    """
    pairs, weight = [], options.get("weight")
    for name, value in options.items():
        if name == "weight" and (value is None or isinstance(value, bool)):
            continue
        if isinstance(value, (list, tuple)):
            value = ",".join(value)
        pairs += [name.replace("_", "-"), "yes" if value is True else "no" if value is False else value]
    out = ctypes.c_void_p()
    lib.call("dataset_read", lib.text_bytes(path), lib.texts(pairs), ctypes.c_uint64(len(pairs) // 2), None,
             ctypes.c_int32(lib.threads(n_jobs)), ctypes.byref(out))
    data = lib.Handle("dataset", out)
    about = lib.call_for_json("dataset_describe", data.pointer)
    rows, cols, entries = about["rows"], about["features"], about["nonzeros"]
    if about["weighted"] and weight is None:
        raise ValueError(f"{path}: its rows have weights: weight=True hands them out too, as (X, y, weights), weight=False leaves them out")
    X = _in_place(data, about)
    if X is not None:
        pass
    elif about["sparse"]:
        values, columns, starts = np.empty(entries), np.empty(entries, np.int32), np.empty(rows + 1, np.int64)
        lib.call("dataset_entries", data.pointer, *[ctypes.c_void_p(a.ctypes.data) for a in (values, columns, starts)])
        if entries < 2**31:
            starts = starts.astype(np.int32)
        X = sparse.csr_matrix((values, columns, starts), shape=(rows, cols))
    else:
        X = np.empty((rows, cols))
        lib.call("dataset_values", data.pointer, ctypes.c_void_p(X.ctypes.data))
    if as_frame:
        import pandas
        X = pandas.DataFrame(X.toarray() if sparse.issparse(X) else X, columns=about["names"])
    y = None
    if about["labelled"]:
        numbers = np.empty(rows, np.uint32)
        lib.call("dataset_labels", data.pointer, ctypes.c_void_p(numbers.ctypes.data), None)
        y = label_values(about["classes"])[numbers]
        if as_frame:
            y = pandas.Series(y, name=about["label"])
    if weight is None or weight is False:
        return X, y
    weights = np.ones(rows)
    if about["weighted"]:
        lib.call("dataset_labels", data.pointer, None, ctypes.c_void_p(weights.ctypes.data))
    return X, y, weights


class _Memory:
    """Memory of the library for numpy, kept as long as an array of it is used; nothing may be written to it."""

    def __init__(self, data, array, dtype):
        self._data = data
        shape = (array.rows,) if array.cols == 1 and array.row_stride == dtype.itemsize else (array.rows, array.cols)
        strides = (array.row_stride, array.col_stride)[:len(shape)]
        self.__array_interface__ = {"version": 3, "shape": shape, "strides": strides, "typestr": dtype.str, "data": (array.data or 0, True)}


def _in_place(data, about):
    """The values where they are, if they are floats; column numbers and starts as scipy wants them. None: they must be copied."""
    values, columns, starts = lib.Array(), lib.Array(), lib.Array()
    lib.call("dataset_view", data.pointer, *[ctypes.byref(array) for array in (values, columns, starts)])
    if values.type not in (0, 1) or not values.data:
        return None
    X = np.asarray(_Memory(data, values, np.dtype(np.float64 if values.type == 0 else np.float32)))
    if not about["sparse"]:
        return X.reshape(about["rows"], about["features"])
    index = np.asarray(_Memory(data, columns, np.dtype(np.uint16 if columns.type == 6 else np.uint32)))
    first = np.asarray(_Memory(data, starts, np.dtype(np.uint64)))
    index = index.astype(np.int32) if columns.type == 6 else index.view(np.int32)
    first = first.astype(np.int32) if about["nonzeros"] < 2**31 else first.view(np.int64)
    out = sparse.csr_matrix((about["rows"], about["features"]), dtype=X.dtype)
    out.data, out.indices, out.indptr = X, index, first
    return out


def label_values(names):
    """Classes of a model or a file as numpy has them: whole numbers, numbers, or words."""
    for kind in (np.int64, np.float64):
        try:
            values = np.array([int(name) if kind is np.int64 else float(name) for name in names], kind)
        except (ValueError, OverflowError):
            continue
        if len(set(values.tolist())) == len(names):
            return values
    return np.array(names, dtype=object if not names else None)


def label_names(classes):
    """The name of every class in a model: a number as a file would have it, a word as it is."""
    out = []
    for label in classes.tolist():
        if isinstance(label, float) and label == int(label) and abs(label) < 2**53:
            label = int(label)
        out.append(str(label))
    if len(set(out)) != len(out):
        raise ValueError("two classes are called the same: " + ", ".join(out[:10]))
    return out
