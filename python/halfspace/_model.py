# SPDX-License-Identifier: BSD-3-Clause
"""A model of the library: made by a fit, or read from the file of a model."""
import ctypes

import numpy as np

from . import _library as lib


class Model:
    """A trained model. `describe` has everything that its file says: algorithm, options, facts, classes, certificate."""

    def __init__(self, handle):
        self._handle = handle
        self.describe = lib.call_for_json("model_describe", handle.pointer)
        self.classes = self.describe["classes"]
        self.features = self.describe["features"]
        self.planes = self.describe["planes"]
        self.certificate = self.describe["certificate"]

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

    def coefficients(self):
        """Weights and offsets of the planes, or None where the model has none of rows as they are."""
        if not self.describe["linear"]:
            return None
        weights, offsets = np.empty((self.planes, self.features)), np.empty(self.planes)
        lib.call("model_planes", self._handle.pointer, *[ctypes.c_void_p(a.ctypes.data) for a in (weights, offsets)])
        return weights, offsets

    def __repr__(self):
        return f"<halfspace model: {self.describe['algorithm']}, {self.features} features, {len(self.classes)} classes>"


def train(data, algorithm, options, scale="none", seed=0, n_jobs=None, seconds=None, callback=None, start=None):
    """Trains; returns (model or None, report). Ctrl-C ends it."""
    failure = []

    def observe(_, done, iterations, relative_gap):
        try:
            return 0 if callback({"done": done, "iterations": iterations, "relative_gap": relative_gap}) is False else 1
        except BaseException as error:  # cannot pass through the library: raised again after it has returned
            failure.append(error)
            return 0

    def work(stop):
        how = lib.Training(algorithm=algorithm.encode(), options=lib.texts(options), option_count=len(options) // 2,
                           scale=lib.text_bytes(scale), seed=seed, threads=lib.threads(n_jobs), seconds=seconds or 0.0, stop=stop)
        if callback is not None:
            how.observe = lib._observe(observe)
        if start is not None:
            how.start = start._handle.pointer
        model, report = ctypes.c_void_p(), ctypes.c_void_p()
        lib.call("train", data.pointer, ctypes.byref(how), ctypes.byref(model), ctypes.byref(report))
        about = lib.json.loads(lib.take_text(report))
        return (Model(lib.Handle("model", model)) if model else None), about

    try:
        result = lib.interruptible(work)
    except lib.Stopped:
        if failure:
            raise failure[0] from None
        raise
    if failure:
        raise failure[0]
    return result
