# SPDX-License-Identifier: BSD-3-Clause
"""The C interface (include/halfspace/c.h) seen from Python: structures, functions, errors, handles."""
import atexit
import ctypes
import functools
import json
import numbers
import os
import pathlib
import queue
import threading
import time

_FLOAT64, _FLOAT32, _INT32, _INT64, _UINT32, _UINT64 = range(6)
TYPES = {"float64": _FLOAT64, "float32": _FLOAT32, "int32": _INT32, "int64": _INT64, "uint32": _UINT32, "uint64": _UINT64}
COPY, BORROW = 0, 1
INPUT, USAGE, SYSTEM, STOPPED = 1, 2, 3, 4

_text = ctypes.c_char_p
_texts = ctypes.POINTER(ctypes.c_char_p)
_observe = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_double, ctypes.c_uint64, ctypes.c_double)


class Stopped(RuntimeError):
    """A limit came before there was an answer."""


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("message", ctypes.c_char * 1024), ("hint", ctypes.c_char * 512),
                ("file", ctypes.c_char * 512), ("line", ctypes.c_uint64), ("column", ctypes.c_uint64)]


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("rows", ctypes.c_uint64), ("cols", ctypes.c_uint64),
                ("row_stride", ctypes.c_int64), ("col_stride", ctypes.c_int64)]


class Rows(ctypes.Structure):
    _fields_ = [("labels", ctypes.c_void_p), ("classes", _texts), ("class_count", ctypes.c_uint64), ("weights", ctypes.c_void_p),
                ("names", _texts), ("name_count", ctypes.c_uint64), ("category_counts", ctypes.POINTER(ctypes.c_uint64)),
                ("categories", _texts), ("label_name", _text), ("hold", ctypes.c_int32),
                ("decimals", ctypes.c_int32), ("threads", ctypes.c_int32)]


class Training(ctypes.Structure):
    _fields_ = [("algorithm", _text), ("options", _texts), ("option_count", ctypes.c_uint64), ("positive", _text),
                ("scale", _text), ("features", _text), ("features_kernel", _text), ("seed", ctypes.c_uint64),
                ("threads", ctypes.c_int32), ("seconds", ctypes.c_double), ("observe", _observe), ("context", ctypes.c_void_p),
                ("stop", ctypes.c_void_p), ("start", ctypes.c_void_p), ("calibrate", _text), ("deal", _text)]


class Search(ctypes.Structure):
    _fields_ = [("folds", ctypes.c_int32), ("repeats", ctypes.c_int32), ("groups", ctypes.c_void_p), ("metric", _text),
                ("costs", _text), ("rule", _text), ("nested", ctypes.c_int32), ("deal", _text)]


class Update(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint64), ("pass_", ctypes.c_uint64), ("row", ctypes.c_uint64), ("y", ctypes.c_int32),
                ("margin_before", ctypes.c_double), ("margin_after", ctypes.c_double), ("theta0", ctypes.c_double),
                ("norm", ctypes.c_double), ("theta", ctypes.POINTER(ctypes.c_double)), ("features", ctypes.c_uint64)]


see = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Update))


def _find():
    """The library beside this file (a wheel), where HALFSPACE_LIBRARY says, in the build folders of the source tree, or installed."""
    here = pathlib.Path(__file__).resolve().parent
    given = os.environ.get("HALFSPACE_LIBRARY")
    if given:
        return given
    places = [here / "libhalfspace.so"]
    places += [here.parent.parent / "build" / preset / "lib" / "libhalfspace.so" for preset in ("release", "quick", "dev")]
    for place in places:
        if place.exists():
            return str(place)
    return "libhalfspace.so.0"


def _load():
    path = _find()
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"halfspace: {path} cannot be loaded ({error}); build it by ./quickstart, or name it in HALFSPACE_LIBRARY") from None


_so = _load()
_so.halfspace_version.restype = _text
_so.halfspace_stop_make.restype = ctypes.c_void_p
for _name in ("text", "numbers", "dataset", "model", "stop"):
    _free = getattr(_so, f"halfspace_{_name}_free")
    _free.restype, _free.argtypes = None, [ctypes.c_void_p]
_so.halfspace_stop_cancel.restype, _so.halfspace_stop_cancel.argtypes = None, [ctypes.c_void_p]


scores_dense = _so.halfspace_scores_dense
scores_dense.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p]


def version():
    return _so.halfspace_version().decode()


# The threads of the library do not survive a fork: a child works with the one it has.
_forked = False


def _after_fork():
    global _forked, _worker, _running
    _forked, _worker, _running = True, None, set()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def threads(n_jobs):
    """None and -1: all allowed cores, -2: all but one; the results do not depend on it."""
    if _forked:
        return 1
    if n_jobs is None or n_jobs == -1:
        return 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Real) or int(n_jobs) != n_jobs or n_jobs == 0:
        raise ValueError(f"n_jobs == {n_jobs!r}, must be None or a whole number: how many, or -1 for all cores, -2 for all but one")
    return int(n_jobs) if n_jobs > 0 else max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))


def _raise(error):
    message = error.message.decode("utf-8", "replace")
    hint, file = error.hint.decode("utf-8", "replace"), error.file.decode("utf-8", "replace")
    if hint:
        message += f" ({hint})"
    if error.code == INPUT and file:
        message = ":".join([file] + [str(n) for n in (error.line, error.column) if n]) + ": " + message
    if error.code in (INPUT, USAGE):
        raise ValueError(message)
    if error.code == SYSTEM:
        raise MemoryError(message) if message == "not enough memory" else OSError(f"{file}: {message}" if file else message)
    if error.code == STOPPED:
        raise Stopped(message)
    raise RuntimeError(f"halfspace: {message}")


def call(name, *arguments):
    """A function of the interface that takes an error structure last; an error becomes an exception."""
    error = Error()
    if getattr(_so, "halfspace_" + name)(*arguments, ctypes.byref(error)) != 0:
        _raise(error)


def call_for_json(name, *arguments):
    out = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(out))
    return json.loads(take_text(out))


def take_text(pointer):
    try:
        return ctypes.string_at(pointer.value).decode("utf-8", "replace")
    finally:
        _so.halfspace_text_free(pointer)


class Handle:
    """Owns a handle of the interface and gives it back."""

    def __init__(self, kind, pointer, keep=None):
        self._free = getattr(_so, f"halfspace_{kind}_free")
        self.pointer = ctypes.c_void_p(pointer) if isinstance(pointer, int) else pointer
        self._keep = keep  # arrays that the handle reads

    def __del__(self):
        if getattr(self, "pointer", None):
            self._free(self.pointer)
            self.pointer = None


@functools.lru_cache(64)
def _texts_of(size):
    return ctypes.c_char_p * size


def texts(words):
    """An array of texts, or None."""
    if words is None:
        return None
    return _texts_of(max(1, len(words)))(*[text_bytes(word) for word in words])


def text_bytes(word):
    out = str(word).encode("utf-8", "surrogatepass")
    if b"\0" in out:
        raise ValueError(f"{word!r} has a zero character")
    return out


class _Worker:
    """A thread that waits for work: starting one for every fit would take longer than a small fit."""

    def __init__(self):
        self._jobs = queue.SimpleQueue()
        threading.Thread(target=self._run, name="halfspace", daemon=True).start()

    def _run(self):
        while True:
            self._jobs.get()()

    def call(self, work, cancel):
        """work() in the thread; whatever interrupts the wait cancels it, and is raised when it has ended."""
        done, result = threading.Lock(), []
        done.acquire()

        def job():
            try:
                result.append((work(), None))
            except BaseException as error:  # handed to the caller's thread
                result.append((None, error))
            finally:
                done.release()

        self._jobs.put(job)
        interrupt = None
        while True:
            try:
                done.acquire()
                break
            except BaseException as error:
                interrupt = error
                cancel()
        if interrupt is not None:
            raise interrupt
        value, error = result[0]
        if error is not None:
            raise error
        return value


_worker = None
_running = set()  # of threads beside the main one: what stops them
_ending = False


def interruptible(work):
    """work(stop) in a thread beside, so that Ctrl-C is heard at once: it cancels the work, which ends soon after."""
    global _worker
    stop = Handle("stop", _so.halfspace_stop_make())
    if threading.current_thread() is not threading.main_thread():
        _running.add(stop)
        try:
            if _ending:
                raise Stopped("Python ends")
            return work(stop.pointer)
        finally:
            _running.discard(stop)
    if _worker is None:
        _worker = _Worker()
    return _worker.call(lambda: work(stop.pointer), lambda: _so.halfspace_stop_cancel(stop.pointer))


@atexit.register
def _end():
    """Fits of daemon threads end before Python does: one that then called back would take the process with it."""
    global _ending
    _ending, until = True, time.monotonic() + 10
    while _running and time.monotonic() < until:
        for stop in list(_running):
            _so.halfspace_stop_cancel(stop.pointer)
        time.sleep(0.001)


def algorithms():
    """Every algorithm with its options, as the library lists them."""
    return {item["name"]: item for item in call_for_json("algorithms")}
