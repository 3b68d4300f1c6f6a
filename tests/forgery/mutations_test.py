"""Models changed at random, with checksums that are right: what `verify` still believes must be true.

The oracle is apart from the program: the objective at the plane is added up here (math.fsum), and the best one is known
from a fit of the same problem to a gap of 1e-10. A claim may be believed only if it is not better than these two.
"""
import math
import random

from honest_models import DATA, HONEST, Models
from model_file import ModelFile
from support import PROGRAM, SANITIZED, main

# name of the honest model -> rows, from which the oracle computes
PLANES = ("hinge", "hinge lifted", "hinge none", "squared hinge", "smoothed hinge", "logistic", "logistic none",
          "l1", "l1 lifted", "elastic net")
ROUNDS = 12 if SANITIZED else 60


def rows_of(text):
    out = []
    for line in text.splitlines():
        label, *entries = line.split()
        x = [0.0, 0.0, 0.0]
        for entry in entries:
            j, v = entry.split(":")
            x[int(j) - 1] = float(v)
        out.append((float(label), x))
    return out


LOSSES = {
    "hinge": lambda m: max(0.0, 1 - m),
    "squared-hinge": lambda m: max(0.0, 1 - m) ** 2,
    "smooth-hinge": lambda m: 0.5 - m if m < 0 else max(0.0, 1 - m) ** 2 / 2,
    "logistic": lambda m: math.log1p(math.exp(-m)) if m > 0 else math.log1p(math.exp(m)) - m,
}


def penalty_of(model, w):
    ratio = {"l2": 0.0, "l1": 1.0, "elastic-net": float(model.option("l1-ratio"))}[model.option("penalty")]
    return ratio * abs(w) + (1 - ratio) * w * w / 2


def objective(model, rows):
    """At the plane of the file, for the problem that its options name."""
    w, b = model.numbers("weights"), model.numbers("offsets")[0]
    logistic = model.fields["algorithm"] == "logistic"
    loss = LOSSES["logistic" if logistic else model.option("loss")]
    try:
        terms = [float(model.option("C")) * loss(y * math.fsum([b] + [wj * xj for wj, xj in zip(w, x)])) for y, x in rows]
        penalty = [penalty_of(model, wj) for wj in w + ([b] if model.option("offset") == "lifted" else [])]
        return math.fsum(terms + penalty)
    except OverflowError:
        return math.inf


class Mutations(Models):
    def best(self, name):
        """What no plane can be below, and some plane nearly reaches."""
        data, options = HONEST[name]
        self.done(PROGRAM, "train", data, "-o", "best.model", "--quiet", *options.split(), "--gap", "1e-10")
        return ModelFile((self.folder / "best.model").read_bytes()).certificate[0]["primal"]

    def mutate(self, model, draw):
        """One or two changes of numbers, small or large."""
        for _ in range(draw.choice((1, 1, 2))):
            factor = draw.choice((0.0, -1.0, 0.5, 1 + 1e-3, 1 + 1e-6, 1 - 1e-6, 1 + 1e-9, 1 - 1e-9, 1 + 1e-13, 1e6, 1e-6))
            which = draw.choice(["certificate", "certificate"] + [t for t in model.tensors if t != "certificate"])
            if which == "certificate":
                claim = model.certificate
                key = draw.choice(("primal", "dual", "dual"))
                claim[0][key] = draw.choice((claim[0][key] * factor, claim[0]["primal"], claim[0]["dual"]))
                p, d = claim[0]["primal"], claim[0]["dual"]
                claim[0].update(gap=p - d, relative_gap=(p - d) / max(1.0, abs(p)))
                model.certificate = claim
                continue
            values = model.numbers(which)
            if not values:
                continue
            at = draw.randrange(len(values))
            if model.tensors[which][0] == "F64":
                values[at] = values[at] * factor + draw.choice((0.0, 0.0, 1e-8))
            else:
                values[at] = draw.choice((0, 1, values[at] + 1, 47, 48, 2**31))

    def test_what_is_believed_is_true(self):
        believed = changed = 0
        for name in PLANES:
            rows, best = rows_of(DATA[HONEST[name][0]]), self.best(name)
            draw = random.Random(f"{name} 1")
            for round_number in range(ROUNDS):
                model = self.honest(name)
                before = model.bytes()
                self.mutate(model, draw)
                content = model.bytes()
                changed += content != before
                self.write("forged.model", content)
                outcome = self.measured((PROGRAM, "verify", "forged.model", HONEST[name][0]))
                self.tried["mutations"] += 1
                self.assertIn(outcome.code, (0, 1, 3), str(outcome))
                if outcome.code != 0:
                    continue
                believed += 1
                claim = model.certificate[0]
                with self.subTest(name, round=round_number):
                    true = objective(model, rows)
                    self.assertGreaterEqual(claim["primal"], true * (1 - 2e-12), str(outcome))
                    self.assertLessEqual(claim["dual"], best * (1 + 2e-12), str(outcome))
        # The test can fail: changes happen, most are refused, and changes of last digits are not.
        self.assertGreater(changed, 0.8 * ROUNDS * len(PLANES))
        self.assertLess(believed, 0.5 * ROUNDS * len(PLANES))
        self.assertGreater(believed, 0)

    def test_the_oracle_agrees_with_honest_models(self):
        for name in PLANES:
            model = self.honest(name)
            true = objective(model, rows_of(DATA[HONEST[name][0]]))
            claim = model.certificate[0]
            self.assertLessEqual(abs(true - claim["primal"]), 1e-9 * abs(true), name)
            self.assertLessEqual(claim["dual"], self.best(name) * (1 + 1e-12), name)


if __name__ == "__main__":
    main()
