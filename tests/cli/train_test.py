#!/usr/bin/env python3
"""train: what it prints, what it writes, what it refuses."""
import json
import os
import signal
import subprocess
import time

from support import PROGRAM, SANITIZED, SOURCE, ProgramTest, main, without_thread_sanitizer

KEYS = {"schema", "algorithm", "rows", "features", "nonzeros", "classes", "seconds", "iterations", "stop", "objective",
        "training_error", "mistakes", "support_vectors", "model", "options", "certificate", "notes", "storage"}


class Train(ProgramTest):
    def test_json_has_the_keys_of_the_contract(self):
        result = self.json("train", "rows.txt", "-o", "model", "--algorithm", "perceptron", "--passes", "3")
        self.assertLessEqual(KEYS, set(result))
        self.assertEqual(result["schema"], "halfspace.train/1")
        self.assertEqual(result["algorithm"], "perceptron")
        self.assertEqual((result["rows"], result["features"]), (60, 4))
        self.assertEqual(result["classes"], [{"label": "-1", "rows": 20}, {"label": "1", "rows": 40}])
        self.assertEqual(set(result["seconds"]), {"read", "solve", "total"})
        self.assertEqual(set(result["objective"]), {"primal", "dual", "gap", "relative_gap"})
        self.assertIsNone(result["objective"]["primal"])
        self.assertEqual(result["model"], "model")
        self.assertTrue((self.folder / "model").exists())

    def test_text_says_what_happened(self):
        text = self.done("train", "apart.txt", "-o", "model", "--algorithm", "perceptron", "--passes", "until-clean",
                         "--verbose")
        for words in ("6 rows", "2 features", "classes: -1 (3 rows), 1 (3 rows)", "perceptron: ", "read in",
                      "training error 0 (0 of 6 rows)", "certificate", "model written", "next: halfspace"):
            self.assertIn(words, text)

    def test_a_beginner_reads_eight_lines(self):
        text = self.done("train", "table.csv", "-o", "model", "--quiet")
        lines = text.splitlines()
        self.assertLessEqual(len(lines), 8, text)
        for words in ("20 rows, 3 features, label label", "classes: big (9 rows), small (11 rows)", "minimise ", "training error ",
                      "always small would have 0.45", "proved: ", "strongest features: size", "model written", "next: halfspace"):
            self.assertIn(words, text)

    def test_what_doctor_finds_worst_is_said_where_that_costs_nothing(self):
        self.assertIn("a threshold on one column alone tells the classes apart: size", self.run_program("train", "table.csv", "-o", "model").stderr.decode())

    def test_separable_rows_end_clean_with_no_training_error(self):
        result = self.json("train", "apart.txt", "-o", "model", "--algorithm", "perceptron", "--passes", "until-clean")
        self.assertEqual(result["stop"], "clean")
        self.assertEqual(result["training_error"], 0)
        self.assertIsNotNone(result["certificate"])

    def test_the_same_bytes_twice_and_for_any_number_of_threads(self):
        first = self.train("rows.txt", "a", "--algorithm", "perceptron", "--passes", "5", "--threads", "1")
        self.assertEqual(first, self.train("rows.txt", "b", "--algorithm", "perceptron", "--passes", "5", "--threads", "1"))
        self.assertEqual(first, self.train("rows.txt", "c", "--algorithm", "perceptron", "--passes", "5", "--threads", "2"))

    def test_the_model_holds_no_path(self):
        self.assertNotIn(str(self.folder).encode(), self.train(str(self.folder / "rows.txt"), "a"))

    def test_standard_input_gives_the_same_model_as_the_file(self):
        first = self.train("rows.txt", "a")
        self.done("train", "-", "-o", "b", stdin=(self.folder / "rows.txt").read_bytes())
        self.assertEqual(first, (self.folder / "b").read_bytes())

    def test_a_model_on_standard_output_is_the_model_and_nothing_else(self):
        first = self.train("rows.txt", "a")
        result = self.run_program("train", "rows.txt", "-o", "-")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout, first)
        self.fails_json_on_stdout()

    def fails_json_on_stdout(self):
        self.assertEqual(self.run_program("train", "rows.txt", "-o", "-", "--json").returncode, 2)

    def test_an_old_model_survives_a_failing_train(self):
        before = self.train("rows.txt", "model")
        (self.folder / "bad.txt").write_text("+1 1:1\n-1 1:nan\n")
        self.assertTrue(self.fails(3, "train", "bad.txt", "-o", "model").startswith("bad.txt:2:6: error: "))
        self.fails(2, "train", "rows.txt", "-o", "model", "--bogus")
        self.assertEqual(before, (self.folder / "model").read_bytes())
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         ["apart.txt", "bad.txt", "model", "rows.txt", "table.csv", "three.txt"])

    def test_a_folder_that_does_not_exist_is_exit_5(self):
        self.fails(5, "train", "rows.txt", "-o", "nowhere/model")

    def test_a_file_that_does_not_exist_is_exit_3(self):
        self.assertIn("nothing.txt", self.fails(3, "train", "nothing.txt", "-o", "model"))

    def test_input_errors_are_objects_in_json_mode(self):
        (self.folder / "bad.txt").write_text("+1 1:1\n-1 0:1\n")
        error = self.json("train", "bad.txt", "-o", "model", code=3)
        self.assertEqual((error["schema"], error["code"]), ("halfspace.error/1", 3))
        self.assertEqual((error["file"], error["line"], error["column"]), ("bad.txt", 2, 4))
        self.assertIsNone(error["byte"])
        self.assertIn("--zero-based", error["hint"])

    def test_one_class_is_refused(self):
        (self.folder / "one.txt").write_text("1 1:1\n1 1:2\n1 2:3\n")
        self.assertIn("only one class (1) in 3 rows", self.fails(3, "train", "one.txt", "-o", "model"))
        (self.folder / "none.txt").write_text("1\n-1\n")
        self.assertIn("no features", self.fails(3, "train", "none.txt", "-o", "model"))

    def test_scaling_is_folded_into_the_model(self):
        self.train("rows.txt", "plain", "--algorithm", "perceptron", "--passes", "4")
        for how in ("standard", "minmax", "unit"):
            result = self.json("train", "rows.txt", "-o", how, "--algorithm", "perceptron", "--passes", "4", "--scale", how)
            evaluation = self.json("evaluate", how, "rows.txt")
            self.assertEqual(result["training_error"], evaluation["error"])

    def test_positive_trains_one_class_against_the_rest(self):
        result = self.json("train", "three.txt", "-o", "model", "--positive", "2.0")
        self.assertEqual(result["classes"], [{"label": "rest", "rows": 16}, {"label": "2", "rows": 8}])
        evaluation = self.json("evaluate", "model", "three.txt")
        self.assertEqual(evaluation["unknown_labels"], 0)
        self.assertEqual(evaluation["error"], result["training_error"])
        self.fails(3, "train", "three.txt", "-o", "model", "--positive", "9")

    def test_a_class_called_rest_is_a_class_like_any_other(self):
        rows = [f"{x},{y},{name}" for name, (a, b) in {"rest": (0, 0), "others": (9, 0), "c": (0, 9)}.items()
                for x, y in ((a, b), (a + 1, b), (a, b + 1), (a + 1, b + 2))]
        (self.folder / "rest.csv").write_text("\n".join(["u,v,class"] + rows) + "\n")
        for positive in (None, "rest", "others", "c"):
            more = ["--positive", positive] if positive else []
            for algorithm in ("svm", "perceptron"):
                result = self.json("train", "rest.csv", "-o", "model", "--algorithm", algorithm, "--scale", "standard", *more)
                names = [one["label"] for one in result["classes"]]
                self.assertEqual(len(set(names)), 2 if positive else 3)
                if positive:
                    self.assertNotIn(names[0], ("rest", "others", "c"))
                    self.assertEqual(names[1], positive)
                evaluation = self.json("evaluate", "model", "rest.csv")
                self.assertEqual((evaluation["unknown_labels"], evaluation["error"]), (0, result["training_error"]))
                self.assertEqual(self.json("predict", "model", "rest.csv")["accuracy"], 1 - result["training_error"])
                self.assertTrue(self.json("verify", "model", "rest.csv")["holds"])
        # Between two classes, one of them called rest, a third label is none of the model's.
        (self.folder / "two.csv").write_text("\n".join(["u,v,class"] + rows[:8]) + "\n")
        self.done("train", "two.csv", "-o", "model", "--algorithm", "svm")
        self.assertEqual(self.json("evaluate", "model", "rest.csv")["unknown_labels"], 4)

    def test_many_classes_have_a_plane_each(self):
        self.train("three.txt", "model", "--algorithm", "perceptron", "--passes", "20")
        self.assertEqual(len(self.json("show", "model")["planes"]), 3)

    def test_a_limit_is_exit_4_and_leaves_a_model(self):
        result = self.json("train", "rows.txt", "-o", "model", "--algorithm", "perceptron", "--passes", "until-clean", "--max-passes",
                           "1000000000", "--time", "0.2", code=4)
        self.assertEqual(result["stop"], "time")
        self.done("show", "model")
        result = self.json("train", "rows.txt", "-o", "model", "--algorithm", "perceptron", "--passes", "until-clean", "--max-passes", "3", code=4)
        self.assertEqual((result["stop"], result["iterations"]), ("limit", 3))

    def test_progress_as_json_lines(self):
        result = self.run_program("train", "rows.txt", "-o", "model", "--algorithm", "perceptron", "--passes", "50", "--progress", "jsonl")
        self.assertEqual(result.returncode, 0)
        for line in result.stderr.splitlines():
            if not line.startswith(b"note: "):
                self.assertIn(b'"schema":"halfspace.progress/1"', line)
        quiet = self.run_program("train", "rows.txt", "-o", "model", "--progress", "jsonl", "--quiet")
        self.assertEqual(quiet.stderr, b"")

    def test_an_interrupt_leaves_the_best_model_so_far(self):
        # Overlapping classes never end clean; the first JSON line says that training is on its way.
        process = subprocess.Popen([PROGRAM, "train", "rows.txt", "-o", "model", "--algorithm", "perceptron", "--passes", "until-clean", "--max-passes", "1000000000", "--progress",
                                    "jsonl", "--time", "20"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(b"halfspace.progress/1", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.done("show", "model")

    def test_a_time_limit_of_a_certified_solver_leaves_a_model_with_its_gap(self):
        # The binary cache is read long before the time is up, on a busy machine too.
        self.done("generate", "noise", "--rows", "30000", "--features", "60", "-o", "noise.txt")
        self.done("convert", "noise.txt", "-o", "noise.hsd")
        answer = self.json("train", "noise.hsd", "--algorithm", "svm", "--C", "1000", "--gap", "1e-12", "--solver", "dual-descent",
                           "--time", "5" if SANITIZED else "1", "-o", "model", code=4)
        self.assertEqual(answer["stop"], "time")
        if not SANITIZED:  # there the proof takes longer than what a stop leaves for it
            self.assertGreater(answer["objective"]["relative_gap"], 1e-12)
            self.done("verify", "model", "noise.txt")
        self.done("predict", "model", "noise.txt", "-o", "out.txt")

    def test_an_interrupt_of_a_certified_solver_leaves_a_model_with_its_gap(self):
        self.done("generate", "noise", "--rows", "30000", "--features", "60", "-o", "noise.txt")
        process = subprocess.Popen([PROGRAM, "train", "noise.txt", "--algorithm", "svm", "--C", "1000", "--gap", "1e-12",
                                    "--solver", "dual-descent", "--progress", "jsonl", "--time", "20", "-o", "model"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(b"halfspace.progress/1", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.done(*(["show", "model"] if SANITIZED else ["verify", "model", "noise.txt"]))

    def test_a_model_without_its_certificate_claims_nothing(self):
        for more in ([], ["--kernel", "rbf:1"], ["--loss", "squared-hinge"]):
            self.done("train", "apart.txt", "--algorithm", "svm", *more, "--no-certificate", "-o", "model")
            self.assertIn("carries no certificate", self.fails(2, "verify", "model", "apart.txt"))

    def test_bounds_of_a_kernel_margin_may_be_weaker_than_what_can_be_proved(self):
        data = SOURCE / "data" / "breast_cancer.csv"
        for kernel in ("rbf:0.5", "poly:3,1,1"):
            self.done("train", data, "--algorithm", "hard-margin", "--kernel", kernel, "--scale", "standard", "-o", "model")
            self.done("verify", "model", data)

    def test_without_a_penalty_separable_rows_are_refused_and_no_model_is_written(self):
        answer = self.json("train", "apart.txt", "--penalty", "none", "-o", "model", code=1)
        self.assertIn("separable", answer["refusal"])
        self.assertFalse((self.folder / "model").exists())
        self.assertEqual((answer["verdict"], answer["runaway_columns"]), ("separable", ["1"]))
        (self.folder / "cert").write_text(json.dumps(answer["proof"]))
        self.done("verify", "cert", "apart.txt")
        text = self.done("train", "apart.txt", "--penalty", "none", "-o", "model", code=1)
        self.assertIn("weights that grow without end: 1\n", text)
        # Touching: x2 separates all rows but those at its zero, which x1 mixes.
        (self.folder / "touch.txt").write_text("1 1:1 2:1\n1 1:2 2:2\n1 1:1\n-1 1:1\n1 1:3\n-1 1:2 2:-1\n-1 1:3 2:-3\n-1 1:4\n")
        answer = self.json("train", "touch.txt", "--penalty", "none", "-o", "model", code=1)
        self.assertEqual((answer["verdict"], answer["runaway_columns"]), ("touching", ["2"]))
        (self.folder / "cert").write_text(json.dumps(answer["proof"]))
        self.done("verify", "cert", "touch.txt")
        (self.folder / "tiny.txt").write_text("1 1:1e-300\n-1 1:2e-300\n1 1:3e-300\n-1 1:1e-300\n")
        self.assertIn("squares vanish", self.json("train", "tiny.txt", "--penalty", "none", "-o", "model", code=1)["refusal"])
        self.assertIn("zero in every row", self.json("train", "rows.txt", "--penalty", "none", "-o", "model", code=1)["refusal"])
        (self.folder / "mixed.txt").write_text("1 1:1\n-1 1:2\n1 1:3\n-1 1:1\n1 1:4\n-1 1:2\n")
        answer = self.json("train", "mixed.txt", "--penalty", "none", "-o", "model")
        self.assertEqual([one["name"] for one in answer["coefficients"]], ["x1", "theta0"])

    def test_models_of_scaled_rows_are_verified(self):
        for scale in ("standard", "minmax", "unit"):
            for algorithm in ("svm", "logistic"):
                self.done("train", "rows.txt", "--algorithm", algorithm, "--scale", scale, "-o", "model")
                self.assertIn("verified", self.done("verify", "model", "rows.txt"))
                self.done("verify", "model", "apart.txt", code=1)

    def test_a_weight_column_means_copies(self):
        head = "a,b,w,label\n"
        rows = [(1, 2, 3, "x"), (2, 1, 1, "y"), (3, 3, 2, "x"), (0, 1, 2, "y"), (2, 2, 1, "x"), (1, 1, 0, "x"), (3, 0, 2, "y")]
        (self.folder / "weights.csv").write_text(head + "".join(f"{a},{b},{w},{y}\n" for a, b, w, y in rows))
        (self.folder / "copies.csv").write_text("a,b,label\n" + "".join(f"{a},{b},{y}\n" * w for a, b, w, y in rows))
        for algorithm in ("svm", "logistic"):
            one = self.json("train", "weights.csv", "--weight", "w", "--algorithm", algorithm, "--gap", "1e-9", "-o", "m")
            two = self.json("train", "copies.csv", "--algorithm", algorithm, "--gap", "1e-9", "-o", "m")
            self.assertAlmostEqual(one["objective"]["primal"], two["objective"]["primal"], 7)

    def test_an_svm_says_what_its_margin_looks_like(self):
        answer = self.json("train", "apart.txt", "--algorithm", "svm", "--C", "100", "--gap", "1e-8", "-o", "model")
        self.assertAlmostEqual(answer["figures"]["margin"], 2, 3)
        self.assertLess(answer["figures"]["slack_sum"], 1e-3)

    @without_thread_sanitizer
    def test_an_interrupt_while_reading_writes_nothing(self):
        reader, writer = os.pipe()
        process = subprocess.Popen([PROGRAM, "train", "-", "-o", "model"], cwd=self.folder, stdin=reader,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(reader)
        os.write(writer, b"+1 1:1\n")
        time.sleep(0.5)  # the program waits for more rows; only how it ends is checked
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        os.close(writer)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(errors.count(b"\n"), 1)
        self.assertFalse((self.folder / "model").exists())


class Unpenalised(ProgramTest):
    def test_overlapping_classes_have_a_best_plane_however_steep(self):
        (self.folder / "steep.txt").write_text("1 1:5\n1 1:9\n1 1:-6\n-1 1:-2\n1 1:-1\n")
        result = self.json("train", "steep.txt", "-o", "model", "--penalty", "none")
        self.assertEqual(result["stop"], "converged")
        # Far rows hardly count; their scores move on after the likelihood has settled.
        rows = [(18, 1), (12, 1), (-2, 1), (-3, -1), (4, -1), (-20, -1), (-15, -1)]
        (self.folder / "far.txt").write_text("".join(f"{y} 1:{x}\n" for x, y in rows))
        self.assertEqual(self.json("train", "far.txt", "-o", "model", "--penalty", "none")["stop"], "converged")

    def test_separable_and_touching_classes_have_none(self):
        self.assertIn("separable", self.run_program("train", "apart.txt", "-o", "model", "--penalty", "none").stdout.decode())
        (self.folder / "touch.txt").write_text("1 1:1\n1 1:0\n-1 1:0\n-1 1:-1\n")
        result = self.run_program("train", "touch.txt", "-o", "model", "--penalty", "none")
        self.assertEqual(result.returncode, 1)
        self.assertIn("touch", result.stdout.decode() + result.stderr.decode())


class Labels(ProgramTest):
    def test_targets_of_a_regression_are_refused(self):
        (self.folder / "many.txt").write_text("".join(f"{i / 7} 1:{i}\n" for i in range(2500)))
        self.assertIn("regression", self.fails(3, "train", "many.txt", "-o", "model"))
        (self.folder / "many.csv").write_text("x,y\n" + "".join(f"{i},{i / 7}\n" for i in range(2500)))
        self.assertIn("regression", self.fails(3, "train", "many.csv", "-o", "model"))


if __name__ == "__main__":
    main()
