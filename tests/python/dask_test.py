#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fits on Dask clusters of processes of this machine: the bytes of one process, whatever the workers, and what happens to them."""
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import support  # noqa: F401
import numpy as np
import pandas
import scipy.sparse as sparse

try:
    import dask
    import dask.array
    import dask.dataframe
    import distributed
except ImportError as error:
    print(f"SKIPPED: {error} (Debian: python3-dask, python3-distributed)")
    sys.exit(0)

import halfspace as hs
import halfspace.dask as hd

CLUSTER = CLIENT = FOLDER = None


def setUpModule():
    global CLUSTER, CLIENT, FOLDER
    FOLDER = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    dask.config.set({"temporary-directory": FOLDER.name})
    os.environ["DASK_TEMPORARY_DIRECTORY"] = FOLDER.name  # of processes that are started
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # workers are killed here, of which there are many words
    dask.config.set({"distributed.logging.distributed": "critical"})
    CLUSTER = distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
                                       silence_logs=logging.CRITICAL)
    CLIENT = distributed.Client(CLUSTER)


def tearDownModule():
    CLIENT.close()
    CLUSTER.close()
    FOLDER.cleanup()


def with_workers(count):
    """So many workers, neither more nor fewer, that stay for half a second: some may just be leaving, or coming again."""
    CLUSTER.scale(count)
    end = time.monotonic() + 60
    before, since = None, time.monotonic()
    while time.monotonic() < end:
        workers = sorted(CLIENT.scheduler_info()["workers"])
        if workers != before or len(workers) != count:
            before, since = workers, time.monotonic()
        elif time.monotonic() - since > 0.5:
            break
        time.sleep(0.05)
    return sorted(CLIENT.scheduler_info()["workers"])


def scattered(parts):
    """Each part in a worker of its own; begins again where one of them left meanwhile."""
    for _ in range(5):
        try:
            return [CLIENT.scatter(part, workers=[worker]) for part, worker in zip(parts, with_workers(len(parts)))]
        except KeyError:
            pass
    raise RuntimeError("workers come and go")


def rows(seed=0, count=700, features=7, classes=3):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, classes, count)
    X = draw.normal(size=(count, features))
    X[np.arange(count), y] += 1.5
    return X, y


def blocks(X, chunk):
    return dask.array.from_array(X, chunks=(chunk, -1))


def sparse_blocks(X, chunk):
    return blocks(X, chunk).map_blocks(sparse.csr_matrix)


def lying(X, y, cuts, places):
    """X and y in blocks that end at cuts, each in the worker of its place."""
    ends = [0, *cuts, len(y)]
    X = dask.array.from_array(X, chunks=(tuple(np.diff(ends)), -1))
    y = dask.array.from_array(y, chunks=(tuple(np.diff(ends)),))
    kept = [CLIENT.persist([X.blocks[k], y.blocks[k]], workers=[place]) for k, place in enumerate(places)]
    out = [dask.array.concatenate([pair[part] for pair in kept]) for part in (0, 1)]
    return CLIENT.persist(out)


def teams_left():
    return sum(CLIENT.run(lambda dask_worker: len(dask_worker.extensions.get("halfspace-teams", {}))).values())


def model(estimator):
    return bytes(estimator.model_)


def long_fit(seed=3):
    """Rows, and options that take their time: a fit of many hundred rounds."""
    X, y = rows(seed, 4000, 100, 8)
    return X, y, dict(C=1e4, gap=1e-12)


def fitted(module, X, y, how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the gap is below what rounding allows
        return getattr(module, "LogisticRegression")(**how).fit(X, y)


class SameBytes(unittest.TestCase):
    def test_those_of_the_command_line_for_any_workers_and_blocks(self):
        program = os.environ.get("HALFSPACE_PROGRAM", "")
        if not os.path.exists(program):
            self.skipTest("the program is not built")
        iris, names = hs.read("data/iris.csv", as_frame=True)
        X, y = rows()
        X = np.where(X > 1, X, 0)
        with tempfile.TemporaryDirectory() as folder:
            text, out = os.path.join(folder, "rows.svm"), os.path.join(folder, "out.model")
            with open(text, "w", encoding="utf-8") as file:
                for values, label in zip(X, y):
                    file.write(f"{label} " + " ".join(f"{j + 1}:{float(v)!r}" for j, v in enumerate(values) if v) + "\n")

            def of_program(path, *options):
                subprocess.run([program, "train", path, "-o", out, "--quiet", *options], check=True, stdout=subprocess.DEVNULL)
                with open(out, "rb") as file:
                    return file.read()

            cases = (
                (of_program(text), lambda chunk: hd.LogisticRegression().fit(sparse_blocks(X, chunk), y)),
                (of_program(text, "--C", "2", "--scale", "standard"),
                 lambda chunk: hd.LogisticRegression(C=2, scale="standard").fit(blocks(X, chunk), blocks(y[:, None], chunk)[:, 0])),
                (of_program(text, "--algorithm", "svm"), lambda chunk: hd.LinearSVC().fit(sparse_blocks(X, chunk), y)),
                (of_program(text, "--algorithm", "svm", "--loss", "squared-hinge"), lambda chunk: hd.LinearSVC(loss="squared_hinge").fit(blocks(X, chunk), y)),
                (of_program("data/iris.csv", "--label", "species"),
                 lambda chunk: hd.LogisticRegression().fit(dask.dataframe.from_pandas(iris, chunksize=chunk), dask.dataframe.from_pandas(names, chunksize=chunk))))
            for workers in (1, 2, 3, 4):
                with_workers(workers)
                for expected, fit in cases:
                    for chunk in (1000, 83, 40)[:1 + (workers > 1) + (workers == 3)]:
                        trained = fit(chunk)
                        trained.save(out)
                        with open(out, "rb") as file:
                            self.assertTrue(file.read() == expected, (workers, chunk))
                        self.assertLessEqual(trained.team_["members"], max(1, workers))

    def test_blocks_stay_where_they_lie(self):
        a, b, c = with_workers(3)[:3]
        X, y = rows(1, 500)
        expected = model(hs.LogisticRegression().fit(X, y))
        Xd, yd = lying(X, y, (50, 50, 200, 333, 400), (b, a, a, c, b, a))
        distributed.wait([Xd, yd])
        before = CLIENT.who_has(Xd)
        trained = hd.LogisticRegression().fit(Xd, yd)
        self.assertEqual(model(trained), expected)
        self.assertEqual((trained.team_["members"], trained.team_["workers"], trained.team_["attempts"]), (5, 3, 1))
        self.assertGreater(trained.team_["bytes"], 0)
        self.assertEqual(CLIENT.who_has(Xd), before)
        fewer = hd.LogisticRegression(members=4).fit(Xd, yd)
        self.assertEqual((fewer.team_["members"], model(fewer)), (3, expected))

    def test_weights_classes_of_weights_words_and_limits(self):
        with_workers(2)
        X, y = rows(2, 300)
        words, w = np.array(["low", "mid", "high"])[y], np.where(y == 1, 0.3, np.arange(300) % 4)
        for how, labels, weights in (
                (dict(class_weight="balanced"), words, None), (dict(class_weight="balanced"), words, w), (dict(class_weight={0: 2, 1: 1, 2: 0.5}), y, w),
                (dict(class_weight={"low": 3}), words, None), (dict(alpha=1e-3), y, w), (dict(alpha=1e-3, class_weight="balanced"), y, w),
                (dict(fit_intercept=False, multi_class="ovr", random_state=5), y == 1, None), (dict(max_iter=2), y, None)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                alone = hs.LogisticRegression(**how).fit(X, labels, weights)
                apart = hd.LogisticRegression(**how).fit(blocks(X, 70), labels, weights)
            self.assertTrue(model(apart) == model(alone), how)
            self.assertEqual(apart.classes_.tolist(), alone.classes_.tolist())
            self.assertEqual(apart.report_, alone.report_)

    def test_many_features_with_the_solver_said(self):
        with_workers(2)
        draw = np.random.default_rng(4)
        X = sparse.random(300, 2000, 0.02, format="csr", random_state=4)
        y = draw.integers(0, 2, 300)
        Xd = dask.array.concatenate([dask.array.from_array(X[k:k + 60].toarray(), chunks=(60, -1)).map_blocks(sparse.csr_matrix) for k in range(0, 300, 60)])
        for kind, how in (("LogisticRegression", dict(solver="newton")), ("LinearSVC", dict(solver="semismooth"))):
            self.assertTrue(model(getattr(hd, kind)(**how).fit(Xd, y)) == model(getattr(hs, kind)(**how).fit(X, y)))

    def test_blocks_and_workers_without_rows(self):
        with_workers(3)
        X, y = rows(5, 90)
        Xd, yd = (dask.array.from_array(part, chunks=((0, 45, 0, 0, 45, 0), *([-1] * (part.ndim - 1)))) for part in (X, y))
        trained = hd.LogisticRegression().fit(Xd, yd)
        self.assertTrue(model(trained) == model(hs.LogisticRegression().fit(X, y)))
        self.assertEqual(len(trained.predict(Xd).compute()), 90)
        Xd, yd = Xd[Xd[:, 0] > -9], yd[Xd[:, 0] > -9]  # the lengths are no longer known
        self.assertTrue(model(hd.LogisticRegression().fit(Xd, yd)) == model(trained))

    def test_two_fits_at_once_do_not_mix(self):
        with_workers(2)
        out, seeds = {}, (6, 7, 8)

        def fit(seed):
            X, y, how = long_fit(seed)
            out[seed] = model(fitted(hd, blocks(X, 900), y, how))

        threads = [threading.Thread(target=fit, args=(seed,)) for seed in seeds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        for seed in seeds:
            X, y, how = long_fit(seed)
            self.assertTrue(out.get(seed) == model(fitted(hs, X, y, how)), seed)
        self.assertEqual(teams_left(), 0)


class Predictions(unittest.TestCase):
    def test_lazy_and_those_of_one_process(self):
        with_workers(2)
        X, y = rows(9, 120)
        frame = pandas.DataFrame(X, columns=[f"c{k}" for k in range(7)], index=np.arange(120) * 3)
        series = pandas.Series(np.array(["u", "v", "w"])[y], index=frame.index, name="kind")
        alone, apart = hs.LogisticRegression().fit(X, y), hd.LogisticRegression().fit(blocks(X, 50), y)
        for method in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
            for given in (blocks(X, 33), dask.array.from_array(X, chunks=(50, 3)), sparse_blocks(X, 50)):
                answer = getattr(apart, method)(given)
                self.assertIsInstance(answer, dask.array.Array)
                expected = getattr(alone, method)(X)
                self.assertEqual((answer.shape, answer.dtype), (expected.shape, expected.dtype))
                np.testing.assert_array_equal(answer.compute(), expected)
            np.testing.assert_array_equal(getattr(apart, method)(X), getattr(alone, method)(X))
        self.assertEqual(apart.score(blocks(X, 50), y), alone.score(X, y))
        apart = hd.LogisticRegression().fit(*[dask.dataframe.from_pandas(part, npartitions=3) for part in (frame, series)])
        answer = apart.predict(dask.dataframe.from_pandas(frame, npartitions=4)).compute()
        self.assertEqual(answer.tolist(), hs.LogisticRegression().fit(frame, series).predict(frame).tolist())
        self.assertEqual(answer.index.tolist(), frame.index.tolist())
        self.assertEqual(apart.predict_proba(dask.dataframe.from_pandas(frame, npartitions=4)).columns.tolist(), ["u", "v", "w"])
        with self.assertRaises(AttributeError):
            hd.LinearSVC().predict_proba
        two = hd.LinearSVC().fit(blocks(X, 50), y > 1)
        np.testing.assert_array_equal(two.decision_function(blocks(X, 50)).compute(), hs.LinearSVC().fit(X, y > 1).decision_function(X))


class Refused(unittest.TestCase):
    def refuses(self, words, X, y, sample_weight=None, kind=ValueError, **how):
        with self.assertRaisesRegex(kind, words):
            hd.LogisticRegression(**how).fit(X, y, sample_weight)
        self.assertEqual(teams_left(), 0)

    def test_rows_by_their_place(self):
        with_workers(2)
        X, y = rows(10, 200)
        bad = X.copy()
        bad[137, 4] = bad[180, 1] = np.nan
        self.refuses(r"X\[137, 4\]: nan; a finite number", blocks(bad, 30), y)
        self.refuses(r"X\[137, 4\]: nan; a finite number", sparse_blocks(bad, 30), y)
        frame = dask.dataframe.from_pandas(pandas.DataFrame(bad, columns=list("abcdefg")), npartitions=4)
        self.refuses(r"row 137 of X \(from 0\), column e: nan", frame, dask.dataframe.from_pandas(pandas.Series(y), npartitions=4))
        words = np.array(["a", "b", "c"], object)[y]
        words[171] = None
        self.refuses(r"y\[171\]: None; a label", blocks(X, 30), words)
        self.refuses(r"y\[0\]: [0-2].5; labels are words or whole numbers", blocks(X, 30), y + 0.5)
        self.refuses(r"sample_weight\[61\]: -1.0; a finite number of at least 0", blocks(X, 30), y, np.where(np.arange(200) == 61, -1, 1))
        self.refuses("only one class", blocks(X, 30), y * 0)
        self.refuses("fewer than two classes", blocks(X, 30), y, y == 1)
        self.refuses("no rows in any of its", blocks(X, 30)[:0], y[:0])

    def test_what_is_no_such_collection_and_what_no_team_trains(self):
        X, y = rows(11, 60)
        self.refuses("halfspace.LogisticRegression takes what is in memory", X, y, kind=TypeError)
        self.refuses("X has 60 rows, y has 59", blocks(X, 30), y[1:])
        self.refuses("X has 2 blocks, y has 3", blocks(X, 30)[blocks(X, 30)[:, 0] > -9], blocks(y[:, None], 20)[:, 0])
        self.refuses("column b of X holds object", dask.dataframe.from_pandas(pandas.DataFrame({"a": [1.0, 2], "b": ["x", "y"]}), npartitions=1), y[:2])
        self.refuses("penalty l1 .* needs all rows in one process", blocks(X, 30), y, penalty="l1")
        self.refuses("C: ", blocks(X, 30), y, C=-1)
        self.refuses("retries must be", blocks(X, 30), y, retries=-1)
        failing = blocks(X, 30).map_blocks(lambda block: 1 // 0, meta=np.empty((0, 0)))
        self.refuses("division", failing, y, kind=ZeroDivisionError)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.values, cls.y, how = long_fit()
        cls.expected = model(fitted(hs, cls.values, cls.y, how))
        cls.how = {**how, "patience": 20}

    def setUp(self):
        self.workers = with_workers(2)

    @property
    def X(self):
        """Blocks that are in no worker yet: half of them will be in each."""
        return dask.array.from_array(self.values, chunks=(1000, -1), name=False)

    def killer(self, place, seen):
        """A callback that kills the worker of the first member, or the last of the others, at the first look."""
        def look(now):
            if not seen:
                teams = CLIENT.run(lambda dask_worker: (min(min(team.mine) for team in dask_worker.extensions["halfspace-teams"].values()), os.getpid()))
                self.assertEqual(len(teams), 2)
                victim = sorted(teams, key=lambda worker: teams[worker])[place]
                os.kill(teams[victim][1], signal.SIGKILL)
                while victim in CLIENT.scheduler_info()["workers"]:  # so that the next test does not count it
                    time.sleep(0.01)
            seen.append(now)
        return look

    def test_a_worker_killed_during_a_fit_changes_nothing(self):
        for place in (0, 1):
            with_workers(2)
            seen = []
            trained = fitted(hd, self.X, self.y, {**self.how, "callback": self.killer(place, seen)})
            self.assertTrue(seen)
            self.assertTrue(model(trained) == self.expected)
            self.assertGreaterEqual(trained.team_["attempts"], 2)
            self.assertEqual(teams_left(), 0)

    def test_not_more_often_than_said_and_not_what_cannot_be_computed_again(self):
        with self.assertRaisesRegex(RuntimeError, "no training came to its end in 1 attempts; the last: .*(gone|reached)"):
            hd.LogisticRegression(callback=self.killer(1, []), retries=0, **self.how).fit(self.X, self.y)
        halves = scattered(np.split(self.values, 2))
        X = dask.array.concatenate([dask.array.from_delayed(half, (2000, 100), float) for half in halves])
        with self.assertRaisesRegex(RuntimeError, "Dask does not know how to compute it again"):
            hd.LogisticRegression(callback=self.killer(1, []), **self.how).fit(X, self.y)

    def test_a_worker_that_stops_ends_the_fit(self):
        stopped = CLIENT.run(os.getpid)[self.workers[1]]

        def stop(now):
            os.kill(stopped, signal.SIGSTOP)

        try:
            with self.assertRaisesRegex(RuntimeError, "has not answered for 1 seconds"):
                hd.LogisticRegression(callback=stop, **{**self.how, "patience": 1}).fit(self.X, self.y)
        finally:
            os.kill(stopped, signal.SIGCONT)
        self.wait_for_no_teams()

    def test_blocks_that_no_worker_may_compute_end_the_fit(self):
        pinned = CLIENT.persist(self.X.map_blocks(np.negative), workers=["tcp://127.0.0.1:1"], allow_other_workers=False)
        with self.assertRaisesRegex(RuntimeError, "computed nothing for 1 seconds.*pinned"):
            hd.LogisticRegression(**{**self.how, "patience": 1}).fit(pinned, self.y)

    def wait_for_no_teams(self):
        end = time.monotonic() + 60
        while teams_left() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(teams_left(), 0)

    def test_a_callback_and_the_keyboard_end_a_fit(self):
        def no(now):
            return False

        with self.assertWarnsRegex(UserWarning, "the callback ended it"):
            trained = hd.LogisticRegression(callback=no, **self.how).fit(self.X, self.y)
        self.assertEqual(trained.report_["stop"], "cancelled")

        def interrupt(now):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)

        with self.assertRaises(KeyboardInterrupt):
            hd.LogisticRegression(callback=interrupt, **self.how).fit(self.X, self.y)
        self.wait_for_no_teams()
        self.assertTrue(model(fitted(hd, self.X, self.y, self.how)) == self.expected)

    def test_members_whose_client_is_gone_end(self):
        script = """if True:
            import sys, numpy as np, dask.array, distributed, halfspace.dask as hd
            sys.path.insert(0, "tests/python")
            import dask_test
            with distributed.Client(sys.argv[1]):
                X, y, how = dask_test.long_fit()
                def look(now):
                    print("began", flush=True)
                    sys.stdin.read()
                hd.LogisticRegression(callback=look, patience=2, **how).fit(dask.array.from_array(X, chunks=(1000, -1)), y)
            """
        child = subprocess.Popen([sys.executable, "-c", script, CLUSTER.scheduler_address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.assertEqual(child.stdout.readline(), b"began\n")
        finally:
            child.kill()
            child.wait()
            child.stdin.close()
            child.stdout.close()
        self.wait_for_no_teams()


class Documentation(unittest.TestCase):
    def test_the_lines_for_a_cluster(self):
        with open("docs/cluster.md", encoding="utf-8") as file:
            code, shown = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", file.read(), re.S).groups()
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "lines.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(code)
            self.assertEqual(subprocess.run([sys.executable, script], check=True, capture_output=True, text=True, timeout=120).stdout, shown)


if __name__ == "__main__":
    unittest.main()
