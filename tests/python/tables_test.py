#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables: frames with categories make the model of the program, Arrow streams that of the frame, files are read in place."""
import ctypes
import os
import subprocess
import tempfile
import unittest

import support  # noqa: F401
import numpy as np
import pandas as pd
import scipy.sparse as sparse

import halfspace as hs
from halfspace import _tables

PROGRAM = os.environ.get("HALFSPACE_PROGRAM", "")


def frame(rows=60, seed=1):
    random = np.random.default_rng(seed)
    out = pd.DataFrame({"size": random.normal(size=rows).round(3), "colour": random.choice(["red", "green", "blue"], rows),
                        "shape": pd.Categorical(random.choice(["round", "flat"], rows)), "count": random.integers(0, 5, rows)})
    y = np.where((out["colour"] == "red") | (out["size"] > 0.8), "yes", "no")
    return out, pd.Series(y, name="label")


class ArrowTable:
    """A producer of the Arrow C stream interface made of ctypes alone: two batches of a frame."""

    def __init__(self, data, split):
        self._batches = [data.iloc[:split], data.iloc[split:]]
        self._keep = []

    def _child(self, column):
        array = _tables._Array(length=len(column), n_buffers=2)
        schema = _tables._Schema(name=str(column.name).encode())
        if column.dtype == object:
            words = [word.encode() for word in column]
            offsets = np.cumsum([0] + [len(word) for word in words]).astype(np.int32)
            schema.format, array.n_buffers, values = b"u", 3, (offsets, np.frombuffer(b"".join(words), np.uint8))
        elif column.dtype.name == "category":
            _, inner = self._child(pd.Series(list(column.cat.categories), name=""))
            inner_schema, _ = self._child(pd.Series(list(column.cat.categories), name=""))
            schema.format, values = b"c", (column.cat.codes.to_numpy(np.int8),)
            schema.dictionary, array.dictionary = ctypes.pointer(inner_schema), ctypes.pointer(inner)
        else:
            kind = {"float64": b"g", "int64": b"l", "float32": b"f"}[column.dtype.name]
            schema.format, values = kind, (column.to_numpy(),)
        buffers = (ctypes.c_void_p * 3)(None, *[value.ctypes.data for value in values])
        array.buffers = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p))
        self._keep += [values, buffers, schema, array]
        return schema, array

    def __arrow_c_stream__(self, requested_schema=None):
        self.released = 0

        def children(kind, items):
            pointers = (ctypes.POINTER(kind) * len(items))(*[ctypes.pointer(item) for item in items])
            self._keep.append(pointers)
            return ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(kind)))

        def release_array(array):
            self.released += 1
            array.contents.release = type(array.contents.release)()

        def release_schema(schema):
            schema.contents.release = type(schema.contents.release)()

        def get_schema(stream, out):
            parts = [self._child(self._batches[0][name])[0] for name in self._batches[0]]
            out.contents.format, out.contents.n_children = b"+s", len(parts)
            out.contents.children, out.contents.release = children(_tables._Schema, parts), self._release_schema
            return 0

        left = list(self._batches)

        def get_next(stream, out):
            if not left:
                out.contents.release = type(out.contents.release)()
                return 0
            batch = left.pop(0)
            parts = [self._child(batch[name])[1] for name in batch]
            buffers = (ctypes.c_void_p * 1)(None)
            self._keep.append(buffers)
            out.contents.length, out.contents.n_children, out.contents.n_buffers = len(batch), len(parts), 1
            out.contents.buffers = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p))
            out.contents.children, out.contents.release = children(_tables._Array, parts), self._release_array
            return 0

        fields = dict(_tables._Stream._fields_)
        self._release_schema = dict(_tables._Schema._fields_)["release"](release_schema)
        self._release_array = dict(_tables._Array._fields_)["release"](release_array)
        self._stream = _tables._Stream(get_schema=fields["get_schema"](get_schema), get_next=fields["get_next"](get_next))
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self._stream), b"arrow_array_stream", None)


class Tables(unittest.TestCase):
    def test_a_frame_with_categories_is_the_table_of_the_program(self):
        X, y = frame()
        model = hs.LogisticRegression().fit(X, y)
        self.assertEqual(model.feature_names_in_.tolist(), ["size", "colour", "shape", "count"])
        self.assertEqual(model.n_features_in_, 4)
        self.assertEqual(model.get_feature_names_out().tolist(),
                         ["size", "colour=blue", "colour=green", "colour=red", "shape=flat", "shape=round", "count"])
        self.assertGreater(model.score(X, y), 0.9)
        self.assertTrue(hs.verify(model, X, y).holds)
        if not os.path.exists(PROGRAM):
            self.skipTest("the program is not built")
        with tempfile.TemporaryDirectory() as folder:
            path, trained = os.path.join(folder, "t.csv"), os.path.join(folder, "m")
            pd.concat([X, y], axis=1).to_csv(path, index=False)
            subprocess.run([PROGRAM, "train", path, "--label", "label", "-o", trained, "--quiet"], check=True, capture_output=True)
            with open(trained, "rb") as file:
                self.assertEqual(file.read(), bytes(model.model_))
            again = hs.load(trained)
            np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))

    def test_new_rows_are_read_as_the_training_rows(self):
        X, y = frame()
        model = hs.LinearSVC().fit(X, y)
        part = X.iloc[:5].copy()  # not all categories occur
        np.testing.assert_array_equal(model.decision_function(part), model.decision_function(X)[:5])
        part.loc[part.index[0], "colour"] = "violet"
        self.assertTrue(np.isfinite(model.decision_function(part)).all())
        with self.assertRaisesRegex(ValueError, "columns are"):
            model.predict(X[["colour", "size", "shape", "count"]])
        with self.assertRaisesRegex(ValueError, "trained on a table"):
            model.predict(np.zeros((2, 7)))
        with self.assertRaisesRegex(ValueError, "'colour' has a missing category"):
            model.predict(X.assign(colour=None))
        with self.assertRaisesRegex(ValueError, "'size'"):
            model.predict(X.assign(size=np.nan))

    def test_many_categories_are_sparse(self):
        X = pd.DataFrame({"id": [f"v{k}" for k in range(300)] * 2, "x": np.arange(600.0)})
        y = np.arange(600) % 2
        self.assertTrue(sparse.issparse(_tables.table_of(X).encoded(_tables.table_of(X).categories())))
        self.assertEqual(hs.LinearSVC().fit(X, y).coef_.shape, (1, 301))

    def test_an_arrow_stream_is_the_frame(self):
        X, y = frame()
        source = ArrowTable(X, 25)
        model = hs.LogisticRegression().fit(source, y.to_numpy())
        self.assertEqual(source.released, 2)
        theirs = hs.LogisticRegression().fit(X, y.to_numpy())
        np.testing.assert_array_equal(model.coef_, theirs.coef_)
        np.testing.assert_array_equal(model.predict(ArrowTable(X, 10)), theirs.predict(X))

    def test_files_are_read_in_place(self):
        random = np.random.default_rng(3)
        with tempfile.TemporaryDirectory() as folder:
            dense = random.normal(size=(50, 7))
            np.save(os.path.join(folder, "X.npy"), dense)
            np.save(os.path.join(folder, "y.npy"), np.arange(50) % 2)
            X, _ = hs.read(f"{folder}/X.npy,{folder}/y.npy")
            np.testing.assert_array_equal(X, dense)
            self.assertFalse(X.flags.owndata or X.flags.writeable)
            path = os.path.join(folder, "s.svm")
            rows = sparse.random(40, 30, 0.2, "csr", random_state=0)
            with open(path, "w") as file:
                for i in range(40):
                    entries = " ".join(f"{j + 1}:{float(v)!r}" for j, v in zip(rows[i].indices, rows[i].data))
                    file.write(f"{i % 2} {entries}\n")
            X, y = hs.read(path)
            self.assertFalse(X.data.flags.owndata)
            np.testing.assert_array_equal(X.toarray(), rows.toarray()[:, :X.shape[1]])
            hs.LinearSVC().fit(X, y)


if __name__ == "__main__":
    unittest.main()
