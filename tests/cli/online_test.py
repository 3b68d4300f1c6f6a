# SPDX-License-Identifier: BSD-3-Clause
"""The online learners from the command line: traces, limits, streams."""
import json
import random
import unittest

from support import ProgramTest

EXAMPLE = "+1 1:2 2:2\n-1 1:2 2:-1\n"
XOR = "-1 1:0\n+1 1:1\n+1 2:1\n-1 1:1 2:1\n"


def sparse_rows(rows, features=300, classes=(-1, 1), decimals=3):
    """Few entries of many features: stored sparse, with sums that round."""
    draw = random.Random(7)
    lines = []
    for _ in range(rows):
        columns = sorted(draw.sample(range(1, features + 1), draw.randint(3, 60)))
        values = " ".join(f"{j}:{draw.uniform(-1, 1):.{decimals}f}" for j in columns)
        lines.append(f"{draw.choice(classes)} {values}\n")
    return "".join(lines)


def dense_rows(rows, features):
    """Most features are there with fractions for values, some rows are short, some nearly empty."""
    number = random.Random(5)
    lines = []
    for i in range(rows):
        share = 0.05 if i % 17 == 0 else 0.97
        last = number.randint(1, features) if i % 11 == 0 else features
        entries = [f"{j}:{number.gauss(0, 1):.6g}" for j in range(1, last + 1) if number.random() < share]
        lines.append(" ".join([number.choice(("1", "-1")), *entries]) + "\n")
    return "".join(lines)


class Online(ProgramTest):
    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def trace(self, *args):
        return [json.loads(line) for line in self.done("trace", *args).splitlines()]

    def test_worked_example_without_offset(self):
        self.write("example.txt", EXAMPLE)
        lines = self.trace("example.txt", "--offset", "none")
        self.assertEqual([line["theta"] for line in lines], [[2, 2], [0, 3]])
        self.assertEqual([line["margin_after"] - line["margin_before"] for line in lines], [8, 5])
        self.assertEqual([line["k"] for line in lines], [1, 2])
        self.assertEqual([line["row"] for line in lines], [1, 2])

    def test_worked_example_with_offset(self):
        self.write("example.txt", EXAMPLE)
        lines = self.trace("example.txt", "--algorithm", "averaged-perceptron")
        self.assertEqual([line["theta"] + [line["theta0"]] for line in lines], [[2, 2, 1], [0, 3, 0]])
        self.assertEqual([line["margin_after"] - line["margin_before"] for line in lines], [9, 6])
        fit = self.json("train", "example.txt", "-o", "model", "--algorithm", "perceptron")
        self.assertEqual((fit["mistakes"], fit["stop"]), (2, "clean"))

    def test_trace_can_be_kept_small(self):
        self.write("rows2.txt", sparse_rows(200))
        whole = self.trace("rows2.txt", "--passes", "3")
        few = self.trace("rows2.txt", "--passes", "3", "--every", "10", "--max", "5")
        self.assertEqual([line["k"] for line in few], [1, 11, 21, 31, 41])
        self.assertEqual(few[1], whole[10])
        self.assertNotIn("theta", few[0])
        self.assertIn("theta", self.trace("rows2.txt", "--theta", "always", "--max", "1")[0])

    def test_until_clean_on_data_without_a_plane_stops_at_its_limit(self):
        self.write("xor.txt", XOR)
        fit = self.json("train", "xor.txt", "-o", "model", "--algorithm", "perceptron", "--passes", "until-clean",
                        "--max-passes", "30", code=4)
        self.assertEqual((fit["stop"], fit["iterations"]), ("limit", 30))
        self.assertLess(fit["training_errors"], 4)
        self.assertEqual(fit["figures"]["best_errors"], fit["training_errors"])
        self.assertEqual(fit["separation"]["verdict"], "overlapping")
        self.assertTrue((self.folder / "model").exists())

    def test_the_same_bytes_for_any_number_of_threads(self):
        self.write("two.txt", sparse_rows(300))
        self.write("five.txt", sparse_rows(300, classes=(1, 2, 3, 4, 5)))
        for algorithm in ("perceptron", "averaged-perceptron", "voted-perceptron", "passive-aggressive", "pegasos", "sgd"):
            for data in ("two.txt", "five.txt"):
                models = [self.train(data, "model", "--algorithm", algorithm, "--threads", n) for n in ("1", "2", "5")]
                self.assertEqual(models[0], models[1], algorithm)
                self.assertEqual(models[0], models[2], algorithm)

    def weights(self, model):
        show = self.json("show", model, "--top", "100000")
        return [(plane["offset"], {one["feature"]: one["weight"] for one in plane["weights"]}) for plane in show["planes"]]

    def test_a_stream_ends_where_one_pass_in_memory_does(self):
        sets = {"two.txt": sparse_rows(20000), "three.txt": sparse_rows(3000, classes=(1, 2, 3)),
                "dense.txt": dense_rows(600, 50), "narrow.txt": dense_rows(3000, 7)}  # stored dense in memory
        for name, text in sets.items():
            self.write(name, text)
            for algorithm in ("perceptron", "averaged-perceptron", "passive-aggressive", "pegasos", "sgd"):
                self.train(name, "memory", "--algorithm", algorithm, "--passes", "1", "--order", "cyclic")
                self.done("train", "-", "-o", "stream", "--stream", "--algorithm", algorithm, stdin=text.encode())
                self.assertEqual(self.weights("memory"), self.weights("stream"), (name, algorithm))
            self.train(name, "memory", "--algorithm", "voted-perceptron", "--passes", "1")
            self.done("train", "-", "-o", "stream", "--stream", "--algorithm", "voted-perceptron", stdin=text.encode())
            votes = [self.done("predict", model, name, "--scores", "--quiet") for model in ("memory", "stream")]
            self.assertEqual(votes[0], votes[1], name)

    def test_a_stream_says_what_it_cannot_do(self):
        perceptron = ("--algorithm", "perceptron")
        self.assertIn("svm needs the rows", self.fails(2, "train", "rows.txt", "-o", "m", "--stream", "--algorithm", "svm"))
        self.assertIn("leave --last-half out", self.fails(2, "train", "rows.txt", "-o", "m", "--stream", "--algorithm", "voted-perceptron",
                                                          "--last-half"))
        self.assertIn("--stream reads libsvm text", self.fails(3, "train", "table.csv", "-o", "m", "--stream", *perceptron))
        self.assertIn("come once", self.fails(2, "train", "rows.txt", "-o", "m", "--stream", *perceptron, "--passes", "2"))
        self.assertIn("one order", self.fails(2, "train", "rows.txt", "-o", "m", "--stream", *perceptron, "--order", "shuffled"))
        sorted_rows = "-1 1:1\n" * 200000 + "+1 2:1\n" * 10
        self.assertIn("--positive", self.fails(3, "train", "-", "-o", "m", "--stream", *perceptron, "--threads", "1",
                                               stdin=sorted_rows.encode()))
        self.done("train", "-", "-o", "m", "--stream", *perceptron, "--positive", "1", stdin=sorted_rows.encode())
        self.assertIn(":3:", self.fails(3, "train", "-", "-o", "m", "--stream", *perceptron, stdin=b"1 1:1\n-1 1:2\n1 1:x\n"))

    def test_variants_are_compared(self):
        fit = self.json("train", "rows.txt", "-o", "model", "--algorithm", "perceptron", "--online-to-batch", "all")
        for name in ("last", "average", "last-half", "longest", "vote"):
            self.assertIn(f"training_error_{name}", fit["figures"])
        self.assertEqual(fit["figures"]["training_error_average"], fit["training_error"])


if __name__ == "__main__":
    unittest.main()
