#!/usr/bin/env python3
"""split, train --holdout, tune, compare, curve, path: choosing and judging a classifier."""
import csv
import json
import signal
import subprocess
from math import comb

from support import PROGRAM, SOURCE, ProgramTest, main, without_thread_sanitizer

CANCER = str(SOURCE / "data" / "breast_cancer.csv")
IRIS = str(SOURCE / "data" / "iris.csv")
VISITS = 'patient,age,color,"text, quoted",label\n' + "".join(
    f'p{i // 5},{"" if i % 7 == 0 else i % 50 + 1},{("red", "blue", "?")[i % 3]},"a, ""b""\n{i}",{"sick" if i % 3 else "well"}\n'
    for i in range(200))


class Split(ProgramTest):
    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def test_rows_of_a_table_are_copied_as_they_stand_each_to_one_part(self):
        (self.folder / "visits.csv").write_text(VISITS)
        said = self.json("split", "visits.csv", "-o", "a.csv,b.csv", "--test", "0.3")
        self.assertEqual(said["test"]["rows"], 60)
        self.assertTrue(said["copied"])
        a, b, whole = self.rows("a.csv"), self.rows("b.csv"), self.rows("visits.csv")
        self.assertEqual(a[0], whole[0])
        self.assertEqual(b[0], whole[0])
        self.assertEqual(sorted(a[1:] + b[1:]), sorted(whole[1:]))
        for c in said["test"]["classes"]:
            everywhere = sum(row[-1] == c["label"] for row in whole[1:])
            self.assertLessEqual(abs(c["rows"] - 0.3 * everywhere), 1)

    def test_groups_stay_together(self):
        (self.folder / "visits.csv").write_text(VISITS)
        self.done("split", "visits.csv", "-o", "a.csv,b.csv", "--groups", "patient")
        a, b = self.rows("a.csv")[1:], self.rows("b.csv")[1:]
        self.assertEqual({r[0] for r in a} & {r[0] for r in b}, set())
        self.assertEqual(len(a) + len(b), 200)
        self.assertTrue(20 <= len(b) <= 60, len(b))
        self.assertIn("no column 'doctor'", self.fails(3, "split", "visits.csv", "-o", "a.csv,b.csv", "--groups", "doctor"))
        self.assertIn("column of a table", self.fails(2, "split", "rows.txt", "-o", "a.txt,b.txt", "--groups", "patient"))
        lines = VISITS.splitlines(keepends=True)
        (self.folder / "gaps.csv").write_text("".join(lines[:5]) + "," + lines[5].split(",", 1)[1] + "".join(lines[6:]))
        said = self.fails(3, "split", "gaps.csv", "-o", "a.csv,b.csv", "--groups", "patient")
        self.assertIn("gaps.csv:6", said)
        self.assertIn("no group (column patient)", said)

    def test_a_label_that_nobody_named_is_said(self):
        split = ("split", "table.csv", "-o", "a.csv,b.csv")
        self.assertIn(b"the label is column", self.run_program(*split).stderr)
        self.assertNotIn(b"the label is column", self.run_program(*split, "--quiet").stderr)

    def test_the_same_seed_gives_the_same_bytes(self):
        for seed in ("1", "1", "2"):
            self.done("split", CANCER, "-o", f"a{seed}.csv,b{seed}.csv", "--seed", seed)
        first = (self.folder / "b1.csv").read_bytes()
        self.done("split", CANCER, "-o", "a.csv,b.csv", "--threads", "1")
        self.assertEqual(first, (self.folder / "b.csv").read_bytes())
        self.assertNotEqual(first, (self.folder / "b2.csv").read_bytes())

    def test_other_formats_go_by_name(self):
        self.done("split", "rows.txt", "-o", "a.txt,b.hsd", "--test", "0.5")
        self.assertEqual((self.folder / "a.txt").read_text().count("\n"), 30)
        self.assertEqual(self.json("convert", "b.hsd", "-o", "c.txt")["rows"], 30)
        self.assertIn("learned from TRAIN alone", self.fails(2, "split", "table.csv", "-o", "a.hsd,b.hsd"))
        self.done("split", "table.csv", "-o", "a.hsd,b.hsd", "--ignore", "color")
        self.assertIn("two names", self.fails(2, "split", "rows.txt", "-o", "a.txt"))
        self.assertIn("would replace", self.fails(2, "split", "rows.txt", "-o", "rows.txt,b.txt"))


class HoldOut(ProgramTest):
    def test_the_error_on_rows_held_out_stands_beside_the_training_error(self):
        said = self.json("train", CANCER, "--holdout", "0.25", "--scale", "standard", "-o", "model")
        self.assertEqual(said["rows"] + said["test"]["rows"], 569)
        low, high = said["test"]["interval"]
        self.assertTrue(low < said["test"]["error"] < high)
        text = self.done("train", CANCER, "--holdout", "0.25", "--scale", "standard", "-o", "model")
        self.assertIn(f"error on rows held out: {said['test']['error']:.4g}", text)

    def test_a_test_file_gives_what_evaluate_gives(self):
        self.done("split", CANCER, "-o", "a.csv,b.csv")
        said = self.json("train", "a.csv", "--test", "b.csv", "--scale", "standard", "-o", "model")["test"]
        told = self.json("evaluate", "model", "b.csv")
        self.assertEqual([said["error"], said["interval"], said["errors"]], [told["error"], told["interval"], told["errors"]])

    def test_what_would_leak_or_contradict_is_refused(self):
        (self.folder / "holes.csv").write_text("x,y\n" + "".join(f"{'' if i == 3 else i},{'ab'[i % 2]}\n" for i in range(20)))
        # A cache has forgotten which numbers were filled in.
        self.done("convert", "holes.csv", "-o", "holes.hsd", "--missing", "mean", "--quiet")
        for arguments in (("train", "holes.hsd", "--holdout", "0.2"), ("tune", "holes.hsd")):
            self.assertIn("from the rows held out too", self.fails(2, *arguments, "-o", "m", "--quiet"))
        self.assertIn("one of them", self.fails(2, "train", "rows.txt", "--holdout", "0.2", "--test", "rows.txt", "-o", "m"))
        self.assertIn("--holdout", self.fails(2, "train", "table.csv", "--groups", "color", "-o", "m"))


    def test_holes_are_filled_from_the_training_rows_alone(self):
        """The same rows as two files: the oracle is a table that never had the others."""
        lines = [f"{'' if i % 7 == 3 else i % 10},{i % 3},{'ab'[i % 2]}\n" for i in range(60)]
        (self.folder / "holes.csv").write_text("x,z,y\n" + "".join(lines))
        self.done("split", "holes.csv", "-o", "a.csv,b.csv", "--test", "0.25")
        for how in ("mean", "median", "indicator"):
            held = self.json("train", "holes.csv", "--missing", how, "--holdout", "0.25", "-o", "held", "--quiet")
            parts = self.json("train", "a.csv", "--missing", how, "--test", "b.csv", "-o", "parts", "--quiet")
            for key in ("rows", "objective", "training_errors"):
                self.assertEqual(held[key], parts[key], how)
            for key in ("rows", "errors"):
                self.assertEqual(held["test"][key], parts["test"][key], how)
            self.assertEqual(self.done("predict", "held", "b.csv", "--scores", "--quiet"),
                             self.done("predict", "parts", "b.csv", "--scores", "--quiet"), how)
            self.assertEqual(self.json("tune", "holes.csv", "--missing", how, "-o", "m", "--C", "0.1,1")["stop"], "converged")


class Calibration(ProgramTest):
    def probabilities(self, model, data):
        text = self.done("predict", model, data, "--probabilities", "--quiet")
        return [line.split() for line in text.splitlines()]

    def test_label_and_probability_agree_and_the_model_keeps_it(self):
        self.done("split", CANCER, "-o", "a.csv,b.csv")
        for how in ("platt", "isotonic"):
            said = self.json("train", "a.csv", "--algorithm", "svm", "--scale", "standard", "--calibrate", how, "-o", "m")
            self.assertEqual(said["calibration"]["kind"], how)
            self.assertIn(f"probabilities: {how}", self.done("show", "m"))
            plain = self.json("train", "a.csv", "--algorithm", "svm", "--scale", "standard", "-o", "plain")
            self.assertIsNone(plain["calibration"])
            labels = self.done("predict", "plain", "b.csv", "--quiet").split()
            for label, row in zip(labels, self.probabilities("m", "b.csv"), strict=True):
                self.assertEqual(label, row[0])
                benign, malignant = float(row[1]), float(row[2])
                self.assertGreaterEqual(malignant if label == "malignant" else benign, 0.5)
            told = self.json("evaluate", "m", "b.csv")
            self.assertLess(told["log_loss"], 0.25)  # a coin has 0.69, the shares of the classes 0.66
            self.assertIn("verified", self.done("verify", "m", "a.csv"))

    def test_voted_perceptrons_tune_and_three_classes(self):
        said = self.json("tune", IRIS, "--algorithm", "svm", "--C", "0.1,1,10", "--calibrate", "platt", "-o", "m")
        self.assertEqual(said["calibration"]["kind"], "platt")
        for row in self.probabilities("m", IRIS):
            p = dict(zip(("setosa", "versicolor", "virginica"), map(float, row[1:]), strict=True))
            self.assertEqual(max(p.values()), p[row[0]])
            self.assertAlmostEqual(sum(p.values()), 1)
        self.done("train", CANCER, "--algorithm", "voted-perceptron", "--calibrate", "isotonic", "-o", "m", "--quiet")
        for row in self.probabilities("m", CANCER):
            self.assertGreaterEqual(float(row[2] if row[0] == "malignant" else row[1]), 0.5)

    def test_the_same_bytes_for_any_number_of_threads(self):
        for threads in ("1", "2"):
            self.done("train", CANCER, "--algorithm", "svm", "--calibrate", "isotonic", "-o", f"m{threads}", "--threads", threads, "--quiet")
        self.assertEqual((self.folder / "m1").read_bytes(), (self.folder / "m2").read_bytes())

    def test_what_cannot_be_is_refused(self):
        self.assertIn("train with --calibrate", self.fails(2, "predict", self.plane(), CANCER, "--probabilities"))
        self.assertIn("no rows", self.fails(2, "train", "rows.txt", "--algorithm", "perceptron", "--stream", "--calibrate", "platt", "-o", "m"))
        self.assertIn("none, platt, isotonic", self.fails(2, "train", "rows.txt", "--calibrate", "temperature", "-o", "m"))

    def plane(self):
        self.done("train", CANCER, "--algorithm", "svm", "--scale", "standard", "-o", "plane", "--quiet")
        return "plane"


class Tune(ProgramTest):
    def test_the_table_the_choice_and_the_model(self):
        said = self.json("tune", CANCER, "--scale", "standard", "-o", "model")
        self.assertEqual(said["schema"], "halfspace.tune/1")
        for key in ("chosen", "metric", "folds", "rule", "table", "estimate", "interval", "seconds", "model"):
            self.assertIn(key, said)
        best = min(said["table"], key=lambda row: row["mean"])
        self.assertEqual(said["estimate"], best["mean"])
        self.assertIn(said["chosen"], [row["values"] for row in said["table"] if row["mean"] == best["mean"]])
        # What scikit-learn finds with the same grid and other folds: 0.021 at its best.
        self.assertLess(said["estimate"], 0.03)
        at = {row["values"]["C"]: row["mean"] for row in said["table"]}
        self.assertAlmostEqual(at[1e-4], 0.356, delta=0.02)
        self.assertAlmostEqual(at[0.01], 0.049, delta=0.015)
        self.assertAlmostEqual(at[1], 0.021, delta=0.01)
        self.assertAlmostEqual(at[1e4], 0.042, delta=0.02)
        # The model is the one that train makes with that C, and verify accepts it.
        self.done("train", CANCER, "--scale", "standard", "--C", str(said["chosen"]["C"]), "-o", "plain")
        self.assertEqual(self.done("predict", "model", CANCER, "--scores", "--quiet"),
                         self.done("predict", "plain", CANCER, "--scores", "--quiet"))
        self.assertIn("verified", self.done("verify", "model", CANCER))
        kept = json.loads(self.json("show", "model")["facts"]["tuning"])
        self.assertEqual([row["mean"] for row in kept["table"]], [row["mean"] for row in said["table"]])

    def test_the_same_bytes_for_any_number_of_threads(self):
        for threads in ("1", "2", "5"):
            self.done("tune", CANCER, "--algorithm", "logistic,svm", "--C", "0.01:1", "-o", f"m{threads}", "--scale", "standard",
                      "--threads", threads)
        self.assertEqual((self.folder / "m1").read_bytes(), (self.folder / "m2").read_bytes())
        self.assertEqual((self.folder / "m1").read_bytes(), (self.folder / "m5").read_bytes())

    def test_several_algorithms_make_a_leaderboard(self):
        said = self.json("tune", IRIS, "--label", "species", "--algorithm", "logistic,majority,averaged-perceptron", "--C", "0.1,1",
                         "-o", "model")
        self.assertEqual(len(said["leaderboard"]), 3)
        self.assertEqual(said["leaderboard"][0]["difference"], 0)
        self.assertEqual(said["leaderboard"][-1]["algorithm"], "majority")
        self.assertGreater(said["leaderboard"][-1]["interval"][0], 0)

    def test_rules_metrics_and_nested(self):
        plain = self.json("tune", CANCER, "--scale", "standard", "--rule", "one-standard-error", "-o", "m", "--metric", "log-loss")
        best = self.json("tune", CANCER, "--scale", "standard", "-o", "m", "--metric", "log-loss")
        self.assertLessEqual(plain["chosen"]["C"], best["chosen"]["C"])
        nested = self.json("tune", CANCER, "--scale", "standard", "--C", "0.01,1", "-o", "m", "--nested", "--folds", "3")
        self.assertEqual(len(nested["nested"]["chosen"]), 3)
        self.assertLess(nested["estimate"], 0.08)
        cost = self.json("tune", CANCER, "--scale", "standard", "--C", "0.1,1", "-o", "m", "--metric", "cost", "--cost", "1:10")
        self.assertGreater(cost["estimate"], 0)
        self.assertIn("--cost", self.fails(2, "tune", CANCER, "-o", "m", "--metric", "cost"))
        self.assertIn("no probabilities", self.fails(2, "tune", CANCER, "--algorithm", "svm", "--C", "1,2", "-o", "m", "--metric",
                                                     "log-loss", "--quiet"))

    def test_a_choice_at_the_end_of_a_range_is_said(self):
        text = self.done("tune", CANCER, "--scale", "standard", "--C", "1e-5:1e-3", "-o", "m")
        self.assertIn("C 0.001 is at the end of what was tried", text)

    def test_ranges_are_checked_before_the_work(self):
        self.assertIn("LOW:HIGH", self.fails(2, "tune", "rows.txt", "--C", "1:x", "-o", "m"))
        self.assertIn("nu", self.fails(2, "tune", "rows.txt", "--algorithm", "nu-svm", "--nu", "0.5:3", "-o", "m"))
        self.assertIn("an option of", self.fails(2, "tune", "rows.txt", "--nu", "0.1:0.5", "-o", "m"))

    def test_groups_and_kernels(self):
        self.json("tune", "table.csv", "--groups", "color", "--folds", "2", "--C", "1,10", "-o", "m")
        self.assertNotIn("color", json.dumps(self.json("show", "m").get("weights", [])))
        said = self.json("tune", IRIS, "--label", "species", "--algorithm", "svm", "--kernel", "rbf:2^-4:2^2", "--C", "1,10", "-o", "m")
        self.assertTrue(said["chosen"]["kernel"].startswith("rbf:"))
        self.assertLess(said["estimate"], 0.08)

    @without_thread_sanitizer
    def test_interrupted_it_leaves_the_best_model_so_far(self):
        self.done("generate", "gaussians", "-o", "big.hsd", "--rows", "60000", "--features", "40", "--distance", "2")
        process = subprocess.Popen([PROGRAM, "tune", "big.hsd", "-o", "model", "--C", "1e-6:1e6:200", "--progress", "jsonl"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in process.stderr:
            if line.startswith(b"{") and json.loads(line)["iterations"] >= 1:
                break
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=60)[0].decode()
        self.assertEqual(process.returncode, 130, text)
        self.assertIn("stopped before everything was tried", text)
        self.assertLess(self.json("evaluate", "model", "big.hsd")["error"], 0.25)

    def test_out_of_time_it_leaves_the_best_model_so_far(self):
        self.done("generate", "gaussians", "-o", "big.hsd", "--rows", "20000", "--features", "20", "--distance", "2")
        result = self.run_program("tune", "big.hsd", "-o", "model", "--C", "1e-6:1e6:900", "--time", "4")
        self.assertEqual(result.returncode, 4, result.stderr)
        if b"nothing was written" not in result.stderr:
            self.assertLess(self.json("evaluate", "model", "big.hsd")["error"], 0.25)


class Compare(ProgramTest):
    def test_two_models_by_mcnemar(self):
        self.done("split", CANCER, "-o", "a.csv,b.csv", "--test", "0.5")
        self.done("train", "a.csv", "--scale", "standard", "-o", "good")
        self.done("train", "a.csv", "--algorithm", "majority", "-o", "bad")
        said = self.json("compare", "good", "bad", "b.csv")
        for key in ("rows", "errors", "only_first_wrong", "only_second_wrong", "p_value", "difference", "interval"):
            self.assertIn(key, said)
        b, c = said["only_first_wrong"], said["only_second_wrong"]
        self.assertEqual(said["errors"], [said["both_wrong"] + b, said["both_wrong"] + c])
        self.assertAlmostEqual(said["difference"], (b - c) / said["rows"])
        self.assertTrue(said["interval"][0] <= said["difference"] <= said["interval"][1])
        # Exact: the tail of a fair coin.
        n, k = b + c, min(b, c)
        self.assertAlmostEqual(said["p_value"], min(1, 2 * sum(comb(n, i) for i in range(k + 1)) / 2 ** n))
        self.assertIn("the first is better", self.done("compare", "good", "bad", "b.csv"))
        self.assertNotIn("trained on", " ".join(said["notes"]))
        self.assertIn("both models were trained on", " ".join(self.json("compare", "good", "bad", "a.csv")["notes"]))
        same = self.json("compare", "good", "good", "b.csv")
        self.assertEqual([same["p_value"], same["difference"], same["rows_to_decide"]], [1, 0, None])

    def test_algorithms_on_folds(self):
        said = self.json("compare", CANCER, "--algorithms", "logistic,svm,majority", "--scale", "standard", "--repeats", "2")
        self.assertEqual(len(said["algorithms"]), 3)
        self.assertEqual(len(said["pairs"]), 3)
        self.assertEqual(len(said["algorithms"][0]["fold_values"]), 10)
        for pair in said["pairs"]:
            self.assertGreaterEqual(pair["p_adjusted"], pair["p_value"])
        self.assertLess(said["pairs"][1]["p_adjusted"], 0.001)
        self.assertIn("several values", self.fails(2, "compare", CANCER, "--algorithms", "logistic,svm", "--C", "1,2"))
        self.assertIn("two names", self.fails(2, "compare", CANCER, "--algorithms", "svm"))


class Curves(ProgramTest):
    def test_a_learning_curve(self):
        self.done("generate", "gaussians", "-o", "g.csv", "--rows", "3000", "--features", "5", "--distance", "2")
        said = self.json("curve", "g.csv", "--sizes", "20,2000", "--bayes-error", "0.1587")
        small, large = said["points"]
        self.assertLess(large["test_error"], small["test_error"])
        self.assertAlmostEqual(large["test_error"], 0.1587, delta=0.03)
        self.assertEqual(said["bayes_error"], 0.1587)
        self.assertIn("Bayes error 0.1587", self.done("curve", "g.csv", "--sizes", "20", "--bayes-error", "0.1587"))
        self.assertIn("rows to train on", self.fails(2, "curve", "g.csv", "--sizes", "5000", "--quiet"))

    def test_a_path(self):
        said = self.json("path", CANCER, "--scale", "standard", "--C", "1e-3:1e1")
        for point in said["points"]:
            self.assertLessEqual(point["relative_gap"], 1e-4)
            self.assertEqual(len(point["theta"]), 30)
            for key in ("C", "norm", "margin", "support_vectors", "training_error", "validation_error"):
                self.assertIn(key, point)
        norms = [point["norm"] for point in said["points"]]
        self.assertEqual(norms, sorted(norms))
        nu = self.json("path", CANCER, "--algorithm", "nu-svm", "--scale", "standard", "--nu", "0.1:0.5")
        self.assertEqual(nu["option"], "nu")
        for point in nu["points"]:
            self.assertAlmostEqual(point["norm"] ** 2, sum(w * w for w in point["theta"]))
            self.assertGreaterEqual(point["support_vectors"], point["nu"] * nu["training_rows"] - 1)
        self.assertIn("one range", self.fails(2, "path", CANCER, "--C", "1"))

    def test_where_support_vectors_change(self):
        path = ("path", CANCER, "--scale", "standard", "--C", "1e-2:1e0:3")
        said = self.json(*path, "--changes", "list", "--threads", "1")["changes"]
        self.assertEqual((said["end"], said["reached"]), ("reached", 1))
        places = said["places"]
        self.assertGreater(len(places), 100)
        for place in places:
            self.assertLessEqual(place["relative_gap"], 1e-9)
            self.assertAlmostEqual(place["norm"] ** 2, sum(w * w for w in place["theta"]))
            for move in place["moves"]:
                self.assertNotEqual(move["from"], move["to"])
        self.assertEqual([place["C"] for place in places], sorted(place["C"] for place in places))
        self.assertEqual(said, self.json(*path, "--changes", "list", "--threads", "3")["changes"])
        # Between two places nothing changes: a machine that is trained there has the support vectors of the one before.
        low, high = max(zip(places, places[1:]), key=lambda two: two[1]["C"] / two[0]["C"])
        at = (low["C"] * high["C"]) ** 0.5
        fit = self.json("path", CANCER, "--scale", "standard", "--C", f"{at},{at * 1.0001}", "--gap", "1e-11")
        self.assertEqual(fit["points"][0]["support_vectors"], low["support_vectors"])
        share = (at - low["C"]) / (high["C"] - low["C"])
        for a, b, w in zip(low["theta"], high["theta"], fit["points"][0]["theta"]):
            self.assertAlmostEqual(a + share * (b - a), w, delta=1e-4)
        self.assertIn(f"change at {len(places)} values of C", self.done(*path))
        self.assertIn("onto the margin", self.done(*path, "--changes", "list"))
        self.assertNotIn("support vectors change", self.done(*path, "--changes", "none"))
        self.assertIn("svm", self.fails(2, *path, "--changes", "list", "--algorithm", "logistic"))
        nu = self.json("path", CANCER, "--scale", "standard", "--algorithm", "nu-svm", "--nu", "0.1:0.4:2")["changes"]
        values = [place["nu"] for place in nu["places"]]
        for one, after in zip(values, values[1:]):
            self.assertLessEqual(after, one + 1e-9)
        self.assertTrue(0.1 <= values[-1] <= values[0] <= 0.4)


if __name__ == "__main__":
    main()
