#!/usr/bin/env python3
"""l1 and elastic net from outside: objectives equal to scikit-learn's at a tight tolerance, paths, show, what is refused."""
import json
import random
import subprocess
import unittest

from support import SANITIZED, ProgramTest, main

# Fits by scikit-learn at a tight tolerance; prints the objective of every case in our terms.
RIVAL = r"""
import json, sys, warnings
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
warnings.simplefilter("ignore")
rows, labels, cases = json.load(sys.stdin)
X, y = np.array(rows), np.array(labels)
out = []
for kind, C, ratio, offset in cases:
    if kind == "squared-hinge":
        fit = LinearSVC(penalty="l1", loss="squared_hinge", dual=False, C=C, fit_intercept=False, tol=1e-10, max_iter=100000).fit(X, y)
    elif kind == "softmax":
        fit = LogisticRegression(penalty="elasticnet", solver="saga", l1_ratio=ratio, C=C, multi_class="multinomial",
                                 fit_intercept=offset == "free", tol=1e-9, max_iter=50000).fit(X, y)
    else:
        fit = LogisticRegression(penalty="elasticnet", solver="saga", l1_ratio=ratio, C=C, fit_intercept=offset == "free",
                                 tol=1e-9, max_iter=50000).fit(X, y)
    W, b = fit.coef_, fit.intercept_ if offset == "free" else np.zeros(len(fit.coef_))
    f = X @ W.T + b
    if kind == "softmax":
        top = f.max(axis=1)
        loss = (np.log(np.exp(f - top[:, None]).sum(axis=1)) + top - f[np.arange(len(y)), y]).sum()
    else:
        m = (2 * y - 1) * f[:, 0]
        loss = (np.maximum(0, 1 - m) ** 2).sum() if kind == "squared-hinge" else np.logaddexp(0, -m).sum()
    out.append([float(ratio * np.abs(W).sum() + (1 - ratio) * (W ** 2).sum() / 2 + C * loss), int((W != 0).sum())])
print(json.dumps(out))
"""
CASES = (("logistic", 0.1, 1.0, "free"), ("logistic", 2.0, 1.0, "none"), ("logistic", 0.5, 0.4, "free"),
         ("squared-hinge", 0.2, 1.0, "none"))


def drawn(classes, rows=150, features=8):
    draw = random.Random(7)
    x = [[round(draw.gauss(0, 1), 3) for _ in range(features)] for _ in range(rows)]
    return x, [max(range(classes), key=lambda k: row[k] + draw.gauss(0, 0.7)) for row in x]


def text(rows, labels):
    return "".join(f"{k} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) + "\n" for x, k in zip(rows, labels))


class Sparse(ProgramTest):
    def options(self, kind, C, ratio, offset):
        algorithm = ["--algorithm", "svm", "--loss", kind] if kind == "squared-hinge" else ["--algorithm", "logistic"]
        return [*algorithm, "--penalty", "elastic-net", "--l1-ratio", str(ratio), "--C", str(C), "--offset", offset, "--gap", "1e-9"]

    def rival(self, rows, labels, cases):
        result = subprocess.run(["/usr/bin/python3", "-c", RIVAL], input=json.dumps([rows, labels, cases]).encode(),
                                capture_output=True, timeout=120)
        if b"No module named" in result.stderr:
            self.skipTest("SKIPPED: no scikit-learn for /usr/bin/python3")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return json.loads(result.stdout)

    @unittest.skipIf(SANITIZED, "long beside what it can find there")
    def test_objectives_are_those_of_scikit_learn_at_a_tight_tolerance(self):
        for classes, cases in ((2, CASES), (3, (("softmax", 0.2, 1.0, "none"), ("softmax", 1.0, 0.5, "free")))):
            rows, labels = drawn(classes)
            (self.folder / "drawn.txt").write_text(text(rows, labels))
            for case, (objective, nonzero) in zip(cases, self.rival(rows, labels, cases)):
                with self.subTest(case):
                    said = self.json("train", "drawn.txt", "-o", "m", *self.options(*case))
                    self.assertAlmostEqual(said["objective"]["primal"] / objective, 1, delta=2e-8)
                    shown = self.json("show", "m")
                    if classes == 2:
                        self.assertEqual(shown["planes"][0]["nonzero_weights"], nonzero)

    def test_a_path_says_where_it_leaves_zero_and_show_counts_weights(self):
        rows, labels = drawn(2)
        (self.folder / "drawn.txt").write_text(text(rows, labels))
        out = self.done("path", "drawn.txt", "--algorithm", "logistic", "--penalty", "l1", "--C", "1e-3:1")
        self.assertIn("all weights are 0 up to C = ", out)
        points = self.json("path", "drawn.txt", "--algorithm", "logistic", "--penalty", "l1", "--C", "1e-3:1")["points"]
        for point in points:
            self.assertEqual(point["nonzero_weights"] == 0, point["C"] <= point["zero_up_to_C"], point)
            self.assertLessEqual(point["relative_gap"], 1e-4)
        for threads in ("1", "3"):
            again = self.json("path", "drawn.txt", "--algorithm", "logistic", "--penalty", "l1", "--C", "1e-3:1", "--threads", threads)
            self.assertEqual(again["points"], points)
        self.done("train", "drawn.txt", "-o", "m", "--penalty", "l1", "--C", "0.05", "--quiet")
        self.assertIn("of 8 weights are not 0", self.done("show", "m"))

    def test_tune_knows_them(self):
        rows, labels = drawn(2, rows=40, features=2)
        (self.folder / "drawn.txt").write_text(text(rows, labels))
        self.done("tune", "drawn.txt", "-o", "l1", "--algorithm", "logistic", "--penalty", "l1", "--C", "0.05,5", "--folds", "2", "--quiet")
        self.assertIn("verified", self.done("verify", "l1", "drawn.txt"))
        self.assertIn("fewest-errors", self.done("tune", "drawn.txt", "-o", "fewest", "--algorithm", "fewest-errors", "--folds", "2"))
        self.assertIn("verified", self.done("verify", "fewest", "drawn.txt"))

    def test_what_does_not_go_together_is_wrong_usage(self):
        self.assertIn("--loss squared-hinge", self.fails(2, "train", "rows.txt", "-o", "m", "--algorithm", "svm", "--penalty", "l1"))
        self.assertIn("--penalty l1", self.fails(2, "train", "rows.txt", "-o", "m", "--debias"))
        self.assertIn("one-vs-rest", self.fails(2, "train", "three.txt", "-o", "m", "--penalty", "l1", "--debias"))
        self.assertIn("l2", self.fails(2, "train", "rows.txt", "-o", "m", "--algorithm", "svm", "--kernel", "rbf:1", "--penalty", "l1"))
        self.fails(2, "train", "rows.txt", "-o", "m", "--penalty", "elastic-net", "--l1-ratio", "1.5")
        self.fails(2, "train", "rows.txt", "-o", "m", "--penalty", "l1", "--solver", "newton")


if __name__ == "__main__":
    main()
