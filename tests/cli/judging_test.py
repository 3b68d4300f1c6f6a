#!/usr/bin/env python3
"""evaluate: names of labels, thresholds and costs, baselines, curves; and what predict does with the same options."""
import random

from support import ProgramTest, main


def two_groups(rows, seed, labels=("no", "yes")):
    draw = random.Random(seed)
    lines = ["a,b,label"]
    for i in range(rows):
        y = draw.random() < 0.3
        lines.append(f"{draw.gauss(1 if y else 0, 1):.4f},{draw.gauss(0, 1):.4f},{labels[y]}")
    return "\n".join(lines) + "\n"


class Judging(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "train.csv").write_text(two_groups(300, 1), encoding="utf-8")
        (self.folder / "test.csv").write_text(two_groups(200, 2), encoding="utf-8")
        (self.folder / "dots.csv").write_text(two_groups(200, 2, ("no.", "yes.")), encoding="utf-8")
        self.train("train.csv", "model", "--quiet")

    def test_labels_of_which_the_model_knows_none_are_refused_with_the_option_that_cures_it(self):
        said = self.fails(3, "evaluate", "model", "dots.csv")
        self.assertIn("did you mean 'yes'?", said)
        self.assertIn("--rename 'no.=no,yes.=yes'", said)
        renamed = self.json("evaluate", "model", "dots.csv", "--rename", "no.=no,yes.=yes")
        plain = self.json("evaluate", "model", "test.csv")
        self.assertEqual(renamed["confusion"], plain["confusion"])
        self.assertEqual(self.json("predict", "model", "dots.csv", "--rename", "no.=no,yes.=yes")["accuracy"], plain["accuracy"])

    def test_predict_says_no_accuracy_of_names_it_does_not_know(self):
        result = self.run_program("predict", "model", "dots.csv")
        self.assertIn("no accuracy: no label", result.stderr.decode())
        self.assertIsNone(self.json("predict", "model", "dots.csv")["accuracy"])

    def test_a_few_unknown_labels_are_named_and_count_as_errors(self):
        text = two_groups(200, 2).replace("no\n", "NO!\n", 1)
        (self.folder / "some.csv").write_text(text, encoding="utf-8")
        result = self.run_program("evaluate", "model", "some.csv")
        self.assertEqual(result.returncode, 0)
        self.assertIn("did you mean 'no'?", result.stdout.decode())
        self.assertEqual(self.json("evaluate", "model", "some.csv")["unknown"], [{"label": "NO!", "rows": 1, "nearest": "no"}])

    def test_labels_with_an_equals_sign_are_renamed_too(self):
        (self.folder / "odd.csv").write_text(two_groups(60, 3, ("<=5.", ">5.")), encoding="utf-8")
        (self.folder / "even.csv").write_text(two_groups(60, 3, ("<=5", ">5")), encoding="utf-8")
        self.train("even.csv", "odd", "--quiet")
        self.assertEqual(self.json("evaluate", "odd", "odd.csv", "--rename", "<=5.=<=5,>5.=>5")["unknown_labels"], 0)
        self.assertIn("does not end in = and a class", self.fails(2, "evaluate", "odd", "odd.csv", "--rename", "<=5.=<=6"))

    def test_rows_trained_on_are_recognised_in_any_format(self):
        self.assertIn("these are the rows it was trained on", self.done("evaluate", "model", "train.csv"))
        self.assertNotIn("trained on", self.done("evaluate", "model", "test.csv"))
        self.assertTrue(self.json("evaluate", "model", "train.csv")["trained_on_these_rows"])
        self.train("rows.txt", "plain", "--scale", "standard")
        self.done("convert", "rows.txt", "-o", "rows.hsd")
        self.assertTrue(self.json("evaluate", "plain", "rows.hsd")["trained_on_these_rows"])

    def test_a_threshold_moves_labels_and_nothing_else(self):
        at_zero = self.json("evaluate", "model", "test.csv")
        moved = self.json("evaluate", "model", "test.csv", "--threshold", "-1")
        self.assertEqual(moved["threshold"], -1)
        for key in ("auc", "log_loss", "hinge_loss", "zero_one_loss"):
            self.assertEqual(moved[key], at_zero[key])
        given = self.json("predict", "model", "test.csv", "--scores", "--threshold", "-1")
        self.assertEqual(given["labels"], ["yes" if s[0] > -1 else "no" for s in given["scores"]])
        self.assertEqual(given["errors"], moved["errors"])
        self.train("three.txt", "many", "--quiet")
        self.assertIn("two classes", self.fails(2, "evaluate", "many", "three.txt", "--threshold", "1"))

    def test_a_threshold_in_percent_is_a_probability(self):
        models = {"logistic": ["--algorithm", "logistic"], "platt": ["--algorithm", "svm", "--calibrate", "platt"],
                  "isotonic": ["--algorithm", "svm", "--calibrate", "isotonic"]}
        for name, how in models.items():
            self.json("train", "train.csv", "-o", name, *how)
            for percent in (5, 30, 50, 70, 95):
                with self.subTest(name, percent=percent):
                    found = self.json("predict", name, "test.csv", "--probabilities", "--threshold", f"{percent}%")
                    classes = self.json("show", name)["classes"]
                    wanted = [classes[p[1] > percent / 100] for p in found["probabilities"]]
                    near = [abs(p[1] - percent / 100) < 1e-9 for p in found["probabilities"]]
                    self.assertEqual([w for w, n in zip(wanted, near) if not n], [g for g, n in zip(found["labels"], near) if not n])
        self.assertIn("0% and 100%", self.fails(2, "predict", "logistic", "test.csv", "--threshold", "100%"))
        self.json("train", "train.csv", "-o", "plain", "--algorithm", "svm")
        self.assertIn("--calibrate", self.fails(2, "evaluate", "plain", "test.csv", "--threshold", "70%"))
        self.assertIn("a probability above 0.7, means", self.done("evaluate", "logistic", "test.csv", "--threshold", "70%"))

    def test_the_cheapest_threshold_is_the_best_of_all(self):
        found = self.json("evaluate", "model", "test.csv", "--cost", "1:4")["cost"]
        scores = [s[0] for s in self.json("predict", "model", "test.csv", "--scores")["scores"]]
        truth = [line.endswith(",yes") for line in (self.folder / "test.csv").read_text().splitlines()[1:]]

        def mean(threshold):
            return sum(4 if y and s <= threshold else 1 if not y and s >= threshold else 0
                       for s, y in zip(scores, truth)) / len(scores)
        self.assertAlmostEqual(found["mean"], mean(0))
        self.assertAlmostEqual(found["cheapest_mean"], mean(found["cheapest_threshold"]))
        ordered = sorted(scores)
        between = [(a + b) / 2 for a, b in zip(ordered, ordered[1:])] + [ordered[0] - 1, ordered[-1] + 1]
        self.assertAlmostEqual(found["cheapest_mean"], min(map(mean, between)))
        again = self.json("evaluate", "model", "test.csv", "--cost", "1:4", "--threshold", repr(found["cheapest_threshold"]))
        self.assertAlmostEqual(again["cost"]["mean"], found["cheapest_mean"])
        self.assertIn("1:5", self.fails(2, "evaluate", "model", "test.csv", "--cost", "7"))

    def test_baselines_are_those_of_the_training_rows(self):
        alone = self.json("evaluate", "model", "test.csv")["baselines"]
        self.assertEqual([b["name"] for b in alone], ["majority"])
        rows = (self.folder / "test.csv").read_text().splitlines()[1:]
        self.assertEqual(alone[0]["errors"], sum(line.endswith(",yes") for line in rows))
        three = self.json("evaluate", "model", "test.csv", "--training", "train.csv")["baselines"]
        self.assertEqual([b["name"] for b in three], ["majority", "stump", "lookup"])
        self.train("train.csv", "stump", "--algorithm", "stump", "--quiet")
        self.assertEqual(three[1]["errors"], self.json("evaluate", "stump", "test.csv")["errors"])

    def test_curves_and_bins_stand_in_json(self):
        found = self.json("evaluate", "model", "test.csv")
        curve = found["curve"]
        self.assertEqual((curve[0]["true_positive_rate"], curve[-1]["true_positive_rate"]), (0, 1))
        self.assertAlmostEqual(sum(b["weight"] for b in found["calibration"]), 200)
        self.assertGreaterEqual(found["hinge_loss"], found["zero_one_loss"])


if __name__ == "__main__":
    main()
