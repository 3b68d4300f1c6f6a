#!/usr/bin/env python3
"""train --features nystrom:M and fourier:M, scaling in front of kernels, hard margins with a kernel."""
import math
import random

from support import ProgramTest, main


def ring(rows, seed):
    """A ring around a cloud, far from the origin and on different scales; libsvm text."""
    draw = random.Random(seed)
    lines = []
    for _ in range(rows):
        label = draw.choice([-1, 1])
        radius = 1 + draw.random() if label < 0 else 3 + draw.random()
        angle = draw.random() * 2 * math.pi
        lines.append(f"{label} 1:{100 + 10 * radius * math.cos(angle):.6f} 2:{radius * math.sin(angle) / 100:.6f}")
    return "\n".join(lines) + "\n"


class Features(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "ring.txt").write_text(ring(400, 1))
        (self.folder / "new.txt").write_text(ring(200, 2))

    def trained(self, *options, name="m"):
        return self.json("train", "ring.txt", "-o", name, "--scale", "standard", *options)

    def test_any_linear_algorithm_learns_the_ring(self):
        for features in ("nystrom:60", "fourier:200"):
            for algorithm in ("svm", "logistic", "perceptron", "averaged-perceptron", "voted-perceptron",
                              "passive-aggressive", "pegasos", "sgd"):
                with self.subTest(algorithm=algorithm, features=features):
                    result = self.trained("--algorithm", algorithm, "--features", features, "--kernel", "rbf:0.5")
                    self.assertLess(result["training_error"], 0.05)
                    self.assertEqual(result["map"]["kind"], features.split(":")[0])
                    self.assertEqual(result["features"], 2)
                    self.assertLess(self.json("evaluate", "m", "new.txt")["error"], 0.06)

    def test_gap_and_features_are_verified_from_the_model_alone(self):
        for scale in ("none", "standard", "minmax", "unit"):
            for algorithm in ("svm", "logistic"):
                with self.subTest(scale=scale, algorithm=algorithm):
                    self.json("train", "ring.txt", "-o", "m", "--scale", scale, "--algorithm", algorithm, "--features",
                              "nystrom:40", "--kernel", "rbf")
                    self.assertIn("verified", self.done("verify", "m", "ring.txt"))
                    self.assertEqual(self.run_program("verify", "m", "new.txt").returncode, 1)

    def test_same_bytes_for_any_number_of_threads_and_another_seed_other_features(self):
        options = ("--algorithm", "svm", "--features", "fourier:50", "--kernel", "rbf:0.5")
        first = self.train("ring.txt", "a", *options, "--threads", "1")
        self.assertEqual(first, self.train("ring.txt", "b", *options, "--threads", "3"))
        self.assertNotEqual(first, self.train("ring.txt", "c", *options, "--seed", "2"))

    def test_show_says_what_the_features_are(self):
        self.trained("--algorithm", "svm", "--features", "nystrom:20", "--kernel", "rbf:0.5")
        text = self.done("show", "m")
        for words in ("of 2 features", "columns are scaled first (standard)", "rbf:0.5", "landmark", "phi1", "map: nystrom:"):
            self.assertIn(words, text)
        self.assertEqual(self.json("show", "m")["map"]["kernel"], "rbf:0.5")

    def test_number_of_columns_and_features_at_once(self):
        result = self.json("train", "ring.txt", "-o", "m", "--algorithm", "svm", "--features", "7,fourier:10",
                           "--kernel", "rbf")
        self.assertEqual(result["features"], 7)
        self.assertEqual(result["map"], {"kind": "fourier", "kernel": "rbf:0.14285714285714285", "features": 10})

    def test_what_makes_no_sense_is_refused(self):
        base = ("train", "ring.txt", "-o", "m", "--algorithm", "svm")
        for options, words in (
                (("--features", "fourier:10", "--kernel", "poly:2"), "fourier features stand for rbf kernels"),
                (("--features", "fourier:10"), "--kernel KERNEL is missing"),
                (("--features", "fourier:11", "--kernel", "rbf"), "pairs"),
                (("--features", "nystrom:10", "--kernel", "sigmoid"), "positive semidefinite"),
                (("--features", "nystrom:10", "--kernel", "precomputed"), "positive semidefinite"),
                (("--features", "nystrom:0", "--kernel", "rbf"), "features"),
                (("--features", "nistrom:10", "--kernel", "rbf"), "did you mean nystrom"),
                (("--features", "nystrom", "--kernel", "rbf"), "no number of features"),
                (("--features", "nystrom:10,fourier:10", "--kernel", "rbf"), "two of a kind"),
                (("--features", "nystrom:2000000", "--kernel", "rbf"), "1000000")):
            with self.subTest(options=options):
                result = self.run_program(*base, *options)
                self.assertEqual(result.returncode, 2)
                self.assertIn(words, result.stderr.decode())
        for verb in (("convert", "ring.txt", "-o", "x.hsd"), ("doctor", "ring.txt"), ("separable", "ring.txt")):
            result = self.run_program(*verb, "--features", "nystrom:10")
            self.assertEqual(result.returncode, 2, verb)
            self.assertIn("are for train", result.stderr.decode())
        stream = self.run_program("train", "ring.txt", "-o", "m", "--algorithm", "perceptron", "--stream", "--features",
                                  "fourier:10", "--kernel", "rbf")
        self.assertEqual(stream.returncode, 2)

    def test_more_landmarks_than_rows_are_noted(self):
        result = self.trained("--algorithm", "svm", "--features", "nystrom:1000", "--kernel", "rbf:50")
        self.assertTrue(any("400 different rows" in note for note in result["notes"]), result["notes"])

    def test_programs_without_features_do_not_get_the_model(self):
        self.trained("--algorithm", "svm", "--features", "nystrom:20", "--kernel", "rbf:0.5")
        for form in ("liblinear", "libsvm"):
            result = self.run_program("export", "m", "--to", form)
            self.assertEqual(result.returncode, 2)


class ScaledKernels(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "ring.txt").write_text(ring(300, 3))
        (self.folder / "new.txt").write_text(ring(200, 4))

    def test_scaling_is_kept_beside_a_kernel_machine(self):
        for scale in ("standard", "minmax", "unit"):
            for algorithm in ("svm", "nu-svm", "voted-perceptron", "perceptron", "hard-margin"):
                with self.subTest(scale=scale, algorithm=algorithm):
                    if scale == "unit" and algorithm in ("hard-margin", "nu-svm"):
                        continue  # rows of one direction fall together: there is no margin
                    gamma = "rbf:20" if scale == "minmax" else "rbf:1"
                    result = self.run_program("train", "ring.txt", "-o", "m", "--scale", scale, "--algorithm", algorithm,
                                              "--kernel", gamma, "--json")
                    self.assertEqual(result.returncode, 0, result.stderr)
                    if scale != "unit":
                        self.assertLess(self.json("evaluate", "m", "new.txt")["error"], 0.05)
                    if algorithm in ("svm", "nu-svm", "hard-margin"):
                        self.assertIn("verified", self.done("verify", "m", "ring.txt"))

    def test_columns_that_training_did_not_see_are_ignored(self):
        self.json("train", "ring.txt", "-o", "m", "--scale", "standard", "--algorithm", "svm", "--kernel", "rbf:1")
        plain = self.done("predict", "m", "new.txt", "--scores")
        wide = "".join(line + " 9:5\n" for line in (self.folder / "new.txt").read_text().splitlines())
        (self.folder / "wide.txt").write_text(wide)
        self.assertEqual(plain, self.done("predict", "m", "wide.txt", "--scores"))

    def test_libsvm_cannot_scale(self):
        self.json("train", "ring.txt", "-o", "m", "--scale", "standard", "--algorithm", "svm", "--kernel", "rbf:1")
        result = self.run_program("export", "m", "--to", "libsvm")
        self.assertEqual(result.returncode, 2)
        self.assertIn("scale", result.stderr.decode())


class HardMargins(ProgramTest):
    def test_classes_that_the_kernel_does_not_separate_are_exit_1_and_no_model(self):
        (self.folder / "line.txt").write_text("-1 1:-3\n1 1:-1\n-1 1:1\n1 1:3\n")
        result = self.run_program("train", "line.txt", "-o", "m", "--algorithm", "hard-margin", "--kernel", "poly:2,1,1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("none has a margin above", result.stdout.decode())
        self.assertFalse((self.folder / "m").exists())
        self.assertEqual(self.json("train", "line.txt", "-o", "m", "--algorithm", "hard-margin", "--kernel",
                                   "poly:3,1,1")["training_error"], 0)

    def test_contradictions_are_named(self):
        (self.folder / "twice.txt").write_text("-1 1:1\n1 1:2\n1 1:1\n")
        result = self.run_program("train", "twice.txt", "-o", "m", "--algorithm", "hard-margin", "--kernel", "rbf:9")
        self.assertEqual(result.returncode, 1)
        self.assertIn("rows 1 and 3 are equal and have different labels", result.stdout.decode())


if __name__ == "__main__":
    main()
