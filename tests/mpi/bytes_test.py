#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several processes train the model of one, to the byte, and say what went between them."""
import unittest

from support import PLAIN, MpiTest, svm_text


class SameBytes(MpiTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        two, three, wide = svm_text(3000, 12, 2, 1), svm_text(2500, 8, 3, 2), svm_text(400, 2500, 2, 3, 0.01)
        for name, text in (("two", two), ("three", three), ("wide", wide)):
            lines = text.splitlines(keepends=True)
            (cls.folder / f"{name}.svm").write_text(text)
            n = len(lines)
            for k, (a, b) in enumerate(((0, n // 9), (n // 9, n // 9 + 3), (n // 9 + 3, n))):
                (cls.folder / f"{name}-part-{k}.svm").write_text("".join(lines[a:b]))

    def compare(self, name, *options):
        self.alone("train", f"{name}.svm", "-o", "alone", "--quiet", *options)
        self.alone("convert", f"{name}.svm", "-o", f"{name}.hsd", "--quiet")
        for data in (f"{name}.svm", f"{name}-part-*.svm", f"{name}.hsd"):
            for processes in (2, 3, 4) if data == f"{name}.svm" else (3,):
                self.mpirun(processes, "train", data, "-o", "model", "--quiet", *options)
                self.assertTrue(self.model() == self.model("alone"), f"{data}, {processes} processes, {options}")
        self.alone("verify", "model", f"{name}.svm")

    def test_two_classes(self):
        self.compare("two", "--scale", "standard")

    def test_the_hinge(self):
        self.compare("two", "--algorithm", "svm", "--positive", "1")

    def test_softmax(self):
        self.compare("three", "--class-weight", "balanced")

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
