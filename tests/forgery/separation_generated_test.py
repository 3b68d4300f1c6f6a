"""Mutations of honest certificates of small generated sets: what the exact oracle calls untrue is refused by both checkers."""
import copy
import importlib.machinery
import importlib.util
import json
import random
from fractions import Fraction

from exact_oracle import false_claim
from support import PROGRAM, SECOND_CHECKER, ForgeryTest, main, run

loader = importlib.machinery.SourceFileLoader("check_certificate", SECOND_CHECKER[1])
check_certificate = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_certificate", loader))
loader.exec_module(check_certificate)

SETS = 60
MUTATIONS = 14  # of each certificate
TEXTS = ["-2", "-1", "-0.5", "0", "0.1", "0.2", "0.3", "0.7", "1", "2", "3", "1e-5", "1e6"]


def generated(rng):
    """Rows as text, and what they are: labels by a plane, some at random; some rows twice."""
    n, d, classes = rng.randint(4, 9), rng.randint(1, 3), rng.choice([2, 2, 3, 4])
    texts = TEXTS if rng.random() < 0.5 else ["-1", "0", "1", "2"]
    plane = [rng.randint(-2, 2) for _ in range(d)]
    noise = rng.choice([0, 0, 0.2, 0.5])
    rows = []
    for i in range(n):
        x = [rng.choice(texts) for _ in range(d)]
        if rows and rng.random() < 0.25:
            x = rng.choice(rows)[1]
        above = sum(w * float(v) for w, v in zip(plane, x)) > 0
        label = 1 if above != (rng.random() < noise) else rng.randint(2, classes)
        rows.append((str(label), x))
    present = {label for label, _ in rows}
    if len(present) < 2:
        rows[0] = ("2" if present == {"1"} else "1", rows[0][1])
    rows[0] = (rows[0][0], rows[0][1][:-1] + [rng.choice([t for t in texts if t != "0"])])  # every set has all columns
    return rows


def as_text(rows):
    return "".join(f"{label} " + " ".join(f"{j}:{v}" for j, v in enumerate(x, 1)) + "\n" for label, x in rows)


def as_numbers(rows, values):
    def number(text):
        return Fraction(float(text)) if values == "doubles" else Fraction(text)
    return [(label, {j: number(v) for j, v in enumerate(x, 1) if number(v)}) for label, x in rows]


def other_number(rng, text):
    x = Fraction(text)
    choices = [-x, x + 1, x - 1, x * 2, x / 2, Fraction(0), x * (1 + Fraction(1, 10 ** 12)), x * (1 - Fraction(1, 10 ** 12)),
               Fraction(rng.randint(-9, 9)), x * 10 ** 30, x + Fraction(1, 10 ** 30)]
    return str(rng.choice(choices))


def texts_of(value, path=()):
    """Paths of all numbers that are texts, and of all row and column numbers."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in ("schema", "data", "values", "positive", "negative", "verdict"):
                yield from texts_of(part, (*path, key))
    elif isinstance(value, list):
        for k, part in enumerate(value):
            yield from texts_of(part, (*path, k))
    elif path and path[-1] != "offset" or len(path) > 1:
        yield path, value


def mutate(rng, honest, classes, others):
    """(kind, forged) by one or two changes."""
    c = copy.deepcopy(honest)
    kind = rng.choice(["number", "number", "number", "verdict", "classes", "offset", "swap", "duplicate", "drop", "complete", "other data",
                       "margin", "radius", "shape", "reading", "other proof"])
    leaves = [leaf for leaf in texts_of(c) if not isinstance(leaf[1], bool)]
    if kind == "number":
        for path, value in rng.sample(leaves, min(len(leaves), rng.choice([1, 1, 2]))):
            place = c
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value + rng.choice([-1, 1]) if isinstance(value, int) else other_number(rng, value)
    elif kind == "verdict":
        c["verdict"] = rng.choice([v for v in ("separable", "touching", "overlapping") if v != c["verdict"]])
        wanted = {"separable": ("plane",), "touching": ("plane", "witnesses", "null_space", "complete"), "overlapping": ("witnesses", "null_space")}
        filled = {"plane": {"columns": [1], "weights": [str(rng.choice([-1, 1]))], "offset": "0"}, "null_space": [],
                  "witnesses": [{"rows": [1], "weights": ["1"]}], "complete": rng.random() < 0.5}
        for key in ("plane", "witnesses", "null_space", "complete", "margin", "radius"):
            if key not in wanted[c["verdict"]]:
                c.pop(key, None)
            elif key not in c:
                c[key] = filled[key]
    elif kind == "classes":
        sides = {name: rng.choice(["positive", "negative", "", "both"] if rng.random() < 0.3 else ["positive", "negative", ""]) for name in classes}
        c["positive"] = [name for name, side in sides.items() if side in ("positive", "both")]
        c["negative"] = [name for name, side in sides.items() if side in ("negative", "both")]
    elif kind == "offset":
        c["offset"] = rng.choice([o for o in ("free", "lifted", "none") if o != c["offset"]])
    elif kind in ("swap", "duplicate", "drop"):
        lists = [part for key in ("witnesses", "null_space") for part in c.get(key, [])] + [c[k] for k in ("plane", "margin") if k in c]
        part = rng.choice(lists)
        names = "rows" if "rows" in part else "columns"
        if kind == "drop":
            k = rng.randrange(len(part[names]))
            del part[names][k], part["weights"][k]
        elif kind == "duplicate" and c.get("witnesses"):
            c["witnesses"].append(copy.deepcopy(rng.choice(c["witnesses"])))
        else:
            rng.shuffle(part["weights"])
    elif kind == "complete" and "complete" in c:
        c["complete"] = not c["complete"]
        c["null_space"] = [] if not c["complete"] else c["null_space"]
        c["plane"]["weights"] = [other_number(rng, w) for w in c["plane"]["weights"]]
    elif kind == "other data" and others:
        c["data"] = copy.deepcopy(rng.choice(others)["data"])
    elif kind == "other proof" and others:
        c = {**copy.deepcopy(rng.choice(others)), "data": c["data"]}
    elif kind == "margin" and "margin" in c:
        end = rng.choice(["lower", "upper"])
        c["margin"][end] = str(Fraction(c["margin"][end]) * (1 + Fraction(2 if end == "lower" else -2, 10 ** 6)))
        kind = "margin too good"
    elif kind == "radius" and "radius" in c:
        c["radius"] = str(Fraction(c["radius"]) * (1 - Fraction(1, 10 ** 11)))
    elif kind == "reading":
        c["values"] = "doubles" if c["values"] == "decimals" else "decimals"
    elif kind == "shape":
        c["data"][rng.choice(["rows", "features"])] += rng.choice([-1, 1])
    else:  # the certificate has no such part
        return mutate(rng, honest, classes, others)
    return kind, c


class GeneratedTest(ForgeryTest):
    def second_says_yes(self, path, data, values):
        try:
            certificate = check_certificate.read_certificate(str(path))
            check_certificate.Checker(certificate, str(self.folder / data), values).check()
        except (check_certificate.Refused, check_certificate.Unreadable, ValueError):
            return False
        return True

    def untrue(self, kind, forged, rows, values, fingerprint):
        # Two millionths better than bounds that are one millionth apart cannot both hold.
        if kind == "margin too good":
            return kind
        try:
            return false_claim(forged, as_numbers(rows, values), len(rows[0][1]), values, fingerprint)
        except (IndexError, ValueError, ZeroDivisionError, StopIteration):
            return "no certificate"

    def test_untrue_claims_are_refused_by_both_checkers(self):
        rng = random.Random(20)
        verdicts, others, true_ones = {}, {}, 0
        for trial in range(SETS):
            rows = generated(rng)
            data, values = f"rows{trial}.txt", rng.choice(["decimals", "decimals", "doubles"])
            self.write(data, as_text(rows))
            classes = sorted({label for label, _ in rows})
            made = run([PROGRAM, "separable", data, "-o", "honest", "--offset", rng.choice(["free", "lifted", "none"]), "--values", values,
                        "--positive", rng.choice(classes), "--threads", "1"], self.folder)
            self.assertIn(made.code, (0, 1), str(made))
            honest = json.loads((self.folder / "honest").read_text(encoding="utf-8"))
            fingerprint = honest["data"]["fingerprint"]
            verdicts[honest["verdict"]] = verdicts.get(honest["verdict"], 0) + 1
            self.assertIsNone(self.untrue("honest", honest, rows, values, fingerprint), f"{honest}\n{as_text(rows)}")
            self.accepted(PROGRAM, "verify", "honest", data, "--values", values, "--threads", "1")
            self.assertTrue(self.second_says_yes(self.folder / "honest", data, values), honest)
            same_shape = others.setdefault((len(rows), len(rows[0][1])), [])
            for _ in range(MUTATIONS):
                kind, forged = mutate(rng, honest, classes, same_shape)
                # With the fingerprint repaired only the claim itself can give a forgery away.
                if kind == "other data":
                    forged["data"]["fingerprint"] = fingerprint
                if forged == honest:
                    continue
                why = self.untrue(kind, forged, rows, values, fingerprint)
                if why is None:
                    true_ones += 1
                    continue
                path = self.write("forged", forged)
                with self.subTest(trial=trial, kind=kind, why=why, forged=json.dumps(forged), rows=as_text(rows)):
                    self.refused(f"{kind}: {why}", PROGRAM, "verify", "forged", data, "--values", values, "--threads", "1")
                    self.assertFalse(self.second_says_yes(path, data, values))
            same_shape.append(honest)
        self.assertEqual(len(verdicts), 3, verdicts)
        print(f"{verdicts}; {true_ones} mutations happened to be true")


if __name__ == "__main__":
    main()
