#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several processes train the model of one, to the byte, and say what went between them."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

from support import PLAIN, MpiTest, svm_text

sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("bench_scale", str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "scale"))
scale = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_scale", _loader))
_loader.exec_module(scale)


class SameBytes(MpiTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        texts = {"two": svm_text(3000, 12, 2, 1), "three": svm_text(2500, 8, 3, 2), "ten": svm_text(3000, 20, 10, 4),
                 "wide": svm_text(400, 2500, 2, 3, 0.01), "matrix": svm_text(2500, 150, 2, 5)}
        for name, text in texts.items():
            lines = text.splitlines(keepends=True)
            (cls.folder / f"{name}.svm").write_text(text)
            n = len(lines)
            for k, (a, b) in enumerate(((0, n // 9), (n // 9, n // 9 + 3), (n // 9 + 3, n))):
                (cls.folder / f"{name}-part-{k}.svm").write_text("".join(lines[a:b]))

    def compare(self, name, *options):
        self.alone("train", f"{name}.svm", "-o", "alone", "--quiet", *options)
        self.alone("convert", f"{name}.svm", "-o", f"{name}.hsd", "--quiet")
        alone = self.model("alone")

        def train(run):
            data, processes = run
            model = f"model-{processes}-{data.replace('*', 'all')}"
            self.mpirun(processes, "train", data, "-o", model, "--quiet", *options)
            self.assertTrue(self.model(model) == alone, f"{data}, {processes} processes, {options}")

        self.at_once(train, [(f"{name}.svm", 2), (f"{name}.svm", 3), (f"{name}.svm", 4), (f"{name}-part-*.svm", 3), (f"{name}.hsd", 3)])
        self.alone("verify", "alone", f"{name}.svm")

    def test_two_classes(self):
        self.compare("two", "--scale", "standard")

    def test_the_hinge(self):
        self.compare("two", "--algorithm", "svm", "--positive", "1")

    def test_softmax(self):
        self.compare("three", "--class-weight", "balanced")

    def test_ten_classes(self):
        self.compare("ten")

    def test_ten_classes_one_against_the_rest(self):
        self.compare("ten", "--algorithm", "svm", "--loss", "squared-hinge", "--scale", "minmax")

    def test_a_matrix_whose_rows_are_shared_out(self):
        self.compare("matrix", "--solver", "team")

    def test_pages_that_are_shared_or_not(self):
        self.alone("train", "matrix.svm", "-o", "alone", "--quiet", "--solver", "team")
        self.mpirun(3, "train", "matrix.svm", "-o", "model", "--quiet", "--solver", "team", HALFSPACE_SHARED_PAGES="0")
        self.assertTrue(self.model() == self.model("alone"))

    def test_many_features(self):
        self.compare("wide", "--solver", "team")

    def test_one_process_and_the_plain_program_under_mpirun(self):
        self.alone("train", "two-part-*.svm", "-o", "alone", "--quiet")
        self.mpirun(1, "train", "two-part-*.svm", "-o", "model", "--quiet")
        self.assertTrue(self.model() == self.model("alone"))
        output, errors = self.mpirun(2, "train", "two.svm", "-o", "model", "--verbose", program=PLAIN)
        self.assertTrue(self.model() == self.model("alone"))
        self.assertIn("2 processes: ", output)
        self.assertEqual(output.count("model written"), 1)
        self.assertNotIn("error", errors)

    def test_what_it_says_is_what_one_process_says_and_what_went_between_them(self):
        alone = self.json(self.alone("train", "two.svm", "-o", "alone", "--json", "--quiet", "--test", "two-part-1.svm"))
        output, _ = self.mpirun(3, "train", "two.svm", "-o", "model", "--json", "--quiet", "--test", "two-part-1.svm")
        team = self.json(output)
        facts = team.pop("team")
        for one in (alone, team):
            del one["seconds"], one["model"], one["notes"]  # one process looks at its rows for doubles
        self.assertEqual(team, alone)
        self.assertEqual(facts["processes"], 3)
        self.assertGreater(facts["rounds"], 10)
        self.assertGreater(facts["bytes_received"], facts["bytes_given"])
        self.assertTrue(0 <= facts["waiting"]["least"] <= facts["waiting"]["mean"] <= facts["waiting"]["most"] <= 1)

    def test_rounds_carry_what_the_model_of_bench_scale_says(self):
        """Every round that is not small is a sum of vectors, numbers for blocks of rows, rows of a sample or a matrix."""
        rows, features, processes = 2500, 150, 3
        output, _ = self.mpirun(processes, "train", "matrix.svm", "-o", "model", "--json", "--quiet", "--solver", "team")
        team = self.json(output)["team"]
        sizes = {one["bytes"] - processes: one["rounds"] for one in team["sizes"]}  # a byte of each says that all is well
        self.assertEqual(sum(one["rounds"] for one in team["sizes"]), team["rounds"])
        self.assertEqual(sum(one["bytes"] * one["rounds"] for one in team["sizes"]), team["bytes_received"])
        vector = 8 * features
        n = features + 1
        matrix = 8 * n * (n + 1) // 2
        slices = {scale.slices_all(rows, features), *(scale.slices_list(some, features) for some in range(0, rows, 256))}
        numbers = {8 * width * blocks for width in (1, 2, 3, 4) for blocks in range(1, -(-rows // scale.ROW_BLOCK) + 1)}
        vectors = {vector * k for k in slices}
        self.assertTrue(any(size in vectors for size in sizes), sizes)
        for size, count in sizes.items():
            sample = 24 * processes < size <= 24 * processes + rows * (12 + scale.ENTRY_SENT * features)
            known = size in vectors or size in numbers or size == matrix or size <= 16 * 1024
            self.assertTrue(known or (sample and count <= 8), f"{count} rounds of {size} bytes: {sizes}")

    def test_what_is_for_one_process_is_refused_once(self):
        for words, said in ((("evaluate", "model", "two.svm"), "evaluate is for one process"),
                            (("train", "two.svm", "-o", "m", "--holdout", "0.2"), "--holdout draws from all rows"),
                            (("train", "two.svm", "-o", "m", "--algorithm", "perceptron"), "perceptron goes from row to row")):
            _, errors = self.mpirun(2, *words, code=2)
            self.assertEqual(errors.count("error: "), 1, errors)
            self.assertIn(said, errors)
        output, _ = self.mpirun(2, "train", "--help")
        self.assertEqual(output.count("usage: "), self.alone("train", "--help").count("usage: "))


if __name__ == "__main__":
    unittest.main(verbosity=1)
