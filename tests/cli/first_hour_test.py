#!/usr/bin/env python3
"""What a person tries in the first hour of choosing and judging, wrongly: every answer says what to do instead."""
import subprocess

from support import PROGRAM, SOURCE, ProgramTest, main


# Exit code, words that the one line must have, command.
TRIES = [
    (2, "TRAIN,TEST is missing", "split cancer.csv"),
    (2, "-o train.csv,test.csv", "split cancer.csv -o train.csv"),
    (2, "--test 0.2 for 20 % of them", "split cancer.csv -o a.csv,b.csv --test 20"),
    (2, "every class has its share in both parts", "split cancer.csv -o a.csv,b.csv --stratify diagnosis"),
    (2, "here it is --test SHARE", "split cancer.csv -o a.csv,b.csv --test-size 0.2"),
    (2, "did you mean --groups?", "split cancer.csv -o a.csv,b.csv --group patient"),
    (3, "no column 'patient'; the columns are", "split cancer.csv -o a.csv,b.csv --groups patient"),
    (2, "would replace a file that is read", "split cancer.csv -o cancer.csv,b.csv"),
    (3, "the file is empty", "split empty.csv -o a.csv,b.csv"),
    (3, "no rows; at least one expected below the header", "tune head.csv -o m"),
    (3, "cannot open", "tune nowhere.csv -o m"),
    (3, "only one class (x) in 6 rows", "tune one.csv -o m"),
    (3, "only one class (x) in 6 rows", "compare one.csv --algorithms logistic,svm"),
    (3, "only one class (x) in 6 rows", "curve one.csv"),
    (3, "only one class (x)", "path one.csv"),
    (3, "only one class (x)", "train one.csv -o m --holdout 0.2"),
    (2, "look like numbers to predict: --label NAME", "tune prices.csv -o m"),
    (2, "look like numbers to predict: --label NAME", "tune cancer.csv -o m --ignore diagnosis"),
    (2, "did you mean svm?", "tune cancer.csv -o m --algorithm svc"),
    (2, "here it is --folds K", "tune cancer.csv -o m --cv 5"),
    (2, "here it is --threads N", "tune cancer.csv -o m --n-jobs 2"),
    (2, "here it is --seed N", "tune cancer.csv -o m --random-state 0"),
    (2, "a range is --C 0.1:10", "tune cancer.csv -o m --C 0.1-10"),
    (2, "a range is --C 1e-4:1e4", "tune cancer.csv -o m --C 1e-4..1e4"),
    (2, "LOW is above HIGH (hint: --C 0.1:10)", "tune cancer.csv -o m --C 10:0.1"),
    (2, "did you mean one-standard-error?", "tune cancer.csv -o m --rule 1se"),
    (2, "did you mean platt?", "tune cancer.csv -o m --calibrate sigmoid"),
    (2, "--calibrate needs a value (hint: --calibrate none|platt|isotonic", "tune cancer.csv -o m --calibrate"),
    (2, "another --metric", "tune iris.csv -o m --metric auc --C 1"),
    (2, "--kernel rbf:GAMMA", "tune cancer.csv -o m --gamma 0.1:1"),
    (2, "--calibrate platt", "calibrate m"),
    (3, "the model learned from column diagnosis; halfspace predict cancer.model bare.csv", "evaluate cancer.model bare.csv"),
    (3, "no label is one of the model's: 'B'", "evaluate cancer.model renamed.csv"),
    (3, "no label is one of the model's: 'B'", "compare cancer.model cancer.model renamed.csv"),
    (3, "no model: unknown key", "evaluate cancer.csv cancer.csv"),
    (3, "no model: unknown key", "compare cancer.csv cancer.model cancer.csv"),
    (3, "halfspace doctor DATA", "show cancer.csv"),
    (2, "MODEL comes before DATA", "evaluate cancer.csv cancer.model"),
    (3, "the model was trained with this column", "evaluate cancer.model iris.csv"),
    (2, "labels stand in the column of that name", "evaluate cancer.model cancer.csv --label diagnosis"),
    (2, "all figures are said", "evaluate cancer.model cancer.csv --metric auc"),
    (2, "--threshold 70% for a probability", "evaluate cancer.model cancer.csv --threshold malignant"),
    (2, "compare DATA --algorithms A,B", "compare cancer.csv --algorithm logistic,svm"),
    (2, "--C 1e-4:1e4", "path cancer.csv --C 1"),
    (2, "--algorithm svm --C 1e-4:1e4", "path cancer.csv --algorithm majority"),
    (2, "plot path path.json", "path cancer.csv -o x.json"),
    (2, "compare DATA --algorithms A,B", "path cancer.csv --algorithm svm,logistic"),
    (3, "halfspace path DATA --json > path.json", "plot path cancer.csv -o p.svg"),
    (2, "here it is --sizes N,N", "curve cancer.csv --steps 5"),
    (2, "--sizes up to 427", "curve cancer.csv --sizes 100000"),
    (2, "--holdout 0.2 for 20 % of them", "train cancer.csv -o m --holdout 20"),
    (2, "'120%' is no share of the rows from 0 to 0.95 (hint: --holdout 0.2 or --holdout 20%)", "train cancer.csv -o m --holdout 120%"),
    (2, "'-5%' is no share of the rows from 0 to 0.95", "train cancer.csv -o m --holdout=-5%"),
    (2, "'20%%' is no share of the rows from 0 to 0.95", "train cancer.csv -o m --holdout 20%%"),
    (2, "--to c, javascript", "export cancer.model -o m.txt"),
    (2, "--holdout needs a value (hint: --holdout SHARE", "train cancer.csv -o m --holdout"),
    (2, "two answers to the same question", "train cancer.csv -o m --holdout 0.2 --test cancer.csv"),
    (3, "--delimiter ' '", "tune blanks.csv -o m"),
]


class FirstHour(ProgramTest):
    def setUp(self):
        super().setUp()
        cancer = (SOURCE / "data" / "breast_cancer.csv").read_text()
        bare = "\n".join(line.rsplit(",", 1)[0] for line in cancer.splitlines()) + "\n"
        for name, text in (
            ("cancer.csv", cancer), ("bare.csv", bare), ("iris.csv", (SOURCE / "data" / "iris.csv").read_text()),
            ("renamed.csv", cancer.replace("malignant", "M").replace("benign", "B")),
            ("cased.csv", cancer.replace("malignant", "Malignant")), ("empty.csv", ""), ("head.csv", "a,b,label\n"),
            ("one.csv", "a,b,label\n" + "1,2,x\n3,4,x\n5,6,x\n" * 2),
            ("prices.csv", "a,price\n" + "".join(f"{i % 7},{100 + i * 1.37:.2f}\n" for i in range(60))),
            ("blanks.csv", "a b label\n1 2 x\n3 4 y\n1 3 x\n3 5 y\n"),
            ("words.csv", "a,b,label\n" + "".join(f"{i % 7},{'n/a' if i % 9 == 0 else i * 0.5},{'xy'[i % 2]}\n" for i in range(40)))):
            (self.folder / name).write_text(text, encoding="utf-8")
        self.done("train", "cancer.csv", "-o", "cancer.model", "--quiet")

    def test_no_try_ends_without_a_way_on(self):
        for code, words, command in TRIES:
            with self.subTest(command):
                self.assertIn(words, self.fails(code, *command.split()))

    def test_a_share_may_be_a_percentage(self):
        self.done("split", "cancer.csv", "-o", "a.csv,b.csv", "--test", "25%")
        self.done("split", "cancer.csv", "-o", "c.csv,d.csv", "--test", "0.25")
        self.assertEqual((self.folder / "b.csv").read_bytes(), (self.folder / "d.csv").read_bytes())

    def test_labels_that_the_model_does_not_know_are_said_whatever_quiet_says(self):
        for command in (("evaluate", "cancer.model", "cased.csv"), ("compare", "cancer.model", "cancer.model", "cased.csv")):
            text = self.done(*command, "--quiet")
            self.assertIn("'Malignant' (212 rows; did you mean 'malignant'?) -> --rename 'Malignant=malignant'", text)
            self.assertIn("'Malignant'", " ".join(self.json(*command)["notes"]))
            self.assertNotIn("did you mean", self.done(*command, "--quiet", "--rename", "Malignant=malignant"))

    def test_a_split_of_one_class_says_that_there_is_nothing_to_learn(self):
        said = self.run_program("split", "one.csv", "-o", "a.csv,b.csv")
        self.assertIn(b"all rows have the label x", said.stderr)

    def test_a_column_of_numbers_with_a_word_for_missing_is_noticed(self):
        said = self.run_program("train", "words.csv", "-o", "m").stderr.decode()
        self.assertIn("column b holds numbers and n/a, read as", said)
        self.done("train", "words.csv", "-o", "m", "--missing-words", "n/a", "--missing", "indicator", "--ignore", "a")
        (self.folder / "parted.csv").write_text((self.folder / "words.csv").read_text().replace(",", ";"))
        self.done("train", "parted.csv", "-o", "m", "--missing-words", "n/a", "--missing", "mean", "--delimiter", ";")
        told = self.done("verify", "m", "parted.csv")
        self.assertIn("missing values by the mean, cells that mean missing n/a, cells parted by ;", told)

    def test_calibration_that_a_form_cannot_say_is_said_whatever_quiet_says(self):
        self.done("train", "rows.txt", "-o", "m", "--algorithm", "svm", "--calibrate", "platt", "--quiet")
        for form in ("liblinear", "c"):
            text = self.done("export", "m", "--to", form, "-o", "m.out", "--quiet")
            self.assertEqual("left out: the probabilities that platt calibration has learned" in text, form == "liblinear")

    def test_the_help_of_a_verb_may_be_read_in_part(self):
        command = f"'{PROGRAM}' manual | true; echo ${{PIPESTATUS[0]}}; '{PROGRAM}' train --help | head -1 > /dev/null; echo ${{PIPESTATUS[0]}}"
        result = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)
        self.assertEqual((result.stdout, result.stderr), (b"0\n0\n", b""))


class Doctor(ProgramTest):
    def test_the_least_errors_are_those_of_the_rarer_labels_among_equal_rows(self):
        rows = [(1, "x")] + [(1, "y")] * 3 + [(2, "x")] * 2 + [(2, "y")] + [(3, "y")]
        (self.folder / "twins.csv").write_text("a,label\n" + "".join(f"{a},{c}\n" for a, c in rows))
        found = {one["kind"]: one for one in self.json("doctor", "twins.csv")["findings"]}
        self.assertIn("4 rows have the values of an earlier row but another label", found["contradiction"]["text"])
        self.assertIn("expect at least 2 errors on these rows", found["contradiction"]["advice"])

    def test_the_next_command_keeps_what_was_given_and_says_nothing_twice(self):
        (self.folder / "holes.csv").write_text("a;b;kind\n" + "".join(f"{i};{'' if i == 3 else i % 5};{'xy'[i % 2]}\n" for i in range(12)))
        self.done("doctor", "holes.csv", "--delimiter", ";", "--missing", "error", "--test", "holes.csv")
        command = self.json("doctor", "holes.csv", "--delimiter", ";", "--missing", "error", "--test", "holes.csv")["next"]
        self.assertEqual(command, "halfspace train holes.csv --delimiter ';' --test holes.csv --missing indicator -o MODEL")
        self.done("train", "holes.csv", "--delimiter", ";", "--test", "holes.csv", "--missing", "indicator", "-o", "m")


if __name__ == "__main__":
    main()
