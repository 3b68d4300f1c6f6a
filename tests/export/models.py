"""Models of every kind that can be exported, with rows and what the model itself says of them."""
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"

HOSTILE_COLUMNS = ['a"b', "c'd;--", "*/ e ??/", "</script>${x}`", "\u202eg\u2028h", "back\\slash\nline"]
HOSTILE_CLASSES = ["it's \"it\"", "*/ end ??'", "</script>\u2029`${1}\\", "\U0001f600 %s {}"]


def table(columns, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def mixed_table():
    """Numbers with holes, categories with holes and a name that hurts, three classes."""
    draw = random.Random(7)
    rows = []
    for i in range(120):
        kind = draw.choice(["red", "blue", "it's", 'so "so"'])
        size = round(draw.gauss(3 if kind == "red" else 1, 1), 3)
        price = round(draw.gauss(100, 40), 2)
        label = "big" if size > 2.5 else ("cheap" if price < 90 else "rest")
        rows.append(["" if i % 11 == 3 else size, "" if i % 13 == 5 else kind, price, label])
    return table(["size", "kind of thing", "price", "label"], rows)


def hostile_table():
    draw = random.Random(3)
    rows = []
    for i in range(100):
        cells = [round(draw.gauss(0, 1), 4) for _ in HOSTILE_COLUMNS]
        place = max(range(4), key=lambda k: cells[k] + 0.3 * draw.gauss(0, 1))
        rows.append(cells + [HOSTILE_CLASSES[place]])
    return table(HOSTILE_COLUMNS + ["label"], rows)


def libsvm_text(rows, features, classes, seed):
    draw = random.Random(seed)
    lines = []
    for i in range(rows):
        label = classes[i % len(classes)]
        cells = {j + 1: draw.gauss((i % len(classes)) * (1 if j % len(classes) == i % len(classes) else 0), 1)
                 for j in range(features) if draw.random() < 0.7}
        lines.append(f"{label} " + " ".join(f"{j}:{x!r}" for j, x in cells.items()))
    return "\n".join(lines) + "\n"


# Name, file, options of train.
MODELS = [
    ("binary", "two.txt", ["--algorithm", "logistic"]),
    ("scaled", "cancer.csv", ["--algorithm", "svm", "--scale", "standard"]),
    ("softmax", "iris.csv", ["--algorithm", "logistic"]),
    ("one_vs_rest", "iris.csv", ["--algorithm", "logistic", "--multiclass", "one-vs-rest", "--scale", "minmax"]),
    ("categories", "mixed.csv", ["--algorithm", "logistic", "--missing", "indicator"]),
    ("hostile", "hostile.csv", ["--algorithm", "svm"]),
    ("ties", "ties.txt", ["--algorithm", "perceptron", "--passes", "1", "--offset", "none"]),
    ("unit_rows", "four.txt", ["--algorithm", "pegasos", "--scale", "unit"]),
    ("wide", "wide.txt", ["--algorithm", "logistic", "--C", "0.01"]),
    ("digits", "digits.csv.gz", ["--algorithm", "averaged-perceptron", "--passes", "2"]),
    ("not_folded", "far.txt", ["--algorithm", "logistic", "--scale", "standard"]),
    ("one_column", "one.txt", ["--algorithm", "logistic", "--scale", "standard"]),
    ("calibrated", "two.txt", ["--algorithm", "svm", "--calibrate", "platt"]),
    ("calibrated_classes", "iris.csv", ["--algorithm", "svm", "--calibrate", "platt"]),
    ("isotonic", "cancer.csv", ["--algorithm", "perceptron", "--scale", "standard", "--calibrate", "isotonic"]),
    ("descent", "iris.csv", ["--algorithm", "sgd", "--loss", "logistic", "--lambda", "0.01"]),
    ("lookup", "mixed.csv", ["--algorithm", "lookup", "--missing", "mean"]),
    ("majority", "iris.csv", ["--algorithm", "majority"]),
]
KERNELS = [
    ("rbf", "cancer.csv", ["--algorithm", "svm", "--kernel", "rbf:0.05", "--scale", "standard"]),
    ("rbf_pairs", "four.txt", ["--algorithm", "svm", "--kernel", "rbf:0.1"]),
    ("rbf_calibrated", "cancer.csv", ["--algorithm", "svm", "--kernel", "rbf:0.05", "--scale", "standard", "--calibrate", "platt"]),
    ("poly", "two.txt", ["--algorithm", "svm", "--kernel", "poly:3,0.1,1"]),
    ("rbf_unit", "two.txt", ["--algorithm", "hard-margin", "--kernel", "rbf:4", "--scale", "unit"]),
]


def write_data(folder):
    (folder / "two.txt").write_text(libsvm_text(150, 12, ["-1", "1"], 1), encoding="utf-8")
    (folder / "four.txt").write_text(libsvm_text(120, 9, ["1", "2", "3", "7"], 2), encoding="utf-8")
    (folder / "wide.txt").write_text(libsvm_text(60, 700, ["1", "2", "3"], 5), encoding="utf-8")
    (folder / "ties.txt").write_text("+1 1:1 2:0.5\n-1 1:-1\n+1 2:2\n-1 3:1\n+1 4:1\n" * 4, encoding="utf-8")
    far = random.Random(4)
    (folder / "far.txt").write_text("".join(
        f"{1 if i % 2 else -1} 1:{1e9 + i % 2 + far.gauss(0, 0.7)!r} 2:{far.gauss(i % 2, 1)!r}\n" for i in range(80)), encoding="utf-8")
    (folder / "one.txt").write_text("".join(f"{1 if i % 3 else -1} 1:{3e8 + 0.37 * (i % 3) + far.gauss(0, 0.3)!r}\n" for i in range(60)), encoding="utf-8")
    (folder / "mixed.csv").write_text(mixed_table(), encoding="utf-8")
    (folder / "hostile.csv").write_text(hostile_table(), encoding="utf-8")
    for name, there in (("iris.csv", "iris.csv"), ("cancer.csv", "breast_cancer.csv"), ("digits.csv.gz", "digits.csv.gz")):
        (folder / name).write_bytes((DATA / there).read_bytes())


def program(folder, *args):
    done = subprocess.run([PROGRAM, *args], cwd=folder, capture_output=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{args}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout


def dense_rows(text, features):
    """The rows of a libsvm text with all their zeros."""
    out = []
    for line in text.splitlines():
        row = [0.0] * features
        for entry in line.split(" ")[1:]:
            j, _, x = entry.partition(":")
            row[int(j) - 1] = float(x)
        out.append(row)
    return out


class Trained:
    """A model, rows as features, and labels, scores and probabilities as predict prints them."""

    def __init__(self, folder, name, data, options):
        self.name, self.data = name, data
        self.model = f"{name}.model"
        program(folder, "train", data, "-o", self.model, "--quiet", *options)
        self.about = json.loads(program(folder, "show", self.model, "--json"))
        self.classes = self.about["classes"]
        self.has_probabilities = options[1] == "logistic" or "--calibrate" in options or "logistic" in options
        wanted = ["--scores"] + (["--probabilities"] if self.has_probabilities else [])
        said = json.loads(program(folder, "predict", self.model, data, "--json", "--quiet", *wanted))
        reading = [x for k, x in enumerate(options) if "--missing" in options[max(0, k - 1):k + 1]]
        program(folder, "convert", data, "-o", f"{name}.rows", "--to", "libsvm", "--quiet", *reading)
        count = 200  # of rows are enough
        self.rows = dense_rows((folder / f"{name}.rows").read_text(encoding="utf-8"), self.about["features"])[:count]
        self.labels = said["labels"][:count]
        self.scores = [[x] if isinstance(x, float) else x for x in said["scores"][:count]]
        self.probabilities = said["probabilities"][:count] if self.has_probabilities else None


def train_all(folder, which):
    write_data(folder)
    return [Trained(folder, *one) for one in which]


def differences(trained, scores, probabilities):
    """The largest of them: of scores (in units of the largest), of probabilities, and whether all scores have the same bits."""
    size = max(1.0, max(abs(x) for row in trained.scores for x in row))
    apart = max(abs(x - y) for a, b in zip(trained.scores, scores) for x, y in zip(a, b)) / size
    shares = 0.0
    if trained.probabilities is not None:
        shares = max(abs(x - y) for a, b in zip(trained.probabilities, probabilities) for x, y in zip(a, b))
    return apart, shares, trained.scores == scores
