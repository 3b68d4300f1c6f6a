# SPDX-License-Identifier: BSD-3-Clause
"""Tables with named columns as arrays: pandas frames and whatever offers Arrow streams. Categories become columns of zeros and ones."""
import ctypes
import sys

import numpy as np
import scipy.sparse as sparse

_DENSE_COLUMNS = 256  # with more features a table with categories becomes a sparse matrix


class Table:
    """Columns by name: arrays of numbers, or (codes, values) of categories."""

    def __init__(self, names, columns, rows):
        self.names, self.columns, self.rows = names, columns, rows

    def categories(self):
        """The values that occur in every column that holds categories, sorted; None for columns of numbers."""
        out = []
        for column in self.columns:
            if isinstance(column, tuple):
                codes, values = column
                out.append(sorted({values[k] for k in np.unique(codes)}))
            else:
                out.append(None)
        return out

    def encoded(self, categories):
        """The features: numbers as they are, a column for each of `categories`. A value that is none of them has none."""
        width = sum(1 if values is None else len(values) for values in categories)
        parts, at = [], 0
        dense = width <= _DENSE_COLUMNS or not any(values is not None for values in categories)
        out = np.zeros((self.rows, width), order="F") if dense else None
        for name, column, known in zip(self.names, self.columns, categories):
            if known is None:
                if isinstance(column, tuple):
                    raise ValueError(f"column {name!r} has categories, but numbers are expected")
                if dense:
                    out[:, at] = column
                else:
                    parts.append(sparse.csr_matrix(np.asarray(column, float).reshape(-1, 1)))
                at += 1
                continue
            if not isinstance(column, tuple):
                column = _as_categories(name, column)
            codes, values = column
            place = {value: k for k, value in enumerate(known)}
            feature = np.array([place.get(value, -1) for value in values] or [-1], np.int64)[codes]
            rows = np.flatnonzero(feature >= 0)
            if dense:
                out[rows, at + feature[rows]] = 1.0
            else:
                parts.append(sparse.csr_matrix((np.ones(len(rows)), (rows, feature[rows])), shape=(self.rows, len(known))))
            at += len(known)
        return out if dense else sparse.hstack(parts, format="csr")


def _as_categories(name, column):
    values, codes = np.unique(np.asarray(column), return_inverse=True)
    return codes, [_word(name, value) for value in values.tolist()]


def _word(name, value):
    if value is None or value != value:
        raise ValueError(f"Input contains NaN: column {name!r} has a missing category")
    if isinstance(value, float) and value == int(value):
        value = int(value)
    return str(value)


def as_array(X):
    """Numbers in lists and objects as floats; those that are too large for one are said so, and times are none."""
    if getattr(getattr(X, "dtype", None), "kind", None) in ("m", "M"):
        raise ValueError("X holds times; give numbers, such as days since a date")
    if isinstance(X, (list, tuple)) or getattr(X, "dtype", None) == object:
        try:
            return np.asarray(X, dtype=float) if getattr(X, "dtype", None) == object else X
        except OverflowError as error:
            raise ValueError(f"X has a number that is too large: {error}") from None
        except (TypeError, ValueError):
            return X  # refused with scikit-learn's words
    return X


def table_of(X):
    """X as a Table where it is a frame with categories or words, or an Arrow stream; None: an array, or a frame of numbers."""
    if hasattr(X, "dtypes") and hasattr(X, "columns") and hasattr(X, "iloc"):
        return _of_pandas(X)
    if hasattr(X, "__arrow_c_stream__"):
        return _of_arrow(X)
    return None


def _of_pandas(frame):
    kinds = [getattr(kind, "name", str(kind)) for kind in frame.dtypes]
    for name, kind in zip(frame.columns, kinds):
        if kind.startswith(("datetime", "timedelta", "period")):
            raise ValueError(f"column {name!r} holds times; give numbers, such as days since a date")
    if not any(kind in ("category", "object", "string", "str") for kind in kinds):
        return None
    import pandas
    columns, words = [], 0
    for k, (name, kind) in enumerate(zip(frame.columns, kinds)):
        column = frame.iloc[:, k]
        if kind in ("object", "string", "str"):
            numbers = None if kind != "object" else _numbers_or_none(column)
            if numbers is not None:
                columns.append(numbers)
                continue
            column = column.astype("category")
            kind = "category"
        if kind == "category":
            codes = column.cat.codes.to_numpy()
            if (codes < 0).any():
                raise ValueError(f"Input contains NaN: column {name!r} has a missing category")
            columns.append((codes, [_word(name, value) for value in column.cat.categories]))
            words += 1
        else:
            columns.append(_finite(name, pandas.to_numeric(column).to_numpy(float)))
    if not words:
        return None
    return Table([str(name) for name in frame.columns], columns, len(frame))


def _numbers_or_none(column):
    values = column.to_numpy()
    if all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in values):
        return values.astype(float)
    if not all(isinstance(value, (str, bool)) or value is None or value != value for value in values):
        raise ValueError(f"column {column.name!r} has values that are neither numbers nor words")
    return None


def _finite(name, values):
    if not np.isfinite(values).all():
        raise ValueError(f"Input contains NaN or infinity: column {name!r}")
    return values


# ---- Arrow: the two structures of its C interface for data, and the one for streams

class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
                    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
                    ("dictionary", ctypes.POINTER(_Schema)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
                    ("private_data", ctypes.c_void_p)]
_Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                   ("children", ctypes.POINTER(ctypes.POINTER(_Array))), ("dictionary", ctypes.POINTER(_Array)),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))), ("private_data", ctypes.c_void_p)]
_Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
                    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
                    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
                    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))), ("private_data", ctypes.c_void_p)]

_NUMBERS = {b"c": np.int8, b"C": np.uint8, b"s": np.int16, b"S": np.uint16, b"i": np.int32, b"I": np.uint32, b"l": np.int64,
            b"L": np.uint64, b"e": np.float16, b"f": np.float32, b"g": np.float64}
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _buffer(array, k, dtype, count):
    if count == 0 or not array.buffers[k]:
        return np.zeros(0, dtype)
    size = np.dtype(dtype).itemsize * (array.offset + count)
    raw = (ctypes.c_char * size).from_address(array.buffers[k])
    return np.frombuffer(raw, dtype)[array.offset:]


def _bits(array, k):
    raw = (ctypes.c_uint8 * ((array.offset + array.length + 7) // 8)).from_address(array.buffers[k])
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")
    return bits[array.offset:array.offset + array.length]


def _strings(schema, array, name):
    if schema.format not in (b"u", b"U"):
        raise ValueError(f"column {name!r} has the Arrow type {schema.format.decode()!r}, which is neither a number nor a word")
    offsets = _buffer(array, 1, np.int32 if schema.format == b"u" else np.int64, array.length + 1)
    if not len(offsets):
        return []
    text = ctypes.string_at(array.buffers[2], int(offsets[-1])) if array.buffers[2] else b""
    return [text[offsets[i]:offsets[i + 1]].decode("utf-8") for i in range(array.length)]


def _arrow_column(schema, array, name):
    """Copies what the buffers hold, which are given back: numbers, or codes and words."""
    if array.length and array.buffers[0] and array.null_count and not _bits(array, 0).all():
        raise ValueError(f"Input contains NaN: column {name!r} has missing values")
    if schema.dictionary:
        codes = _buffer(array, 1, _NUMBERS[schema.format], array.length).astype(np.int64)
        return codes, _strings(schema.dictionary.contents, array.dictionary.contents, name)
    if schema.format == b"b":
        return _bits(array, 1).astype(float) if array.length else np.zeros(0)
    if schema.format in _NUMBERS:
        return np.array(_buffer(array, 1, _NUMBERS[schema.format], array.length), float)
    words = _strings(schema, array, name)
    values = sorted(set(words))
    place = {value: k for k, value in enumerate(values)}
    return np.array([place[word] for word in words], np.int64), values


def _joined(pieces):
    if not isinstance(pieces[0], tuple):
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    values = sorted({value for _, words in pieces for value in words})
    place = {value: k for k, value in enumerate(values)}
    codes = [np.array([place[word] for word in words] or [0], np.int64)[numbers] for numbers, words in pieces]
    return np.concatenate(codes), values


def _of_arrow(source):
    capsule = source.__arrow_c_stream__()
    stream = _Stream.from_address(_capsule_pointer(capsule, b"arrow_array_stream"))
    schema, pieces, rows = _Schema(), None, 0

    def check(code):
        if code != 0:
            said = stream.get_last_error(ctypes.byref(stream))
            raise ValueError(f"the Arrow stream failed: {(said or b'no reason given').decode('utf-8', 'replace')}")

    check(stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
    try:
        if schema.format != b"+s":
            raise ValueError(f"an Arrow stream of {schema.format.decode()!r}; a table is expected")
        children = [schema.children[k].contents for k in range(schema.n_children)]
        names = [(child.name or b"").decode("utf-8") for child in children]
        pieces = [[] for _ in children]
        while True:
            batch = _Array()
            check(stream.get_next(ctypes.byref(stream), ctypes.byref(batch)))
            if not batch.release:
                break
            try:
                if batch.offset or (batch.length and batch.null_count and batch.buffers[0]):
                    raise ValueError("a batch of Arrow rows with an offset or missing rows of its own")
                for k, child in enumerate(children):
                    pieces[k].append(_arrow_column(child, batch.children[k].contents, names[k]))
                rows += batch.length
            finally:
                batch.release(ctypes.byref(batch))
    finally:
        if schema.release:
            schema.release(ctypes.byref(schema))
    if not rows:
        raise ValueError("Found array with 0 sample(s) in the Arrow table while a minimum of 1 is required.")
    columns = [_joined(list(column)) for column in pieces]
    for name, column in zip(names, columns):
        if not isinstance(column, tuple):
            _finite(name, column)
    return Table(names, columns, rows)


assert sys.byteorder == "little"
