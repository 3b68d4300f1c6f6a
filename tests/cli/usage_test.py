#!/usr/bin/env python3
"""Usage: help, version, wrong options, the manual page."""
import json
import os
import shutil
import subprocess
import unittest

from support import ProgramTest, main

VERBS = ["train", "predict", "evaluate", "separable", "verify", "show", "trace", "convert", "generate", "doctor",
         "split", "tune", "compare", "curve", "path", "explain", "completion", "report", "plot", "playground"]


class Help(ProgramTest):
    def test_version_is_one_line(self):
        self.assertRegex(self.done("--version"), r"^halfspace \d+\.\d+\.\d+\n$")

    def test_help_lists_exactly_the_verbs_there_are(self):
        text = self.done("--help")
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", text)
        for verb in ("manual", "cv"):
            self.assertNotIn(f"\n  {verb}", text)

    def test_help_opens_with_two_examples(self):
        for verb in VERBS:
            for args in ((verb, "--help"), ("help", verb), (verb, "-h")):
                lines = self.done(*args).splitlines()
                self.assertEqual(lines[0], "Examples:")
                for line in lines[1:3]:
                    self.assertTrue(line.startswith(f"  halfspace {verb} "), line)
                self.assertTrue(lines[4].startswith(f"halfspace {verb} "), lines[4])

    def test_every_verb_has_the_common_options(self):
        for verb in VERBS:
            text = self.done("help", verb)
            for option in ("--json", "--quiet", "--threads", "--seed", "--time", "--progress", "--help"):
                self.assertIn(option, text)

    def test_help_of_train_lists_the_algorithms_and_the_options_of_the_one_named(self):
        text = self.done("train", "--algorithm", "perceptron", "--help")
        self.assertIn("Algorithm perceptron:", text)
        self.assertIn("--passes", text)
        self.assertIn("Algorithms (", text)

    def test_the_manual_page_is_roff_without_warnings(self):
        page = self.done("manual")
        self.assertTrue(page.startswith(".TH HALFSPACE 1"))
        for verb in VERBS:
            self.assertIn(f".SS halfspace {verb} ", page)
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-ww", "-z"], input=page.encode(), capture_output=True)
        self.assertEqual(done.stderr.decode(), "")


class WrongUsage(ProgramTest):
    def test_no_verb(self):
        self.assertIn("--help", self.fails(2))

    def test_a_misspelt_verb_is_offered(self):
        self.assertIn("did you mean train?", self.fails(2, "tran"))
        self.assertIn("did you mean train?", self.fails(2, "help", "trai"))

    def test_a_misspelt_option_is_offered(self):
        self.assertIn("did you mean --passes?", self.fails(2, "train", "rows.txt", "-o", "m", "--algorithm", "perceptron", "--pases", "3"))
        self.assertIn("did you mean --threads?", self.fails(2, "evaluate", "m", "rows.txt", "--thread=3"))

    def test_a_misspelt_algorithm_is_offered(self):
        self.assertIn("did you mean perceptron?", self.fails(2, "train", "rows.txt", "-o", "m", "--algorithm", "percepton"))

    def test_a_misspelt_word_is_offered(self):
        self.assertIn("did you mean standard?", self.fails(2, "train", "rows.txt", "-o", "m", "--scale", "standart"))

    def test_an_option_of_another_algorithm_says_whose_it_is(self):
        text = self.fails(2, "train", "rows.txt", "-o", "m", "--algorithm", "majority", "--passes", "3")
        self.assertIn("majority has no --passes; an option of perceptron", text)
        self.assertFalse((self.folder / "m").exists())

    def test_repeating_an_option_is_an_error(self):
        self.assertIn("--seed is given 2 times", self.fails(2, "train", "rows.txt", "-o", "m", "--seed", "1", "--seed", "2"))
        self.assertIn("--quiet is given 2 times", self.fails(2, "show", "m", "--quiet", "--quiet"))

    def test_what_is_missing_is_named(self):
        self.assertIn("DATA is missing", self.fails(2, "train", "-o", "m"))
        self.assertIn("--output MODEL is missing", self.fails(2, "train", "rows.txt"))
        self.assertIn("--output needs a value", self.fails(2, "train", "rows.txt", "-o"))
        self.assertIn("--output needs a value", self.fails(2, "train", "rows.txt", "-o", ""))
        self.assertIn("--label needs a value", self.fails(2, "train", "table.csv", "-o", "m", "--label="))
        self.assertIn("DATA needs a value", self.fails(2, "train", "", "-o", "m"))

    def test_a_file_that_is_read_is_not_replaced(self):
        self.train("rows.txt", "model")
        os.symlink("rows.txt", self.folder / "link")
        before = {name: (self.folder / name).read_bytes() for name in ("rows.txt", "model")}
        for command in (("train", "rows.txt", "-o", "rows.txt"), ("train", "rows.txt", "-o", "./link"),
                        ("train", "link", "-o", "rows.txt", "--algorithm", "perceptron", "--stream"),
                        ("predict", "model", "rows.txt", "-o", "model"), ("predict", "model", "rows.txt", "-o", "rows.txt"),
                        ("separable", "rows.txt", "-o", "rows.txt"), ("trace", "rows.txt", "-o", "rows.txt"),
                        ("export", "model", "-o", "model")):
            self.assertIn("would replace a file that is read", self.fails(2, *command))
        for name, content in before.items():
            self.assertEqual((self.folder / name).read_bytes(), content)

    def test_what_cannot_be_written_is_said_before_the_work(self):
        for path, why in (("no/such/m", "No such file"), (".", "directory"), ("rows.txt/m", "Not a directory")):
            # The data are not even looked at.
            self.assertIn(f"{path}: error: cannot write: ", self.fails(5, "train", "absent", "-o", path))
            self.assertIn(why, self.fails(5, "train", "absent", "-o", path))
        error = json.loads(self.run_program("train", "rows.txt", "-o", "no/m", "--json").stdout)
        self.assertEqual((error["code"], error["file"], error["message"]),
                         (5, "no/m", "cannot write: No such file or directory"))

    def test_standard_input_may_be_half_of_a_pair(self):
        (self.folder / "labels.idx1").write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 2, 0, 1]))
        images = bytes([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 1, 5, 9])
        self.done("train", "-,labels.idx1", "-o", "m", "--algorithm", "perceptron", stdin=images)
        self.assertIn("byte 13", self.fails(3, "train", "-,labels.idx1", "-o", "m", stdin=images[:-1]))
        for pair in ("-,-", "rows.txt,", ",rows.txt"):
            self.assertIn("not a pair", self.fails(2, "train", pair, "-o", "m"))
        self.assertIn("unexpected argument '-,x'", self.fails(2, "train", "rows.txt", "-,x", "-o", "m"))

    def test_as_many_features_as_libsvm_text_may_have(self):
        self.assertIn("134217728", self.fails(2, "train", "rows.txt", "-o", "m", "--features", "134217729"))

    def test_an_option_is_not_taken_for_a_value(self):
        self.assertIn("--label needs a value", self.fails(2, "train", "rows.txt", "-o", "m", "--label", "--json-lines"))

    def test_two_dashes_end_the_options(self):
        (self.folder / "-odd").write_text("+1 1:1\n-1 1:-1\n")
        self.done("train", "-o", "m", "--", "-odd")

    def test_too_many_arguments(self):
        self.assertIn("unexpected argument 'b'", self.fails(2, "train", "a", "b", "-o", "m"))

    def test_numbers_are_checked(self):
        for option, value in (("--threads", "0"), ("--threads", "x"), ("--time", "-1"), ("--seed", "1.5"), ("--C", "nan")):
            self.assertIn(value, self.fails(2, "train", "rows.txt", "-o", "m", option, value))

    def test_a_flag_takes_no_value(self):
        self.fails(2, "show", "m", "--quiet=false")

    def test_usage_errors_are_objects_in_json_mode(self):
        result = self.run_program("train", "--json", "--bogus")
        self.assertEqual(result.returncode, 2)
        error = json.loads(result.stdout)
        self.assertEqual(error["schema"], "halfspace.error/1")
        self.assertEqual(error["code"], 2)
        self.assertEqual(set(error), {"schema", "code", "message", "file", "line", "column", "byte", "hint"})

    def test_control_bytes_of_arguments_are_escaped(self):
        result = self.run_program("train", "\x1b[31m\nx", "-o", "m")
        self.assertNotIn(b"\x1b", result.stderr)
        self.assertEqual(result.stderr.count(b"\n"), 1)


if __name__ == "__main__":
    main()
