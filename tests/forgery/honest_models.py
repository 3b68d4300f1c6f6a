"""Small honest models of every certified kind, from which forged files are made."""
import random
import re

from model_file import ModelFile
from support import PROGRAM, ForgeryTest, run

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
    "smoothed hinge": ("two.txt", "--algorithm svm --loss smooth-hinge"),
    "smoothed hinge by dual": ("two.txt", "--algorithm svm --loss smooth-hinge --solver dual-descent --offset lifted"),
    "class weights": ("two.txt", "--algorithm svm --class-weight 1:2,-1:0.5"),
    "balanced": ("two.txt", "--algorithm logistic --class-weight balanced"),
    "row weights": ("weighted.csv", "--algorithm svm --label label --weight w"),
    "one against the rest": ("three.txt", "--algorithm svm"),
    "logistic": ("two.txt", "--algorithm logistic"),
    "logistic none": ("two.txt", "--algorithm logistic --offset none --C 10"),
    "logistic one against the rest": ("three.txt", "--algorithm logistic --multiclass one-vs-rest"),
    "l1": ("two.txt", "--algorithm logistic --penalty l1"),
    "l1 lifted": ("two.txt", "--algorithm svm --loss squared-hinge --penalty l1 --offset lifted --C 0.3"),
    "l1 debiased": ("two.txt", "--algorithm logistic --penalty l1 --C 0.15 --debias"),
    "elastic net": ("two.txt", "--algorithm svm --loss smooth-hinge --penalty elastic-net --l1-ratio 0.7"),
    "softmax l1": ("three.txt", "--algorithm logistic --penalty l1 --C 0.5"),
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
