#!/usr/bin/env python3
"""predict, evaluate, show, convert, generate, doctor: what they print and write."""
import json
import shlex

from support import TABLE, ProgramTest, main


class Predict(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train("apart.txt", "model", "--algorithm", "perceptron", "--passes", "until-clean")

    def test_one_line_a_row(self):
        self.assertEqual(self.done("predict", "model", "apart.txt"), "1\n1\n1\n-1\n-1\n-1\n")

    def test_scores_have_the_sign_of_the_label_and_read_back(self):
        for line in self.done("predict", "model", "apart.txt", "--scores").splitlines():
            label, score = line.split("\t")
            self.assertGreater(float(score) * float(label), 0)
            self.assertLessEqual(len(score), 24)

    def test_accuracy_is_a_note_on_standard_error(self):
        result = self.run_program("predict", "model", "apart.txt")
        self.assertEqual(result.stderr, b"note: accuracy 1 (6 of 6 rows)\n")
        self.assertEqual(self.run_program("predict", "model", "apart.txt", "--quiet").stderr, b"")

    def test_output_goes_to_a_file(self):
        self.assertEqual(self.done("predict", "model", "apart.txt", "-o", "out"), "accuracy 1 (6 of 6 rows)\n")
        self.assertEqual((self.folder / "out").read_text(), "1\n1\n1\n-1\n-1\n-1\n")

    def test_the_same_text_for_any_number_of_threads(self):
        big = "".join(f"1 1:{i % 13 - 6} 2:{i % 7}\n" for i in range(40000))
        one = self.done("predict", "model", "-", "--scores", "--threads", "1", stdin=big.encode())
        two = self.done("predict", "model", "-", "--scores", "--threads", "2", stdin=big.encode())
        self.assertEqual(one.count("\n"), 40000)
        self.assertTrue(one == two)

    def test_rows_that_come_in_blocks_are_predicted_as_all_at_once(self):
        big = "".join(f"{1 if i % 13 > 6 else -1} 1:{i % 13 - 6} 2:{i % 7}{' 9:0.5' if i == 35000 else ''}\n" for i in range(40000))
        (self.folder / "big.txt").write_text(big)
        self.done("convert", "big.txt", "-o", "big.hsd")
        blocks = self.run_program("predict", "model", "big.txt", "--scores", "--threads", "1")
        whole = self.run_program("predict", "model", "big.hsd", "--scores", "--threads", "1")
        self.assertTrue(blocks.stdout == whole.stdout)
        self.assertEqual(blocks.stderr, whole.stderr)
        self.assertIn(b"7 features were not seen in training", blocks.stderr)
        json = self.json("predict", "model", "big.txt", "--threads", "2")
        self.assertEqual(len(json["labels"]), 40000)
        self.assertTrue("".join(label + "\n" for label in json["labels"]) == self.done("predict", "model", "big.hsd"))

    def test_a_fault_late_in_the_rows_leaves_no_output(self):
        big = "".join(f"1 1:{i % 13 - 6} 2:{i % 7}\n" for i in range(40000)) + "1 2:1 1:1\n"
        (self.folder / "big.txt").write_text(big)
        (self.folder / "out").write_text("old\n")
        for threads in ("1", "2"):
            self.assertIn("big.txt:40001:7: ", self.fails(3, "predict", "model", "big.txt", "-o", "out", "--threads", threads))
            self.assertIn("big.txt:40001:7: ", self.fails(3, "predict", "model", "big.txt", "--threads", threads))
        self.assertEqual((self.folder / "out").read_text(), "old\n")

    def test_features_never_seen_are_ignored_and_said(self):
        result = self.run_program("predict", "model", "-", stdin=b"1 1:3 9:5\n")
        self.assertEqual(result.stdout, b"1\n")
        self.assertIn(b"7 features were not seen in training", result.stderr)

    def test_json_has_labels_and_scores(self):
        result = self.json("predict", "model", "apart.txt", "--scores")
        self.assertEqual(result["schema"], "halfspace.predict/1")
        self.assertEqual(result["labels"], ["1", "1", "1", "-1", "-1", "-1"])
        self.assertEqual(len(result["scores"]), 6)
        self.assertEqual(result["accuracy"], 1)
        summary = self.json("predict", "model", "apart.txt", "-o", "out")
        self.assertEqual((summary["output"], summary["rows"]), ("out", 6))
        self.assertTrue((self.folder / "out").exists())

    def test_ties_go_where_they_are_sent(self):
        self.done("train", "apart.txt", "-o", "origin", "--algorithm", "perceptron", "--offset", "none")
        for tie, word in (("negative", "-1"), ("positive", "1"), ("abstain", "0")):
            self.assertEqual(self.done("predict", "origin", "-", "--tie", tie, stdin=b"1 1:0\n"), word + "\n")

    def test_no_answer_is_not_taken_for_a_class(self):
        (self.folder / "zero.txt").write_text("1 1:2\n0 1:-2\n")
        self.done("train", "zero.txt", "-o", "origin", "--algorithm", "perceptron", "--offset", "none")
        self.assertEqual(self.done("predict", "origin", "-", "--tie", "abstain", stdin=b"1 1:0\n"), "abstain\n")

    def test_names_of_classes_keep_to_one_line(self):
        (self.folder / "names.csv").write_text('x,label\n1,"a\nb"\n-1,"c\td"\n')
        self.done("train", "names.csv", "-o", "names", "--algorithm", "perceptron")
        self.assertEqual(self.done("predict", "names", "names.csv"), "a\\x0ab\nc\\x09d\n")
        self.assertEqual(self.json("predict", "names", "names.csv")["labels"], ["a\nb", "c\td"])

    def test_distances_are_scores_over_the_length_of_the_normal(self):
        norm = self.json("show", "model")["planes"][0]["norm"]
        scores = self.done("predict", "model", "apart.txt", "--scores").splitlines()
        distances = self.done("predict", "model", "apart.txt", "--distances").splitlines()
        for score, distance in zip(scores, distances, strict=True):
            self.assertEqual(float(distance.split("\t")[1]), float(score.split("\t")[1]) / norm)
        self.assertEqual(len(self.json("predict", "model", "apart.txt", "--distances")["distances"]), 6)
        self.fails(2, "predict", "model", "apart.txt", "--distances", "--scores")

    def test_one_standard_input_is_not_two(self):
        for verb in ("predict", "evaluate", "verify"):
            self.assertIn("standard input", self.fails(2, verb, "-", "-"))

    def test_probabilities_are_refused_for_a_model_without(self):
        self.assertIn("perceptron", self.fails(2, "predict", "model", "apart.txt", "--probabilities"))

    def test_a_bad_model_is_exit_3(self):
        self.fails(3, "predict", "apart.txt", "apart.txt")
        self.fails(3, "predict", "missing", "apart.txt")


class Evaluate(ProgramTest):
    def test_json_has_the_keys_of_the_contract(self):
        self.train("apart.txt", "model", "--algorithm", "perceptron", "--passes", "until-clean")
        result = self.json("evaluate", "model", "-", stdin=b"1 1:3\n1 1:-3\n-1 1:-4\n-1 1:-5\n")
        self.assertLessEqual({"schema", "rows", "errors", "error", "interval", "accuracy", "confusion", "auc", "log_loss"},
                             set(result))
        self.assertEqual(result["schema"], "halfspace.evaluate/1")
        self.assertEqual((result["rows"], result["errors"], result["error"], result["accuracy"]), (4, 1, 0.25, 0.75))
        low, high = result["interval"]
        # Clopper-Pearson, 1 of 4: 0.0063 to 0.8059
        self.assertAlmostEqual(low, 0.0063, places=4)
        self.assertAlmostEqual(high, 0.8059, places=4)
        self.assertEqual(result["confusion"], [[2, 0], [1, 1]])
        self.assertEqual(result["undecided"], [0, 0])
        self.assertEqual([c["label"] for c in result["per_class"]], ["-1", "1"])
        self.assertIsNone(result["log_loss"])

    def test_text_has_the_error_and_the_table(self):
        self.train("rows.txt", "model")
        text = self.done("evaluate", "model", "rows.txt")
        for words in ("error ", "95 % interval", "precision", "true \\ given"):
            self.assertIn(words, text)

    def test_rows_without_labels_are_refused(self):
        self.train("table.csv", "model", "--label", "label")
        (self.folder / "new.csv").write_text("size,color\n1,red\n")
        self.assertIn("no labels", self.fails(3, "evaluate", "model", "new.csv"))
        self.assertEqual(self.done("predict", "model", "new.csv").count("\n"), 1)


class MissingValues(ProgramTest):
    """A model reads new tables, and the one it comes from, as it read that one."""

    def setUp(self):
        super().setUp()
        (self.folder / "holes.csv").write_text(TABLE + ",red,big\n5,,small\n", encoding="utf-8")

    def test_a_model_fills_in_numbers_and_categories(self):
        self.train("holes.csv", "model", "--missing", "median")
        self.assertEqual(self.done("predict", "model", "holes.csv").count("\n"), 22)
        self.assertEqual(self.json("evaluate", "model", "holes.csv")["rows"], 22)
        self.assertTrue(self.json("verify", "model", "holes.csv")["holds"])

    def test_rows_that_training_dropped_can_be_dropped_again(self):
        self.train("holes.csv", "model", "--missing", "drop")
        self.assertIn("holes.csv:22:1: error: ", self.fails(3, "evaluate", "model", "holes.csv"))
        self.assertEqual(self.done("predict", "model", "holes.csv", "--missing", "drop").count("\n"), 20)
        self.assertEqual(self.json("evaluate", "model", "holes.csv", "--missing", "drop")["rows"], 20)
        self.assertTrue(self.json("verify", "model", "holes.csv", "--missing", "drop")["holds"])

    def test_what_a_model_fills_in_is_not_chosen_again(self):
        self.train("holes.csv", "model", "--missing", "drop")
        for verb in ("evaluate", "verify"):
            self.fails(2, verb, "model", "holes.csv", "--missing", "mean")


class Show(ProgramTest):
    def test_names_of_the_table_are_shown(self):
        self.train("table.csv", "model", "--label", "label", "--algorithm", "perceptron", "--passes", "50")
        text = self.done("show", "model")
        self.assertIn("f(x) = ", text)
        self.assertIn("size", text)
        self.assertIn("small", text)

    def test_json_has_classes_planes_options_and_facts(self):
        self.train("apart.txt", "model", "--seed", "7")
        result = self.json("show", "model", "--top", "1")
        self.assertEqual(result["schema"], "halfspace.show/1")
        self.assertEqual(result["classes"], ["-1", "1"])
        self.assertEqual(result["facts"]["seed"], "7")
        self.assertEqual(result["facts"]["rows"], "6")
        self.assertIn("C", result["options"])
        plane = result["planes"][0]
        self.assertEqual(len(plane["weights"]), 1)
        self.assertLessEqual({"formula", "offset", "norm", "distance_from_origin", "threshold"}, set(plane))

    def test_a_model_from_a_pipe_is_read_once(self):
        self.train("apart.txt", "model")
        model = (self.folder / "model").read_bytes()
        self.assertEqual(self.done("show", "/dev/stdin", stdin=model).splitlines()[1:], self.done("show", "model").splitlines()[1:])

    def test_a_model_without_a_plane_has_no_distance(self):
        self.train("apart.txt", "model", "--algorithm", "majority")
        self.assertIsNone(self.json("show", "model")["planes"][0]["distance_from_origin"])
        self.assertIn("no plane", self.done("show", "model"))

    def test_a_liblinear_model_is_shown(self):
        (self.folder / "foreign").write_text(
            "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n0.5\n-0.25\n")
        self.assertIn("0.5 x1 - 0.25 x2", self.done("show", "foreign"))


class Convert(ProgramTest):
    def test_there_and_back_gives_the_same_data(self):
        first = self.json("convert", "rows.txt", "-o", "rows.hsd")
        for name in ("a.csv", "b.tsv", "c.txt.gz", "d.hsd"):
            self.done("convert", "rows.hsd", "-o", name)
            again = self.json("convert", name, "-o", "back.hsd")
            self.assertEqual(again["data"], first["data"], name)

    def test_show_says_what_a_cache_holds_without_reading_its_rows(self):
        (self.folder / "rows.txt").write_text("1 1:0.5 3:2\n-1 2:1\n")
        self.done("convert", "rows.txt", "-o", "rows.hsd")
        shown = self.json("show", "rows.hsd")
        self.assertEqual((shown["kind"], shown["rows"], shown["features"], shown["nonzeros"], shown["classes"]),
                         ("cache", 2, 3, 3, ["-1", "1"]))
        self.assertIn("2 rows, 3 features", self.done("show", "rows.hsd"))
        data = bytearray((self.folder / "rows.hsd").read_bytes())
        data[20] ^= 1
        (self.folder / "rows.hsd").write_bytes(data)
        self.fails(3, "show", "rows.hsd")

    def test_names_that_become_numbers_are_said(self):
        note = self.run_program("convert", "table.csv", "-o", "table.txt").stderr.decode()
        self.assertIn("0 for big, 1 for small", note)
        self.assertEqual(self.run_program("convert", "rows.txt", "-o", "again.txt").stderr, b"")

    def test_a_format_that_is_only_read_is_not_written(self):
        for name in ("x.idx", "x-ubyte"):
            self.fails(2, "convert", "apart.txt", "-o", name)
            self.assertFalse((self.folder / name).exists())

    def test_to_chooses_the_format(self):
        self.assertTrue(self.done("convert", "apart.txt", "-o", "-", "--to", "libsvm").startswith("1 1:2 2:1\n"))
        self.fails(2, "convert", "apart.txt", "-o", "x", "--to", "idx")


class Generate(ProgramTest):
    def test_the_same_seed_gives_the_same_rows_and_the_law_is_said(self):
        first = self.json("generate", "gaussians", "-o", "a.txt", "--rows", "50", "--distance", "2")
        # Two normal laws with means 2 standard deviations apart: error Phi(-1).
        self.assertAlmostEqual(first["bayes_error"], 0.158655, places=5)
        self.assertEqual(first["rows"], 50)
        self.assertTrue(first["law"])
        self.done("generate", "gaussians", "-o", "b.txt", "--rows", "50", "--distance", "2")
        self.done("generate", "gaussians", "-o", "c.txt", "--rows", "50", "--distance", "2", "--seed", "2")
        self.assertEqual((self.folder / "a.txt").read_bytes(), (self.folder / "b.txt").read_bytes())
        self.assertNotEqual((self.folder / "a.txt").read_bytes(), (self.folder / "c.txt").read_bytes())

    def test_another_seed_draws_rows_of_the_same_law(self):
        law = ("--features", "5", "--rows", "4000")
        self.done("generate", "gaussians", "-o", "a.txt", *law)
        self.train("a.txt", "model")
        self.done("generate", "gaussians", "-o", "test.txt", *law, "--seed", "2")
        # Phi(-1) = 0.1587; 4000 rows have a standard error of 0.006.
        self.assertLess(abs(self.json("evaluate", "model", "test.txt")["error"] - 0.1587), 0.03)
        self.done("generate", "gaussians", "-o", "other.txt", *law, "--seed", "2", "--law-seed", "2")
        self.assertGreater(self.json("evaluate", "model", "other.txt")["error"], 0.25)

    def test_an_unknown_kind_is_offered(self):
        self.assertIn("did you mean gaussians?", self.fails(2, "generate", "gausians", "-o", "x"))


class Doctor(ProgramTest):
    def test_missing_values_are_counted_by_column(self):
        (self.folder / "holes.csv").write_text("a,b,label\n1,red,x\n,red,y\n3,,x\n,blue,y\n")
        result = self.json("doctor", "holes.csv")
        self.assertEqual(result["rows"], 4)
        self.assertTrue(any("a (2), b (1)" in note for note in result["notes"]), result["notes"])
        (self.folder / "holes.csv").write_text("a,b,label\n1,red,x\n,red,y\n3,4\n")
        self.assertIn("holes.csv:4:1: ", self.fails(3, "doctor", "holes.csv"))

    def test_a_fault_is_said_as_it_was_met(self):
        (self.folder / "bad.txt").write_text("1 1:1\n-1 1:x\n")
        self.assertIn("bad.txt:2:6: ", self.fails(3, "doctor", "bad.txt"))
        self.assertIn("-:2:6: ", self.fails(3, "doctor", "-", stdin=b"1 1:1\n-1 1:x\n"))
        self.assertIn("-:3:1: ", self.fails(3, "doctor", "-", stdin=b"a,label\n1,x\n,y\n"))

    def test_the_command_at_the_end_works_with_the_options_given(self):
        rows = "".join(f"{'' if i % 5 == 2 else i % 7};{1000 * (i % 4)};{'ab'[i % 3 == 0]}\n" for i in range(40))
        (self.folder / "my holes.csv").write_text("x;big one;kind\n" + rows)
        command = self.json("doctor", "my holes.csv", "--delimiter", ";", "--label", "kind")["next"]
        self.assertTrue(command.startswith("halfspace train 'my holes.csv' --delimiter ';' --label kind --missing indicator"), command)
        self.done(*shlex.split(command.replace("MODEL", "m"))[1:])
        self.assertTrue((self.folder / "m").exists())

    def test_test_rows_among_the_training_rows_are_found(self):
        (self.folder / "test.csv").write_text("size,color,label\n3,red,small\n900,red,big\n4,blue,big\n")
        found = self.json("doctor", "table.csv", "--test", "test.csv")["findings"][0]
        self.assertEqual(found["kind"], "overlap")
        self.assertIn("2 of 3 test rows are among the training rows, 1 with the same label", found["text"])

    def test_contradictions_are_found(self):
        (self.folder / "odd.txt").write_text("1 1:1 2:5\n-1 1:1 2:5\n1 1:2 2:5\n-1 1:3 2:5\n")
        result = self.json("doctor", "odd.txt")
        self.assertEqual(result["schema"], "halfspace.doctor/1")
        self.assertIn("contradiction", [f["kind"] for f in result["findings"]])
        text = self.done("doctor", "odd.txt")
        self.assertIn("! contradiction", text)
        self.assertIn("next: halfspace train odd.txt", text)


if __name__ == "__main__":
    main()
