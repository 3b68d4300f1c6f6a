#!/usr/bin/env python3
"""What matters to a model, and why a row got its label."""
import random
import shutil
import subprocess

from support import ProgramTest, main


def table(rows=200, seed=5):
    draw = random.Random(seed)
    lines = ["income,age,color,label"]
    for _ in range(rows):
        y = draw.random() < 0.5
        lines.append(f"{20000 + 9000 * y + draw.gauss(0, 5000):.0f},{draw.gauss(40 + 4 * y, 10):.1f},"
                     f"{draw.choice(['red', 'red', 'blue'] if y else ['blue', 'green', 'green'])},{'yes' if y else 'no'}")
    return "\n".join(lines) + "\n"


class Explained(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "people.csv").write_text(table(), encoding="utf-8")
        self.train("people.csv", "m", "--quiet")

    def sums_up(self, found):
        total = 0.0
        for one in found["contributions"]:
            self.assertEqual(one["value"] * one["weight"], one["contribution"])
            total += one["contribution"]
        if found["divisor"] != 1:
            total /= found["divisor"]
        total += found["offset"]
        self.assertEqual(total, found["score"])

    def test_contributions_add_up_to_the_last_bit(self):
        for options in ((), ("--scale", "standard"), ("--scale", "unit"), ("--algorithm", "perceptron"), ("--one-hot", "reference")):
            self.train("people.csv", "m", *options, "--quiet")
            scores = self.json("predict", "m", "people.csv", "--scores")["scores"]
            for row in (1, 17, 200):
                with self.subTest((options, row)):
                    found = self.json("explain", "m", "people.csv", "--row", str(row))
                    self.assertEqual(found["score"], scores[row - 1][0])
                    self.sums_up(found)

    def test_more_classes_explain_the_plane_of_the_label_and_name_the_rival(self):
        self.train("three.txt", "many", "--quiet")
        scores = self.json("predict", "many", "three.txt", "--scores")
        for row in (1, 2, 6):
            found = self.json("explain", "many", "three.txt", "--row", str(row))
            self.assertEqual(found["label"], scores["labels"][row - 1])
            self.assertEqual(found["score"], max(scores["scores"][row - 1]))
            self.assertNotEqual(found["rival"], found["label"])
            self.sums_up(found)

    def test_the_nearest_point_is_on_the_plane_at_the_distance(self):
        self.train("apart.txt", "plane", "--quiet")
        found = self.json("explain", "plane", "apart.txt", "--row", "2")
        squares = sum((m["to"] - m["from"]) ** 2 for m in found["nearest"])
        self.assertAlmostEqual(squares ** 0.5, abs(found["distance"]))
        row = " ".join(f"{m['feature']}:{m['to']!r}" for m in sorted(found["nearest"], key=lambda m: m["feature"]))
        (self.folder / "near.txt").write_text(f"+1 {row}\n", encoding="utf-8")
        self.assertAlmostEqual(self.json("predict", "plane", "near.txt", "--scores")["scores"][0][0], 0, places=9)

    def test_every_change_turns_the_label_and_fixed_columns_stay(self):
        rows = [line.split(",") for line in table().splitlines()[1:]]
        names = {"income": 0, "age": 1}
        for row in (1, 5, 9):
            for fixed in ((), ("--fixed", "color, income")):
                found = self.json("explain", "m", "people.csv", "--row", str(row), *fixed)
                self.assertTrue(found["changes"])
                for change in found["changes"]:
                    self.assertNotEqual(change["label"], found["label"])
                    cells = list(rows[row - 1])
                    for move in change["moves"]:
                        if move["name"] in names:
                            cells[names[move["name"]]] = repr(move["to"])
                        elif move["to"] == 1:
                            cells[2] = move["name"].split("=")[1]
                    if fixed:
                        self.assertEqual((cells[0], cells[2]), (rows[row - 1][0], rows[row - 1][2]))
                    (self.folder / "one.csv").write_text("income,age,color,label\n" + ",".join(cells) + "\n", encoding="utf-8")
                    self.assertEqual(self.json("predict", "m", "one.csv")["labels"], [change["label"]])

    def test_what_cannot_be_explained_is_refused(self):
        self.train("people.csv", "k", "--algorithm", "svm", "--kernel", "rbf:1e-8", "--quiet")
        self.assertIn("no planes", self.fails(2, "explain", "k", "people.csv", "--row", "1"))
        self.assertIn("200 rows", self.fails(2, "explain", "m", "people.csv", "--row", "201"))
        self.assertIn("did you mean income", self.fails(2, "explain", "m", "people.csv", "--row", "1", "--fixed", "incom"))

    def test_effects_are_weights_times_standard_deviations(self):
        weights = self.json("show", "m")["planes"][0]["weights"]
        columns = [[float(line.split(",")[k]) for line in table().splitlines()[1:]] for k in (0, 1)]
        for name, column in zip(("income", "age"), columns):
            one = next(w for w in weights if w["name"] == name)
            mean = sum(column) / len(column)
            deviation = (sum((x - mean) ** 2 for x in column) / len(column)) ** 0.5
            self.assertAlmostEqual(one["deviation"] / deviation, 1, places=9)
            self.assertAlmostEqual(one["effect"], one["weight"] * one["deviation"])
        effects = [abs(w["effect"]) for w in weights]
        self.assertEqual(effects, sorted(effects, reverse=True))
        self.assertEqual(weights[0]["name"], "income")  # its weight is the smallest
        text = self.done("show", "m")
        self.assertIn("color (3 categories)", text)
        self.assertEqual({w["column"] for w in weights}, {None, "color"})


class Completion(ProgramTest):
    def complete(self, *words):
        script = self.done("completion", "bash")
        line = f"{script}\nCOMP_WORDS=(halfspace {' '.join(words)}); COMP_CWORD={len(words)}\n_halfspace\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
        return subprocess.run(["bash", "-c", line.replace("''", "''")], capture_output=True, text=True, check=True,
                              cwd=self.folder).stdout.split()

    def test_bash_completes_verbs_options_and_words(self):
        self.assertEqual(self.complete("ev"), ["evaluate"])
        self.assertEqual(self.complete("train", "--alg"), ["--algorithm"])
        self.assertIn("--nu", self.complete("train", "--n"))  # of one algorithm only
        self.assertEqual(self.complete("train", "--algorithm", "nu"), ["nu-svm"])
        self.assertEqual(self.complete("train", "--scale", "st"), ["standard"])
        self.assertEqual(self.complete("completion", "f"), ["fish"])
        self.assertEqual(self.complete("predict", "m"), ["m"] if (self.folder / "m").exists() else [])

    def test_every_verb_and_option_of_the_help_is_in_every_script(self):
        helped = self.done("train", "--help")
        for shell in ("bash", "zsh", "fish"):
            script = self.done("completion", shell)
            for word in ("--penalty", "--class-weight", "--missing"):
                self.assertIn(word, helped)
                self.assertIn(word.lstrip("-") if shell == "fish" else word, script)
            for verb in ("train", "explain", "doctor"):
                self.assertIn(verb, script)
            program = shutil.which(shell)
            if program is None:
                print(f"SKIPPED: {shell} is not installed, its script is not parsed")
                continue
            (self.folder / "script").write_text(script, encoding="utf-8")
            subprocess.run([program, "-n", "script"], check=True, cwd=self.folder, capture_output=True)
        self.assertIn("did you mean fish", self.fails(2, "completion", "fihs"))


if __name__ == "__main__":
    main()
