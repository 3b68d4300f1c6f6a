# SPDX-License-Identifier: BSD-3-Clause
"""One member of a team (halfspace_train_team() of the C interface), which reaches the others through a channel.

A channel has `count` and `number`, and three functions: gather(bytes) gives what every member gave, by number; send(bytes) goes to the
member number + 1 without waiting; take() waits for what the member number - 1 sent. Bytes are anything with the buffer protocol.
"""
import ctypes

import numpy as np

from . import _library as lib
from . import _model


class _Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_uint64)]


_GATHER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(_Bytes))
_PASS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
_TAKE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(_Bytes))


class _Team(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint64), ("number", ctypes.c_uint64), ("gather", _GATHER), ("pass_", _PASS), ("take", _TAKE),
                ("context", ctypes.c_void_p)]


class Lost(RuntimeError):
    """The other members cannot be reached any more."""


class Member:
    """The three functions for the library. An exception of the channel is kept in `failure`: it cannot pass through the library."""

    def __init__(self, channel):
        self._channel, self._held, self.failure = channel, [], None
        self.team = _Team(channel.count, channel.number, _GATHER(self._gather), _PASS(self._pass), _TAKE(self._take), None)

    def _guarded(self, work):
        try:
            work()
            return 0
        except BaseException as error:
            self.failure = error
            return 1

    def _hand_over(self, place, data):
        if len(data):
            view = np.frombuffer(data, np.uint8)
            self._held.append(view)  # until the next call
            place.data, place.size = view.ctypes.data, view.size
        else:
            place.data, place.size = None, 0

    def _gather(self, _, mine, size, everything):
        def work():
            self._held = []
            for number, data in enumerate(self._channel.gather(ctypes.string_at(mine, size) if size else b"")):
                self._hand_over(everything[number], data)
        return self._guarded(work)

    def _pass(self, _, state, size):
        return self._guarded(lambda: self._channel.send(ctypes.string_at(state, size) if size else b""))

    def _take(self, _, state):
        def work():
            self._held = []
            self._hand_over(state[0], self._channel.take())
        return self._guarded(work)


def train(data, trainer, channel, stop):
    """Trains with the others on the rows of `data` (None: this member has none); returns (model or None, report).

    stop: a handle of the library that ends the training from any other thread. Lost where the others cannot be reached.
    """
    member = Member(channel)
    model, report, error = ctypes.c_void_p(), ctypes.c_void_p(), lib.Error()
    trainer.how.stop = stop.pointer
    try:
        code = lib._so.halfspace_train_team(data.pointer if data is not None else None, ctypes.byref(trainer.how), ctypes.byref(member.team),
                                            ctypes.byref(model), ctypes.byref(report), ctypes.byref(error))
    finally:
        trainer.how.stop = None
    if code != 0:
        if member.failure is not None:
            raise Lost(str(member.failure)) from member.failure
        lib._raise(error)
    return _model._model_or_none(model), lib.json.loads(lib.take_text(report))
