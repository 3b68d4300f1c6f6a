# SPDX-License-Identifier: BSD-3-Clause
"""A model of the library: made by a fit, or read from the file of a model."""
import ctypes
import functools

import numpy as np
import scipy.sparse as sparse

from . import _library as lib


_KINDS = {0: np.float64, 3: np.int64, 4: np.uint32, 5: np.uint64}


def _copied(array):
    """A list of the interface as an array of its own."""
    kind = np.dtype(_KINDS[array.type])
    if not array.rows or not array.data:
        return np.zeros(0, kind)
    return np.frombuffer(ctypes.string_at(array.data, array.rows * kind.itemsize), kind)


class Model:
    """A trained model. `describe` has everything that its file says: algorithm, options, facts, classes, certificate."""

    def __init__(self, handle):
        self._handle = handle
        self._pointer = handle.pointer.value
        self.describe = lib.call_for_json("model_describe", handle.pointer)
        self.classes = self.describe["classes"]
        self.features = self.describe["features"]
        self.planes = self.describe["planes"]
        self.plain = self.describe["linear"]  # planes of rows as they are

    @functools.cached_property
    def _proofs(self):
        return lib.call_for_json("model_certificate", self._handle.pointer)

    @property
    def certificate(self):
        """The certificates as the file has them; None: there is none."""
        return self._proofs["certificate"]

    @property
    def proofs(self):
        """The certificates in words."""
        return self._proofs["proofs"]

    @classmethod
    def from_bytes(cls, data):
        out = ctypes.c_void_p()
        lib.call("model_from_bytes", ctypes.c_char_p(data), ctypes.c_uint64(len(data)), ctypes.byref(out))
        return cls(lib.Handle("model", out))

    @classmethod
    def load(cls, path):
        out = ctypes.c_void_p()
        lib.call("model_load", lib.text_bytes(path), ctypes.byref(out))
        return cls(lib.Handle("model", out))

    def save(self, path):
        lib.call("model_save", self._handle.pointer, lib.text_bytes(path))

    def __bytes__(self):
        data, size = ctypes.c_void_p(), ctypes.c_uint64()
        lib.call("model_bytes", self._handle.pointer, ctypes.byref(data), ctypes.byref(size))
        try:
            return ctypes.string_at(data.value, size.value)
        finally:
            lib._so.halfspace_text_free(data)

    # Pickles hold the bytes of the file, which are parsed, never run.
    def __reduce__(self):
        return Model.from_bytes, (bytes(self),)

    def _ask(self, what, data, out, n_jobs):
        lib.call(what, self._handle.pointer, data.pointer, ctypes.c_int32(lib.threads(n_jobs)), ctypes.c_void_p(out.ctypes.data))
        return out

    def labels(self, data, rows, n_jobs=None):
        return self._ask("predict", data, np.empty(rows, np.uint32), n_jobs)

    def scores(self, data, rows, n_jobs=None):
        return self._ask("scores", data, np.empty((rows, self.planes)), n_jobs)

    def probabilities(self, data, rows, n_jobs=None):
        return self._ask("probabilities", data, np.empty((rows, len(self.classes))), n_jobs)

    def probabilities_of(self, scores):
        """Probabilities of rows whose scores are there."""
        rows = len(scores)
        out = np.empty((rows, len(self.classes)))
        scores = np.ascontiguousarray(scores)
        lib.call("probabilities_of", self._handle.pointer, ctypes.c_void_p(scores.ctypes.data), ctypes.c_uint64(rows), ctypes.c_void_p(out.ctypes.data))
        return out

    def scores_of_array(self, X, n_jobs=None):
        """Scores of float rows in C order, read once where they are; None: the model or the values are not of that kind."""
        rows, cols = X.shape
        out = np.empty((rows, self.planes))
        item = X.itemsize
        values = lib.Array(X.__array_interface__["data"][0], 0 if item == 8 else 1, rows, cols, cols * item, item)
        error = lib.Error()
        code = lib.scores_dense(self._pointer, ctypes.byref(values), lib.threads(n_jobs), out.__array_interface__["data"][0], ctypes.byref(error))
        return out if code == 0 else None

    def deviations(self):
        """How far every feature spreads among the training rows; NaN where the model does not say."""
        out = np.empty(self.features)
        lib.call("model_deviations", self._handle.pointer, ctypes.c_void_p(out.ctypes.data))
        return out

    def vectors(self):
        """Support vectors of a kernel machine as CSR rows in the order of the training rows; None: it is none."""
        if self.describe["form"] != "kernel":
            return None
        parts = [lib.Array() for _ in range(3)]
        lib.call("model_vectors", self._handle.pointer, *[ctypes.byref(part) for part in parts])
        values, columns, starts = [_copied(part) for part in parts]
        return sparse.csr_matrix((values, columns.astype(np.int32), starts.astype(np.int64)), shape=(len(starts) - 1, self.features))

    def function(self, k):
        """Numbers of the vectors of function k, their coefficients, and the offset."""
        vectors, coefficients, offset = lib.Array(), lib.Array(), ctypes.c_double()
        lib.call("model_function", self._handle.pointer, ctypes.c_uint64(k), ctypes.byref(vectors), ctypes.byref(coefficients), ctypes.byref(offset))
        return _copied(vectors), _copied(coefficients), offset.value

    def dual(self, k):
        """Training rows with a dual value above 0 of plane or function k, and the values."""
        rows, alpha = lib.Array(), lib.Array()
        lib.call("model_dual", self._handle.pointer, ctypes.c_uint64(k), ctypes.byref(rows), ctypes.byref(alpha))
        return _copied(rows), _copied(alpha)

    def export(self, to, name=None, rows=None, n_jobs=None):
        """The bytes of the model in another form (onnx, c, javascript, sql, json, liblinear, libsvm), and what was compared."""
        data, size, said = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
        lib.call("model_export", self._handle.pointer, lib.text_bytes(to), None if name is None else lib.text_bytes(name),
                 None if rows is None else rows.pointer, ctypes.c_int32(lib.threads(n_jobs)), ctypes.byref(data), ctypes.byref(size), ctypes.byref(said))
        try:
            return ctypes.string_at(data.value, size.value), lib.json.loads(lib.take_text(said))
        finally:
            lib._so.halfspace_text_free(data)

    def coefficients(self):
        """Weights and offsets of the planes, or None where the model has none of rows as they are."""
        if not self.describe["linear"]:
            return None
        weights, offsets = np.empty((self.planes, self.features)), np.empty(self.planes)
        lib.call("model_planes", self._handle.pointer, *[ctypes.c_void_p(a.ctypes.data) for a in (weights, offsets)])
        return weights, offsets

    def __repr__(self):
        return f"<halfspace model: {self.describe['algorithm']}, {self.features} features, {len(self.classes)} classes>"


class Trainer:
    """What a training needs besides rows: the structure of the interface, and whoever looks on."""

    def __init__(self, algorithm, options, scale="none", seed=0, n_jobs=None, seconds=None, callback=None, start=None,
                 calibrate=None, deal=None):
        self._keep = (start, lib.texts(options))
        self._callback, self._failure = callback, None
        self.how = lib.Training(algorithm=algorithm.encode(), options=self._keep[1], option_count=len(options) // 2,
                                scale=lib.text_bytes(scale), seed=seed, threads=lib.threads(n_jobs), seconds=seconds or 0.0)
        if callback is not None:
            self.how.observe = lib._observe(self._observe)
        if calibrate is not None:
            self.how.calibrate, self.how.deal = lib.text_bytes(calibrate), lib.text_bytes(deal or "place")
        if start is not None:
            self.how.start = start._handle.pointer

    def _observe(self, _, done, iterations, relative_gap):
        try:
            return 0 if self._callback({"done": done, "iterations": iterations, "relative_gap": relative_gap}) is False else 1
        except BaseException as error:  # cannot pass through the library: raised again after it has returned
            self._failure = error
            return 0

    def run(self, work):
        """work(how) with Ctrl-C heard; raises what a callback has raised."""
        def with_stop(stop):
            self.how.stop = stop
            return work(self.how)

        try:
            return lib.interruptible(with_stop)
        except lib.Stopped:
            if self._failure is not None:
                raise self._failure from None
            raise
        finally:
            self.how.stop = None
            if self._failure is not None:
                raise self._failure from None


def _model_or_none(pointer):
    return Model(lib.Handle("model", pointer)) if pointer else None


def train(data, trainer):
    """Trains; returns (model or None, report). Ctrl-C ends it."""
    def work(how):
        model, report = ctypes.c_void_p(), ctypes.c_void_p()
        lib.call("train", data.pointer, ctypes.byref(how), ctypes.byref(model), ctypes.byref(report))
        return _model_or_none(model), lib.json.loads(lib.take_text(report))

    return trainer.run(work)


def learn(data, trainer, walk):
    """One pass over rows that are a part of more to come; returns (model, report, walk to go on from)."""
    def work(how):
        model, report, after, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.POINTER(ctypes.c_double)(), ctypes.c_uint64()
        begin = None if walk is None else ctypes.c_void_p(walk.ctypes.data)
        lib.call("learn", data.pointer, ctypes.byref(how), begin, ctypes.c_uint64(0 if walk is None else len(walk)),
                 ctypes.byref(model), ctypes.byref(after), ctypes.byref(size), ctypes.byref(report))
        try:
            state = np.ctypeslib.as_array(after, (size.value,)).copy()
        finally:
            lib._so.halfspace_numbers_free(ctypes.cast(after, ctypes.c_void_p))
        return _model_or_none(model), lib.json.loads(lib.take_text(report)), state

    return trainer.run(work)


def tune(data, trainer, folds, repeats, metric, costs, rule, nested, deal="place", groups=None):
    """The options of the trainer, some of them ranges, chosen by cross-validation; returns (model, report)."""
    if groups is not None:
        groups = np.ascontiguousarray(groups, np.uint32)
    search = lib.Search(folds=folds, repeats=repeats, groups=None if groups is None else groups.ctypes.data,
                        metric=lib.text_bytes(metric), costs=None if costs is None else lib.text_bytes(costs),
                        rule=lib.text_bytes(rule), nested=int(nested), deal=lib.text_bytes(deal))

    def work(how):
        model, report = ctypes.c_void_p(), ctypes.c_void_p()
        lib.call("tune", data.pointer, ctypes.byref(how), ctypes.byref(search), ctypes.byref(model), ctypes.byref(report))
        return _model_or_none(model), lib.json.loads(lib.take_text(report))

    return trainer.run(work)


def path(data, trainer, holdout):
    """A classifier along one option: {"option", "points"}."""
    return trainer.run(lambda how: lib.call_for_json("path", data.pointer, ctypes.byref(how), ctypes.c_double(holdout)))


def trace(data, trainer, every, most, see):
    """Trains and calls see(update) for the updates; returns (model, report)."""
    failure = []

    def shown(_, update):
        if failure:
            return
        try:
            see(update.contents)
        except BaseException as error:  # raised again after the library has returned
            failure.append(error)
            lib._so.halfspace_stop_cancel(trainer.how.stop)

    def work(how):
        model, report = ctypes.c_void_p(), ctypes.c_void_p()
        lib.call("trace", data.pointer, ctypes.byref(how), ctypes.c_uint64(every), ctypes.c_uint64(most or 0), lib.see(shown), None,
                 ctypes.byref(model), ctypes.byref(report))
        return _model_or_none(model), lib.json.loads(lib.take_text(report))

    result = trainer.run(work)
    if failure:
        raise failure[0]
    return result


def report(model, data, test, name, n_jobs):
    """The page about a model, as text."""
    def work(stop):
        page = ctypes.c_void_p()
        lib.call("report", model._handle.pointer, data.pointer, None if test is None else test.pointer, lib.text_bytes(name),
                 ctypes.c_int32(lib.threads(n_jobs)), stop, ctypes.byref(page), None)
        return lib.take_text(page)

    return lib.interruptible(work)
