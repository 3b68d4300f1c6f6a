#!/usr/bin/env python3
"""Kernel machines beside those of LIBSVM: objective, support vectors and labels, also for nu. Skipped without svm-train."""
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
                    ours = [float(x) for x in re.findall(r"C = ([0-9.e+-]+);", tried.stdout.decode())]
                    self.assertEqual(len(ours), 1, tried.stdout)
                    self.assertAlmostEqual(float(re.findall(r"C = (\S+)", said)[-1]) / ours[0], 1, delta=2e-3)
                    self.done("predict", "model", name, "--quiet", "-o", "ours")
                    self.rival("svm-predict", "-q", name, "their.model", "theirs")
                    differing = sum(a != b for a, b in zip(self.labels("ours"), self.labels("theirs")))
                    self.assertLessEqual(differing, 0.002 * rows)


if __name__ == "__main__":
    main()
