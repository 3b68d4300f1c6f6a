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
        iris, cancer = "data/iris.csv", "data/breast_cancer.csv"
        with tempfile.TemporaryDirectory() as folder:
            apart, near, text = [os.path.join(folder, name) for name in ("apart.csv", "near.csv", "rows.svm")]
            with open(iris, encoding="utf-8") as file:
                lines = file.read().splitlines(keepends=True)
            for path, rows in ((apart, lines[1:101]), (near, lines[101 - 40:101 + 20])):
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines([lines[0], *rows])
            random = np.random.default_rng(0)
            with open(text, "w", encoding="utf-8") as file:
                for i in range(60):
                    file.write(f"{i % 3} " + " ".join(f"{j}:{random.normal() + i % 3!r}" for j in range(1 + i % 2, 40, 3)) + "\n")
            for path, options, estimator in (
                    (iris, "logistic", hs.LogisticRegression()),
                    (iris, "logistic --multiclass one-vs-rest --offset none --gap 1e-8", hs.LogisticRegression(multi_class="ovr", fit_intercept=False, tol=1e-8)),
                    (cancer, "logistic --penalty elastic-net --scale standard --C 0.3", hs.LogisticRegression(penalty="elasticnet", C=0.3, scale="standard")),
                    (text, "logistic --C 2", hs.LogisticRegression(C=2.0)),
                    (cancer, "perceptron --order content", hs.Perceptron()),
                    (iris, "perceptron", hs.Perceptron(order="cyclic")),
                    (iris, "perceptron --kernel rbf:0.5 --order content", hs.Perceptron(kernel="rbf:0.5")),
                    (iris, "averaged-perceptron --order content", hs.AveragedPerceptron()),
                    (cancer, "voted-perceptron --passes 2 --order content", hs.VotedPerceptron(max_iter=2)),
                    (iris, "passive-aggressive --order shuffled --seed 7", hs.PassiveAggressiveClassifier(shuffle=True, random_state=7)),
                    (cancer, "pegasos --offset free --order content --scale standard", hs.Pegasos(scale="standard")),
                    (cancer, "sgd --loss logistic --lambda 0.01 --order content --scale minmax", hs.SGDClassifier(loss="log_loss", alpha=0.01, scale="minmax")),
                    (cancer, "svm --C 0.5 --scale standard", hs.LinearSVC(C=0.5, scale="standard")),
                    (text, "svm", hs.LinearSVC()),
                    (cancer, "svm --penalty l1 --loss squared-hinge --scale standard", hs.LinearSVC(penalty="l1", loss="squared_hinge", scale="standard")),
                    (cancer, "svm --class-weight balanced --calibrate platt --deal content --scale standard",
                     hs.LinearSVC(class_weight="balanced", calibrate="platt", scale="standard")),
                    (iris, "svm --kernel rbf --gap 1e-8", hs.SVC()),
                    (iris, "svm --kernel poly:2,0.25,1 --gap 1e-8", hs.SVC(kernel="poly", degree=2, gamma="auto", coef0=1)),
                    (cancer, "nu-svm --kernel rbf --gap 1e-8 --scale standard", hs.NuSVC(scale="standard")),
                    (apart, "hard-margin", hs.HardMarginSVC()),
                    (near, "fewest-errors --nodes 50", hs.FewestErrors(nodes=50, decimals=True))):
                with self.subTest(options), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    X, y = hs.read(path, as_frame=path != text)
                    model = os.path.join(folder, "m")
                    done = subprocess.run([program, "train", path, "-o", model, "--quiet", "--algorithm", *options.split()], capture_output=True)
                    self.assertIn(done.returncode, (0, 3), done.stderr)
                    theirs, ours = hs.load(model), estimator.fit(X, y)
                    np.testing.assert_array_equal(theirs.decision_function(X), ours.decision_function(X))
                    with open(model, "rb") as file:
                        self.assertEqual(file.read(), bytes(ours.model_))

    def test_arrays_of_zeros_for_the_most_part_train_as_sparse_rows_do(self):
        random = np.random.default_rng(1)
        X = np.where(random.random((3000, 60)) < 0.15, random.normal(size=(3000, 60)), 0.0)
        y = np.where(X @ random.normal(size=60) + random.normal(size=3000) > 0, "yes", "no")
        X.setflags(write=False)
        for estimator in (hs.Perceptron(), hs.SGDClassifier(loss="log_loss", alpha=1e-3), hs.LinearSVC(), hs.LogisticRegression()):
            with self.subTest(repr(estimator)):
                dense = bytes(estimator.fit(X, y).model_)
                if not isinstance(estimator, hs.SGDClassifier):  # which carries no certificate
                    self.assertTrue(hs.verify(estimator, X, y).holds)
                self.assertEqual(dense, bytes(estimator.fit(sparse.csr_matrix(X), y).model_))
        for value in (np.nan, np.inf):
            bad = X.copy()
            bad[2500, 59] = value
            with self.assertRaisesRegex(ValueError, "NaN|infinity"):
                hs.Perceptron().fit(bad, y)

    def test_weights_of_a_file_make_the_planes_of_the_program(self):
        program = os.environ.get("HALFSPACE_PROGRAM", "")
        if not os.path.exists(program):
            self.skipTest("the program is not built")
        with tempfile.TemporaryDirectory() as folder:
            path, cache, model = [os.path.join(folder, name) for name in ("t.csv", "t.hsd", "m")]
            random = np.random.default_rng(3)
            with open(path, "w", encoding="utf-8") as file:
                file.write("a,b,often,label\n")
                for i in range(80):
                    a, b = random.normal(size=2).round(3)
                    file.write(f"{a},{b},{(i % 5) / 2},{'yes' if a + b + random.normal() / 2 > 0 else 'no'}\n")
            for algorithm, estimator in (("perceptron --order content", hs.Perceptron()), ("perceptron", hs.Perceptron(order="cyclic")),
                                         ("voted-perceptron --order content", hs.VotedPerceptron()), ("svm", hs.LinearSVC())):
                subprocess.run([program, "train", path, "--weight", "often", "-o", model, "--quiet", "--algorithm", *algorithm.split()], check=True,
                               capture_output=True)
                X, y, weights = hs.read(path, weight="often", as_frame=True)
                self.assertEqual(weights.tolist(), [(i % 5) / 2 for i in range(80)])
                estimator.fit(X, y, sample_weight=weights)
                theirs = hs.load(model)  # it knows the name of the column of weights, besides
                np.testing.assert_array_equal(theirs.decision_function(X), estimator.decision_function(X))
                self.assertEqual(theirs.certificate_, estimator.certificate_)
                self.assertEqual(theirs.model_.describe["facts"]["data"], estimator.model_.describe["facts"]["data"])
                self.assertTrue(hs.verify(estimator, X, y, sample_weight=weights).holds)
                self.assertFalse(hs.verify(estimator, X, y).holds)
            subprocess.run([program, "convert", path, "--weight", "often", "-o", cache, "--quiet"], check=True, capture_output=True)
            with self.assertRaisesRegex(ValueError, "weight=True"):
                hs.read(cache)
            np.testing.assert_array_equal(hs.read(cache, weight=True)[2], weights)
            self.assertEqual(len(hs.read(cache, weight=False)), 2)
            self.assertEqual(hs.read("data/iris.csv", weight=True)[2].tolist(), [1.0] * 150)

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
