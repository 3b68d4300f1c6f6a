"""Forged model files: every number of a claim, and its shape."""
import json
import re

from honest_models import HONEST, Models, restated
from model_file import ModelFile
from support import main


class Honest(Models):
    def test_models_as_they_were_trained(self):
        for name, (data, _) in HONEST.items():
            with self.subTest(name):
                self.accepted(*self.verify(self.honest(name).bytes(), data))

    def test_a_file_put_together_again_is_the_file(self):
        for name in HONEST:
            model = self.honest(name)
            self.assertEqual(ModelFile(model.bytes()).tensors, model.tensors)


class Claims(Models):
    """The certificate itself."""

    def test_better_than_true(self):
        for name in HONEST:
            gaps = self.honest(name).certificate
            p, d = gaps[0]["primal"], gaps[0]["dual"]
            for primal, dual in ((0.99 * p, d), (p, p), (p, d + 1e-6 * abs(p)), (p * (1 - 1e-10), d), (d, d), (-p, -p),
                                 (p, p + 1), (p, 7149.0), (0.0, 0.0), (1e300, 1e299)):
                with self.subTest(name, primal=primal, dual=dual):
                    digits = (1e-8 if "hard margin" in name else 1e-11) * abs(p)
                    if p - digits < primal <= p and dual < d + digits:
                        continue  # the same to the digits that a claim has; margins leave some of theirs
                    model = self.honest(name)
                    model.certificate = [restated(gaps[0], primal, dual)] + gaps[1:]
                    self.no("claims better than true", name, model, codes=(1,))

    def test_derived_numbers(self):
        for name in ("hinge", "softmax", "rbf", "nu", "hard margin"):
            for key, value in (("gap", 0.0), ("gap", -1), ("relative_gap", 0.0), ("relative_gap", 1e-16)):
                model = self.honest(name)
                claim = model.certificate
                claim[-1][key] = value
                model.certificate = claim
                self.no("gap that does not follow", name, model, codes=(3,))

    def test_wrong_types_and_numbers(self):
        for name in ("hinge", "logistic", "softmax", "pairs", "hard margin rbf"):
            text = json.dumps(self.honest(name).certificate)
            primal = re.search(r'"primal": ([^,]+)', text).group(1)
            for value in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", '"1"', "true", "null", "[1]", "{}", "01", "1e",
                          '""', "0x10", "1.0.0"):
                with self.subTest(name, value=value):
                    model = self.honest(name)
                    model.certificate = text.replace(primal, value, 1)
                    self.no("claims that are no numbers", name, model, codes=(3,))

    def test_schema(self):
        for name in ("hinge", "one against the rest", "softmax", "rbf", "nu", "hard margin"):
            gaps = self.honest(name).certificate
            without = [dict(gaps[0])] + gaps[1:]
            del without[0]["dual"]
            for claim in ([], gaps + gaps[:1], gaps[1:] + [None], gaps[0], {"0": gaps[0]}, [gaps], [[]], without, 7, "x",
                          [{**gaps[0], "exact": True}] + gaps[1:], [{**gaps[0], "kind": "separator"}] + gaps[1:],
                          [{"kind": "separator", "margin": 1e9}] * len(gaps),
                          [{"kind": "mistake-bound", "mistakes": 0, "radius": 1, "margin_lower": 1, "margin_upper": 2,
                            "offset": "none"}] * len(gaps),
                          [{**gaps[0], "kind": "optimal"}] + gaps[1:], [None] * len(gaps)):
                with self.subTest(name, claim=claim):
                    model = self.honest(name)
                    model.certificate = claim if not isinstance(claim, str) else json.dumps(claim)
                    self.no("certificates of another shape", name, model, codes=(3,))
            model = self.honest(name)
            model.certificate = json.dumps(gaps).replace('"primal"', '"primal":0,"primal"', 1)
            self.no("a key twice", name, model, codes=(3,))
            model.certificate = "[" * 100000
            self.no("certificates of another shape", name, model, codes=(3,))
            if "rbf" not in name and "nu" != name:
                del model.tensors["certificate"]
                self.no("no certificate", name, model, codes=(1, 2, 3))

    def test_order(self):
        for name in ("one against the rest", "logistic one against the rest", "pairs", "kernel against the rest", "nu pairs"):
            model = self.honest(name)
            gaps = model.certificate
            model.certificate = gaps[1:] + gaps[:1]
            self.no("certificates in another order", name, model, codes=(1,))


if __name__ == "__main__":
    main()
