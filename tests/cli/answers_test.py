#!/usr/bin/env python3
"""What the program says is so: nu's machine, errors by weight and by rows, rows on the plane, names, starts, large values."""
import itertools
import json
import pathlib
import random
import re

from support import SOURCE, ProgramTest, main

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
HIDDEN = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def overlapping(rows=120):
    """Two classes that hardly differ: a small nu has no margin."""
    draw = random.Random(1)
    return "".join(f"{'+1' if i % 2 else '-1'} 1:{draw.gauss(0.1 if i % 2 else -0.1, 1):.6f} 2:{draw.gauss(0, 1):.6f}\n"
                   for i in range(rows))


class Nu(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "mixed.txt").write_text(overlapping(), encoding="utf-8")

    def test_shares_that_contradict_nu_are_no_solution(self):
        # Kernel values of 1e10: the objective is tiny, and every gap is small beside 1.
        answer = self.json("train", SOURCE / "data" / "breast_cancer.csv", "--algorithm", "nu-svm", "--nu", "0.05", "--kernel",
                           "poly:2,0.001,0", "-o", "model", code=4)
        self.assertEqual(answer["stop"], "limit")
        self.assertNotIn("the same as svm", " ".join(answer["summary"]))

    def test_a_nu_beyond_the_sizes_is_refused_with_the_largest(self):
        (self.folder / "few.txt").write_text("+1 1:1\n" + "-1 1:0\n-1 1:2\n" * 3, encoding="utf-8")
        text = self.fails(2, "train", "few.txt", "--algorithm", "nu-svm", "--nu", "0.5", "-o", "model")
        largest = re.search(r"at most (\S+) is feasible", text).group(1)
        self.assertAlmostEqual(float(largest), 2 / 7, delta=1e-5)
        self.run_program("train", "few.txt", "--algorithm", "nu-svm", "--nu", largest, "-o", "model")
        self.assertTrue((self.folder / "model").exists())

    def test_a_nu_that_is_not_reached_claims_no_svm(self):
        for nu in ("0.01", "0.5", "0.9"):
            with self.subTest(nu):
                args = ("train", "mixed.txt", "--algorithm", "nu-svm", "--nu", nu, "-o", "model", "--quiet")
                said = self.done(*args, code=4)
                self.assertNotIn("same as svm", said)
                self.assertIn("was not reached", said)
                self.assertLessEqual(len(said.splitlines()), 8)
                result = self.json(*args, code=4)
                self.assertNotIn("C", result["figures"])
                self.check_shares(result, float(nu), said)

    def test_a_nu_that_is_reached_says_its_machine_on_standard_output(self):
        args = ("train", str(DATA / "breast_cancer.csv"), "--algorithm", "nu-svm", "--nu", "0.3", "--kernel", "rbf:0.05",
                "--scale", "standard", "-o", "model", "--quiet", "--verbose")
        said = self.done(*args)
        result = self.json(*args)
        figures = result["figures"]
        self.assertAlmostEqual(figures["C"] * figures["rho"], 1)
        self.assertIn(f"the same as svm with C = {figures['C']:.8g}", said)
        self.check_shares(result, 0.3, said)
        self.assertLessEqual(figures["margin_error_share"], 0.3)
        self.assertEqual([line for line in result["summary"] if line in said.splitlines()], result["summary"])

    def check_shares(self, result, nu, said):
        """Every inequality that is said holds for the figures."""
        figures = result["figures"]
        for left, middle, right in re.findall(r"at their bound (\S+) <= nu (\S+) <= support vectors (\S+)", said):
            self.assertLessEqual(float(left), float(middle))
            self.assertLessEqual(float(middle), float(right))
            self.assertAlmostEqual(float(right), figures["support_vector_share"], delta=1e-5)
        for errors, bound in re.findall(r"margin errors (\S+) <= nu (\S+)", said):
            self.assertLessEqual(float(errors), float(bound))


class Errors(ProgramTest):
    def setUp(self):
        super().setUp()
        # The plane x = 0 from a start that is kept: two rows wrong, one of them on the plane.
        (self.folder / "w.csv").write_text("x,w,label\n1,1,b\n2,0.5,b\n-1,2.5,b\n-1,3,a\n-2,1,a\n0,2,a\n5,0,a\n", encoding="utf-8")
        (self.folder / "whole.csv").write_text((self.folder / "w.csv").read_text().replace("0.5", "2").replace("2.5", "4"),
                                               encoding="utf-8")
        self.done("train", "whole.csv", "--algorithm", "perceptron", "--passes", "0", "--from", "1", "--weight", "w", "-o", "model")

    def test_a_weighted_error_has_its_weight_and_its_rows(self):
        args = ("train", "whole.csv", "--algorithm", "sgd", "--passes", "0", "--from", "1", "--weight", "w", "-o", "m", "--quiet")
        result = self.json(*args)
        self.assertEqual((result["training_errors"], result["training_rows"]), (2, 6))
        self.assertEqual(result["training_weight"], {"total": 13, "errors": 6})
        self.assertAlmostEqual(result["training_error"], 6 / 13)
        self.assertIn("training error 0.4615 of the weight (6 of 13; 2 of 6 rows)", self.done(*args))

    def test_evaluate_and_predict_count_the_same(self):
        result = self.json("evaluate", "model", "w.csv")
        self.assertEqual((result["errors"], result["rows"]), (2, 6))
        self.assertEqual(result["weight"], {"total": 10, "errors": 4.5})
        self.assertAlmostEqual(result["error"], 0.45)
        self.assertIsNone(result["interval"])  # half a row has no exact interval
        self.assertEqual(result["confusion"], [[4, 0], [2.5, 1.5]])
        self.assertEqual(result["undecided"], [2, 0])
        said = self.done("evaluate", "model", "w.csv")
        self.assertIn("error 0.45 of the weight (4.5 of 10; 2 of 6 rows)", said)
        predicted = self.json("predict", "model", "w.csv")
        self.assertAlmostEqual(predicted["accuracy"], 0.55)
        self.assertEqual(predicted["errors"], 2)

    def test_a_score_of_zero_is_an_error_whatever_the_tie_rule_and_its_rows_are_listed(self):
        (self.folder / "zero.csv").write_text("x,label\n0,a\n0,b\n1,b\n", encoding="utf-8")
        (self.folder / "plain.csv").write_text("x,label\n1,b\n-1,a\n", encoding="utf-8")
        self.done("train", "plain.csv", "--algorithm", "perceptron", "--passes", "0", "--from", "1", "-o", "plane")
        for tie in ("negative", "positive", "abstain"):
            predicted = self.json("predict", "plane", "zero.csv", "--tie", tie)
            self.assertAlmostEqual(predicted["accuracy"], 1 / 3)
            self.assertEqual(predicted["rows_on_plane"], [1, 2])
        evaluated = self.json("evaluate", "plane", "zero.csv")
        self.assertEqual((evaluated["errors"], evaluated["rows_on_plane"]), (2, [1, 2]))
        self.assertIn("(on the plane), an error for either class: rows 1, 2", self.done("evaluate", "plane", "zero.csv"))

    def test_many_rows_on_the_plane_are_cut_in_text_and_whole_in_json(self):
        (self.folder / "many.txt").write_text("1 1:1\n" * 5 + "-1 2:1\n" * 30, encoding="utf-8")
        (self.folder / "plain.txt").write_text("1 1:1\n-1 1:-1 2:0\n", encoding="utf-8")
        self.done("train", "plain.txt", "--algorithm", "perceptron", "--passes", "0", "--from", "1,0", "--features", "2", "-o", "p")
        self.assertEqual(self.json("predict", "p", "many.txt")["rows_on_plane"], list(range(6, 36)))
        said = self.done("predict", "p", "many.txt", "-o", "out", "--quiet")
        self.assertIn("accuracy 0.142857 (5 of 35 rows)", said)
        self.assertIn(", 25 and 10 more", said)


class Results(ProgramTest):
    def test_the_comparison_of_planes_is_a_result(self):
        said = self.done("train", "rows.txt", "--algorithm", "perceptron", "--online-to-batch", "all", "-o", "m", "--quiet",
                         "--verbose")
        self.assertIn("training error of last ", said)
        self.assertIn("progressive error ", said)

    def test_worst_takes_the_least_margin(self):
        # After the first row theta = (1, 0): row 2 has m = -1 and m/|x| = -1, row 3 has m = -2 and m/|x| = -0.2.
        (self.folder / "worst.txt").write_text("1 1:1\n1 1:-1\n1 1:-2 2:10\n-1 2:-1\n", encoding="utf-8")
        lines = self.done("trace", "worst.txt", "--order", "worst", "--offset", "none", "--passes", "2").splitlines()
        self.assertEqual([json.loads(line)["row"] for line in lines], [1, 3])


class Names(ProgramTest):
    NASTY = ["=HYPERLINK(1)", "a\u202eb", "\u0085c1", "x\u2066y", "tab\there", 'q"uo,te', "back\\x41", "\u061cz", "+cmd|x", "-1"]

    def write(self):
        def quoted(text):
            return '"' + text.replace('"', '""') + '"'
        rows = "".join(f"{i},{i * i},{quoted(name)}\n" for i, name in enumerate(self.NASTY) for _ in range(3))
        (self.folder / "names.csv").write_text('"a\u202eb",y,"label"\n' + rows, encoding="utf-8")
        self.done("train", "names.csv", "--label", "label", "--algorithm", "lookup", "-o", "model")
        self.done("train", "names.csv", "--label", "label", "-o", "plane", "--time", "5", code=0)

    def decoded(self, text):
        return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m.group(1), 16)]), text.encode()).decode()

    def test_no_text_of_data_or_model_reaches_the_outputs_raw(self):
        self.write()
        for args in (["train", "names.csv", "--label", "label", "-o", "again"], ["predict", "model", "names.csv"],
                     ["evaluate", "model", "names.csv"], ["show", "plane"], ["show", "model"], ["doctor", "names.csv", "--label", "label"],
                     ["verify", "plane", "names.csv"], ["predict", "plane", "names.csv", "--scores"],
                     ["train", "names.csv", "--label", "a\u202e", "-o", "x"], ["evaluate", "\u202emodel", "names.csv"]):
            for more in ([], ["--json"]):
                with self.subTest(args + more):
                    result = self.run_program(*args, *more)
                    for text in (result.stdout, result.stderr):
                        self.assertIsNone(HIDDEN.search(text.decode("utf-8").replace("\n", "").replace("\t", "")), text)

    def test_labels_read_back(self):
        self.write()
        truth = [name for name in self.NASTY for _ in range(3)]
        lines = self.done("predict", "model", "names.csv").split("\n")[:-1]
        self.assertEqual([self.decoded(line) for line in lines], truth)
        self.assertEqual(self.json("predict", "model", "names.csv")["labels"], truth)
        self.assertEqual(lines[27], "-1")

    def test_a_table_of_predictions_has_no_formulas(self):
        self.write()
        self.done("predict", "model", "names.csv", "--scores", "-o", "out.csv")
        rows = (self.folder / "out.csv").read_text(encoding="utf-8").splitlines()
        self.assertTrue(rows[0].startswith('"\\x3dHYPERLINK(1)",'), rows[0])
        self.assertTrue(rows[15].startswith('"q""uo,te",'), rows[15])
        self.assertTrue(rows[24].startswith('"\\x2bcmd|x",'), rows[24])
        self.assertTrue(rows[27].startswith("-1,"), rows[27])


class Start(ProgramTest):
    TWO = "+1 1:2 2:2\n-1 1:2 2:-1\n"

    def setUp(self):
        super().setUp()
        (self.folder / "two.txt").write_text(self.TWO, encoding="utf-8")

    def test_the_walk_starts_there(self):
        lines = self.done("trace", "two.txt", "--offset", "none", "--from", "0,-1").splitlines()
        self.assertEqual(json.loads(lines[0])["theta"], [2, 1])
        self.assertEqual(json.loads(lines[0])["margin_before"], -2)
        self.assertEqual(self.done("trace", "two.txt", "--from", "zero"), self.done("trace", "two.txt"))

    def test_a_model_is_a_start_and_the_solution_depends_on_it(self):
        self.done("train", "apart.txt", "--algorithm", "perceptron", "--passes", "until-clean", "-o", "first")
        again = self.json("train", "apart.txt", "--algorithm", "perceptron", "--passes", "until-clean", "--from", "first", "-o", "same")
        self.assertEqual(again["mistakes"], 0)
        self.assertTrue(again["from"].startswith("model perceptron"))
        other = self.json("train", "apart.txt", "--algorithm", "perceptron", "--passes", "until-clean", "--from", "0,5,0", "-o", "other")
        self.assertGreater(other["mistakes"], 0)
        self.assertEqual(other["from"], "0,5,0")
        self.assertEqual(other["certificate"][0]["kind"] if isinstance(other["certificate"], list) else None, "separator")
        self.assertLessEqual(other["mistakes"], other["figures"]["mistake_bound"])
        self.assertNotIn("cosine_bound", other["figures"])
        self.assertNotEqual(self.done("predict", "first", "apart.txt", "--scores"), self.done("predict", "other", "apart.txt", "--scores"))

    def test_half_of_the_passes_and_then_the_other_half_are_all_of_them(self):
        for algorithm, *options in (["perceptron"], ["passive-aggressive"], ["sgd", "--order", "cyclic", "--rate", "constant:1", "--keep", "last"]):
            with self.subTest(algorithm):
                first = ("train", "rows.txt", "--algorithm", algorithm, *options)
                self.done(*first, "--passes", "4", "-o", "whole")
                self.done(*first, "--passes", "2", "-o", "half")
                self.done(*first, "--passes", "2", "--from", "half", "-o", "rest")
                self.assertEqual(self.done("predict", "whole", "rows.txt", "--scores"), self.done("predict", "rest", "rows.txt", "--scores"))

    def test_a_stream_and_several_classes_start_too(self):
        self.done("train", "three.txt", "--algorithm", "perceptron", "--passes", "1", "-o", "half")
        self.done("train", "three.txt", "--algorithm", "perceptron", "--passes", "2", "-o", "whole")
        self.done("train", "three.txt", "--algorithm", "perceptron", "--stream", "--from", "half", "-o", "rest")
        self.assertEqual(self.done("predict", "whole", "three.txt", "--scores"), self.done("predict", "rest", "three.txt", "--scores"))

    def test_what_has_no_start_or_another_one_is_refused(self):
        self.done("train", "three.txt", "--algorithm", "perceptron", "-o", "three")
        self.done("train", "apart.txt", "--algorithm", "perceptron", "-o", "apart")
        train = ("train", "two.txt", "-o", "m", "--algorithm")
        for code, *args in ((2, "svm", "--from", "1,1"), (2, "voted-perceptron", "--from", "1,1"), (2, "perceptron", "--from", "1"),
                            (2, "perceptron", "--from", "1,1,1", "--offset", "none"), (3, "perceptron", "--from", "three"),
                            (2, "pegasos", "--from", "1,1"), (2, "perceptron", "--from", "1,1", "--scale", "standard"),
                            (2, "perceptron", "--from", "1,1", "--kernel", "rbf"), (3, "perceptron", "--from", "nowhere"),
                            (2, "perceptron", "--from", "1,1", "--online-to-batch", "vote")):
            with self.subTest(args):
                self.fails(code, *train, *args)
        self.fails(2, "trace", "apart.txt", "--cosine", "--from", "apart")
        self.done(*train, "pegasos", "--rate", "sqrt", "--from", "1,1")


class Large(ProgramTest):
    ALGORITHMS = ("perceptron", "averaged-perceptron", "voted-perceptron", "passive-aggressive", "pegasos", "sgd", "svm", "logistic",
                  "hard-margin", "nu-svm", "majority", "stump", "lookup")

    def test_no_number_beyond_the_range_is_an_answer(self):
        sizes = ("1e150", "1e160", "1e300", "1.7e308")
        for algorithm, size, kernel in itertools.product(self.ALGORITHMS, sizes, ("", "rbf:1")):
            if kernel and algorithm not in ("perceptron", "averaged-perceptron", "voted-perceptron", "svm", "nu-svm"):
                continue
            with self.subTest(f"{algorithm} {size} {kernel}"):
                (self.folder / "big.txt").write_text(f"1 1:{size} 2:1\n-1 1:-{size}\n1 1:{size} 2:-{size}\n-1 2:-1\n", encoding="utf-8")
                (self.folder / "m").unlink(missing_ok=True)
                args = ["--kernel", kernel] if kernel else []
                result = self.run_program("train", "big.txt", "--algorithm", algorithm, *args, "-o", "m", "--time", "5")
                self.assertIn(result.returncode, (0, 1, 3, 4), result.stderr)
                self.numbers(result.stdout)
                if result.returncode in (1, 3):
                    self.assertFalse((self.folder / "m").exists())
                    continue
                for verb in (["predict", "m", "big.txt", "--scores"], ["evaluate", "m", "big.txt"], ["evaluate", "m", "big.txt", "--json"]):
                    result = self.run_program(*verb)
                    self.assertIn(result.returncode, (0, 3), result.stderr)
                    self.numbers(result.stdout)

    def test_a_score_beyond_the_range_is_refused_at_its_row(self):
        self.done("train", "apart.txt", "--algorithm", "perceptron", "--from", "1e300,1", "--passes", "0", "-o", "m")
        (self.folder / "big.txt").write_text("1 1:1\n1 1:1e10\n", encoding="utf-8")
        for verb in ("predict", "evaluate"):
            self.assertIn("big.txt: error: row 2: its score leaves the range of numbers", self.fails(3, verb, "m", "big.txt"))

    def numbers(self, text):
        self.assertIsNone(re.search(rb"(?<![a-z])-?(nan|inf)\b", text), text)


if __name__ == "__main__":
    main()
