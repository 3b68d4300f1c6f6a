#!/usr/bin/env python3
"""export_test.py PROGRAM: exports models of every kind as C, JavaScript, SQL, JSON and the texts of LIBLINEAR and LIBSVM, and runs what comes
out on the rows by a C compiler, Node, SQLite and the tools themselves. Equality as docs/export.md promises it."""
import csv
import gzip
import io
import json
import math
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

import models
from models import KERNELS, MODELS, PROGRAM, differences, program, train_all

HERE = pathlib.Path(__file__).resolve().parent
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
NODE = shutil.which("node")
# Sums over support vectors run in another order than in the model: of the largest score.
NEAR = 1e-12
# Probabilities: exp of another library.
SHARES = 1e-14


def setUpModule():
    global FOLDER, TRAINED
    holder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(holder.cleanup)
    FOLDER = pathlib.Path(holder.name)
    TRAINED = train_all(FOLDER, MODELS + KERNELS)


def is_kernel(one):
    return one.about["kind"] == "kernel"


class Exports(unittest.TestCase):
    maxDiff = None

    def export(self, one, form, *more):
        """The file, and what the program says of the comparison."""
        said = json.loads(program(FOLDER, "export", one.model, "--to", form, "-o", f"{one.name}.{form}", "--json", *more))
        self.assertEqual(said["to"], form)
        self.assertGreaterEqual(said["check"]["rows"], 1)
        self.assertEqual(said["check"]["other_labels"], 0)
        if not is_kernel(one):
            self.assertTrue(said["check"]["same_bits"], (one.name, form, said))
        return FOLDER / f"{one.name}.{form}"

    def test_the_ending_says_the_form(self):
        one = next(one for one in TRAINED if one.name == "binary")
        for ending, form in (("h", "c"), ("js", "javascript"), ("mjs", "javascript"), ("onnx", "onnx"), ("sql", "sql"), ("json", "json"), ("txt", "liblinear")):
            said = json.loads(program(FOLDER, "export", one.model, "-o", f"by_ending.{ending}", "--json"))
            self.assertEqual(said["to"], form)

    def agrees(self, one, labels, scores, probabilities, exact):
        apart, shares, same = differences(one, scores, probabilities)
        if exact:
            self.assertTrue(same, f"{one.name}: scores differ by {apart}")
        self.assertLessEqual(apart, NEAR, one.name)
        self.assertLessEqual(shares, SHARES, one.name)
        self.assertEqual(labels, one.labels, one.name)

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_c_compiled_without_a_library_gives_the_scores_to_the_bit(self):
        for one in TRAINED:
            with self.subTest(one.name):
                header = self.export(one, "c")
                named = one.data.startswith(("iris", "cancer", "mixed", "hostile", "digits"))
                flags = ["-std=c99", "-O1", "-pedantic", "-Wall", "-Wextra", "-Werror"]
                defines = [f'-DHEADER="{header}"'] + (["-DPROBABILITIES"] if one.has_probabilities else []) + (["-DNAMED"] if named else [])
                subprocess.run([COMPILER, *flags, *defines, str(HERE / "main.c"), "-o", str(FOLDER / "ran")], check=True, timeout=120)
                width = len(one.rows[0])
                rows = b"".join(struct.pack(f"<{width}d", *row) for row in one.rows)
                done = subprocess.run([str(FOLDER / "ran")], input=rows, capture_output=True, check=True, timeout=60)
                names = done.stderr.decode("utf-8").split("\0")[:-1]
                self.assertEqual(names[:len(one.classes)], one.classes)
                size = len(done.stdout) // 8 // len(one.rows)
                numbers = [list(struct.unpack(f"<{size}d", done.stdout[8 * size * i:8 * size * (i + 1)])) for i in range(len(one.rows))]
                planes = len(one.scores[0])
                self.agrees(one, [one.classes[int(row[0])] if row[0] >= 0 else None for row in numbers],
                            [row[1:1 + planes] for row in numbers], [row[1 + planes:] for row in numbers],
                            exact=not is_kernel(one) and one.name != "unit_rows")

    @unittest.skipUnless(COMPILER and shutil.which("nm"), "no C compiler or no nm")
    def test_c_calls_nothing_from_outside(self):
        # A compiler may still make one of these of a loop, in every C program.
        allowed = {"memset", "memcpy"}
        for one in TRAINED:
            if one.name not in ("one_vs_rest", "unit_rows", "rbf", "rbf_unit"):
                continue
            header = self.export(one, "c", "--name", "My_7")
            (FOLDER / "alone.c").write_text(f'#include "{header}"\nint f(const double *x) {{ return My_7_label(x); }}\n' + (
                "void g(const double *x, double *p) { My_7_probabilities(x, p); }\n" if one.has_probabilities else ""))
            subprocess.run([COMPILER, "-std=c99", "-ffreestanding", "-O2", "-c", str(FOLDER / "alone.c"), "-o", str(FOLDER / "alone.o")],
                           check=True, timeout=60)
            undefined = subprocess.run(["nm", "-u", str(FOLDER / "alone.o")], capture_output=True, text=True, check=True).stdout.split()
            self.assertLessEqual({x for x in undefined if x != "U"}, allowed, one.name)

    @unittest.skipUnless(NODE, "no node")
    def test_javascript_gives_the_scores_to_the_bit(self):
        folder = FOLDER / "modules"
        folder.mkdir()
        for one in TRAINED:
            shutil.copy(self.export(one, "javascript"), folder / f"{one.name}.mjs")
            (folder / f"{one.name}.json").write_text(json.dumps(one.rows))
        done = subprocess.run([NODE, str(HERE / "run_module.mjs"), str(folder)], capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode("utf-8", "replace"))
        said = json.loads(done.stdout)
        for one in TRAINED:
            with self.subTest(one.name):
                here = said[one.name]
                self.assertEqual(here["classes"], one.classes)
                if one.name == "hostile":
                    self.assertEqual(here["features"], models.HOSTILE_COLUMNS)
                self.agrees(one, here["labels"], here["scores"], here["probabilities"], exact=not is_kernel(one))

    def sql_table(self, one):
        """The data as a table: of a table its own columns, else x1, x2, ..."""
        base = sqlite3.connect(":memory:")
        if one.data.endswith(".txt"):
            columns, rows = [f"x{j + 1}" for j in range(len(one.rows[0]))], one.rows
        else:
            raw = (FOLDER / one.data).read_bytes()
            text = (gzip.decompress(raw) if one.data.endswith(".gz") else raw).decode("utf-8")
            table = list(csv.reader(io.StringIO(text, newline="")))
            columns, rows = table[0], [[None if cell == "" else cell for cell in row] for row in table[1:201]]
        quoted = ['"' + c.replace('"', '""') + '"' for c in columns]
        base.execute(f"CREATE TABLE \"my rows\" (id INTEGER, {', '.join(quoted)})")
        base.executemany(f"INSERT INTO \"my rows\" VALUES ({', '.join('?' * (len(columns) + 1))})",
                         [[i, *row] for i, row in enumerate(rows)])
        # Not every SQLite has them.
        for name, function in (("exp", math.exp), ("sqrt", math.sqrt)):
            base.create_function(name, 1, lambda x, f=function: None if x is None else f(x), deterministic=True)
        return base

    def test_sql_run_by_sqlite_gives_labels_and_scores(self):
        for one in TRAINED:
            if is_kernel(one):
                continue
            with self.subTest(one.name):
                query = self.export(one, "sql", "--name", "my rows").read_text(encoding="utf-8")
                base = self.sql_table(one)
                base.row_factory = sqlite3.Row
                rows = sorted(base.execute(query.rstrip().rstrip(";")).fetchall(), key=lambda row: row["id"])
                base.close()
                planes = len(one.scores[0])
                scores = [[row["halfspace_score"]] if planes == 1 else [row[f"halfspace_score_{k + 1}"] for k in range(planes)] for row in rows]
                shares = [[row[f"halfspace_probability_{k + 1}"] for k in range(len(one.classes))] for row in rows] if one.has_probabilities else None
                # SQLite rounds the last digit of a literal by its own rule.
                self.agrees(one, [row["halfspace_label"] for row in rows], scores, shares, exact=False)

    def test_sql_without_a_number_has_no_label(self):
        one = next(one for one in TRAINED if one.name == "binary")
        base = self.sql_table(one)
        base.execute('UPDATE "my rows" SET x1 = NULL WHERE id = 0')
        base.row_factory = sqlite3.Row
        query = self.export(one, "sql", "--name", "my rows").read_text(encoding="utf-8")
        row = next(row for row in base.execute(query.rstrip().rstrip(";")) if row["id"] == 0)
        base.close()
        self.assertIsNone(row["halfspace_score"])
        self.assertIsNone(row["halfspace_label"])

    def test_json_document_has_all_that_a_reader_needs(self):
        for one in TRAINED:
            with self.subTest(one.name):
                said = json.loads(self.export(one, "json").read_text(encoding="utf-8"))
                self.assertEqual(said["classes"], one.classes)
                if said["kind"] != "linear":
                    continue
                scores = []
                for row in one.rows:
                    if "scaling" in said:
                        row = [(x - s) * f for x, s, f in zip(row, said["scaling"]["shift"], said["scaling"]["factor"])]
                    length = math.sqrt(sum_in_order(x * x for x in row)) if said["unit_rows"] else 1
                    scores.append([sum_in_order(x * w for x, w in zip(row, plane)) / (length or 1) + b
                                   for plane, b in zip(said["weights"], said["offsets"])])
                self.assertEqual(scores, one.scores)

    @unittest.skipUnless(shutil.which("liblinear-predict"), "no liblinear-predict")
    def test_liblinear_gives_the_labels(self):
        for name in ("binary", "ties", "wide", "softmax"):
            one = next(one for one in TRAINED if one.name == name)
            if name == "softmax":  # its classes are no numbers
                with self.assertRaisesRegex(AssertionError, "labels are integers"):
                    self.export(one, "liblinear")
                continue
            path = self.export(one, "liblinear")
            subprocess.run(["liblinear-predict", str(FOLDER / one.data), str(path), str(FOLDER / "said")], check=True, capture_output=True, timeout=60)
            said = (FOLDER / "said").read_text().split()
            self.assertEqual([float(x) for x in said[:200]], [float(x) for x in one.labels], name)

    @unittest.skipUnless(shutil.which("svm-predict"), "no svm-predict")
    def test_libsvm_gives_the_labels(self):
        for name in ("rbf_pairs", "poly"):
            one = next(one for one in TRAINED if one.name == name)
            path = self.export(one, "libsvm")
            subprocess.run(["svm-predict", str(FOLDER / one.data), str(path), str(FOLDER / "said")], check=True, capture_output=True, timeout=60)
            said = (FOLDER / "said").read_text().split()
            self.assertEqual([float(x) for x in said[:200]], [float(x) for x in one.labels], name)

    def refused(self, *args):
        done = subprocess.run([PROGRAM, *args], cwd=FOLDER, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr.decode("utf-8", "replace"))
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode("utf-8")

    def test_what_a_form_cannot_say_is_refused_by_name(self):
        self.assertIn("--to onnx, c, javascript, json or libsvm", self.refused("export", "rbf.model", "--to", "sql"))
        program(FOLDER, "train", "two.txt", "-o", "voted", "--algorithm", "voted-perceptron", "--quiet")
        program(FOLDER, "train", "two.txt", "-o", "mapped", "--features", "fourier:20", "--kernel", "rbf:0.1", "--quiet")
        for form in ("onnx", "c", "javascript", "sql", "json"):
            self.assertIn("averaged-perceptron is one plane", self.refused("export", "voted", "--to", form))
            self.assertIn("features of rows", self.refused("export", "mapped", "--to", form))
        self.assertIn("letters, digits", self.refused("export", "binary.model", "--to", "c", "--name", "int x; //"))
        self.assertIn("--name is for C and SQL", self.refused("export", "binary.model", "--to", "onnx", "--name", "a"))
        self.assertIn("did you mean", self.refused("export", "binary.model", "--to", "javascrpt"))

    def test_rows_of_the_user_are_compared(self):
        said = json.loads(program(FOLDER, "export", "categories.model", "--to", "sql", "-o", "q.sql", "--rows", "mixed.csv", "--json", "--quiet"))
        self.assertEqual(said["check"]["rows"], 120)
        self.assertTrue(said["check"]["same_bits"])


def sum_in_order(values):
    out = 0.0
    for x in values:
        out += x
    return out


if __name__ == "__main__":
    sys.argv = sys.argv[:1] + sys.argv[2:]
    unittest.main(verbosity=1)
