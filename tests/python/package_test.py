#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The package beyond scikit-learn's checks: files, proofs, pickles, pipelines, bad input, interrupts."""
import multiprocessing
import os
import pickle
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import warnings

import support  # noqa: F401
import numpy as np
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import halfspace as hs

IRIS = hs.read("data/iris.csv")
CANCER = hs.read("data/breast_cancer.csv")


def predict_in_child(model, X, queue):
    queue.put(model.fit(X, IRIS[1]).predict(X).tolist())


class Package(unittest.TestCase):
    def test_model_bytes_are_those_of_the_command_line(self):
        program = os.environ.get("HALFSPACE_PROGRAM", "")
        if not os.path.exists(program):
            self.skipTest("the program is not built")
        for path, options, estimator in (
                ("data/iris.csv", ["--algorithm", "logistic"], hs.LogisticRegression()),
                ("data/breast_cancer.csv", ["--algorithm", "perceptron"], hs.Perceptron()),
                ("data/breast_cancer.csv", ["--algorithm", "svm", "--C", "0.5", "--scale", "standard"], hs.LinearSVC(C=0.5, scale="standard"))):
            X, y = hs.read(path, as_frame=True)
            with tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, "m")
                subprocess.run([program, "train", path, "-o", model, "--quiet", *options], check=True, capture_output=True)
                theirs = hs.load(model)
                ours = estimator.fit(X, y)
                np.testing.assert_array_equal(theirs.coef_, ours.coef_)
                np.testing.assert_array_equal(theirs.decision_function(X), ours.decision_function(X))
                with open(model, "rb") as file:
                    self.assertEqual(file.read(), bytes(ours.model_))

    def test_certificate_is_verified_and_a_changed_row_is_noticed(self):
        X, y = CANCER
        model = hs.LinearSVC(class_weight="balanced").fit(X, y)
        self.assertTrue(hs.verify(model, X, y).holds)
        changed = X.copy()
        changed[3, 4] += 1
        self.assertFalse(hs.verify(model, changed, y).holds)

    def test_separable_has_a_plane_or_a_witness(self):
        X, y = IRIS
        found = hs.separable(X, y == "setosa")
        self.assertTrue(found)
        weights, offset = found.plane_
        np.testing.assert_array_equal(X @ weights + offset > 0, y == "setosa")
        apart = hs.separable(X, y == "versicolor")
        self.assertFalse(apart)
        rows, shares = apart.witness_
        side = np.where(y[rows] == "versicolor", 1, -1)
        np.testing.assert_allclose((side * shares) @ X[rows], 0, atol=1e-9)

    def test_hard_margin_says_no(self):
        X, y = IRIS
        with self.assertRaisesRegex(ValueError, "overlapping"):
            hs.HardMarginSVC(on_nonseparable="raise").fit(X, y == "versicolor")
        with self.assertWarns(UserWarning):
            model = hs.HardMarginSVC().fit(X, y == "versicolor")
        self.assertNotEqual(model.separability_["verdict"], "separable")

    def test_dense_sparse_and_every_order_give_the_same_scores(self):
        X, y = CANCER
        scores = hs.LogisticRegression().fit(X, y).decision_function(X)
        for other in (np.asfortranarray(X), X[::-1][::-1], sparse.csr_matrix(X), sparse.csc_matrix(X), np.repeat(X, 2, axis=1)[:, ::2]):
            np.testing.assert_allclose(hs.LogisticRegression().fit(other, y).decision_function(other), scores, rtol=1e-3, atol=1e-3)
        frozen = X.copy()
        frozen.setflags(write=False)
        np.testing.assert_array_equal(hs.LogisticRegression().fit(frozen, y).decision_function(frozen), scores)

    def test_words_that_are_numbers_keep_the_order_of_numpy(self):
        X, y = IRIS
        names = np.where(y == "setosa", "10", "9")
        model = hs.LinearSVC().fit(X, names)
        self.assertEqual(model.classes_.tolist(), ["10", "9"])
        np.testing.assert_array_equal(model.predict(X), names)
        np.testing.assert_allclose(X @ model.coef_[0] + model.intercept_[0], model.decision_function(X), rtol=1e-9)

    def test_pickle_clone_pipeline_search(self):
        X, y = IRIS
        model = hs.SVC().fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
        self.assertEqual(clone(model).get_params(), model.get_params())
        chain = make_pipeline(StandardScaler(), hs.LogisticRegression())
        self.assertGreater(cross_val_score(chain, X, y).mean(), 0.9)
        search = GridSearchCV(hs.LinearSVC(), {"C": [0.1, 1.0]}, n_jobs=2).fit(X, y)
        self.assertIn(search.best_params_["C"], (0.1, 1.0))

    def test_a_forked_child_can_fit(self):
        X, y = IRIS
        model = hs.LogisticRegression().fit(X, y)
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=predict_in_child, args=(model, X, queue))
        child.start()
        self.assertEqual(queue.get(timeout=60), model.predict(X).tolist())
        child.join()

    def test_bad_input_is_a_value_error_with_words(self):
        X, y = IRIS
        for wrong, words in ((X * np.nan, "NaN"), (np.full_like(X, "x", dtype=object), "float"), (np.float64(1), "scalar"), (X[:, 0], "2D")):
            with self.assertRaisesRegex(ValueError, words):
                hs.LogisticRegression().fit(wrong, y)
        with self.assertRaisesRegex(ValueError, "one of them"):
            hs.LinearSVC(C=2, alpha=1e-3).fit(X, y)
        with self.assertRaisesRegex(ValueError, "C: '-1'"):
            hs.LinearSVC(C=-1).fit(X, y)
        with self.assertRaisesRegex(TypeError, "unexpected keyword"):
            hs.LinearSVC(kernel="rbf")
        with self.assertRaisesRegex(ValueError, "no_such_file"):
            hs.read("no_such_file.csv")

    def test_alpha_is_the_other_way_to_say_C(self):
        X, y = IRIS
        np.testing.assert_array_equal(hs.LinearSVC(alpha=1 / 300).fit(X, y).coef_, hs.LinearSVC(C=2.0).fit(X, y).coef_)

    def test_ctrl_c_ends_a_fit(self):
        X, y = CANCER
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            hs.Perceptron(passes=1e9).fit(X, y)

    def test_callback_ends_a_fit_and_its_exception_comes_through(self):
        X, y = CANCER
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hs.Perceptron(passes=1e9, callback=lambda progress: False).fit(X, y)

        def fail(progress):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            hs.Perceptron(passes=1e9, callback=fail).fit(X, y)


if __name__ == "__main__":
    unittest.main()
