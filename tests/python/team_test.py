#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""halfspace_train_team() of the C interface: members that are threads, reached through memory."""
import ctypes
import queue
import threading
import unittest

import support  # noqa: F401
import numpy as np
import scipy.sparse as sparse

from halfspace import _data
from halfspace import _library as library


class Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_uint64)]


GATHER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(Bytes))
PASS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
TAKE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(Bytes))


class Team(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint64), ("number", ctypes.c_uint64), ("gather", GATHER), ("pass_", PASS), ("take", TAKE),
                ("context", ctypes.c_void_p)]


class Meeting:
    """What the members share."""

    def __init__(self, count):
        self.given = [b""] * count
        self.barrier = threading.Barrier(count)
        self.passed = [queue.Queue() for _ in range(count)]


class Member:
    def __init__(self, meeting, number, broken_after=None):
        self.meeting, self.number, self.kept, self.rounds, self.broken_after = meeting, number, [], 0, broken_after
        self.calls = GATHER(self.gather), PASS(self.hand_on), TAKE(self.take)
        self.team = Team(len(meeting.given), number, *self.calls, None)

    def put(self, where, data):
        buffer = ctypes.create_string_buffer(data, max(1, len(data)))
        self.kept.append(buffer)
        where.data, where.size = ctypes.addressof(buffer), len(data)

    def gather(self, _, mine, size, everybody):
        self.rounds += 1
        if self.broken_after is not None and self.rounds > self.broken_after:
            self.meeting.barrier.abort()
            return 1
        self.kept = []
        try:
            self.meeting.given[self.number] = ctypes.string_at(mine, size) if size else b""
            self.meeting.barrier.wait(60)
            for k, data in enumerate(self.meeting.given):
                self.put(everybody[k], data)
            self.meeting.barrier.wait(60)
        except threading.BrokenBarrierError:
            return 7
        return 0

    def hand_on(self, _, state, size):
        self.meeting.passed[self.number + 1].put(ctypes.string_at(state, size) if size else b"")
        return 0

    def take(self, _, state):
        self.kept = []
        try:
            self.put(state[0], self.meeting.passed[self.number].get(timeout=10))
        except queue.Empty:
            return 8
        return 0


def model_bytes(model):
    data, size = ctypes.c_void_p(), ctypes.c_uint64()
    library.call("model_bytes", model.pointer, ctypes.byref(data), ctypes.byref(size))
    try:
        return ctypes.string_at(data, size.value)
    finally:
        library._so.halfspace_text_free(data)


def rows(seed=0, count=700, features=7):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 3, count).astype(np.uint32)
    X = draw.normal(size=(count, features))
    X[np.arange(count), y] += 1.5
    return X, y


CLASSES = ["a", "b", "c"]


def training(algorithm="logistic", scale=None, options=(), **more):
    return library.Training(algorithm=algorithm.encode(), options=library.texts(options), option_count=len(options) // 2,
                            scale=scale and scale.encode(), threads=1, **more)


def fit_alone(X, y, **how):
    data, model, report, error = _data.dataset(X, y, CLASSES), ctypes.c_void_p(), ctypes.c_void_p(), library.Error()
    code = library._so.halfspace_train(data.pointer, ctypes.byref(training(**how)), ctypes.byref(model), ctypes.byref(report),
                                       ctypes.byref(error))
    assert code == 0, error.message
    return model_bytes(library.Handle("model", model)), library.take_text(report)


def fit_by_team(parts, each=lambda number: {}, broken=None, **how):
    """What every member gets: (code, bytes of the model, report, message)."""
    meeting, out = Meeting(len(parts)), [None] * len(parts)

    def run(number):
        X, y = parts[number]
        data = _data.dataset(X, y, CLASSES) if len(y) else None
        member = Member(meeting, number, broken_after=3 if number == broken else None)
        model, report, error = ctypes.c_void_p(), ctypes.c_void_p(), library.Error()
        code = library._so.halfspace_train_team(data.pointer if data else None, ctypes.byref(training(**{**how, **each(number)})),
                                                ctypes.byref(member.team), ctypes.byref(model), ctypes.byref(report), ctypes.byref(error))
        if code == 0:
            out[number] = code, model_bytes(library.Handle("model", model)), library.take_text(report), ""
        else:
            out[number] = code, b"", "", error.message.decode()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return out


def cut(X, y, *ends):
    return [(X[a:b], y[a:b]) for a, b in zip((0, *ends), (*ends, len(y)))]


class TeamTest(unittest.TestCase):
    def test_every_member_gets_the_model_and_the_report_of_one_process(self):
        X, y = rows()
        for how in ({}, {"scale": "standard"}, {"algorithm": "svm"}, {"algorithm": "svm", "options": ("loss", "squared-hinge")}):
            for values in (X, np.round(X, 1), sparse.csr_matrix(np.where(X > 1, X, 0)), X.astype(np.float32)):
                alone = fit_alone(values, y, **how)
                for parts in (cut(values, y), cut(values, y, 350), cut(values, y, 0, 13, 13, 600)):
                    for got in fit_by_team(parts, **how):
                        self.assertEqual(got[0], 0, got[3])
                        self.assertTrue(got[1] == alone[0])
                        self.assertEqual(got[2], alone[1])

    def test_what_one_is_refused_all_are(self):
        X, y = rows(count=90)
        for how, text in (({"algorithm": "perceptron"}, "perceptron goes from row to row"), ({"calibrate": b"platt"}, "calibrate"),
                          ({"options": ("C", "-1")}, "C")):
            for got in fit_by_team(cut(X, y, 30), **how):
                self.assertEqual(got[0], library.USAGE)
                self.assertIn(text, got[3])
        bad = fit_by_team(cut(X, y, 30, 60), each=lambda number: {"options": ("C", "-1")} if number == 1 else {})
        self.assertEqual([got[0] for got in bad], [library.USAGE] * 3)

    def test_one_that_cannot_be_reached_is_an_error_of_the_system(self):
        X, y = rows(count=300)
        for got in fit_by_team(cut(X, y, 100, 200), broken=1):
            self.assertEqual(got[0], library.SYSTEM)
            self.assertIn("the team cannot be reached: gather returned", got[3])

    def test_one_that_says_no_stops_all(self):
        X, y = rows(count=600)
        looks = []
        no = library._observe(lambda *_: looks.append(0) or 0)
        got = fit_by_team(cut(X, y, 200, 400), each=lambda number: {"observe": no} if number == 2 else {}, options=("gap", "1e-12"))
        self.assertEqual({one[0] for one in got}, {0})
        self.assertTrue(all('"stop":"cancelled"' in one[2] for one in got))
        self.assertEqual(len({one[1] for one in got}), 1)
        self.assertTrue(looks)

    def test_null_pointers_and_numbers_that_cannot_be(self):
        for team in (None, Team(0, 0), Team(2, 2), Team(1, 0)):
            model, error = ctypes.c_void_p(), library.Error()
            code = library._so.halfspace_train_team(None, ctypes.byref(training()), team and ctypes.byref(team), ctypes.byref(model), None,
                                                    ctypes.byref(error))
            self.assertEqual(code, library.USAGE)
            self.assertIsNone(model.value)


if __name__ == "__main__":
    unittest.main()
