"""Generated shapes of data times losses times C: every fit reaches its gap or says that it did not, none is worse than a
model that does not look at the rows, and `verify` accepts all of them."""
import concurrent.futures
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

from support import PROGRAM, main

LOSSES = {"hinge": ["--algorithm", "svm"], "squared-hinge": ["--algorithm", "svm", "--loss", "squared-hinge"],
          "smooth-hinge": ["--algorithm", "svm", "--loss", "smooth-hinge"], "logistic": ["--algorithm", "logistic"]}
WEIGHTS_OF_C = (0.001, 1, 1000)


def clouds(draw, rows, columns, classes, apart, mean=0.0, scale=lambda j: 1.0, shares=None):
    """Normal clouds around random centres; the first rows have every class once."""
    centres = [[draw.gauss(0, apart) for _ in range(columns)] for _ in range(classes)]
    out = []
    for i in range(rows):
        k = i % classes if shares is None or i < classes else draw.choices(range(classes), shares)[0]
        out.append((k, [scale(j) * (mean + centres[k][j] + draw.gauss(0, 1)) for j in range(columns)]))
    return out


def questions(sizes, draw, rows, label):
    """One column of ones for every answer to every question."""
    out = []
    for _ in range(rows):
        answers = [draw.randrange(size) for size in sizes]
        row, start = {}, 0
        for answer, size in zip(answers, sizes):
            row[start + answer] = 1
            start += size
        out.append((label(answers), row))
    return out


def text(draw, rows, classes, words, length, unit=True):
    """Counts of words by a power law, some of them from the topic of the class; classes get rarer and rarer."""
    law = [1 / (k + 3) for k in range(words)]
    topics = [[draw.randrange(words) for _ in range(30)] for _ in range(classes)]
    out = []
    for i in range(rows):
        k = i % classes if i < 2 * classes else draw.choices(range(classes), [1 / (c + 1) ** 1.3 for c in range(classes)])[0]
        row = {}
        for word in draw.choices(range(words), law, k=length):
            word = draw.choice(topics[k]) if draw.random() < 0.35 else word
            row[word] = row.get(word, 0) + 1
        size = math.sqrt(sum(v * v for v in row.values())) if unit else 1
        out.append((k, {j: v / size for j, v in row.items()}))
    return out


def factors(draw, rows, columns):
    """A mean, a few common factors and a little noise; labels that have nothing to do with them."""
    mean = [max(0.0, draw.gauss(0.15, 0.2)) for _ in range(columns)]
    common = [[draw.gauss(0, 0.06) for _ in range(columns)] for _ in range(8)]
    out = []
    for _ in range(rows):
        by = [draw.gauss(0, 1) for _ in common]
        out.append((draw.randrange(2), [m + sum(b * f[j] for b, f in zip(by, common)) + draw.gauss(0, 0.02)
                                        for j, m in enumerate(mean)]))
    return out


def images(draw, rows, side, classes):
    """Whole numbers from 0 to 255, neighbours alike."""
    spots = [[(draw.uniform(0, side), draw.uniform(0, side), draw.uniform(1, 2.5)) for _ in range(4)] for _ in range(classes)]
    out = []
    for i in range(rows):
        k = i % classes
        dx, dy = draw.gauss(0, 0.7), draw.gauss(0, 0.7)
        row = []
        for a in range(side):
            for b in range(side):
                v = sum(math.exp(-((a - x - dx) ** 2 + (b - y - dy) ** 2) / (2 * r * r)) for x, y, r in spots[k])
                row.append(max(0, min(255, int(200 * v + draw.gauss(0, 15)))))
        out.append((k, row))
    return out


def shapes():
    """Name -> rows (label, values) or (label, values, weight)."""
    d = random.Random(12)
    noisy = lambda rows, share: [(1 - k if d.random() < share else k, x) for k, x in rows]
    two = lambda n, m, apart, **more: clouds(d, n, m, 2, apart, **more)
    bits = [(int(r == 0), {2 * i + (r >> i) % 2: 1 for i in range(12)}) for r in range(4096)]
    grades = lambda a: 4 if sum(a) == 0 else 0 if a[7] == 2 else 1 if sum(a) < 8 else 2 if a[0] == 0 else 3
    nursery = questions([3, 5, 4, 4, 3, 2, 3, 3], d, 3500, grades)
    return {
        "narrow tall dense": two(3000, 8, 0.3),
        "few rows many columns": two(50, 1500, 0.1),
        "few rows many correlated columns": factors(d, 80, 2500),
        "few rows many columns, four classes": clouds(d, 48, 1200, 4, 0.2),
        "text, two classes": text(d, 800, 2, 4000, 40),
        "text, counts": text(d, 600, 3, 3000, 50, unit=False),
        "text, 52 classes": text(d, 700, 52, 3000, 30),
        "columns of ones": questions([4, 5, 3, 6, 2, 4], d, 2000, lambda a: int(a[0] + a[2] + d.random() > 3)),
        "columns of ones, five classes, one of one row": nursery + [(4, {s: 1 for s in (0, 3, 8, 12, 16, 19, 21, 24)})],
        "one row of the other class": bits,
        "two rows of the other class, dense": [(int(i < 2), x) for i, (_, x) in enumerate(two(3500, 6, 0))],
        "rare classes": clouds(d, 1500, 9, 7, 0.6, mean=2, shares=[780, 10, 3, 155, 60, 2, 1]),
        "ten classes dense": clouds(d, 700, 64, 10, 0.3),
        "ten classes dense, nearly separable": clouds(d, 900, 96, 10, 0.35),
        "whole numbers, images": images(d, 300, 10, 10),
        "constant columns": [(k, x + [1, 7, 0, -3]) for k, x in two(300, 4, 0.5)],
        "duplicate rows": [row for row in two(60, 5, 0.4) for _ in range(20)],
        "contradictory rows": [(k, x) for _, x in two(150, 5, 0) for k in (0, 1)],
        "columns of scales 1e-6 to 1e6": two(400, 13, 0.4, scale=lambda j: 10.0 ** (j - 6)),
        "large means": two(400, 6, 0.5, mean=300),
        "weights": [(k, x, d.choice([0, 0.25, 1, 3, 40])) for k, x in two(500, 5, 0.4)],
        "separable": [(k, [x[0] + (6 if k else -6)] + x[1:]) for k, x in two(400, 20, 0)],
        "nearly separable": noisy([(k, [x[0] + (4 if k else -4)] + x[1:]) for k, x in two(1200, 30, 0)], 0.004),
        "one column": noisy([(int(i > 90), [i / 16]) for i in range(200)], 0.05),
        "two rows": [(0, [1, 2, 3]), (1, [1, 2.5, -1])],
        "rows of zeros, signed decimals": [(k, [round(v, 1) for v in x] if i % 3 else [0] * 6)
                                           for i, (k, x) in enumerate(two(300, 6, 0.5))],
    }


def write(path, rows):
    """libsvm text, or a table when rows have weights."""
    with open(path, "w", encoding="utf-8") as file:
        if len(rows[0]) == 3:
            file.write(",".join(f"c{j}" for j in range(len(rows[0][1]))) + ",w,label\n")
            for label, values, weight in rows:
                file.write(",".join(repr(float(v)) for v in values) + f",{weight},class{label}\n")
            return ["--weight", "w"]
        for label, values in rows:
            entries = sorted(values.items()) if isinstance(values, dict) else enumerate(values)
            file.write(f"{label} " + " ".join(f"{j + 1}:{v:.9g}" for j, v in entries if v) + "\n")
    return []


def best_constant(rows, loss, C):
    """The objective of the zero plane with its best free offset."""
    cost = {}
    for row in rows:
        cost[row[0]] = cost.get(row[0], 0) + C * (row[2] if len(row) == 3 else 1)
    total = sum(cost.values())

    def against_rest(p):
        n = total - p
        if loss == "hinge":
            return 2 * min(p, n)
        if loss == "squared-hinge":
            return 4 * p * n / (p + n)
        if loss == "smooth-hinge":  # at b = 1 - n / p for p > n
            p, n = max(p, n), min(p, n)
            return n * (1.5 - n / (2 * p))
        return -sum(c * math.log(c / total) for c in (p, n) if c > 0)

    if loss == "logistic" and len(cost) > 2:
        return -sum(c * math.log(c / total) for c in cost.values() if c > 0)
    if len(cost) == 2:
        return against_rest(next(iter(cost.values())))
    return sum(against_rest(p) for p in cost.values())


class SweepTest(unittest.TestCase):
    def run_program(self, *args):
        return subprocess.run([PROGRAM, *args], cwd=self.folder, capture_output=True, timeout=800)

    def one(self, name, data, more, rows, loss, C):
        """What is wrong with one fit, as text; empty: nothing."""
        case = f"{name}, {loss}, C = {C}"
        model = f"{data}-{loss}-{C}.model"
        result = self.run_program("train", data, *more, *LOSSES[loss], "--C", str(C), "--threads", "1", "-o", model, "--json")
        if result.returncode != 0:
            return f"{case}: exit code {result.returncode}: {result.stdout.decode()[:300]} {result.stderr.decode()[:300]}"
        answer = json.loads(result.stdout)
        wrong = []
        if answer["stop"] != "converged" or not answer["objective"]["relative_gap"] <= 1e-4:
            wrong.append(f"{answer['stop']} with a relative gap of {answer['objective']['relative_gap']}")
        constant = best_constant(rows, loss, C)
        if not answer["objective"]["primal"] <= constant * (1 + 1e-6):
            wrong.append(f"objective {answer['objective']['primal']}, a constant has {constant}")
        if (answer["support_vectors"] is None) != (loss == "logistic"):
            wrong.append(f"support vectors: {answer['support_vectors']}")
        verdict = self.run_program("verify", model, data)  # how a table is read is in the model
        if verdict.returncode != 0:
            wrong.append(f"verify: {verdict.stdout.decode()[:300]} {verdict.stderr.decode()[:300]}")
        (self.folder / model).unlink()
        return f"{case}: {'; '.join(wrong)}" if wrong else ""

    @unittest.skipIf(os.environ.get("HALFSPACE_SANITIZE"), "takes too long under a sanitizer")
    def test_every_shape_with_every_loss_and_C_is_certified_and_better_than_a_constant(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        everything = shapes()
        self.assertEqual(len(everything), 26)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            waiting = []
            for number, (name, rows) in enumerate(everything.items()):
                data = f"shape{number}." + ("csv" if len(rows[0]) == 3 else "svm")
                more = write(self.folder / data, rows)
                for loss in LOSSES:
                    for C in WEIGHTS_OF_C:
                        waiting.append(pool.submit(self.one, name, data, more, rows, loss, C))
            wrong = [text for text in (one.result() for one in waiting) if text]
        self.assertEqual(len(waiting), 312)
        self.assertFalse(wrong, f"{len(wrong)} of {len(waiting)}:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
