#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rows in parts, options chosen, updates traced, pages and pictures: against the program, scikit-learn and closed forms."""
import io
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import support  # noqa: F401
import numpy as np
import scipy.sparse as sparse
from sklearn.linear_model import Perceptron as TheirPerceptron

import halfspace as hs
from halfspace._progress import Bar

IRIS = hs.read("data/iris.csv")
CANCER = hs.read("data/breast_cancer.csv")
PROGRAM = os.environ.get("HALFSPACE_PROGRAM", "")
LEARNERS = [hs.Perceptron(passes=1, order="cyclic"), hs.Perceptron(passes=1, order="cyclic", online_to_batch="average"), hs.AveragedPerceptron(passes=1, order="cyclic"),
            hs.PassiveAggressiveClassifier(passes=1, order="cyclic"), hs.PassiveAggressiveClassifier(passes=1, order="cyclic", average=True),
            hs.Pegasos(passes=1, order="cyclic"), hs.Pegasos(passes=1, order="cyclic", rate="sqrt", average=True),
            hs.SGDClassifier(passes=1, order="cyclic", keep="last"), hs.SGDClassifier(passes=1, order="cyclic", keep="average", alpha=0.5),
            hs.SGDClassifier(passes=1, order="cyclic", keep="last", loss="logistic", alpha=2.0, rate="constant:0.4")]


def shuffled(X, y, seed=0):
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


class Parts(unittest.TestCase):
    def test_parts_are_one_pass_to_the_bit(self):
        for X, y in (shuffled(*IRIS), shuffled(*CANCER)):
            for learner in LEARNERS:
                for rows in (X, sparse.csr_matrix(X), X.astype(np.float32)):
                    whole = hs_clone(learner).fit(rows, y)
                    parts = hs_clone(learner)
                    for begin, end in ((0, 1), (1, 2), (2, 50), (50, 51), (51, len(y))):
                        parts.partial_fit(rows[begin:end], y[begin:end], classes=np.unique(y))
                        if end == 50:
                            parts = pickle.loads(pickle.dumps(parts))  # also the state goes into the file
                    np.testing.assert_array_equal(parts.coef_, whole.coef_, err_msg=repr(learner))
                    np.testing.assert_array_equal(parts.intercept_, whole.intercept_, err_msg=repr(learner))

    def test_votes_are_those_of_one_pass_to_the_bit(self):
        for X, y in (shuffled(*IRIS), shuffled(*CANCER)):
            for rows in (X, sparse.csr_matrix(X)):
                whole = hs.VotedPerceptron(passes=1, order="cyclic").fit(rows, y)
                parts = hs.VotedPerceptron()
                for begin, end in ((0, 1), (1, 2), (2, 50), (50, 51), (51, len(y))):
                    parts.partial_fit(rows[begin:end], y[begin:end], classes=np.unique(y))
                    parts = pickle.loads(pickle.dumps(parts))
                np.testing.assert_array_equal(parts.decision_function(rows), whole.decision_function(rows))
                np.testing.assert_array_equal(hs.VotedPerceptron(passes=1, order="cyclic").fit(rows, y).partial_fit(rows, y).decision_function(rows),
                                              hs.VotedPerceptron(passes=2, order="cyclic").fit(rows, y).decision_function(rows))
        with self.assertRaisesRegex(ValueError, "votes that lived longer"):
            parts._walk = hs.VotedPerceptron().partial_fit(rows[:1], y[:1], classes=np.unique(y))._walk
            parts.partial_fit(rows, y)
        with self.assertRaisesRegex(ValueError, "kernel"):
            hs.VotedPerceptron(kernel="rbf:1").partial_fit(X, y, classes=np.unique(y))

    def test_the_steps_are_those_of_scikit_learn(self):
        X, y = shuffled(*IRIS)
        y = y == "setosa"
        ours, theirs = hs.Perceptron(), TheirPerceptron(shuffle=False, tol=None)
        for part in np.array_split(np.arange(len(y)), 7):
            ours.partial_fit(X[part], y[part], classes=[False, True])
            theirs.partial_fit(X[part], y[part], classes=[False, True])
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_)

    def test_a_weight_is_a_number_of_copies(self):
        X, y = shuffled(*CANCER)
        weights = np.arange(len(y)) % 3
        weighted = hs.AveragedPerceptron().partial_fit(X, y, classes=np.unique(y), sample_weight=weights)
        copied = hs.AveragedPerceptron().partial_fit(np.repeat(X, weights, axis=0), np.repeat(y, weights), classes=np.unique(y))
        np.testing.assert_array_equal(weighted.coef_, copied.coef_)
        halves = hs.Perceptron().partial_fit(X, y, classes=np.unique(y), sample_weight=np.full(len(y), 0.5))
        self.assertEqual(halves.t_, 1 + np.floor(0.5 + np.arange(len(y)) * 0.6180339887498949 % 1).sum())

    def test_what_cannot_be(self):
        X, y = CANCER
        with self.assertRaisesRegex(ValueError, "classes"):
            hs.Perceptron().partial_fit(X, y)
        with self.assertRaisesRegex(ValueError, "not in classes"):
            hs.Perceptron().partial_fit(X, y, classes=["benign", "x"])
        with self.assertRaisesRegex(ValueError, "scal"):
            hs.Perceptron(scale="standard").partial_fit(X, y, classes=np.unique(y))
        with self.assertRaisesRegex(ValueError, "give alpha"):
            hs.Pegasos(C=1.0).partial_fit(X, y, classes=np.unique(y))
        model = hs.Perceptron().partial_fit(X[:50], y[:50], classes=np.unique(y))
        with self.assertRaisesRegex(ValueError, "features"):
            model.partial_fit(X[:, :3], y)
        model._walk = np.ones(7)
        with self.assertRaisesRegex(ValueError, "no state"):
            model.partial_fit(X, y)

    def test_goes_on_from_a_fit(self):
        X, y = CANCER
        model = hs.Perceptron(passes=3, order="cyclic").fit(X, y)
        before = model.coef_.copy()
        again = hs.Perceptron(passes=4, order="cyclic").fit(X, y)
        model.partial_fit(X, y)
        np.testing.assert_array_equal(model.coef_, again.coef_)
        self.assertFalse(np.array_equal(model.coef_, before))


def hs_clone(learner):
    return type(learner)(**learner.get_params())


class Tuned(unittest.TestCase):
    def test_the_choice_is_that_of_the_program(self):
        if not os.path.exists(PROGRAM):
            self.skipTest("the program is not built")
        X, y = hs.read("data/breast_cancer.csv", as_frame=True)
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "m")
            said = json.loads(program("tune", "data/breast_cancer.csv", "-o", model, "--scale", "standard", "--C", "1e-3:10", "--deal", "content", "--json"))
            ours = hs.TunedClassifier(options={"C": "1e-3:10"}, scale="standard").fit(X, y)
            self.assertEqual(ours.best_params_["C"], float(said["chosen"]["C"]))
            self.assertEqual(len(ours.tuning_["table"]), len(said["table"]))
            with open(model, "rb") as file:
                self.assertEqual(file.read(), bytes(ours.model_))
        same = hs.LogisticRegressionCV(Cs="1e-3:10", scale="standard").fit(X, y)
        self.assertEqual(same.C_[0], ours.best_params_["C"])
        np.testing.assert_array_equal(same.coef_, ours.coef_)
        self.assertEqual(same.predict_proba(X).shape, (569, 2))

    def test_several_algorithms_and_an_honest_estimate(self):
        X, y = IRIS
        found = hs.TunedClassifier(algorithm="svm,logistic", options={"C": [0.1, 1]}, folds=3, nested=True).fit(X, y)
        self.assertIn(found.best_algorithm_, ("svm", "logistic"))
        self.assertEqual(len(found.tuning_["table"]), 4)
        self.assertLess(found.nested_["mean"], 0.2)
        with self.assertRaisesRegex(ValueError, "no option"):
            hs.TunedClassifier(options={"nonsense": 1}).fit(X, y)

    def test_a_callback_ends_the_search(self):
        X, y = CANCER
        with self.assertRaises((hs.Stopped, KeyError)):
            hs.TunedClassifier(callback=lambda progress: {}["mine"]).fit(X, y)

    def test_path(self):
        X, y = CANCER
        found = hs.path(X, y, "logistic", C=[0.01, 0.1, 1], scale="standard")
        self.assertEqual(found.values.tolist(), [0.01, 0.1, 1])
        self.assertTrue(np.all(np.diff(found.norm) > 0))  # a larger C never has a shorter plane
        self.assertTrue(np.all(found.relative_gap < 1e-2))


class Shown(unittest.TestCase):
    def test_trace_is_that_of_the_program(self):
        X, y = IRIS[0], IRIS[1] == "setosa"
        walk = hs.trace(X, y, passes="until-clean")
        again = hs.Perceptron(passes="until-clean", order="cyclic").fit(X, y)
        np.testing.assert_array_equal(walk.theta[-1], again.coef_[0])
        self.assertEqual(len(list(walk)), again.report_["mistakes"])
        if os.path.exists(PROGRAM):
            lines = [json.loads(line) for line in program("trace", "data/iris.csv", "--positive", "setosa", "--passes", "until-clean").splitlines()]
            self.assertEqual([line["row"] - 1 for line in lines], walk.row.tolist())
            self.assertEqual([line["theta"] for line in lines], walk.theta.tolist())
        self.assertEqual(len(hs.trace(X, y, passes=1, most=2)), 2)
        with self.assertRaises(ZeroDivisionError):
            hs.trace(X, y, callback=lambda update: 1 / 0)

    def test_report_is_a_page_about_the_model(self):
        X, y = CANCER
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.html")
            hs.LogisticRegression(scale="standard").fit(X, y).report(path, X, y)
            with open(path, encoding="utf-8") as file:
                page = file.read()
        self.assertIn("halfspace.report/1", page)
        self.assertTrue(page.lstrip().lower().startswith("<!doctype html"))

    def test_html_marks_what_was_changed_and_escapes(self):
        X, y = hs.read("data/iris.csv", as_frame=True)
        X = X.rename(columns={"petal width": "<script>"})
        model = hs.LinearSVC(C=3.0).fit(X, np.where(y == "setosa", "yes", "<b>no"))
        page = model._repr_mimebundle_()["text/html"]
        self.assertIn("<b>C</b>", page)
        self.assertNotIn("<b>gap</b>", page)
        self.assertIn("proved:", page)
        self.assertIn("f(x) =", page)
        self.assertNotIn("<script>", page)
        self.assertIn("not trained yet", hs.LinearSVC()._repr_mimebundle_()["text/html"])
        self.assertIn("LinearSVC(C=3.0)", repr(model))

    def test_the_bar_shows_and_the_callback_still_ends(self):
        out, seen = io.StringIO(), []
        bar = Bar("P", lambda now: seen.append(now) or False, out)
        self.assertIs(bar({"done": 0.5, "iterations": 3, "relative_gap": 1e-2}), False)
        bar.close()
        self.assertIn("[##########", out.getvalue())
        self.assertEqual(len(seen), 1)
        script = "import halfspace as h; X, y = h.read('data/iris.csv'); h.Perceptron(progress=True, passes=500).fit(X, y)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("Perceptron [", done.stderr)

    def test_pictures(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        X, y = IRIS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            axes = hs.plot_plane(hs.LogisticRegression().fit(X, y), X, y, features=(2, 3))
            self.assertEqual(len(axes.get_legend().get_texts()), 3)
            binary = hs.LinearSVC().fit(X[:, :2], y == "setosa")
            hs.plot_plane(binary, X[:, :2], y == "setosa")
        axes = hs.plot_path(hs.path(X, y, C=[0.1, 1, 10]))
        self.assertEqual(axes.get_xscale(), "log")


if __name__ == "__main__":
    unittest.main()
