#!/usr/bin/env python3
"""Tables as people have them: holes, categories, commas, dates, identifiers, no header; ids that are passed through."""
import random

from support import ProgramTest, main


def mixed(rows=80, holes=True, seed=1):
    draw = random.Random(seed)
    lines = ["id,age,color,city,label"]
    for i in range(rows):
        y = draw.random() < 0.5
        age = "" if holes and i % 9 == 4 else str(30 + 10 * y + draw.randrange(-12, 13))
        color = "?" if holes and i % 7 == 3 else draw.choice(["red", "red", "blue"] if y else ["blue", "green", "blue"])
        lines.append(f"p{i},{age},{color},{draw.choice(['Rome', 'Oslo'])},{'yes' if y else 'no'}")
    return "\n".join(lines) + "\n"


class Holes(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "mixed.csv").write_text(mixed(), encoding="utf-8")
        (self.folder / "full.csv").write_text(mixed(holes=False), encoding="utf-8")

    def names(self, model):
        return {w["name"] for w in self.json("show", model, "--top", "100")["planes"][0]["weights"]}

    def test_a_missing_category_is_its_own_category(self):
        self.train("mixed.csv", "m", "--ignore", "id", "--missing", "mean", "--quiet")
        self.assertEqual(self.names("m"), {"age", "color=blue", "color=green", "color=red", "color missing", "city=Oslo",
                                           "city=Rome"})
        self.done("verify", "m", "mixed.csv")
        scores = [s[0] for s in self.json("predict", "m", "mixed.csv", "--scores")["scores"]]
        weights = {w["name"]: w["weight"] for w in self.json("show", "m", "--top", "100")["planes"][0]["weights"]}
        offset = self.json("show", "m")["planes"][0]["offset"]
        row = mixed().splitlines()[4].split(",")  # the fourth row: p3, its color is ?
        self.assertEqual(row[2], "?")
        expected = weights["age"] * float(row[1]) + weights["color missing"] + weights[f"city={row[3]}"] + offset
        self.assertAlmostEqual(scores[3], expected, places=9)

    def test_an_indicator_says_which_numbers_were_missing(self):
        self.train("mixed.csv", "m", "--ignore", "id", "--missing", "indicator", "--quiet")
        self.assertIn("age missing", self.names("m"))
        self.done("verify", "m", "mixed.csv")
        self.done("convert", "mixed.csv", "-o", "mixed.hsd", "--ignore", "id", "--missing", "indicator", "--quiet")
        again = self.train("mixed.hsd", "n", "--quiet")
        self.assertEqual(again, (self.folder / "m").read_bytes())

    def test_nothing_is_added_for_columns_without_holes(self):
        self.train("full.csv", "m", "--ignore", "id", "--missing", "indicator", "--quiet")
        self.assertFalse([name for name in self.names("m") if "missing" in name])
        self.done("predict", "m", "mixed.csv")  # holes that were never seen are filled in all the same

    def test_a_table_with_missing_labels_is_split_without_those_rows(self):
        text = mixed(holes=False).replace(",yes\n", ",\n", 2).replace(",no\n", ",?\n", 1)
        lines = text.splitlines(keepends=True)
        (self.folder / "some.csv").write_text(text, encoding="utf-8")
        said = self.done("split", "some.csv", "-o", "a.csv,b.csv")
        self.assertIn("3 rows without a label are in neither of them", said)
        parts = [(self.folder / name).read_text(encoding="utf-8").splitlines(keepends=True) for name in ("a.csv", "b.csv")]
        self.assertEqual([part[0] for part in parts], [lines[0]] * 2)
        labelled = [line for line in lines[1:] if not line.endswith((",\n", ",?\n"))]
        self.assertEqual(sorted(parts[0][1:] + parts[1][1:]), sorted(labelled))
        # Without a header the label is found by its place.
        (self.folder / "bare.csv").write_text("".join(lines[1:]), encoding="utf-8")
        self.assertIn("3 rows without", self.done("split", "bare.csv", "-o", "c.csv,d.csv", "--header", "no", "--label", "5"))

    def test_rows_without_a_label_are_left_out(self):
        text = mixed(holes=False).replace(",yes\n", ",\n", 3)
        (self.folder / "some.csv").write_text(text, encoding="utf-8")
        self.assertIn("--missing drop", self.fails(3, "train", "some.csv", "-o", "m", "--ignore", "id", "--quiet"))
        for how in ("drop", "mean", "indicator"):
            self.assertEqual(self.json("train", "some.csv", "-o", "m", "--ignore", "id", "--missing", how)["rows"], 77)
            self.done("verify", "m", "some.csv")

    def test_a_reference_makes_an_unpenalised_fit_of_categories_possible(self):
        draw = random.Random(4)
        lines = ["a,b,label"] + [f"{draw.choice('xyz')},{draw.gauss(0, 1):.3f},{draw.choice(['no', 'yes'])}" for _ in range(200)]
        (self.folder / "cats.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        said = self.done("train", "cats.csv", "-o", "m", "--penalty", "none", code=1)
        self.assertIn("a=z is a combination of the constant, a=x, a=y", said)
        self.assertIn("--one-hot reference", said)
        self.train("cats.csv", "m", "--penalty", "none", "--one-hot", "reference", "--quiet")
        self.assertEqual(self.names("m"), {"a=y", "a=z", "b"})
        self.done("verify", "m", "cats.csv", code=self.run_program("verify", "m", "cats.csv").returncode)
        self.train("cats.csv", "l2", "--one-hot", "reference", "--quiet")
        self.done("verify", "l2", "cats.csv")
        # The same model as a full encoding would give is not asked for: all labels agree with what show prints.
        self.assertEqual(len(self.json("predict", "l2", "cats.csv")["labels"]), 200)


class Noticed(ProgramTest):
    def notes(self, text, *args, name="t.csv"):
        (self.folder / name).write_text(text, encoding="utf-8")
        return "\n".join(self.json("train", name, "-o", "m", *args)["notes"])

    def table(self, cell, rows=40):
        draw = random.Random(3)
        return "x;z;label\n" + "".join(f"{cell(i, draw)};{draw.randrange(9)};{'ab'[draw.randrange(2)]}\n" for i in range(rows))

    def test_decimal_commas_are_noticed_and_read_on_request(self):
        text = self.table(lambda i, draw: f"{i % 11},{draw.randrange(10)}")
        self.assertIn("--decimal comma", self.notes(text, "--delimiter", ";"))
        self.assertNotIn("comma", self.notes(text, "--delimiter", ";", "--decimal", "comma"))
        self.assertEqual(self.json("show", "m")["features"], 2)
        self.done("verify", "m", "t.csv")
        (self.folder / "new.csv").write_text("x;z\n1,5;2\n", encoding="utf-8")
        (self.folder / "point.csv").write_text("x;z\n1.5;2\n", encoding="utf-8")
        self.assertEqual(self.done("predict", "m", "new.csv", "--scores"), self.done("predict", "m", "point.csv", "--scores"))

    def test_a_model_reads_tables_with_other_marks_than_it_was_trained_on(self):
        rows = [(i % 7 + 0.5, i % 5, "ab"[i % 7 > 3]) for i in range(60)]
        lines = {"comma.csv": [f"{x},{z},{y}" for x, z, y in rows], "mark.csv": [f"{x};{z};{y}" for x, z, y in rows],
                 "excel.csv": [f"{str(x).replace('.', ',')};{z};{y}" for x, z, y in rows]}
        for name, text in lines.items():
            header = "x,z,label" if name == "comma.csv" else "x;z;label"
            (self.folder / name).write_text("\n".join([header] + text) + "\n", encoding="utf-8-sig")
        self.assertNotIn("separated", "\n".join(self.json("train", "comma.csv", "-o", "m")["notes"]))
        wanted = self.done("predict", "m", "comma.csv", "--scores")
        self.assertEqual(self.done("predict", "m", "mark.csv", "--scores"), wanted)
        self.assertIn("cells are read as separated by ;", "\n".join(self.json("train", "mark.csv", "-o", "m2")["notes"]))
        refused = self.run_program("predict", "m", "excel.csv")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("--delimiter ';'", refused.stderr.decode())
        refused = self.run_program("predict", "m", "excel.csv", "--delimiter", ";")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("--decimal comma", refused.stderr.decode())
        for mark in ("comma", ","):
            self.assertEqual(self.done("predict", "m", "excel.csv", "--delimiter", ";", "--decimal", mark, "--scores"), wanted)
            self.json("evaluate", "m", "excel.csv", "--delimiter", ";", "--decimal", mark)

    def test_dates_identifiers_sentences_and_row_numbers_are_noticed(self):
        cases = ((lambda i, d: f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}", "holds dates"), (lambda i, d: f"k{i * 7919 % 100003}", "--ignore x"),
                 (lambda i, d: f"this is message number {i}", "--text x"), (lambda i, d: str(100 + i), "numbers the rows: --ignore x"))
        for cell, word in cases:
            with self.subTest(word):
                self.assertIn(word, self.notes(self.table(cell), "--delimiter", ";"))
                self.assertNotIn("column x", self.notes(self.table(cell), "--delimiter", ";", "--ignore", "x"))

    def test_ordinary_columns_are_not_remarked_upon(self):
        notes = self.notes(mixed(holes=False), "--ignore", "id")
        for word in ("--decimal", "--text", "holds", "identifier", "numbers the rows", "regression"):
            self.assertNotIn(word, notes)

    def test_labels_that_are_nearly_continuous_are_noticed(self):
        text = "a,label\n" + "".join(f"{i % 5},{i * 0.37:.2f}\n" for i in range(60))
        self.assertIn("regression", self.notes(text))

    def test_a_headerless_table_is_told_about_its_header(self):
        rows = "".join(f"{'spam' if i % 3 else 'ham'}\tword{i} and more of message {i}\n" for i in range(1500))
        (self.folder / "sms.tsv").write_text(rows, encoding="utf-8")
        self.assertIn("--header no", self.fails(3, "train", "sms.tsv", "-o", "m", "--quiet"))
        self.train("sms.tsv", "m", "--header", "no", "--label", "1", "--text", "2", "--quiet")


class PassedThrough(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "mixed.csv").write_text(mixed(holes=False), encoding="utf-8")
        self.train("mixed.csv", "m", "--ignore", "id", "--quiet")

    def test_ids_stand_before_the_label(self):
        lines = self.done("predict", "m", "mixed.csv", "--keep", "id, city", "--quiet").splitlines()
        labels = self.done("predict", "m", "mixed.csv", "--quiet").splitlines()
        rows = [line.split(",") for line in mixed(holes=False).splitlines()[1:]]
        self.assertEqual(lines, [f"{r[0]}\t{r[3]}\t{label}" for r, label in zip(rows, labels)])

    def test_a_table_has_a_header(self):
        text = self.done("predict", "m", "mixed.csv", "--keep", "id", "--scores", "--probabilities", "--as", "csv", "--quiet")
        lines = text.splitlines()
        self.assertEqual(lines[0], "id,label,score,probability:no,probability:yes")
        self.assertEqual(len(lines), 81)
        self.assertEqual(lines[1].split(",")[0], "p0")
        kept = self.json("predict", "m", "mixed.csv", "--keep", "id")["kept"]
        self.assertEqual(kept[5], {"id": "p5"})

    def test_rows_that_are_dropped_take_their_ids_along(self):
        (self.folder / "holes.csv").write_text("id,age,color,city\na,,red,Rome\nb,40,red,Oslo\n", encoding="utf-8")
        lines = self.done("predict", "m", "holes.csv", "--keep", "id", "--missing", "drop", "--quiet").splitlines()
        self.assertEqual([line.split("\t")[0] for line in lines], ["b"])
        self.assertIn("did you mean 'id'", self.fails(3, "predict", "m", "holes.csv", "--keep", "idd", "--quiet"))
        self.assertIn("--keep is for csv", self.fails(2, "predict", "m", "rows.txt", "--keep", "id"))

    def test_a_table_comes_from_standard_input_whatever_it_looks_like(self):
        self.train("table.csv", "t", "--ignore", "size", "--quiet")
        self.assertEqual(len(self.done("predict", "t", "-", "--quiet", stdin=b"color\nred\nblue\n").splitlines()), 2)
        table = (self.folder / "mixed.csv").read_bytes()
        self.assertEqual(self.done("predict", "m", "-", "--quiet", stdin=table), self.done("predict", "m", "mixed.csv", "--quiet"))

    def test_rows_with_an_empty_label_are_predicted_when_labels_are_ignored(self):
        (self.folder / "new.csv").write_text("id,age,color,city,label\na,30,red,Rome,\nb,40,red,Oslo,yes\n", encoding="utf-8")
        self.assertIn("--ignore label", self.fails(3, "predict", "m", "new.csv"))
        found = self.json("predict", "m", "new.csv", "--ignore", "label")
        self.assertEqual((len(found["labels"]), found["accuracy"]), (2, None))

    def test_lists_have_blanks_and_may_be_repeated(self):
        one = self.train("mixed.csv", "a", "--ignore", "id, city", "--quiet")
        self.assertEqual(one, self.train("mixed.csv", "b", "--ignore", "id", "--ignore", "city", "--quiet"))
        self.assertIn("given 2 times", self.fails(2, "train", "mixed.csv", "-o", "m", "--label", "a", "--label", "b"))

    def test_a_model_in_place_of_the_rows_is_said_as_such(self):
        for verb in ("predict", "evaluate", "explain"):
            more = ("--row", "1") if verb == "explain" else ()
            self.assertIn(f"halfspace {verb} m mixed.csv", self.fails(2, verb, "mixed.csv", "m", *more))


if __name__ == "__main__":
    main()
