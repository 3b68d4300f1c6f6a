"""Forged certificates of online learners: mistakes, radii, margins, votes and planes that do not separate."""
import random
import shutil

from support import PROGRAM, SOURCE, main, run
from trained_models import TrainedModels

SETOSA = ("iris.csv", "--positive", "setosa")
VIRGINICA = ("iris.csv", "--positive", "virginica")


class OnlineTest(TrainedModels):
    train_options = ("--threads", "1")

    def setUp(self):
        super().setUp()
        for name in ("iris.csv", "breast_cancer.csv"):
            shutil.copy(SOURCE / "data" / name, self.folder / name)
        draw = random.Random(3)
        self.write("rows.svm", "".join(
            f"{'+1' if i % 2 else '-1'} 1:{draw.randint(1, 9) + 10 * (i % 2)} 2:{draw.randint(1, 9)}\n" for i in range(40)))

    def test_honest_certificates_are_accepted(self):
        for data in (SETOSA, VIRGINICA, ("iris.csv",), ("breast_cancer.csv", "--scale", "standard"),
                     ("breast_cancer.csv", "--scale", "minmax"), ("rows.svm", "--scale", "unit"), ("rows.svm",)):
            for words in [("perceptron",), ("perceptron", "--passes", "until-clean", "--max-passes", "30"),
                          ("perceptron", "--offset", "none", "--order", "shuffled"),
                          ("perceptron", "--online-to-batch", "average"), ("averaged-perceptron",), ("voted-perceptron",),
                          ("voted-perceptron", "--last-half"), ("perceptron", "--kernel", "rbf:0.5"),
                          ("voted-perceptron", "--kernel", "poly:2,1,1"), ("averaged-perceptron", "--kernel", "rbf")]:
                made = run((PROGRAM, "train", *data, "--algorithm", *words, "-o", "honest.model", "--quiet"), self.folder)
                self.assertIn(made.code, (0, 4), str(made))
                self.accepted(PROGRAM, "verify", "honest.model", data[0])
        for words in [SETOSA, (*SETOSA, "--scale", "standard"), (*SETOSA, "--scale", "unit"), (*SETOSA, "--scale", "minmax")]:
            self.done(PROGRAM, "train", *words, "--algorithm", "passive-aggressive", "--variant", "pa", "--passes", "until-clean",
                      "-o", "honest.model", "--quiet")
            self.accepted(PROGRAM, "verify", "honest.model", words[0])

    # ---- bounds

    def claims(self, words, lower):
        """Numbers of the certificate that are not those of the rows."""
        def change(**values):
            def edit(model):
                certificate = model.certificate
                certificate[0].update(values)
                model.certificate = certificate
            return edit

        def times(key, factor):
            def edit(model):
                certificate = model.certificate
                certificate[0][key] *= factor
                model.certificate = certificate
            return edit
        self.forged("bound: radius smaller", words, times("radius", 0.5))
        self.forged("bound: radius a little smaller", words, times("radius", 1 - 1e-6))
        self.forged("bound: radius larger", words, times("radius", 2))
        self.forged("bound: radius null", words, change(radius=None))
        self.forged("bound: upper margin smaller", words, times("margin_upper", 0.5))
        self.forged("bound: upper margin a little smaller", words, times("margin_upper", 1 - 1e-6))
        self.forged("bound: upper margin zero", words, change(margin_upper=0))
        self.forged("bound: upper margin null", words, change(margin_upper=None))
        self.forged("bound: upper margin not a number", words, change(margin_upper="nan"))
        self.forged("bound: lower margin negative", words, change(margin_lower=-1))
        self.forged("bound: lower margin null", words, change(margin_lower=None))
        self.forged("bound: lower margin claimed", words, change(margin_lower=0.7))
        self.forged("bound: lower margin tiny", words, change(margin_lower=1e-300))
        if lower:
            self.forged("bound: lower margin larger", words, times("margin_lower", 1.5))
            self.forged("bound: lower margin a little larger", words, times("margin_lower", 1 + 1e-6))
        self.forged("bound: fewer mistakes", words, change(mistakes=1))
        self.forged("bound: no mistakes", words, change(mistakes=0, margin_upper=None))
        self.forged("bound: mistakes not whole", words, change(mistakes=2.5))
        self.forged("bound: the other offset", words, change(offset="none"))
        self.forged("bound: an offset that is none", words, change(offset="free"))
        self.forged("bound: another kind", words, change(kind="separator"))
        self.forged("bound: a key that nobody knows", words, change(proved=True))

        def counts(edit):
            def change(model):
                rows, alpha = model.numbers("dual.rows"), model.numbers("dual.alpha")
                edit(rows, alpha)
                model.put("dual.rows", rows)
                model.put("dual.alpha", alpha)
            return change

        def first(value):
            return lambda rows, alpha: alpha.__setitem__(0, value)
        self.forged("counts: one more", words, counts(lambda rows, alpha: alpha.__setitem__(0, alpha[0] + 1)))
        self.forged("counts: a fraction", words, counts(first(0.5)))
        self.forged("counts: negative", words, counts(first(-1.0)))
        self.forged("counts: not a number", words, counts(first(float("nan"))))
        self.forged("counts: huge", words, counts(first(1e300)))
        self.forged("counts: another row", words, counts(lambda rows, alpha: rows.__setitem__(-1, rows[-1] + 1)))
        self.forged("counts: a row that is not there", words, counts(lambda rows, alpha: rows.__setitem__(-1, 100000)))

        def none(model):
            for name in ("dual.start", "dual.rows", "dual.alpha"):
                model.tensors.pop(name)
        self.forged("counts: none", words, none)
        self.forged("options: another offset", words, lambda model: model.option("offset", "none"))
        self.forged("options: a free offset", words, lambda model: model.option("offset", "free"))
        self.forged("options: an offset twice", words, lambda model: model.fields["options"].append(["offset", "lifted"]))
        self.forged("options: a budget", words, lambda model: model.option("budget", "10"))

        def two(model):
            model.certificate = model.certificate * 2
        self.forged("bound: claimed twice", words, two)
        self.forged("bound: for other rows", words, lambda model: None, "breast_cancer.csv")

    def test_bounds_of_perceptrons(self):
        self.claims((*SETOSA, "--algorithm", "perceptron", "--passes", "until-clean"), True)
        self.claims((*VIRGINICA, "--algorithm", "averaged-perceptron", "--scale", "standard"), False)
        self.claims((*SETOSA, "--algorithm", "voted-perceptron"), True)

    def test_bounds_in_the_space_of_a_kernel(self):
        words = (*SETOSA, "--algorithm", "perceptron", "--kernel", "rbf:0.5")
        self.claims(words, True)
        self.forged("kernel: another one", words, lambda model: model.fields.update(kernel="rbf:0.25"))
        self.forged("kernel: another one in the options", words, lambda model: model.option("kernel", "rbf:0.25"))
        self.forged("kernel: not semidefinite", words, lambda model: [model.fields.update(kernel="sigmoid:-0.5,0"),
                                                                      model.option("kernel", "sigmoid:-0.5,0")])
        self.forged("kernel: a coefficient", words,
                    lambda model: model.put("functions.coefficient", [2 * c for c in model.numbers("functions.coefficient")]))
        self.forged("kernel: the offset", words, lambda model: model.put("offsets", [7]))
        self.forged("kernel: a vector moved", words,
                    lambda model: model.put("vectors.value", [model.numbers("vectors.value")[0] + 1] + model.numbers("vectors.value")[1:]))

    def test_the_plane_of_a_clean_walk_separates(self):
        for scale in ("none", "standard"):
            words = (*SETOSA, "--algorithm", "perceptron", "--passes", "until-clean", "--scale", scale)
            self.forged("plane: another one", words, lambda model: model.put("weights", [1, 1, 1, 1]))
            self.forged("plane: mirrored", words, lambda model: model.put("weights", [-w for w in model.numbers("weights")]))
            self.forged("plane: zero", words, lambda model: model.put("weights", [0, 0, 0, 0]))
            self.forged("plane: moved", words, lambda model: model.put("offsets", [1000]))
            words = (*VIRGINICA, "--algorithm", "perceptron", "--scale", scale)
            self.forged("plane: not the sum", words, lambda model: model.put("weights", [1, 1, 1, 1]))
            self.forged("plane: not quite the sum", words,
                        lambda model: model.put("weights", [1.0001 * w for w in model.numbers("weights")]))
            self.forged("plane: not the offset of the sum", words, lambda model: model.put("offsets", [1000]))

    def test_votes_are_made_of_the_mistakes(self):
        words = (*SETOSA, "--algorithm", "voted-perceptron")

        def edit(name, change):
            return lambda model: model.put(name, change(model.numbers(name)))
        self.forged("votes: a row moved", words, edit("rows.value", lambda v: [v[0] + 1] + v[1:]))
        self.forged("votes: a row scaled", words, edit("rows.value", lambda v: [2 * x for x in v]))
        self.forged("votes: a sign", words, edit("mistakes.positive", lambda p: [1 - p[0]] + p[1:]))
        self.forged("votes: all signs", words, edit("mistakes.positive", lambda p: [1 - x for x in p]))
        self.forged("votes: another row", words, edit("mistakes.row", lambda r: r[:-1] + [r[0] if r[-1] != r[0] else r[1]]))
        self.forged("votes: a constant", words, edit("rows.constant", lambda c: [c[0] + 1] + c[1:]))
        self.forged("votes: without constants", words, edit("rows.constant", lambda c: [0] * len(c)))

    def test_separators(self):
        words = (*SETOSA, "--algorithm", "passive-aggressive", "--variant", "pa", "--passes", "until-clean")

        def margin(value):
            def edit(model):
                model.certificate = [{"kind": "separator", "margin": value(model.certificate[0]["margin"])}]
            return edit
        self.forged("separator: margin larger", words, margin(lambda m: 2 * m))
        self.forged("separator: margin a little larger", words, margin(lambda m: m * (1 + 1e-6)))
        self.forged("separator: margin null", words, margin(lambda m: None))
        self.forged("separator: margin negative", words, margin(lambda m: -m))
        self.forged("separator: plane mirrored", words, lambda model: model.put("weights", [-w for w in model.numbers("weights")]))
        self.forged("separator: plane shorter", words, lambda model: model.put("offsets", [0]))
        self.forged("separator: weights beyond numbers", words, lambda model: model.put("weights", [1e308] * 4))
        self.forged("separator: no offset in the options", words, lambda model: model.option("offset", "none"))
        self.forged("separator: of a mean", words, lambda model: model.option("average", "yes"))
        self.forged("separator: rows that it does not separate", words, lambda model: [model.fact("positive", "virginica"),
                                                                                    model.fields.update(classes=["rest", "virginica"])])

    def test_models_without_a_certificate_say_so(self):
        for words in [("--algorithm", "pegasos"), ("--algorithm", "sgd"), ("--algorithm", "majority"),
                      ("--algorithm", "perceptron", "--kernel", "rbf", "--budget", "5"), ("--algorithm", "passive-aggressive")]:
            self.done(PROGRAM, "train", *VIRGINICA, *words, "-o", "bare.model", "--quiet")
            outcome = self.refused("no certificate", PROGRAM, "verify", "bare.model", "iris.csv", codes=(2,), always=True)
            self.assertIn("svm, nu-svm, logistic, hard-margin", outcome.err)
        self.done(PROGRAM, "train", "rows.svm", "--stream", "--algorithm", "perceptron", "-o", "bare.model", "--quiet")
        self.refused("no certificate", PROGRAM, "verify", "bare.model", "rows.svm", codes=(2,))

        def give(model):
            model.certificate = [{"kind": "separator", "margin": 1.0}]
        self.forged("a certificate for who has none", (*VIRGINICA, "--algorithm", "sgd"), give, codes=(1, 2, 3))


if __name__ == "__main__":
    main()
