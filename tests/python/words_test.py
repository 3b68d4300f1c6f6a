#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What somebody who knows scikit-learn tries first: its words are understood, or refused with words that say what to do instead."""
import unittest
import warnings

import support  # noqa: F401
import numpy as np
import scipy.sparse as sparse
import sklearn.linear_model as linear
import sklearn.svm as svm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import halfspace as hs

X, Y = hs.read("data/iris.csv")
C, L = hs.read("data/breast_cancer.csv")
SCALED = (C - C.mean(axis=0)) / C.std(axis=0)


def same_planes(one, other):
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)


class Words(unittest.TestCase):
    def test_words_of_scikit_learn_mean_options_of_ours(self):
        for theirs, ours in (
                (hs.LogisticRegression(penalty="elasticnet", solver="saga", tol=1e-5), hs.LogisticRegression(penalty="elastic-net", gap=1e-5)),
                (hs.LogisticRegression(multi_class="ovr", fit_intercept=False, max_iter=1000),
                 hs.LogisticRegression(multiclass="one-vs-rest", offset="none")),
                (hs.LinearSVC(loss="squared_hinge", penalty="l1", dual=False, tol=1e-5), hs.LinearSVC(loss="squared-hinge", penalty="l1", gap=1e-5)),
                (hs.Perceptron(max_iter=3, shuffle=True, fit_intercept=False), hs.Perceptron(passes=3, order="shuffled", offset="none")),
                (hs.Perceptron(tol=1e-3, max_iter=7), hs.Perceptron(passes="until-clean", max_passes=7)),
                (hs.PassiveAggressiveClassifier(loss="squared_hinge", shuffle=False), hs.PassiveAggressiveClassifier(variant="pa2", order="cyclic")),
                (hs.SGDClassifier(loss="log_loss", learning_rate="constant", eta0=0.5, average=True, max_iter=4),
                 hs.SGDClassifier(loss="logistic", rate="constant:0.5", keep="average", passes=4)),
                (hs.SVC(kernel="poly", degree=2, gamma=0.5, coef0=1), hs.SVC(kernel="poly:2,0.5,1")),
                (hs.SVC(gamma="scale"), hs.SVC(kernel=f"rbf:{1 / (4 * X.var())!r}")),
                (hs.SVC(gamma="auto", cache_size=100), hs.SVC(kernel="rbf:0.25", cache=100))):
            with self.subTest(repr(theirs)), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertEqual(bytes(theirs.fit(X, Y).model_), bytes(ours.fit(X, Y).model_))

    def test_the_numbers_are_those_of_scikit_learn(self):
        for ours, theirs in ((hs.LogisticRegression(tol=1e-10), linear.LogisticRegression(tol=1e-10, max_iter=10000)),
                             (hs.LogisticRegression(penalty="l1", C=0.1, tol=1e-9), linear.LogisticRegression(penalty="l1", C=0.1, solver="saga", tol=1e-9, max_iter=20000)),
                             (hs.SVC(gamma="scale", gap=1e-10), svm.SVC(tol=1e-8)), (hs.NuSVC(gamma="scale", nu=0.3, gap=1e-9), svm.NuSVC(nu=0.3, tol=1e-8)),
                             (hs.SVC(kernel="poly", degree=2, gamma=0.1, coef0=1.0, gap=1e-10), svm.SVC(kernel="poly", degree=2, gamma=0.1, coef0=1.0, tol=1e-8)),
                             (hs.LinearSVC(loss="squared_hinge", offset="lifted", gap=1e-10), svm.LinearSVC(dual=False, tol=1e-10)),
                             (hs.LogisticRegression(class_weight="balanced", tol=1e-10), linear.LogisticRegression(class_weight="balanced", tol=1e-10))):
            with self.subTest(repr(ours)):
                np.testing.assert_allclose(ours.fit(SCALED, L).decision_function(SCALED), theirs.fit(SCALED, L).decision_function(SCALED), rtol=1e-3, atol=1e-3)

    def test_support_vectors_under_their_names(self):
        for rows in (X, sparse.csr_matrix(X)):
            for options in ({"kernel": "linear"}, {"gamma": "scale"}, {"kernel": "precomputed"}):
                for labels in (Y == "setosa", Y):
                    with self.subTest(f"{options} {labels.dtype}"):
                        given = rows @ rows.T if options["kernel" if "kernel" in options else "gamma"] == "precomputed" else rows
                        given = given.toarray() if sparse.issparse(given) and options.get("kernel") == "precomputed" else given
                        ours = hs.SVC(gap=1e-10, multiclass="auto", **options).fit(given, labels)
                        vectors = ours.support_vectors_
                        if options.get("kernel") != "precomputed":
                            dense = vectors.toarray() if sparse.issparse(vectors) else vectors
                            np.testing.assert_array_equal(dense, X[ours.support_])
                            self.assertEqual(sparse.issparse(vectors), sparse.issparse(rows))
                        self.assertEqual(ours.n_support_.sum(), len(ours.support_))
                        self.assertEqual(ours.dual_coef_.shape[1], len(ours.support_))
                        if labels is Y:
                            continue
                        theirs = svm.SVC(tol=1e-9, **options).fit(given, labels)
                        self.assertEqual(set(ours.support_.tolist()), set(theirs.support_.tolist()))
                        order = np.argsort(theirs.support_)
                        dual = ours.dual_coef_.toarray() if sparse.issparse(ours.dual_coef_) else ours.dual_coef_
                        expected = theirs.dual_coef_.toarray() if sparse.issparse(theirs.dual_coef_) else theirs.dual_coef_
                        np.testing.assert_allclose(dual[0], expected[0][order], rtol=1e-3, atol=1e-5)
                        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
        with self.assertRaisesRegex(AttributeError, "no planes"):
            hs.SVC().fit(X, Y).coef_
        with self.assertRaisesRegex(AttributeError, "not fitted"):
            hs.SVC().support_

    def test_the_product_of_a_kernel_machine_by_hand(self):
        model = hs.SVC(gamma=0.5).fit(X, Y == "setosa")
        squares = ((X[:, None, :] - model.support_vectors_[None]) ** 2).sum(axis=2)
        np.testing.assert_allclose(np.exp(-0.5 * squares) @ model.dual_coef_[0] + model.intercept_[0], model.decision_function(X), atol=1e-9)

    def test_probabilities(self):
        for model in (hs.SVC(probability=True, gap=1e-3), hs.LinearSVC(calibrate="platt"), hs.Perceptron(calibrate="isotonic"),
                      hs.SGDClassifier(loss="log_loss", alpha=0.01), hs.Pegasos(calibrate="platt"), hs.LogisticRegression()):
            for labels in (Y == "setosa", Y):
                with self.subTest(f"{model!r} {labels.dtype}"):
                    self.assertTrue(hasattr(model, "predict_proba"))
                    model.fit(X, labels)
                    shares = model.predict_proba(X)
                    self.assertEqual(shares.shape, (150, len(model.classes_)))
                    np.testing.assert_allclose(shares.sum(axis=1), 1)
                    np.testing.assert_allclose(np.log(shares), model.predict_log_proba(X))
                    np.testing.assert_array_equal(shares, model.predict_proba(np.asfortranarray(X)))
                    chosen = shares[np.arange(150), np.searchsorted(model.classes_, model.predict(X))]
                    self.assertTrue(np.all(chosen >= shares.max(axis=1) - 1e-12))
        self.assertFalse(hasattr(hs.LinearSVC(), "predict_proba"))
        with self.assertRaisesRegex(AttributeError, "calibrate='platt' learns them"):
            hs.LinearSVC().fit(X, Y).predict_proba(X)
        with self.assertRaisesRegex(ValueError, "one of them"):
            hs.SVC(probability=True, calibrate="isotonic").fit(X, Y)

    def test_classes_are_weighted(self):
        labels = np.where(np.arange(150) < 50, "few", "many")
        for cls in (hs.Perceptron, hs.AveragedPerceptron, hs.PassiveAggressiveClassifier, hs.Pegasos, hs.SGDClassifier):
            with self.subTest(cls.__name__):
                copied = np.repeat(np.arange(150), np.where(labels == "few", 3, 1))
                order = {"order": "cyclic"} if "order" in cls().get_params() else {}
                same_planes(cls(class_weight={"few": 3}, **order).fit(X, labels), cls(**order).fit(X[copied], labels[copied]))
                self.assertEqual(cls(class_weight="balanced").fit(X, labels).coef_.shape, (1, 4))
                first = cls(class_weight={"few": 3}).partial_fit(X, labels, classes=["few", "many"])
                same_planes(first, cls().partial_fit(X[copied], labels[copied], classes=["few", "many"]))
                with self.assertRaisesRegex(ValueError, "compute_class_weight"):
                    cls(class_weight="balanced").partial_fit(X, labels, classes=["few", "many"])
        # Weights that are not whole: in one pass the rows that partial_fit takes are those of the library.
        model = hs.Perceptron(class_weight={"few": 1.7, "many": 0.3}, max_iter=1, order="cyclic")
        parts = hs.Perceptron(class_weight={"few": 1.7, "many": 0.3})
        for rows in np.array_split(np.arange(150), 7):
            parts.partial_fit(X[rows], labels[rows], classes=["few", "many"])
        same_planes(parts, model.fit(X, labels))
        weights = np.where(labels == "few", 1.7, 0.3)
        same_planes(model, hs.Perceptron(max_iter=1, order="cyclic").fit(X, labels, sample_weight=weights))

    def test_warm_start_goes_on(self):
        model = hs.Perceptron(warm_start=True, max_iter=2).fit(C, L)
        same_planes(model.fit(C, L), hs.Perceptron(max_iter=4).fit(C, L))
        with self.assertRaisesRegex(ValueError, "classes were"):
            model.fit(X, Y)

    def test_max_iter_stops_with_a_warning(self):
        for model in (hs.LogisticRegression(max_iter=1), hs.LinearSVC(max_iter=1, gap=1e-10), hs.SVC(max_iter=1)):
            with self.subTest(repr(model)), self.assertWarnsRegex(ConvergenceWarning, "max_iter=1"):
                self.assertLessEqual(model.fit(SCALED, L).n_iter_, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            hs.LogisticRegression(max_iter=1000).fit(SCALED, L)
            hs.SVC(max_iter=-1).fit(SCALED, L)

    def test_what_is_not_understood_says_what_to_do(self):
        for make, words in ((lambda: hs.LinearSVC(intercept_scaling=2), "offset"), (lambda: hs.SGDClassifier(early_stopping=True), "TunedClassifier"),
                            (lambda: hs.LinearSVC(classweight=1), "did you mean class_weight"), (lambda: hs.Perceptron(penalty="l1"), "LogisticRegression"),
                            (lambda: hs.Perceptron(penalti="l1"), "unexpected keyword")):
            with self.assertRaisesRegex(TypeError, words):
                make()
        for model, words in ((hs.SVC(kernel=lambda a, b: a @ b.T), "precomputed"), (hs.SVC(decision_function_shape="ovo"), "OneVsOneClassifier"),
                             (hs.LinearSVC(multi_class="crammer_singer"), "multi_class"), (hs.LogisticRegressionCV(cv="x"), "GridSearchCV"),
                             (hs.SGDClassifier(learning_rate="adaptive"), "rate="), (hs.LinearSVC(tol=1e-3, gap=1e-2), "one of them"),
                             (hs.LinearSVC(fit_intercept=True, offset="lifted"), "one of them"), (hs.SVC(kernel="rbf:1", gamma=2.0), "one of them"),
                             (hs.SVC(gamma="scale", scale="standard"), "number"), (hs.LogisticRegressionCV(scoring="f1"), "scoring"),
                             (hs.SGDClassifier(learning_rate="optimal"), "alpha above 0"), (hs.LogisticRegression(max_iter=0), "max_iter")):
            with self.subTest(repr(model)), self.assertRaisesRegex(ValueError, words):
                model.fit(X, Y)

    def test_planes_cannot_be_changed_behind_the_model(self):
        model = hs.LinearSVC().fit(X, Y)
        with self.assertRaises(AttributeError):
            model.coef_ = np.zeros((3, 4))
        with self.assertRaises(ValueError):
            model.coef_[0, 0] = 1.0
        self.assertTrue(sparse.issparse(model.sparsify().coef_))
        self.assertIsInstance(model.densify().coef_, np.ndarray)

    def test_weights_of_rows_in_searches(self):
        for model in (hs.LogisticRegressionCV(Cs=[0.1, 1.0], scoring="accuracy"), hs.TunedClassifier(options={"C": [0.1, 1.0]})):
            self.assertGreater(model.fit(X, Y).score(X, Y), 0.9)
            same_planes(model, clone(model).fit(X, Y, sample_weight=np.ones(150)))
            # A class that hardly counts is hardly right.
            light = clone(model).fit(X, Y, sample_weight=np.where(Y == "versicolor", 1e-3, 1.0))
            self.assertLess(np.mean(light.predict(X[Y == "versicolor"]) == "versicolor"), 0.5)

    def test_jobs(self):
        expected = hs.LogisticRegression().fit(X, Y)
        for n_jobs in (1, 2, -1, -2, np.int64(3)):
            same_planes(hs.LogisticRegression(n_jobs=n_jobs).fit(X, Y), expected)

    def test_export(self):
        import tempfile
        model = hs.LinearSVC(calibrate="platt", scale="standard").fit(C, L)
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("onnx", "h", "js", "sql", "json"):
                said = model.export(f"{folder}/m.{ending}", X=C)
                self.assertTrue(said["check"]["same_bits"], ending)
                self.assertLess(said["check"]["probability_difference"], 1e-14)
            numbered = hs.LinearSVC(calibrate="platt", scale="standard").fit(C, np.where(L == "benign", 1, 2))
            said = numbered.export(f"{folder}/m.txt", to="liblinear")
            self.assertIn("left out: the probabilities that platt calibration has learned", " ".join(said["notes"]))
            with self.assertRaisesRegex(ValueError, "is not one of onnx"):
                model.export(f"{folder}/m.bin")


if __name__ == "__main__":
    unittest.main()
