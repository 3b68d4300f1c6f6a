"""Forged model files: every option and fact around a claim, and counts beyond the file."""
from honest_models import DATA, HONEST, Models, restated
from support import PROGRAM, main


class Surroundings(Models):
    """Options and facts: what the claim is about."""

    def test_options(self):
        changes = {
            "hinge": [("C", "2"), ("C", "0.5"), ("C", "1e-300"), ("C", "1e999"), ("C", "nan"), ("C", "inf"), ("C", "-1"),
                      ("C", "0"), ("C", ""), ("C", "1 "), ("C", "one"), ("C", "0x1"), ("loss", "squared-hinge"),
                      ("loss", "smooth-hinge"), ("loss", "logistic"), ("loss", "perceptron"), ("loss", "zero-one"), ("loss", "Hinge"), ("offset", "none"), ("offset", "lifted"), ("offset", "no"),
                      ("class-weight", "1:3"), ("class-weight", "7:1"), ("class-weight", "1:nan"), ("class-weight", "balanced,"),
                      ("class-weight", "1:1,1:2"), ("kernel", "rbf:0.5"), ("kernel", "magic"), ("multiclass", "softmax"),
                      ("multiclass", "many"), ("gap", "-1"), ("gap", "small"), ("no-certificate", "perhaps"), ("cache", "1e9")],
            "smoothed hinge": [("loss", "hinge"), ("loss", "squared-hinge"), ("C", "2"), ("offset", "none"), ("kernel", "rbf:0.5")],
            "class weights": [("class-weight", "1:2,-1:0.6"), ("class-weight", ""), ("class-weight", "1:1e300,-1:1e300"),
                              ("class-weight", "1:1e-300,-1:1e-300")],
            "logistic": [("C", "3"), ("offset", "none"), ("penalty", "l1"), ("penalty", "none"), ("multiclass", "all")],
            "l1": [("penalty", "l2"), ("penalty", "elastic-net"), ("penalty", "L1"), ("l1-ratio", "2"), ("l1-ratio", "nan"),
                   ("debias", "true"), ("debias", "yes"), ("C", "0.5"), ("C", "2"), ("offset", "lifted")],
            "l1 lifted": [("offset", "free"), ("loss", "smooth-hinge"), ("loss", "hinge"), ("penalty", "none"), ("penalty", "elastic-net")],
            "l1 debiased": [("debias", "false"), ("penalty", "l2"), ("C", "0.3")],
            "elastic net": [("l1-ratio", "0.8"), ("l1-ratio", "1"), ("l1-ratio", "0"), ("penalty", "l1"), ("loss", "squared-hinge")],
            "softmax l1": [("penalty", "elastic-net"), ("penalty", "l2"), ("debias", "true"), ("C", "1"), ("offset", "none")],
            "softmax": [("C", "3"), ("penalty", "l1"), ("offset", "lifted"), ("multiclass", "one-vs-rest"), ("class-weight", "1:2")],
            "logistic one against the rest": [("multiclass", "softmax"), ("C", "0.1")],
            "rbf": [("penalty", "l1"), ("debias", "true"), ("C", "2"), ("C", "0.5"), ("kernel", "rbf:0.6"), ("kernel", "rbf"), ("kernel", "linear"),
                    ("kernel", "sigmoid:0.5,0"), ("loss", "squared-hinge"), ("loss", "smooth-hinge"), ("offset", "none"), ("offset", "lifted"),
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
                    self.no("options changed", name, model, codes=(2, 3) if value == "none" and key == "penalty" else (1, 3))

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
                        if key in ("l1-ratio", "debias"):  # files of before they existed
                            continue
                        gone = honest.copy()
                        del gone.fields[kind][k]
                        self.no("an option or fact left out", name, gone, codes=(3,))
                more = honest.copy()
                more.fields[kind].append(["proved", "by authority"])
                self.no("an unknown option or fact", name, more, codes=(3,))
                other = honest.copy()
                other.fields[kind][0] = ["lambda", "1"]
                self.no("an unknown option or fact", name, other, codes=(3,))

    def test_files_of_before_an_option_existed(self):
        # Without them the problem is that of the plain penalty; of one that they belong to it is not known.
        for name in ("hinge", "logistic", "l1", "rbf"):
            honest = self.honest(name)
            older = honest.copy()
            older.fields["options"] = [pair for pair in older.fields["options"] if pair[0] not in ("l1-ratio", "debias")]
            self.assertLess(len(older.fields["options"]), len(honest.fields["options"]))
            self.accepted(*self.verify(older.bytes(), HONEST[name][0]))
        for name, key in (("elastic net", "l1-ratio"), ("l1 debiased", "debias")):
            forged = self.honest(name)
            forged.fields["options"] = [pair for pair in forged.fields["options"] if pair[0] != key]
            self.no("an option that the claim is about left out", name, forged, codes=(1, 3))

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
        for name in ("hinge", "logistic", "rbf", "nu", "squared hinge", "smoothed hinge"):
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
