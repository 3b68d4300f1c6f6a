#!/usr/bin/env python3
"""Kernel machines beside those of LIBSVM: objective, support vectors and labels, also for nu. Skipped without svm-train."""
import json
import pathlib
import re
import shutil
import subprocess
import unittest

from support import ProgramTest, main

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
# Name, how the rows come about, kernel for both sides, C.
SETS = [
    ("breast_cancer", ["convert", DATA / "breast_cancer.csv"], "rbf:1e-5", ["-g", "1e-5"], "1"),
    ("iris", ["convert", DATA / "iris.csv"], "rbf:0.5", ["-g", "0.5"], "1"),
    ("digits", ["convert", DATA / "digits.csv.gz"], "rbf:0.001", ["-g", "0.001"], "10"),
    ("logistic", ["generate", "logistic", "--rows", "600", "--features", "3"], "rbf:0.5", ["-g", "0.5"], "1"),
    ("gaussians", ["generate", "gaussians", "--rows", "800", "--features", "5"], "poly:2,0.5,1",
     ["-t", "1", "-d", "2", "-g", "0.5", "-r", "1"], "0.5"),
    ("noise", ["generate", "noise", "--rows", "300", "--features", "4"], "rbf:0.3", ["-g", "0.3"], "2"),
]


@unittest.skipUnless(shutil.which("svm-train") and shutil.which("svm-predict"), "LIBSVM is not there")
class Libsvm(ProgramTest):
    def rival(self, *command):
        done = subprocess.run([str(c) for c in command], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rows(self, name, recipe):
        """The rows as libsvm text with numbers for labels, which is all that LIBSVM reads."""
        self.done(*map(str, recipe), "-o", "all.txt", "--quiet")
        numbers, lines = {}, []
        for line in (self.folder / "all.txt").read_text(encoding="utf-8").splitlines():
            label, _, rest = line.partition(" ")
            lines.append(f"{numbers.setdefault(label, len(numbers) + 1)} {rest}\n")
        (self.folder / name).write_text("".join(lines), encoding="utf-8")
        return len(lines)

    def labels(self, name):
        return [float(x) for x in (self.folder / name).read_text(encoding="utf-8").split()]

    def test_objective_support_vectors_and_labels_agree(self):
        for name, recipe, kernel, theirs, C in SETS:
            with self.subTest(name):
                rows = self.rows(name, recipe)
                said = self.rival("svm-train", "-e", "1e-6", *theirs, "-c", C, name, "their.model")
                their_objective = -sum(float(x) for x in re.findall(r"obj = (\S+),", said))
                their_vectors = int(re.findall(r"nSV = (\d+)", said)[-1])
                ours = self.json("train", name, "--algorithm", "svm", "--kernel", kernel, "--C", C, "--gap", "1e-8",
                                 "-o", "model", "--quiet")
                self.assertEqual(ours["stop"], "converged")
                # LIBSVM's value is one of a feasible point: no better than the best, and not much worse.
                self.assertLessEqual(their_objective, ours["objective"]["primal"] + 1e-6 * rows)
                self.assertGreaterEqual(their_objective, ours["objective"]["dual"] * (1 - 1e-5))
                self.assertLessEqual(abs(ours["support_vectors"] - their_vectors), 0.01 * rows + 2)
                self.done("predict", "model", name, "--quiet", "-o", "ours")
                self.rival("svm-predict", "-q", name, "their.model", "theirs")
                differing = sum(a != b for a, b in zip(self.labels("ours"), self.labels("theirs")))
                self.assertLessEqual(differing, 0.002 * rows)
                # The same model on both sides gives the same labels.
                self.done("export", "model", "--to", "libsvm", "-o", "exported", "--quiet")
                self.rival("svm-predict", "-q", name, "exported", "again")
                self.assertEqual(self.labels("ours"), self.labels("again"))

    def test_nu_agrees(self):
        for name, recipe, kernel, theirs, _ in (SETS[0], SETS[3], SETS[4]):
            rows = self.rows(name, recipe)
            for nu in ("0.1", "0.2", "0.5"):
                with self.subTest(f"{name} {nu}"):
                    tried = self.run_program("train", name, "--algorithm", "nu-svm", "--nu", nu, "--kernel", kernel,
                                             "--gap", "1e-7", "--json", "-o", "model", "--quiet", "--time", "30")
                    if tried.returncode == 4:
                        continue  # no margin for a nu this small
                    self.assertEqual(tried.returncode, 0, tried.stderr)
                    said = self.rival("svm-train", "-s", "1", "-n", nu, "-e", "1e-6", *theirs, name, "their.model")
                    ours = [json.loads(tried.stdout)["figures"]["C"]]
                    self.assertAlmostEqual(float(re.findall(r"C = (\S+)", said)[-1]) / ours[0], 1, delta=2e-3)
                    self.done("predict", "model", name, "--quiet", "-o", "ours")
                    self.rival("svm-predict", "-q", name, "their.model", "theirs")
                    differing = sum(a != b for a, b in zip(self.labels("ours"), self.labels("theirs")))
                    self.assertLessEqual(differing, 0.002 * rows)

    def test_probabilities_and_their_labels_agree(self):
        for name, recipe, _, theirs, C in SETS:
            with self.subTest(name):
                self.rows(name, recipe)
                self.rival("svm-train", "-q", "-b", "1", *theirs, "-c", C, name, "their.model")
                self.rival("svm-predict", "-q", "-b", "1", name, "their.model", "theirs")
                head, *lines = (self.folder / "theirs").read_text(encoding="utf-8").splitlines()
                order = head.split()[1:]
                predicted = self.json("predict", "their.model", name, "--probabilities")
                classes = sorted(order, key=float)
                most = 0.0
                for line, label, shares in zip(lines, predicted["labels"], predicted["probabilities"]):
                    words = line.split()
                    for their_class, p in zip(order, words[1:]):
                        most = max(most, abs(float(p) - shares[classes.index(their_class)]))
                    if abs(sorted(shares)[-1] - sorted(shares)[-2]) > 0.01:
                        self.assertEqual(float(words[0]), float(label))
                # LIBSVM 3.24 couples two classes as well, which stops within 0.005 / 2.
                self.assertLess(most, 0.003 if len(order) == 2 else 1e-5)
                # Without probabilities the labels are those of svm-predict without -b.
                self.rival("svm-predict", "-q", name, "their.model", "plain")
                self.done("predict", "their.model", name, "--quiet", "-o", "ours")
                self.assertEqual(self.labels("ours"), self.labels("plain"))

    def test_votes_that_tie_go_to_the_first_class_of_their_list(self):
        # Empty rows and a circle of classes: ties in most rows. The class 7 comes first in the file.
        lines = ["7 1:1", "7 1:1.1", "2 2:1", "2 2:1.1", "5 3:1", "5 3:1.1", "7", "2", "5"]
        (self.folder / "ties").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        for kernel in (["-t", "0"], ["-t", "2", "-g", "1"]):
            self.rival("svm-train", "-q", *kernel, "-c", "1", "ties", "their.model")
            self.rival("svm-predict", "-q", "ties", "their.model", "theirs")
            self.done("predict", "their.model", "ties", "--quiet", "-o", "ours")
            self.assertEqual(self.labels("ours"), self.labels("theirs"))


if __name__ == "__main__":
    main()
