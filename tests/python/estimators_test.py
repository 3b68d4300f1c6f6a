#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every estimator passes every check of scikit-learn, none of them declared an expected failure; bad parameters are refused by name."""
import unittest
import warnings

import support  # noqa: F401
import numpy as np
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
                for check in MORE:
                    if hasattr(estimator_checks, check):
                        getattr(estimator_checks, check)(name, estimator)

    def test_checks_pass_with_other_parameters(self):
        cases = [halfspace.SVC(kernel="linear", gap=1e-6), halfspace.LogisticRegression(penalty="l1", gap=1e-8), halfspace.LinearSVC(calibrate="platt", gap=1e-8)]
        for estimator in cases:
            with self.subTest(repr(estimator)), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check_estimator(estimator)

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
