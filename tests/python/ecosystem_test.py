#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The estimators inside scikit-learn's tools: pipelines, columns, searches, calibration, pictures, other processes."""
import multiprocessing
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import support  # noqa: F401
import numpy as np
import pandas as pd
import scipy.sparse as sparse
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import (GridSearchCV, RandomizedSearchCV, StratifiedKFold, cross_val_predict, cross_val_score, cross_validate,
                                     learning_curve)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import halfspace as hs

IRIS = hs.read("data/iris.csv")
CANCER = hs.read("data/breast_cancer.csv")
ALL = [getattr(hs, name) for name in hs.__all__ if hasattr(getattr(hs, name), "fit")]
BINARY = IRIS[0][50:], IRIS[1][50:]


def fast(cls):
    """The estimator on a hundred rows in little time."""
    return cls(nodes=200) if cls is hs.FewestErrors else cls()


def quiet(work):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work()


def answer(path, queue):
    with open(path, "rb") as file:
        model, X = pickle.load(file)
    queue.put(model.decision_function(X).tolist())


class Ecosystem(unittest.TestCase):
    def test_every_estimator_in_a_pipeline_is_cross_validated(self):
        X, y = BINARY
        for cls in ALL:
            with self.subTest(cls.__name__):
                chain = make_pipeline(StandardScaler(), fast(cls))
                scores = quiet(lambda: cross_val_score(chain, X, y, cv=3))
                self.assertGreater(scores.mean(), 0.8)

    def test_every_estimator_is_cloned_and_pickled_for_a_fresh_process(self):
        X, y = BINARY
        models = [quiet(lambda cls=cls: clone(fast(cls)).fit(X, y)) for cls in ALL]
        with tempfile.NamedTemporaryFile() as file:
            pickle.dump((models, X), file)
            file.flush()
            script = ("import pickle, sys\nmodels, X = pickle.load(open(sys.argv[1], 'rb'))\n"
                      "print([m.decision_function(X).tolist() for m in models])\n"
                      "assert all(m.model_.certificate == pickle.loads(pickle.dumps(m)).certificate_ for m in models)")
            done = subprocess.run([sys.executable, "-c", script, file.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.strip(), str([model.decision_function(X).tolist() for model in models]))
        context = multiprocessing.get_context("fork")
        with tempfile.NamedTemporaryFile() as file:
            pickle.dump((models[0], X), file)
            file.flush()
            queue = context.Queue()
            child = context.Process(target=answer, args=(file.name, queue))
            child.start()
            self.assertEqual(queue.get(timeout=60), models[0].decision_function(X).tolist())
            child.join()

    def test_columns_are_transformed_and_names_come_along(self):
        random = np.random.default_rng(2)
        frame = pd.DataFrame({"size": random.normal(size=120), "age": random.integers(0, 90, 120).astype(float),
                              "colour": random.choice(["red", "blue"], 120)})
        y = np.where((frame["size"] > 0) ^ (random.random(120) < 0.05), "yes", "no")
        columns = ColumnTransformer([("numbers", StandardScaler(), ["size", "age"]), ("words", OneHotEncoder(sparse_output=False), ["colour"])])
        chain = Pipeline([("columns", columns), ("model", hs.LogisticRegression())]).fit(frame, y)
        self.assertGreater(chain.score(frame, y), 0.9)
        self.assertEqual(chain["model"].coef_.shape, (1, 4))
        named = make_pipeline(columns.set_output(transform="pandas"), hs.LinearSVC()).fit(frame, y)
        self.assertEqual(named[-1].feature_names_in_.tolist(), ["numbers__size", "numbers__age", "words__colour_blue", "words__colour_red"])
        np.testing.assert_array_equal(named[-1].get_feature_names_out(), named[-1].feature_names_in_)
        with self.assertRaisesRegex(ValueError, "feature names"):
            named[-1].predict(columns.transform(frame).rename(columns={"numbers__age": "other"}))

    def test_searches_run_in_two_processes(self):
        X, y = CANCER
        search = GridSearchCV(make_pipeline(StandardScaler(), hs.LinearSVC()), {"linearsvc__C": [0.01, 0.1, 1.0]}, n_jobs=2, scoring="roc_auc").fit(X, y)
        self.assertGreater(search.best_score_, 0.98)
        alone = GridSearchCV(make_pipeline(StandardScaler(), hs.LinearSVC()), {"linearsvc__C": [0.01, 0.1, 1.0]}, scoring="roc_auc").fit(X, y)
        np.testing.assert_array_equal(search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
        draws = RandomizedSearchCV(hs.SVC(gap=1e-3), {"C": [0.1, 1, 10], "gamma": ["scale", "auto", 0.1]}, n_iter=4, n_jobs=2, random_state=0, cv=3)
        self.assertGreater(draws.fit(*IRIS).best_score_, 0.9)
        sizes, _, held_out = learning_curve(hs.LogisticRegression(scale="standard"), X, y, train_sizes=[0.3, 1.0], cv=3, n_jobs=2)
        self.assertEqual((len(sizes), held_out.shape), (2, (2, 3)))
        several = cross_validate(hs.LogisticRegression(), *BINARY, scoring=["accuracy", "neg_log_loss"], return_estimator=True)
        self.assertEqual(len(several["estimator"]), 5)
        self.assertEqual(cross_val_predict(hs.LogisticRegression(), *IRIS, method="predict_proba").shape, (150, 3))

    def test_weights_go_through_pipelines_and_searches(self):
        X, y = BINARY
        weights = np.arange(len(y)) % 3
        scaled = StandardScaler().fit_transform(X)
        for cls in (hs.Perceptron, hs.LinearSVC, hs.LogisticRegressionCV):
            chain = make_pipeline(StandardScaler(), cls())
            chain.fit(X, y, **{f"{cls.__name__.lower()}__sample_weight": weights})
            alone = cls().fit(scaled, y, sample_weight=weights)
            np.testing.assert_array_equal(chain[-1].coef_, alone.coef_)
            self.assertFalse(np.array_equal(alone.coef_, cls().fit(scaled, y).coef_))
        search = GridSearchCV(hs.AveragedPerceptron(), {"passes": [1, 5]}, cv=3).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(search.best_estimator_.coef_, clone(search.best_estimator_).fit(X, y, sample_weight=weights).coef_)
        self.assertEqual(len(cross_val_score(hs.SGDClassifier(), X, y, cv=3, fit_params={"sample_weight": weights})), 3)

    def test_a_matrix_of_a_kernel_is_split_on_both_sides(self):
        X, y = IRIS
        matrix = X @ X.T
        scores = cross_val_score(hs.SVC(kernel="precomputed"), matrix, y, cv=StratifiedKFold(4))
        self.assertGreater(scores.mean(), 0.9)
        with self.assertRaisesRegex(ValueError, "square"):
            hs.SVC(kernel="precomputed").fit(X, y)

    def test_calibrated(self):
        X, y = CANCER
        for cls in (hs.LinearSVC, hs.Perceptron, hs.SVC):
            for method in ("sigmoid", "isotonic"):
                model = quiet(lambda: CalibratedClassifierCV(cls(scale="standard"), method=method, cv=3).fit(X, y))
                shares = model.predict_proba(X)
                np.testing.assert_allclose(shares.sum(axis=1), 1)
                self.assertGreater(roc_auc_score(y, shares[:, 1]), 0.98)
        # Weights are handed on to the estimator that is calibrated, without a warning that they are not.
        for cls in (hs.Perceptron, hs.SGDClassifier, hs.LinearSVC):
            coef = []
            for weights in (None, np.where(y == "malignant", 1.0, 5.0)):
                with warnings.catch_warnings():
                    warnings.simplefilter("error", UserWarning)
                    fitted = CalibratedClassifierCV(cls(scale="standard"), cv=3).fit(X, y, sample_weight=weights)
                coef.append(fitted.calibrated_classifiers_[0].estimator.coef_)
            self.assertFalse(np.array_equal(*coef))
        prefit = CalibratedClassifierCV(hs.LinearSVC(scale="standard").fit(X, y), cv="prefit").fit(X, y)
        self.assertGreater(prefit.score(X, y), 0.97)

    def test_boundaries_are_drawn(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        from sklearn.inspection import DecisionBoundaryDisplay
        X, y = IRIS[0][:, 2:], IRIS[1]
        for cls, method in ((hs.LogisticRegression, "predict_proba"), (hs.SVC, "predict"), (hs.LinearSVC, "decision_function")):
            labels = y == "setosa" if method != "predict" else (y == "virginica").astype(int)
            shown = DecisionBoundaryDisplay.from_estimator(cls().fit(X, labels), X, response_method=method, grid_resolution=20)
            self.assertEqual(shown.response.shape, (20, 20))

    def test_selection_ensembles_and_multiclass_wrappers(self):
        X, y = CANCER
        chosen = SelectFromModel(hs.LogisticRegression(penalty="l1", C=0.05, scale="none", gap=1e-3)).fit(StandardScaler().fit_transform(X), y)
        self.assertTrue(0 < chosen.get_support().sum() < 30)
        self.assertEqual(RFE(hs.LinearSVC(scale="none", gap=1e-2), n_features_to_select=5, step=10).fit(StandardScaler().fit_transform(X), y).support_.sum(), 5)
        members = [("a", hs.LogisticRegression(scale="standard")), ("b", hs.LinearSVC(scale="standard")), ("c", hs.Perceptron(scale="standard"))]
        self.assertGreater(quiet(lambda: VotingClassifier(members).fit(X, y)).score(X, y), 0.9)
        self.assertGreater(quiet(lambda: StackingClassifier(members, cv=3).fit(X, y)).score(X, y), 0.9)
        self.assertGreater(BaggingClassifier(hs.LinearSVC(scale="standard"), n_estimators=3, random_state=0).fit(X, y).score(X, y), 0.9)
        for wrapper in (OneVsRestClassifier, OneVsOneClassifier):
            self.assertGreater(wrapper(hs.LinearSVC()).fit(*IRIS).score(*IRIS), 0.9)
        found = permutation_importance(hs.LogisticRegression().fit(*IRIS), *IRIS, n_repeats=2, random_state=0)
        self.assertEqual(found.importances.shape, (4, 2))

    def test_scorers_take_labels_of_every_kind(self):
        X, y = IRIS
        for labels in (y, np.unique(y, return_inverse=True)[1], (y == "setosa"), np.where(y == "setosa", 1.0, -1.0), pd.Series(y).astype("category")):
            model = hs.LogisticRegression().fit(X, labels)
            self.assertTrue(is_classifier(model))
            np.testing.assert_array_equal(model.classes_, np.unique(labels))
            self.assertGreater(get_scorer("accuracy")(model, X, labels), 0.9)
            self.assertLess(-get_scorer("neg_log_loss")(model, X, labels), 0.5)

    def test_words_and_sparse_rows(self):
        texts = ["good plane", "bad plane", "good margin", "bad margin", "good", "bad"]
        chain = make_pipeline(TfidfVectorizer(), hs.LinearSVC()).fit(texts, [1, 0, 1, 0, 1, 0])
        self.assertEqual(chain.predict(["good good", "bad"]).tolist(), [1, 0])
        wide = sparse.random(50, 1000, 0.01, "coo", random_state=0)
        for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.lil_matrix, sparse.coo_matrix, sparse.dok_matrix):
            self.assertEqual(hs.LinearSVC().fit(kind(wide), np.arange(50) % 2).coef_.shape, (1, 1000))


if __name__ == "__main__":
    unittest.main()
