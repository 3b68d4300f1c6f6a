#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every estimator passes every check of scikit-learn, none of them declared an expected failure; bad parameters are refused by name."""
import inspect
import unittest
import warnings

import support  # noqa: F401
import numpy as np
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

import halfspace

NAMES = [name for name in halfspace.__all__ if hasattr(getattr(halfspace, name), "fit")]
# Of scikit-learn's own classes only, where it has them: not in check_estimator().
MORE = ("check_dataframe_column_names_consistency", "check_n_features_in_after_fitting", "check_estimator_get_tags_default_keys")
FREE = {"random_state", "callback", "progress", "class_weight", "options", "verbose", "seconds", "n_jobs", "warm_start", "shrinking", "dual",
        "eta0", "nested", "on_nonseparable"}



class Estimators(unittest.TestCase):
    def test_there_are_fourteen(self):
        self.assertEqual(len(NAMES), 14)

    def test_all_checks_pass(self):
        for name in NAMES:
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator = getattr(halfspace, name)()
                self.assertFalse(estimator._get_tags()["_xfail_checks"] or estimator._get_tags()["no_validation"])
                check_estimator(estimator)
                if name == "FewestErrors":  # exact, and those rows are many: a search that is cut off answers too
                    estimator.set_params(nodes=200)
                for check in MORE:
                    if hasattr(estimator_checks, check):
                        getattr(estimator_checks, check)(name, estimator)

    def test_checks_pass_with_other_parameters(self):
        cases = [halfspace.SVC(kernel="linear", gap=1e-6), halfspace.LogisticRegression(penalty="l1", gap=1e-8), halfspace.LinearSVC(calibrate="platt", gap=1e-8)]
        for estimator in cases:
            with self.subTest(repr(estimator)), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check_estimator(estimator)

    def test_weights_are_checked_everywhere(self):
        for name in NAMES:
            with self.subTest(name):
                cls = getattr(halfspace, name)
                self.assertEqual(list(inspect.signature(cls.fit).parameters), ["self", "X", "y", "sample_weight"])
                checks = [(check.func.__name__, check.keywords.get("kind")) for _, check in check_estimator(cls(), generate_only=True)]
                for kind in ("ones", "zeros"):
                    self.assertIn(("check_sample_weights_invariance", kind), checks)

    def test_where_rows_stand_changes_nothing(self):
        random = np.random.default_rng(2)
        X, y = random.normal(size=(300, 4)), random.integers(0, 3, 300)
        y[:200] = np.where(X[:200] @ [1, -2, 0.5, 0] > 0, y[:200] % 2, 2)
        weights, place = random.choice([0.0, 0.5, 1.0, 1.0, 3.0], 300), random.permutation(300)
        here = np.flatnonzero(weights)
        walking = [name for name in NAMES if "order" in getattr(halfspace, name)._defaults]
        self.assertEqual(len(walking), 6)
        cases = [getattr(halfspace, name)() for name in walking] + [halfspace.Perceptron(kernel="rbf:0.5"), halfspace.Perceptron(passes="until-clean"),
                 halfspace.SGDClassifier(batch="all"), halfspace.TunedClassifier(algorithm="perceptron,sgd", options={"passes": [2, 5]}),
                 halfspace.LogisticRegressionCV(cv=4, gap=1e-12), halfspace.LinearSVC(calibrate="isotonic", gap=1e-9), halfspace.Perceptron(calibrate="platt")]
        for estimator in cases:
            with self.subTest(repr(estimator)), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one = clone(estimator).fit(X[here], y[here], sample_weight=weights[here])
                other = clone(estimator).fit(X[place], y[place], sample_weight=weights[place])
                walk = type(estimator).__name__ in walking and estimator.get_params()["kernel" if hasattr(estimator, "kernel") else "order"] in ("linear", "content")
                close = dict(rtol=0, atol=0) if walk else dict(rtol=1e-6, atol=1e-6)
                np.testing.assert_allclose(other.decision_function(X), one.decision_function(X), **close)
                if hasattr(estimator, "predict_proba"):
                    np.testing.assert_allclose(other.predict_proba(X), one.predict_proba(X), rtol=1e-6, atol=1e-6)
                if hasattr(estimator, "order"):
                    cyclic = clone(estimator).set_params(order="cyclic")
                    self.assertFalse(np.array_equal(clone(cyclic).fit(X, y).decision_function(X), cyclic.fit(X[place], y[place]).decision_function(X)))

    def test_a_row_of_weight_k_is_k_rows_and_one_of_weight_0_none(self):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(120, 4)), random.integers(0, 3, 120)
        for name in NAMES:
            if name in ("HardMarginSVC", "FewestErrors"):  # proofs about two classes; weights of the first change nothing
                continue
            options = {"gap": 1e-9} if "gap" in getattr(halfspace, name)._defaults else {}
            walks = "order" in getattr(halfspace, name)._defaults
            tuned = name in ("LogisticRegressionCV", "TunedClassifier")  # copies of a row may lie in several folds
            counts = (np.arange(120) % 3 > 0).astype(float) if tuned else np.arange(120) % 3
            for rows in (X, sparse.csr_matrix(X)):
                with self.subTest(name), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    weighted = getattr(halfspace, name)(**options).fit(rows, y, sample_weight=counts)
                    copies = np.repeat(np.arange(120), counts.astype(int))
                    copied = getattr(halfspace, name)(**options).fit(rows[copies], y[copies])
                    exact = 0 if walks else 1e-4
                    np.testing.assert_allclose(weighted.decision_function(rows), copied.decision_function(rows), rtol=exact, atol=exact)

    def test_a_value_that_cannot_be_is_refused_by_the_name_of_its_parameter(self):
        X, y = halfspace.read("data/iris.csv")
        keep = y != "setosa"
        for name in NAMES:
            cls = getattr(halfspace, name)
            for parameter in sorted(set(cls._parameters) - FREE):
                estimator = cls(**{parameter: "nonsense"})
                if parameter in ("gamma", "degree", "coef0"):
                    estimator.set_params(kernel="poly")
                with self.subTest(f"{name}, {parameter}"):
                    with self.assertRaisesRegex((ValueError, TypeError), "nonsense") as caught:
                        estimator.fit(X[keep], y[keep])
                    said = str(caught.exception).replace("-", "_").replace("lambda", "alpha")
                    self.assertTrue(parameter in said or parameter in ("algorithm", "Cs"), said)
        for parameter, value in (("n_jobs", 0), ("n_jobs", 1.5), ("random_state", -1), ("seconds", -1.0), ("seconds", np.nan)):
            with self.assertRaises(ValueError):
                halfspace.LinearSVC(**{parameter: value}).fit(X, y)


if __name__ == "__main__":
    unittest.main()
