"""Forged model files: every number of a claim, every option and fact around it, every tensor under it."""
import json
import math
import random
import re
import unittest

from model_file import ModelFile
from support import PROGRAM, ForgeryTest, main, run

ROWS = 48


def two_classes(rows=ROWS, seed=5):
    """Two clouds that overlap a little, as libsvm text."""
    draw = random.Random(seed)
    lines = []
    for i in range(rows):
        y = 1 if i % 2 else -1
        x = [round(0.8 * y + draw.gauss(0, 1), 3), round(draw.gauss(0, 1), 3), round(-0.4 * y + draw.gauss(0, 1), 3)]
        lines.append(f"{y:+d} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)))
    return "\n".join(lines) + "\n"


def three_classes(rows=ROWS):
    draw = random.Random(9)
    lines = []
    for i in range(rows):
        k = i % 3 + 1
        x = [round((2 if j + 1 == k else 0) + draw.gauss(0, 0.8), 3) for j in range(3)]
        lines.append(f"{k} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)))
    return "\n".join(lines) + "\n"


def weighted_table(rows=ROWS):
    draw = random.Random(3)
    lines = ["a,b,w,label"]
    for i in range(rows):
        y = "yes" if i % 2 else "no"
        shift = 0.7 if i % 2 else -0.7
        lines.append(f"{draw.gauss(shift, 1):.3f},{draw.gauss(0, 1):.3f},{i % 4},{y}")
    return "\n".join(lines) + "\n"


APART = "".join(f"{y:+d} 1:{y * (2 + 0.25 * (i % 5))} 2:{0.5 * (i % 7) - 1}\n" for i in range(20) for y in (1, -1))

DATA = {"two.txt": two_classes(), "three.txt": three_classes(), "weighted.csv": weighted_table(), "apart.txt": APART}

# name -> (data, options of train)
HONEST = {
    "hinge": ("two.txt", "--algorithm svm"),
    "hinge lifted": ("two.txt", "--algorithm svm --offset lifted --C 0.5"),
    "hinge none": ("two.txt", "--algorithm svm --offset none"),
    "squared hinge": ("two.txt", "--algorithm svm --loss squared-hinge"),
    "squared hinge by dual": ("two.txt", "--algorithm svm --loss squared-hinge --solver dual-descent --offset lifted"),
    "class weights": ("two.txt", "--algorithm svm --class-weight 1:2,-1:0.5"),
    "balanced": ("two.txt", "--algorithm logistic --class-weight balanced"),
    "row weights": ("weighted.csv", "--algorithm svm --label label --weight w"),
    "one against the rest": ("three.txt", "--algorithm svm"),
    "logistic": ("two.txt", "--algorithm logistic"),
    "logistic none": ("two.txt", "--algorithm logistic --offset none --C 10"),
    "logistic one against the rest": ("three.txt", "--algorithm logistic --multiclass one-vs-rest"),
    "softmax": ("three.txt", "--algorithm logistic"),
    "softmax lifted": ("three.txt", "--algorithm logistic --offset lifted"),
    "rbf": ("two.txt", "--algorithm svm --kernel rbf:0.5"),
    "poly": ("two.txt", "--algorithm svm --kernel poly:2,0.5,1"),
    "pairs": ("three.txt", "--algorithm svm --kernel rbf:0.5"),
    "kernel against the rest": ("three.txt", "--algorithm svm --kernel rbf:0.5 --multiclass one-vs-rest"),
    "nu": ("two.txt", "--algorithm nu-svm --nu 0.4 --kernel rbf:0.5"),
    "nu pairs": ("three.txt", "--algorithm nu-svm --nu 0.3 --kernel rbf:0.5"),
    "hard margin": ("apart.txt", "--algorithm hard-margin"),
    "hard margin none": ("apart.txt", "--algorithm hard-margin --offset none"),
    "hard margin rbf": ("apart.txt", "--algorithm hard-margin --kernel rbf:0.3"),
}


def kind_of(name):
    return "kernel" if name in ("rbf", "poly", "pairs", "kernel against the rest", "nu", "nu pairs",
                                "hard margin rbf") else "planes"


def restated(gap, primal=None, dual=None):
    """A certificate whose derived numbers fit."""
    primal = gap["primal"] if primal is None else primal
    dual = gap["dual"] if dual is None else dual
    return {"kind": "duality-gap", "primal": primal, "dual": dual, "gap": primal - dual,
            "relative_gap": (primal - dual) / max(1.0, abs(primal))}


class Models(ForgeryTest):
    models = {}

    def setUp(self):
        super().setUp()
        for name, text in DATA.items():
            self.write(name, text)

    def honest(self, name):
        """The model of that name, trained once."""
        if name not in Models.models:
            data, options = HONEST[name]
            self.done(PROGRAM, "train", data, "-o", "honest.model", "--quiet", *options.split())
            Models.models[name] = (self.folder / "honest.model").read_bytes()
        return ModelFile(Models.models[name])

    def verify(self, content, data):
        self.write("forged.model", content)
        return (PROGRAM, "verify", "forged.model", data)

    def no(self, kind, name, model, codes=(1, 3), data=None, **more):
        content = model if isinstance(model, bytes) else model.bytes()
        return self.refused(kind, *self.verify(content, data or HONEST[name][0]), codes=codes, **more)

    def fingerprint_of(self, data, model):
        """What the program says of a file that is not the model's."""
        other = model.copy()
        other.fact("data", "0" * 32)
        outcome = run(self.verify(other.bytes(), data), self.folder)
        return re.search(r"fingerprint ([0-9a-f]{32})", outcome.out).group(1)


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


class Surroundings(Models):
    """Options and facts: what the claim is about."""

    def test_options(self):
        changes = {
            "hinge": [("C", "2"), ("C", "0.5"), ("C", "1e-300"), ("C", "1e999"), ("C", "nan"), ("C", "inf"), ("C", "-1"),
                      ("C", "0"), ("C", ""), ("C", "1 "), ("C", "one"), ("C", "0x1"), ("loss", "squared-hinge"),
                      ("loss", "zero-one"), ("loss", "Hinge"), ("offset", "none"), ("offset", "lifted"), ("offset", "no"),
                      ("class-weight", "1:3"), ("class-weight", "7:1"), ("class-weight", "1:nan"), ("class-weight", "balanced,"),
                      ("class-weight", "1:1,1:2"), ("kernel", "rbf:0.5"), ("kernel", "magic"), ("multiclass", "softmax"),
                      ("multiclass", "many"), ("gap", "-1"), ("gap", "small"), ("no-certificate", "perhaps"), ("cache", "1e9")],
            "class weights": [("class-weight", "1:2,-1:0.6"), ("class-weight", ""), ("class-weight", "1:1e300,-1:1e300"),
                              ("class-weight", "1:1e-300,-1:1e-300")],
            "logistic": [("C", "3"), ("offset", "none"), ("penalty", "l1"), ("penalty", "none"), ("multiclass", "all")],
            "softmax": [("C", "3"), ("offset", "lifted"), ("multiclass", "one-vs-rest"), ("class-weight", "1:2")],
            "logistic one against the rest": [("multiclass", "softmax"), ("C", "0.1")],
            "rbf": [("C", "2"), ("C", "0.5"), ("kernel", "rbf:0.6"), ("kernel", "rbf"), ("kernel", "linear"),
                    ("kernel", "sigmoid:0.5,0"), ("loss", "squared-hinge"), ("offset", "none"), ("offset", "lifted"),
                    ("class-weight", "balanced:1")],
            "pairs": [("multiclass", "one-vs-rest"), ("C", "2")],
            "kernel against the rest": [("multiclass", "auto"), ("multiclass", "one-vs-one")],
            "nu": [("nu", "0.5"), ("nu", "0.1"), ("nu", "0"), ("nu", "2"), ("nu", "nan"), ("kernel", "rbf:0.25")],
            "hard margin": [("offset", "sideways"), ("kernel", "rbf:1"), ("gap", "2")],
            "hard margin rbf": [("kernel", "rbf:0.4"), ("offset", "none")],
        }
        for name, pairs in changes.items():
            for key, value in pairs:
                with self.subTest(name, key=key, value=value):
                    model = self.honest(name)
                    model.option(key, value)
                    # A fit without a penalty carries nothing to verify: wrong usage.
                    self.no("options changed", name, model, codes=(2,) if value == "none" and key == "penalty" else (1, 3))

    def test_keys_of_options_and_facts(self):
        for name in ("hinge", "logistic", "nu", "hard margin"):
            for kind in ("options", "facts"):
                honest = self.honest(name)
                for k, (key, value) in enumerate(honest.fields[kind]):
                    with self.subTest(name, key=key):
                        twice = honest.copy()
                        twice.fields[kind].append([key, value])
                        self.no("an option or fact twice", name, twice, codes=(3,))
                        first = honest.copy()
                        first.fields[kind].insert(0, [key, "5"])
                        self.no("an option or fact twice", name, first, codes=(3,))
                        gone = honest.copy()
                        del gone.fields[kind][k]
                        self.no("an option or fact left out", name, gone, codes=(3,))
                more = honest.copy()
                more.fields[kind].append(["proved", "by authority"])
                self.no("an unknown option or fact", name, more, codes=(3,))
                other = honest.copy()
                other.fields[kind][0] = ["lambda", "1"]
                self.no("an unknown option or fact", name, other, codes=(3,))

    def test_facts(self):
        for name in ("hinge", "softmax", "rbf", "nu", "hard margin", "row weights"):
            for key, value in (("rows", "49"), ("rows", "0"), ("rows", "-48"), ("rows", "4e1"), ("rows", "many"),
                               ("features", "4"), ("features", "1e9"), ("data", "0" * 32), ("data", "")):
                model = self.honest(name)
                model.fact(key, value)
                self.no("facts changed", name, model)
        model = self.honest("nu")
        for value in ("1", "1e-3", "0", "nan", "inf", "1,1", "", ",", "1e301"):
            model.fact("C", value)
            self.no("facts changed", "nu", model)
        for key, value in (("positive", "-1"), ("positive", "7"), ("zero_based", "true"), ("zero_based", "yes"),
                           ("scale", "standard"), ("scale", "unit"), ("scale", "robust"), ("map", "nystrom:5 for rbf:1")):
            model = self.honest("hinge")
            model.fields["facts"].append([key, value])
            self.no("facts added", "hinge", model)

    def test_fields(self):
        for name in ("hinge", "softmax", "rbf", "hard margin"):
            for key, value in (("algorithm", "perceptron"), ("algorithm", "nu-svm"), ("algorithm", "hard-margin"),
                               ("algorithm", "logistic"), ("algorithm", ""), ("algorithm", "SVM"), ("unit_rows", True),
                               ("features", 4), ("features", 2), ("classes", ["a", "b"]), ("classes", ["-1", "-1"]),
                               ("version", "1"), ("form", "lookup"), ("pairs", True), ("kernel", "sigmoid:-0.5,0"),
                               ("kernel", "poly:1,-0.1,0"), ("scaling", "standard"), ("tie", "heads")):
                model = self.honest(name)
                if model.fields.get(key) == value:
                    continue
                model.fields[key] = value
                if key == "algorithm" and name == "hard margin" and value == "hard-margin":
                    continue
                # What carries nothing to verify is wrong usage; it is not believed either.
                self.no("fields changed", name, model, codes=(1, 2, 3))
        for name in ("hinge", "rbf", "one against the rest", "pairs"):
            model = self.honest(name)
            model.fields["classes"].reverse()
            self.no("classes in another order", name, model)

    def test_other_data(self):
        for name in ("hinge", "logistic", "rbf", "nu", "squared hinge"):
            for change in range(3):
                lines = DATA["two.txt"].splitlines()
                if change == 0:
                    lines[7] = lines[7].replace("1:", "1:1", 1)
                elif change == 1:
                    lines[3] = ("-" if lines[3][0] == "+" else "+") + lines[3][1:]
                else:
                    lines.reverse()
                self.write("other.txt", "\n".join(lines) + "\n")
                model = self.honest(name)
                self.no("other data", name, model, codes=(1,), data="other.txt")
                model.fact("data", self.fingerprint_of("other.txt", model))
                if change < 2 or model.tensors.get("dual.rows"):
                    self.no("other data, fingerprint repaired", name, model, codes=(1,), data="other.txt")


class Tensors(Models):
    """What the claim is computed from."""

    def test_planes_moved(self):
        for name in HONEST:
            if kind_of(name) != "planes":
                continue
            weights = "weights" if "weights" in self.honest(name).tensors else "weights.value"
            for change in ("weight", "all", "zero", "offset", "huge", "largest"):
                with self.subTest(name, change=change):
                    model = self.honest(name)
                    values = model.numbers(weights)
                    if change == "offset":
                        model.numbers("offsets")[0] += 0.5
                    elif change == "weight":
                        values[-1] += 0.25
                    elif change == "all":
                        values[:] = [1.5 * v if "hard" not in name else -v for v in values]
                    elif change == "zero":
                        values[:] = [0.0] * len(values)
                    else:
                        values[:] = [1e200 if change == "huge" else 1.7e308] * len(values)
                    self.no("planes moved", name, model, codes=(1,))

    def test_numbers_that_are_none(self):
        for name in ("hinge", "softmax", "rbf", "nu", "hard margin"):
            for tensor, (dtype, _, values) in self.honest(name).tensors.items():
                if dtype != "F64" or not values:
                    continue
                for value in (math.nan, math.inf, -math.inf):
                    model = self.honest(name)
                    model.numbers(tensor)[-1] = value
                    self.no("tensors with no numbers", name, model, codes=(3,))

    def test_dual_points(self):
        for name in HONEST:
            honest = self.honest(name)
            if "dual.alpha" not in honest.tensors:
                continue
            hard = "hard" in name
            changes = {
                "doubled": lambda m: m.put("dual.alpha", [2 * a for a in m.numbers("dual.alpha")]),
                "one above its bound": lambda m: m.numbers("dual.alpha").__setitem__(0, 1e6),
                "a row that is not there": lambda m: m.numbers("dual.rows").__setitem__(-1, 10**6),
                "the last row number": lambda m: m.numbers("dual.rows").__setitem__(-1, 2**32 - 1),
                "another row": lambda m: m.put("dual.rows", [r + 1 for r in m.numbers("dual.rows")]),
                "negative": lambda m: m.numbers("dual.alpha").__setitem__(0, -0.5),
                "zero": lambda m: m.numbers("dual.alpha").__setitem__(0, 0.0),
                "rows not ascending": lambda m: m.numbers("dual.rows").__setitem__(1, m.numbers("dual.rows")[0]),
                "one moved": lambda m: m.numbers("dual.alpha").__setitem__(0, 0.9 * m.numbers("dual.alpha")[0]),
                "tiny": lambda m: m.put("dual.alpha", [5e-324] * len(m.numbers("dual.alpha"))),
            }
            for what, change in changes.items():
                with self.subTest(name, what=what):
                    model = self.honest(name)
                    change(model)
                    if hard and what in ("doubled", "tiny") and kind_of(name) == "planes":
                        continue  # weights of a hull count by their shares alone
                    self.no("dual points", name, model)
            for change in ([0], [0, 1], [1, len(honest.numbers("dual.rows"))], [0, 10**6]):
                model = self.honest(name)
                model.put("dual.start", change, dtype="U64")
                if change != model.numbers("dual.start") or honest.numbers("dual.start") != change:
                    self.no("dual points of another length", name, model)

    def test_a_dual_point_where_none_belongs(self):
        for name in ("softmax", "logistic"):
            model = self.honest(name)
            planes = model.fields["planes"]
            model.put("dual.start", [0] + [1] * planes, dtype="U64")
            model.put("dual.alpha", [0.5], dtype="F64")
            model.put("dual.rows", [0], dtype="U32")
            self.no("a dual point that does not belong", name, model)

    def test_swapped_tensors(self):
        for name in HONEST:
            honest = self.honest(name)
            names = list(honest.tensors)
            for i, a in enumerate(names):
                for b in names[:i]:
                    if honest.tensors[a][0] != honest.tensors[b][0] or honest.tensors[a][2] == honest.tensors[b][2]:
                        continue
                    model = honest.copy()
                    model.tensors[a], model.tensors[b] = model.tensors[b], model.tensors[a]
                    self.no("swapped tensors", name, model)

    def test_functions(self):
        for name in HONEST:
            if kind_of(name) != "kernel":
                continue
            for tensor in ("functions.coefficient", "vectors.value", "offsets"):
                for factor, shift in ((1.01, 0), (-1, 0), (1, 0.5), (0, 0)):
                    model = self.honest(name)
                    values = model.numbers(tensor)
                    values[0] = values[0] * factor + shift
                    if abs(values[0] - self.honest(name).numbers(tensor)[0]) < 1e-6:
                        continue  # an offset of nothing
                    with self.subTest(name, tensor=tensor, factor=factor, shift=shift):
                        self.no("functions changed", name, model)

    def test_indefinite_kernels(self):
        for name in ("rbf", "poly", "nu", "pairs", "hard margin rbf"):
            for kernel in ("sigmoid:-0.5,0", "sigmoid:0.5,0", "sigmoid:1,1", "poly:1,-0.1,0", "poly:2,1,-1", "poly:3,-1,1",
                           "poly:2,-0,0", "precomputed"):
                model = self.honest(name)
                model.fields["kernel"] = kernel
                model.option("kernel", kernel)
                model.certificate = [restated(gap, 270.0, 7149.0) for gap in model.certificate]
                self.no("kernels that are no products", name, model)
                model.certificate = self.honest(name).certificate
                self.no("kernels that are no products", name, model)

    def test_a_made_up_point_of_an_indefinite_kernel(self):
        """Weak duality is false there: the zero function has 40, the point "proves" more."""
        self.done(PROGRAM, "train", "two.txt", "-o", "m", "--quiet", "--algorithm", "svm", "--kernel", "sigmoid:-0.5,0", code=0)
        model = ModelFile((self.folder / "m").read_bytes())
        self.assertNotIn("certificate", model.tensors)
        self.assertNotIn("dual.alpha", model.tensors)
        rows = len(model.numbers("functions.coefficient"))
        model.certificate = [restated({}, 7149.0, 7149.0)]
        model.put("dual.start", [0, rows], dtype="U64")
        model.put("dual.alpha", [abs(c) for c in model.numbers("functions.coefficient")], dtype="F64")
        model.put("dual.rows", list(range(rows)), dtype="U32")
        self.no("kernels that are no products", "rbf", model)

    def test_matrices_that_are_no_products(self):
        for n, values in ((4, lambda i, j: 1.0 if i != j else 0.5), (6, lambda i, j: -1.0 if i != j else 1.0)):
            lines = [f"{1 if i % 2 else -1} " + " ".join(f"{j + 1}:{values(i, j)}" for j in range(n)) for i in range(n)]
            self.write("matrix.txt", "\n".join(lines) + "\n")
            self.done(PROGRAM, "train", "matrix.txt", "-o", "m", "--quiet", "--algorithm", "svm", "--kernel", "precomputed")
            model = ModelFile((self.folder / "m").read_bytes())
            rows = len(model.numbers("functions.coefficient"))
            model.certificate = [restated({}, 1e3, 1e3)]
            model.put("dual.start", [0, rows], dtype="U64")
            model.put("dual.alpha", [abs(c) for c in model.numbers("functions.coefficient")], dtype="F64")
            model.put("dual.rows", list(range(rows)), dtype="U32")
            self.no("kernels that are no products", "rbf", model, data="matrix.txt")

    def test_a_matrix_that_is_a_product(self):
        n = 6
        lines = [f"{1 if i % 2 else -1} " + " ".join(f"{j + 1}:{2.0 ** -abs(i - j)}" for j in range(n)) for i in range(n)]
        self.write("matrix.txt", "\n".join(lines) + "\n")
        for options in ("--algorithm svm", "--algorithm hard-margin", "--algorithm nu-svm --nu 0.5"):
            self.done(PROGRAM, "train", "matrix.txt", "-o", "m", "--quiet", *options.split(), "--kernel", "precomputed")
            self.accepted(PROGRAM, "verify", "m", "matrix.txt")

    def test_values_at_the_end_of_the_range(self):
        """Sums of these are no numbers, which must not count as no loss."""
        for value in ("1e308", "1.7e308", "1e200", "1e155", "-1e308"):
            lines = [f"{1 if i % 2 else -1:+d} 1:{value} 2:-{value.lstrip('-')} 3:{i}" for i in range(ROWS)]
            self.write("huge.txt", "\n".join(lines) + "\n")
            for name in ("hinge", "squared hinge", "logistic", "hinge none", "rbf", "poly"):
                model = self.honest(name)
                if kind_of(name) == "planes":
                    for tensor in ("weights", "weights.value"):
                        if tensor in model.tensors:
                            model.put(tensor, [1e10] * len(model.numbers(tensor)))
                    if "hinge none" != name:
                        model.numbers("offsets")[0] = 0.5
                model.fact("data", self.fingerprint_of("huge.txt", model))
                for primal, dual in ((0.0, 0.0), (1.0, 1.0), (1e300, 1e300), (1e300, -1e300)):
                    model.certificate = [restated({}, primal, dual)]
                    with self.subTest(name, value=value, primal=primal):
                        self.no("values at the end of the range", name, model, data="huge.txt")


class Sizes(Models):
    """Declared counts that would cost more than the file has."""

    def test_counts(self):
        for name in ("hinge", "softmax", "rbf", "pairs", "hard margin"):
            for key, value in (("features", 2**32), ("features", 2**31), ("features", 2**27), ("planes", 10**6),
                               ("classes", [f"{k}" for k in range(20000)]), ("features", -1), ("features", 1e30)):
                model = self.honest(name)
                model.fields[key] = value
                self.no("counts beyond the file", name, model)
        for name in ("hinge", "rbf"):
            model = self.honest(name)
            model.fields["facts"] += [[f"k{k}", ""] for k in range(50000)]
            self.no("many facts", name, model, codes=(3,))
            model = self.honest(name)
            model.certificate = [restated({}, 1.0, 1.0)] * 20000
            self.no("many certificates", name, model, codes=(3,))
            model.certificate = "[" + "null," * 300000 + "null]"
            self.no("many certificates", name, model, codes=(3,))

    def test_texts_of_others(self):
        self.write("m", "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n0.5\n-0.25\n0.125\n")
        self.refused("models of others", PROGRAM, "verify", "m", "two.txt", codes=(1, 2, 3))
        self.write("m", "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\n"
                        "SV\n1 1:0.5 \n-1 2:1 \n")
        self.refused("models of others", PROGRAM, "verify", "m", "two.txt", codes=(1, 2, 3))


if __name__ == "__main__":
    main()
