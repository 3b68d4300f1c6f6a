#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every estimator passes every check of scikit-learn, none of them declared an expected failure."""
import unittest
import warnings

import support  # noqa: F401
from sklearn.utils.estimator_checks import check_estimator

import halfspace

NAMES = [name for name in halfspace.__all__ if hasattr(getattr(halfspace, name), "fit")]


class Estimators(unittest.TestCase):
    def test_there_are_thirteen(self):
        self.assertEqual(len(NAMES), 13)

    def test_all_checks_pass(self):
        for name in NAMES:
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator = getattr(halfspace, name)()
                self.assertNotIn("_xfail_checks", estimator._get_tags() and {k for k, v in estimator._get_tags().items() if v})
                check_estimator(estimator)


if __name__ == "__main__":
    unittest.main()
