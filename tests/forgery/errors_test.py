"""Proofs of fewest errors, whole and tampered with, judged by `verify` and by scripts/check-errors."""
import contextlib
import importlib.machinery
import importlib.util
import io
import random
import sys

from model_file import ModelFile
from support import PROGRAM, SANITIZED, SOURCE, ForgeryTest, main

SCRIPT = str(SOURCE / "scripts" / "check-errors")
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_errors", SCRIPT)
check_errors = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_errors", loader))
loader.exec_module(check_errors)
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"


def random_rows(rng, n, d, values):
    """Whole numbers, so that rows are often equal or in one plane; labels by a plane, many of them turned."""
    plane = [rng.choice([-2, -1, 1, 2]) for _ in range(d)]
    lines = []
    for k in range(n):
        x = [rng.randrange(values) for _ in range(d)]
        side = sum(a * b for a, b in zip(plane, x)) * 2 > sum(plane) * (values - 1)
        label = "+1" if k == 0 else "-1" if k == 1 else "+1" if side != (rng.random() < 0.3) else "-1"
        lines.append(label + "".join(f" {j}:{v / 4}" for j, v in enumerate(x, 1) if v))
    return "\n".join(lines) + "\n"


def changed(rng, proof):
    out = proof
    for _ in range(1 + rng.randrange(4)):
        at = rng.randrange(len(out))
        kind = rng.randrange(5)
        if kind == 0 and len(out) > 3:
            out = out[:at] + out[at + 1:]
        elif kind == 1:
            out = out[:at] + rng.choice(LETTERS) + out[at:]
        elif kind == 2:
            other = rng.randrange(len(out))
            low, high = min(at, other), max(at, other)
            out = out[:low] + out[high:high + 1] + out[low + 1:high] + out[low:low + 1] + out[high + 1:]
        else:
            out = out[:at] + rng.choice(LETTERS) + out[at + 1:]
    return out


class Errors(ForgeryTest):
    def script(self, *arguments):
        """The second checker, in this process."""
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return check_errors.main([str(self.folder / a) for a in arguments])

    def honest(self, text, *options):
        self.write("data.txt", text)
        self.done(PROGRAM, "train", "data.txt", "--algorithm", "fewest-errors", *options, "-o", "honest.model", "--quiet")
        self.accepted(PROGRAM, "verify", "honest.model", "data.txt")
        self.assertEqual(self.script("honest.model", "data.txt"), 0)
        return ModelFile((self.folder / "honest.model").read_bytes())

    def test_the_second_checker_as_a_program(self):
        self.honest("-1 1:0 2:0\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n")
        outcome = self.done(sys.executable, SCRIPT, "honest.model", "data.txt")
        self.assertIn("no plane has fewer than 1", outcome.out)

    def test_a_thousand_tampered_proofs(self):
        """A plane that is worse leaves room for a bound that is not true: no text can prove it."""
        rng = random.Random(71)
        tried, kinds = 0, set()
        wanted, of_each = (100, 5) if SANITIZED else (1000, 40)
        while tried < wanted:
            text = random_rows(rng, rng.randint(12, 40), rng.randint(1, 4), rng.choice([3, 5, 9]))
            model = self.honest(text, "--offset", rng.choice(["free", "none"]))
            claim = model.certificate[0]
            best, proof = int(claim["upper"]), claim["proof"]
            self.assertEqual(claim["lower"], claim["upper"])
            # All rows on one side: the plane of the class that has more of them.
            labels = [line.split()[0] for line in text.splitlines()]
            wrong = [k for k, label in enumerate(labels, 1) if label == "-1"]
            free = model.option("offset") == "free"
            if not free:
                wrong = list(range(1, len(labels) + 1))  # theta = 0 has all rows on it
            if len(wrong) <= best or len(proof) < 4:
                continue
            kinds.add(proof[0])
            for name in model.tensors:
                if name.startswith("weights"):
                    model.put(name, [0.0] * len(model.numbers(name)) if name in ("weights", "weights.value") else model.numbers(name))
            model.put("offsets", [1.0 if free else 0.0])
            for _ in range(of_each):
                text_of_proof = changed(rng, proof)
                model.certificate = [dict(claim, upper=str(len(wrong)), rows=wrong, lower=str(best + 1), proof=text_of_proof)]
                self.write("forged.model", model.bytes())
                self.refused("proofs of a bound that is not true", PROGRAM, "verify", "forged.model", "data.txt")
                self.assertIn(self.script("forged.model", "data.txt"), (1, 3), text_of_proof)
                tried += 1
            # The same plane with the true bound and its proof is believed: nothing else was wrong with it.
            model.certificate = [dict(claim, upper=str(len(wrong)), rows=wrong, lower=str(best), proof=proof)]
            self.write("forged.model", model.bytes())
            outcome = self.measured([PROGRAM, "verify", "forged.model", "data.txt"])
            self.assertIn(f"no plane has fewer than {best}", outcome.out, str(outcome))
            self.assertEqual(self.script("forged.model", "data.txt"), 0)
        self.assertEqual(kinds, {"c", "r"})

    def test_parts(self):
        """Two sets of rows far apart, each with its error; parts that share a row, or have one that is not there."""
        rows = [(0, 0, "-1"), (0, 1, "+1"), (1, 0, "+1"), (1, 1, "-1")]
        text = "".join(f"{y} 1:{a + s} 2:{b + 3 * s}\n" for s in (0, 7) for a, b, y in rows)
        model = self.honest(text)
        claim = model.certificate[0]
        for shared, expected in ((False, 0), (True, 1)):
            second = "0000" if shared else "4000"
            share = LETTERS[32] * 4 + "1"  # 2^20 = 1 << 20: four characters of zeros, then 1
            tree = "r" + "1" + "4" + "0123" + "0" + "1" + "0" + share
            proof = "p" + "2" + "4" + "0000" + "1" + tree + "4" + second + "1" + tree
            model.certificate = [dict(claim, lower="2", proof=proof)]
            self.write("forged.model", model.bytes())
            outcome = self.measured([PROGRAM, "verify", "forged.model", "data.txt"])
            self.assertEqual(outcome.code, expected, str(outcome))
            self.assertEqual(self.script("forged.model", "data.txt"), expected)


if __name__ == "__main__":
    main()
