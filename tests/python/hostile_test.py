#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Input that nobody should give: an exception with words, or the right answer, and never a crash. Also run with a sanitized library."""
import ctypes
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import support  # noqa: F401
import numpy as np
import scipy.sparse as sparse

import halfspace as hs
from halfspace import _library as lib

X, Y = hs.read("data/iris.csv")
MODELS = (hs.LogisticRegression, hs.LinearSVC, hs.Perceptron)


def scores_of(model, rows):
    return model.decision_function(rows).tolist()


def in_child(model, queue):
    queue.put(scores_of(hs.LogisticRegression().fit(X, Y), X))
    queue.put(scores_of(model, X))


def fit_in_child(_):
    return hs.LogisticRegression().fit(X, Y).coef_.tolist()


class Hostile(unittest.TestCase):
    def refused(self, rows, labels=Y, words="", kind=(ValueError, TypeError)):
        for model in MODELS:
            with self.assertRaisesRegex(kind, words):
                model().fit(rows, labels)
        fitted = hs.LinearSVC().fit(X, Y)
        with self.assertRaises(kind):
            fitted.predict(rows)

    def test_values_that_are_no_numbers(self):
        self.refused(np.full(X.shape, "x"), words="could not convert")
        self.refused(np.full(X.shape, None, object))
        self.refused(X.astype(complex), words="Complex")
        for bad in (np.nan, np.inf, -np.inf):
            wrong = X.copy()
            wrong[149, 3] = bad
            self.refused(wrong, words="NaN|infinity")
            self.refused(wrong.astype(np.float32), words="NaN|infinity")
            self.refused(sparse.csr_matrix(wrong), words="NaN|infinity")
        self.refused(np.full(X.shape, 10**400, dtype=object))

    def test_times_are_no_numbers(self):
        times = np.full(X.shape, "2026-01-02", "datetime64[ns]")
        self.refused(times, words="times")
        self.refused(times - times, words="times")
        try:
            import pandas
        except ImportError:
            return
        self.refused(pandas.DataFrame(times, columns=list("abcd")), words="column 'a' holds times")

    def test_shapes(self):
        self.refused(np.float64(1.0), words="scalar|0d|2D")
        self.refused(X[:, 0], words="2D")
        self.refused(np.zeros((2, 3, 4)))
        self.refused(np.zeros((0, 4)), np.zeros(0), words="0 sample")
        self.refused(np.zeros((150, 0)), words="0 feature")
        self.refused([[1.0, 2.0], [1.0]], [0, 1])
        self.refused({"a": 1})
        with self.assertRaises(ValueError):
            hs.LinearSVC().fit(X, Y[:10])

    def test_other_kinds_of_numbers_are_converted(self):
        expected = hs.LinearSVC().fit(np.round(X * 10), Y).decision_function(np.round(X * 10))
        for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.float16, np.longdouble, object, ">f8", ">i4"):
            other = np.round(X * 10).astype(kind)
            np.testing.assert_allclose(hs.LinearSVC().fit(other, Y).decision_function(other), expected, rtol=1e-9, err_msg=str(kind))
        self.assertEqual(hs.LinearSVC().fit(X > 2, Y).coef_.shape, (3, 4))

    def test_views_of_every_kind(self):
        expected = hs.LogisticRegression().fit(X, Y).decision_function(X)
        wide = np.zeros((300, 9))
        wide[::2, 1::2] = X
        odd = np.zeros(X.size * 8 + 1, np.uint8)
        unaligned = odd[1:].view(np.float64).reshape(X.shape)
        unaligned[:] = X
        with tempfile.NamedTemporaryFile() as file:
            X.tofile(file.name)
            mapped = np.memmap(file.name, np.float64, "r", shape=X.shape)
            views = {"gaps": wide[::2, 1::2], "backwards": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1], "fortran": np.asfortranarray(X),
                     "unaligned": unaligned, "mapped": mapped, "list": X.tolist(),
                     "broadcast": np.broadcast_to(X, X.shape)}
            for name, view in views.items():
                scores = hs.LogisticRegression().fit(view, Y).decision_function(view)
                np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=1e-3, err_msg=name)
            same = np.broadcast_to(X[:1], X.shape)  # strides of 0
            self.assertEqual(hs.LinearSVC().fit(same, Y).coef_.shape, (3, 4))

    def test_sparse_matrices_that_lie(self):
        def broken(change):
            out = sparse.csr_matrix(X)
            change(out)
            return out

        def set_index(matrix, value):
            matrix.indices[0] = value

        def set_start(matrix, value):
            matrix.indptr[1] = value

        for name, change in (("index", lambda m: set_index(m, 10**6)), ("negative", lambda m: set_index(m, -5)),
                             ("start", lambda m: set_start(m, 10**6)), ("negative start", lambda m: set_start(m, -1))):
            with self.subTest(name), self.assertRaises((ValueError, IndexError)):
                # Handed over as they are: scipy's own checks are not asked.
                matrix = broken(change)
                matrix.has_canonical_format = True
                hs._data.dataset(matrix, np.arange(150) % 3, ["a", "b", "c"])
        twice = sparse.csr_matrix((np.ones(4), np.array([1, 1, 0, 1]), np.array([0, 2, 4])), shape=(2, 2))
        self.assertEqual(hs.LinearSVC().fit(twice, [0, 1]).coef_.shape, (1, 2))
        for kind in (np.int32, np.int64):
            other = sparse.csr_matrix(X)
            other.indices, other.indptr = other.indices.astype(kind), other.indptr.astype(kind)
            other.data.setflags(write=False)
            self.assertGreater(hs.LinearSVC().fit(other, Y).score(other, Y), 0.9)

    def test_a_million_columns(self):
        wide = sparse.csr_matrix((np.ones(4), (np.array([0, 0, 1, 1]), np.array([5, 10**6 - 1, 7, 10**6 - 2]))), shape=(2, 10**6))
        for model in MODELS:
            fitted = model().fit(wide, [0, 1])
            self.assertEqual(fitted.predict(wide).tolist(), [0, 1])
        too_wide = sparse.csr_matrix((np.ones(1), (np.array([0]), np.array([0]))), shape=(1, 2**40))
        with self.assertRaises((ValueError, MemoryError)):
            hs.LinearSVC().fit(sparse.vstack([too_wide, too_wide]).tocsr(), [0, 1])

    def test_arrays_changed_by_another_thread(self):
        rows, stop = np.random.default_rng(0).normal(size=(2000, 20)), threading.Event()
        labels = rows[:, 0] > 0

        def scribble():
            k = 0
            while not stop.is_set():
                rows[k % 2000] = np.nan if k % 7 == 0 else np.inf if k % 5 == 0 else 1e308 if k % 3 == 0 else k
                k += 1

        model = hs.LinearSVC().fit(rows.copy(), labels)
        writer = threading.Thread(target=scribble)
        writer.start()
        try:
            for _ in range(15):
                for work in (lambda: hs.LinearSVC().fit(rows, labels), lambda: hs.Perceptron(passes=2).fit(rows, labels),
                             lambda: hs.SVC(kernel="rbf:0.1", seconds=0.2).fit(rows[:100], labels[:100]), lambda: model.decision_function(rows)):
                    try:
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            work()
                    except (ValueError, RuntimeError):
                        pass
        finally:
            stop.set()
            writer.join()

    def test_arrays_changed_while_they_are_asked(self):
        random = np.random.default_rng(1)
        rows, stop = sparse.random(3000, 200, 0.05, "csr", random_state=1), threading.Event()
        labels = random.integers(0, 2, 3000)
        model = hs.LinearSVC(gap=1e-2).fit(rows.copy(), labels)

        def scribble():
            k = 0
            while not stop.is_set():
                rows.data[k % rows.nnz] = (np.nan, np.inf, 1e308, -1e308, 0.0, 5.0)[k % 6]
                k += 1

        writer = threading.Thread(target=scribble)
        writer.start()
        try:
            for _ in range(30):
                for work in (lambda: model.predict(rows), lambda: hs.LogisticRegression(gap=1e-2, seconds=0.2).fit(rows, labels),
                             lambda: hs.Perceptron(passes=2).fit(rows, labels), lambda: hs.verify(model, rows, labels)):
                    try:
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            work()
                    except (ValueError, RuntimeError):
                        pass
        finally:
            stop.set()
            writer.join()

    def test_whole_numbers_of_every_size(self):
        huge = np.array([[2**62, 1], [-2**62, 3], [5, 2**40], [7, 9]])
        for kind in (np.int64, np.uint64, object):
            rows = np.abs(huge).astype(kind) if kind is np.uint64 else huge.astype(kind)
            self.assertEqual(hs.LinearSVC(scale="standard").fit(rows, [0, 1, 0, 1]).predict(rows).shape, (4,))
        with self.assertRaisesRegex(ValueError, "large|infinity"):
            hs.LinearSVC().fit(np.array([[10**400, 1], [1, 2]], dtype=object), [0, 1])
        self.assertTrue(hs.SVC().fit(X, np.where(Y == "setosa", 2**63 - 1, -2**63)).classes_[0] == -2**63)
        with self.assertRaisesRegex(ValueError, "class_weight"):
            hs.Perceptron(class_weight={"setosa": -1}).fit(X, Y)
        with self.assertRaisesRegex(ValueError, "million"):
            hs.Perceptron(class_weight={"setosa": 10**30}).fit(X, Y)

    def test_a_fit_in_many_threads_and_children_after_it(self):
        results, expected = [], hs.LogisticRegression().fit(X, Y).coef_
        workers = [threading.Thread(target=lambda: results.append(hs.LogisticRegression().fit(X, Y).coef_)) for _ in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for found in results:
            np.testing.assert_array_equal(found, expected)
        self.assertEqual(len(results), 8)
        context = multiprocessing.get_context("fork")
        with context.Pool(3) as pool:
            for scores in pool.map(fit_in_child, range(6)):
                self.assertEqual(scores, expected.tolist())

    def test_python_ends_during_a_fit(self):
        begin = ("import atexit, sys, threading, numpy as np, halfspace as hs\n"
                 "X, y = np.random.default_rng(0).normal(size=(3000, 30)), np.arange(3000) % 2\n")
        # A daemon thread whose callback is called all the time; the main thread ends.
        daemon = ("seen = threading.Event()\n"
                  "work = lambda: hs.Perceptron(passes=1e9, callback=lambda now: seen.set()).fit(X, y)\n"
                  "threading.Thread(target=work, daemon=True).start()\nseen.wait()")
        exits = "hs.Perceptron(passes=1e9, callback=lambda now: sys.exit(3)).fit(X, y)"
        late = "atexit.register(lambda: print(hs.LinearSVC(gap=0.1).fit(X, y).n_iter_ > 0))"
        for script, code, out in ((daemon, 0, ""), (exits, 3, ""), (late, 0, "True\n")):
            done = subprocess.run([sys.executable, "-c", begin + script], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout), (code, out), done.stderr)
            self.assertNotIn("FATAL", done.stderr)

    def test_callbacks_that_fit_and_predict(self):
        inner = []

        def look(_):
            inner.append(hs.LinearSVC(gap=0.1).fit(X, Y).predict(X[:3]).tolist())
            return len(inner) < 3

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hs.Perceptron(passes=1e9, callback=look).fit(X, Y)
        self.assertEqual(inner, 3 * [hs.LinearSVC(gap=0.1).fit(X, Y).predict(X[:3]).tolist()])

    def test_one_estimator_in_many_threads_and_forks_beside_them(self):
        model, wrong = hs.LogisticRegression().fit(X, Y), []

        def use(rows):
            try:
                for _ in range(10):
                    model.fit(X[:rows], Y[:rows])
                    model.predict(X[:10])
                    pickle.loads(pickle.dumps(model))
                    repr(model)
            except BaseException as error:
                wrong.append(error)

        workers = [threading.Thread(target=use, args=(rows,)) for rows in (150, 140, 130)]
        for worker in workers:
            worker.start()
        for _ in range(0 if "ASAN_OPTIONS" in os.environ else 3):  # the sanitizer's allocator may be locked in the child
            child = os.fork()
            if child == 0:
                os._exit(0 if hs.LinearSVC().fit(X, Y).score(X, Y) > 0.9 else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])

    def test_labels(self):
        with self.assertRaisesRegex(ValueError, "class"):
            hs.LinearSVC().fit(X, np.zeros(150))
        with self.assertRaises(ValueError):
            hs.LinearSVC().fit(X, np.linspace(0, 1, 150))
        with self.assertRaises(ValueError):
            hs.LinearSVC().fit(X, None)
        with self.assertRaises(ValueError):
            hs.LinearSVC().fit(X, np.where(np.arange(150) > 70, "a\0b", "c"))
        with self.assertRaises(ValueError):
            hs.LinearSVC().fit(X, np.array([2**62, 2**62 + 1] * 75, dtype=object).astype(float) * np.nan)
        with self.assertRaises(ValueError):
            hs.LinearSVC().fit(X, [10**30, -10**30] * 75)
        self.assertEqual(hs.LinearSVC().fit(X, [2**62, -2**62] * 75).predict(X[:1]).dtype, np.int64)
        strange = hs.LinearSVC().fit(X, np.where(np.arange(150) > 70, "ä\n'\"", "日本"))
        self.assertEqual(len(set(pickle.loads(pickle.dumps(strange)).predict(X))), 2)

    def test_a_child_after_a_fork(self):
        model = hs.LogisticRegression().fit(X, Y)
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=in_child, args=(model, queue))
        child.start()
        for _ in range(2):
            self.assertEqual(queue.get(timeout=120), scores_of(model, X))
        child.join(60)
        self.assertEqual(child.exitcode, 0)

    def test_damaged_models(self):
        data = bytes(hs.LogisticRegression().fit(X, Y).model_)
        random = np.random.default_rng(5)
        for _ in range(200):
            damaged = bytearray(data)
            for place in random.integers(0, len(data), random.integers(1, 5)):
                damaged[place] = random.integers(0, 256)
            try:
                hs.Model.from_bytes(bytes(damaged[:random.integers(0, len(data) + 1)] if random.random() < 0.3 else damaged))
            except ValueError:
                pass
        with self.assertRaises(ValueError):
            hs.Model.from_bytes(b"")

    def test_null_pointers_of_the_interface(self):
        so, error = lib._so, lib.Error()
        none = [ctypes.c_void_p()] * 10
        for name in ("dataset_dense", "dataset_csr", "dataset_read", "dataset_describe", "dataset_labels", "dataset_values", "dataset_entries",
                     "dataset_view", "train", "learn", "tune", "path", "trace", "predict", "scores", "scores_dense", "probabilities",
                     "model_save", "model_load", "model_bytes", "model_from_bytes", "model_describe", "model_planes",
                     "model_deviations", "model_certificate", "model_vectors", "model_function", "model_dual", "model_export",
                     "probabilities_of", "verify", "report", "separable", "algorithms"):
            count = {"algorithms": 1, "dataset_dense": 3, "dataset_csr": 6, "dataset_read": 6, "dataset_describe": 2, "dataset_labels": 3,
                     "dataset_values": 2, "dataset_entries": 4, "dataset_view": 4, "train": 4, "learn": 8, "tune": 5, "path": 4, "trace": 8,
                     "predict": 4, "scores": 4, "scores_dense": 4, "probabilities": 4, "model_save": 2, "model_load": 2, "model_bytes": 3,
                     "model_from_bytes": 3, "model_describe": 2, "model_planes": 3, "model_deviations": 2, "model_certificate": 2, "model_vectors": 4,
                     "model_function": 5, "model_dual": 4, "model_export": 8, "probabilities_of": 4, "verify": 4, "report": 8,
                     "separable": 5}[name]
            given = none[:count]
            if name == "path":
                given[2] = ctypes.c_double(0.5)
            if name in ("model_function", "model_dual"):
                given[1] = ctypes.c_uint64(0)
            if name == "probabilities_of":
                given[2] = ctypes.c_uint64(0)
            if name == "scores_dense":
                given[2] = 0  # its types are known to ctypes
            code = getattr(so, "halfspace_" + name)(*given, ctypes.byref(error))
            self.assertEqual(code, lib.USAGE, name)
            self.assertIn(b"null pointer", error.message, name)
        for name in ("text", "numbers", "dataset", "model", "stop"):
            getattr(so, f"halfspace_{name}_free")(None)
        so.halfspace_stop_cancel(None)


if __name__ == "__main__":
    unittest.main()
