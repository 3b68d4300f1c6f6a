"""Forged preparation: scalings, encodings of tables, feature maps and the facts that say how rows were prepared."""
import json
import random
import shutil

from support import PROGRAM, SOURCE, main
from trained_models import TrainedModels

COLORS = ["amber", "blue", "green"]
WORDS = ["calm", "deep", "loud", "thin", "wide"]


def mixed_table(rows=60, seed=5):
    """Numbers, categories, words and missing values; the label depends on all of them."""
    draw = random.Random(seed)
    lines = ["id,color,size,note,weight,age,kind"]
    for i in range(rows):
        color, size, age = draw.choice(COLORS), draw.gauss(10, 3), draw.gauss(40, 9)
        note = " ".join(draw.sample(WORDS, 2))
        score = (color == "blue") + 0.3 * (size - 10) + ("loud" in note) + 0.05 * (age - 40) + draw.gauss(0, 1)
        lines.append(",".join([str(i), "" if i % 13 == 4 else color, "" if i % 7 == 3 else f"{size:.2f}", note, str(1 + i % 3),
                               "?" if i % 11 == 6 else f"{age:.1f}", "yes" if score > 0.5 else "no"]))
    return "\n".join(lines) + "\n"


READING = ["--label", "kind", "--ignore", "id", "--text", "note", "--missing", "mean"]
SCALED = ["iris.csv", "--positive", "versicolor", "--algorithm", "svm", "--kernel", "rbf:0.5"]
MAPPED = ["iris.csv", "--positive", "versicolor", "--algorithm", "svm", "--scale", "standard", "--kernel", "rbf:0.5"]


class PreparationTest(TrainedModels):
    def setUp(self):
        super().setUp()
        for name in ("iris.csv", "breast_cancer.csv"):
            shutil.copy(SOURCE / "data" / name, self.folder / name)
        self.write("mixed.csv", mixed_table())
        self.write("flat.csv", "a,b,y\n" + "".join(f"7,{i},{'no' if i < 9 else 'yes'}\n" for i in range(20)))
        iris = (self.folder / "iris.csv").read_text(encoding="utf-8").splitlines()[1:]
        names = {name: k for k, name in enumerate(sorted({line.split(",")[-1] for line in iris}))}
        self.write("iris.svm", "".join(
            str(names[line.split(",")[-1]]) + "".join(f" {j + 1}:{x}" for j, x in enumerate(line.split(",")[:-1])) + "\n"
            for line in iris))

    # ---- what is true

    def test_honest_preparations_are_accepted(self):
        mixed = ("mixed.csv", *READING)
        for words in [
                ("iris.csv",), ("breast_cancer.csv",), mixed, (*mixed, "--weight", "weight"), (*mixed, "--hash", "6"),
                (*mixed, "--categorical", "weight"), (*mixed, "--algorithm", "svm", "--scale", "standard"),
                ("mixed.csv", "--label", "kind", "--text", "note", "--ignore", "id,color", "--missing", "drop"),
                ("mixed.csv", "--label", "kind", "--text", "note", "--missing", "median", "--missing-words", "green"),
                ("mixed.csv", *READING[:-1], "indicator"), (*mixed, "--one-hot", "reference"),
                ("mixed.csv", *READING[:-1], "indicator", "--one-hot", "reference", "--scale", "standard"),
                ("flat.csv", "--scale", "standard"), ("iris.svm", "--scale", "minmax"), ("iris.svm", "--positive", "1", "--algorithm", "svm")]:
            self.write("honest.model", self.honest(*words).bytes())
            self.accepted(PROGRAM, "verify", "honest.model", words[0])
        for scale in ("standard", "minmax", "unit"):
            for words in [("--algorithm", "logistic"), ("--algorithm", "svm"), ("--algorithm", "svm", "--loss", "squared-hinge"),
                          ("--algorithm", "svm", "--kernel", "rbf:0.5"), ("--algorithm", "nu-svm", "--nu", "0.2"),
                          ("--algorithm", "svm", "--features", "nystrom:20", "--kernel", "rbf:0.5"),
                          ("--features", "fourier:20", "--kernel", "rbf:0.5"),
                          ("--algorithm", "svm", "--offset", "none")]:
                self.done(PROGRAM, "train", "iris.csv", "--scale", scale, *words, "-o", "honest.model", "--quiet")
                self.accepted(PROGRAM, "verify", "honest.model", "iris.csv")

    def test_the_choices_of_the_reader_are_said(self):
        self.write("honest.model", self.honest("mixed.csv", *READING).bytes())
        said = self.accepted(PROGRAM, "verify", "honest.model", "mixed.csv").out
        for words in ("label kind", "ignored id", "categories color", "words note", "missing values by the mean"):
            self.assertIn(words, said)

    # ---- scaling

    def test_scalings_that_were_not_learned_from_the_data_are_refused(self):
        for scale in ("standard", "minmax"):
            words = (*SCALED, "--scale", scale)

            def edit(name, change):
                return lambda model: model.put(name, change(model.numbers(name)))
            for kind, change in {
                    "scaling: factors zero": edit("scaling.factor", lambda f: [0] * len(f)),
                    "scaling: one factor zero": edit("scaling.factor", lambda f: [0] + f[1:]),
                    "scaling: a factor negative": edit("scaling.factor", lambda f: [-f[0]] + f[1:]),
                    "scaling: a factor not a number": edit("scaling.factor", lambda f: [float("nan")] + f[1:]),
                    "scaling: factors permuted": edit("scaling.factor", lambda f: f[::-1]),
                    "scaling: factors doubled": edit("scaling.factor", lambda f: [2 * x for x in f]),
                    "scaling: a factor a little larger": edit("scaling.factor", lambda f: [f[0] * (1 + 1e-9)] + f[1:]),
                    "scaling: a shift moved": edit("scaling.shift", lambda s: s[:3] + [s[3] + 1]),
                    "scaling: shifts zero": edit("scaling.shift", lambda s: [0] * len(s)),
                    "scaling: a shift not a number": edit("scaling.shift", lambda s: [float("inf")] + s[1:])}.items():
                self.forged(kind, words, change)

            def swap(model):
                shift, factor = model.numbers("scaling.shift"), model.numbers("scaling.factor")
                model.put("scaling.shift", factor)
                model.put("scaling.factor", shift)
            self.forged("scaling: shifts and factors swapped", words, swap)
            other = {"standard": "minmax", "minmax": "standard"}[scale]

            def another(model):
                model.fields["scaling"] = other
                model.fact("scale", other)
            self.forged("scaling: another kind", words, another)
            self.forged("scaling: the fact says another kind", words, lambda model: model.fact("scale", other))
            self.forged("scaling: the fact says none", words, lambda model: model.fact("scale", "none"))
            self.forged("scaling: the fact says a word that is none", words, lambda model: model.fact("scale", "robust"))
            self.forged("scaling: no fact", words, lambda model: model.fields["facts"].remove(["scale", scale]))

            def borrowed(model):
                from_other = self.honest(*SCALED, "--scale", other)
                for name in ("scaling.shift", "scaling.factor"):
                    model.put(name, from_other.numbers(name))
            self.forged("scaling: the numbers of another kind", words, borrowed)

    def test_a_constant_model_is_not_the_best_one(self):
        """All factors zero: the best function for rows that are all the same, with its own true gap."""
        rows = (self.folder / "iris.csv").read_text(encoding="utf-8").splitlines()
        self.write("same.csv", "\n".join([rows[0]] + ["0,0,0,0," + line.split(",")[-1] for line in rows[1:]]) + "\n")
        same = self.honest("same.csv", *SCALED[1:])

        def edit(model):
            for name in same.tensors:
                if name not in ("encoding",):
                    model.tensors[name] = same.tensors[name]
            model.put("scaling.factor", [0] * 4)
        self.forged("scaling: contradictory optimum", (*SCALED, "--scale", "standard"), edit)

    def test_a_scaling_has_one_place(self):
        folded = ("iris.csv", "--positive", "setosa", "--scale", "standard")
        shift = self.honest(*SCALED, "--scale", "standard")

        def twice(model):
            model.fields["scaling"] = "standard"
            for name in ("scaling.shift", "scaling.factor"):
                model.tensors[name] = shift.tensors[name]
        self.forged("scaling: folded and stored", folded, twice)
        self.forged("scaling: the folded one of another kind", folded, lambda model: model.fact("scale", "minmax"))
        self.forged("scaling: no word of the folded one", folded, lambda model: model.fields["facts"].remove(["scale", "standard"]))
        self.forged("scaling: the folded one unit", folded, lambda model: model.fact("scale", "unit"))
        self.forged("scaling: folded into a kernel machine", (*SCALED, "--scale", "standard"),
                    lambda model: [model.fields.pop("scaling"), model.tensors.pop("scaling.shift"),
                                   model.tensors.pop("scaling.factor")])
        self.forged("unit rows: a flag without a fact", ("iris.csv",), lambda model: model.fields.update(unit_rows=True))
        self.forged("unit rows: a fact without a flag", ("iris.csv", "--scale", "unit"),
                    lambda model: model.fields.update(unit_rows=False))
        self.forged("unit rows: a flag without a word", ("iris.csv", "--scale", "unit"),
                    lambda model: model.fields["facts"].remove(["scale", "unit"]))
        self.forged("unit rows: a second fact", ("iris.csv",), lambda model: model.fields["facts"].append(["scale", "unit"]))
        self.forged("scaling: a weight on a constant column", ("flat.csv", "--scale", "standard"),
                    lambda model: model.put("weights", [1.0] + model.numbers("weights")[1:]))

    # ---- tables

    def table(self, kind, edit, words=("mixed.csv", *READING), data=None):
        def change(model):
            encoding = json.loads(bytes(model.numbers("encoding")))
            edit(encoding)
            model.put("encoding", json.dumps(encoding).encode())
        return self.forged(kind, words, change, data)

    def test_encodings_that_the_table_does_not_have_are_refused(self):
        columns = {"color": 0, "size": 1, "note": 2, "weight": 3, "age": 4}

        def column(which, **values):
            return lambda encoding: encoding["columns"][columns[which]].update(values)

        def texts(name, change):
            def edit(encoding):
                entry = encoding["columns"][columns[name]]
                entry["categories"] = change(entry["categories"])
            return edit
        for kind, edit in {
                "table: a category renamed": texts("color", lambda c: c[:-1] + ["red"]),
                "table: a category missing": texts("color", lambda c: c[1:]),
                "table: a category too many": texts("color", lambda c: c + ["red"]),
                "table: categories in another order": texts("color", lambda c: c[::-1]),
                "table: a word replaced": texts("note", lambda c: c[:-1] + ["zzz"]),
                "table: a word missing": texts("note", lambda c: c[:-1]),
                "table: words swapped": texts("note", lambda c: [c[1], c[0]] + c[2:]),
                "table: a fill changed": column("size", fill="0"),
                "table: a fill a little larger": lambda e: e["columns"][1].update(fill=repr(float(e["columns"][1]["fill"]) + 1e-9)),
                "table: a fill missing": lambda e: e["columns"][1].pop("fill"),
                "table: fills of another column": lambda e: e["columns"][1].update(fill=e["columns"][4]["fill"]),
                "table: a column called otherwise": column("size", name="height"),
                "table: columns swapped": lambda e: e["columns"].reverse(),
                "table: two numbers swapped": lambda e: e["columns"].__setitem__(slice(3, 5), e["columns"][4:2:-1]),
                "table: a column missing": lambda e: e["columns"].pop(3),
                "table: numbers called a category": column("weight", kind="category", categories=["1", "2", "3"]),
                "table: words called a category": lambda e: e["columns"][2].update(kind="category"),
                "table: a category called words": lambda e: e["columns"][0].update(kind="words"),
                "table: words hashed": lambda e: [e["columns"][2].pop("categories"), e["columns"][2].update(hash_bits=3)],
                "table: the label is another column": lambda e: e.update(label_column="color"),
                "table: no label column": lambda e: e.update(label_column=""),
                "table: a weight column": lambda e: e.update(weight_column="weight"),
                "table: an ignored column is not said": lambda e: e.pop("ignored"),
                "table: another column is ignored": lambda e: e.update(ignored=["id", "age"]),
                "table: an ignored column that is not there": lambda e: e.update(ignored=["id", "height"]),
                "table: a column ignored and used": lambda e: e.update(ignored=["id", "size"]),
                "table: median for mean": lambda e: e.update(missing="median"),
                "table: missing values refused": lambda e: e.pop("missing"),
                "table: rows dropped": lambda e: e.update(missing="drop"),
                "table: a rule for missing values that is none": lambda e: e.update(missing="mode"),
                "table: a word that means missing": lambda e: e.update(missing_words=["green"]),
                "table: no header": lambda e: e.update(header=False),
                "table: another delimiter": lambda e: e.update(delimiter=";"),
                "table: an indicator for the mean": lambda e: e.update(missing="indicator"),
                "table: no feature for a missing category": lambda e: e["columns"][0].pop("missing_feature"),
                "table: a feature for missing numbers": column("size", missing_feature=True),
                "table: a feature for missing words": column("note", missing_feature=True),
                "table: a feature for missing values that is no flag": column("color", missing_feature=1),
                "table: a reference": lambda e: e.update(one_hot="reference"),
                "table: an encoding of categories that is none": lambda e: e.update(one_hot="binary"),
                "table: a mark of decimals that is none": lambda e: e.update(decimal="colon"),
                "table: a key that nobody knows": lambda e: e.update(trusted=True)}.items():
            self.table(kind, edit)
        hashed = ("mixed.csv", *READING, "--hash", "6")
        self.table("table: other bits of the hash", lambda e: e["columns"][2].update(hash_bits=5), hashed)

        indicated = ("mixed.csv", *READING[:-1], "indicator", "--one-hot", "reference")
        for kind, edit in {
                "table: the mean for an indicator": lambda e: e.update(missing="mean"),
                "table: no feature for missing numbers": lambda e: e["columns"][1].pop("missing_feature"),
                "table: no reference": lambda e: e.pop("one_hot")}.items():
            self.table(kind, edit, indicated)

    def test_deviations_that_the_rows_do_not_have_are_refused(self):
        for words in (("mixed.csv", *READING), ("iris.svm", "--positive", "1"), ("iris.csv", "--scale", "standard")):
            for kind, change in {
                    "deviations: one larger": lambda d: [d[0] * (1 + 1e-5)] + d[1:], "deviations: zeros": lambda d: [0.0] * len(d),
                    "deviations: negative": lambda d: [-x for x in d], "deviations: no number": lambda d: [float("nan")] + d[1:],
                    "deviations: in another order": lambda d: d[::-1], "deviations: too few": lambda d: d[:-1]}.items():
                self.forged(kind, words, lambda model, change=change: model.put("deviations", change(model.numbers("deviations"))))

    def test_what_the_model_does_not_say_is_not_believed(self):
        self.forged("table: no encoding", ("mixed.csv", *READING), lambda model: model.tensors.pop("encoding"))
        self.forged("table: rows without one", ("iris.csv",), lambda model: None, "iris.svm")
        self.forged("table: a model without names", ("iris.svm",), lambda model: None, "iris.csv")
        positive = ("iris.csv", "--positive", "versicolor")
        self.forged("classes: another positive one", positive, lambda model: model.fact("positive", "setosa"))
        self.forged("classes: one that is not there", positive, lambda model: model.fact("positive", "tulip"))
        self.forged("classes: swapped", positive, lambda model: model.fields.update(classes=["versicolor", "rest"]))
        self.forged("classes: renamed", positive, lambda model: model.fields.update(classes=["virginica", "versicolor"]))
        self.forged("classes: no word of the rest", positive,
                    lambda model: model.fields["facts"].remove(["positive", "versicolor"]))
        self.forged("classes: against a rest that is none", ("breast_cancer.csv",),
                    lambda model: model.fields["facts"].append(["positive", "benign"]))
        self.forged("indices from 0 in a table", ("iris.csv",),
                    lambda model: model.fields["facts"].append(["zero_based", "true"]))
        self.forged("indices from 0", ("iris.svm",), lambda model: model.fields["facts"].append(["zero_based", "true"]))

    def test_what_decides_between_equal_scores_is_not_chosen_by_the_model(self):
        self.forged("ties: the other class", ("breast_cancer.csv",), lambda model: model.fields.update(tie="positive"))
        self.forged("ties: no answer", ("breast_cancer.csv",), lambda model: model.fields.update(tie="abstain"))
        pairs = ("iris.csv", "--algorithm", "svm", "--kernel", "rbf:0.5")
        self.forged("ties: another order of classes", pairs, lambda model: model.put("order", [2, 0, 1], dtype="U32"))

    # ---- feature maps

    def test_maps_that_were_not_learned_from_the_data_are_refused(self):
        nystrom, fourier = (*MAPPED, "--features", "nystrom:12"), (*MAPPED, "--features", "fourier:20")

        def edit(name, change):
            return lambda model: model.put(name, change(model.numbers(name)))
        for kind, change in {
                "map: a landmark moved": edit("map.value", lambda v: [v[0] + 0.25] + v[1:]),
                "map: landmarks zero": edit("map.value", lambda v: [1e-300] * len(v)),
                "map: another order of landmarks": edit("map.value", lambda v: v[4:8] + v[:4] + v[8:]),
                "map: a landmark not a number": edit("map.value", lambda v: [float("nan")] + v[1:]),
                "map: the triangle doubled": edit("map.transform", lambda t: [2 * x for x in t]),
                "map: the triangle zero": edit("map.transform", lambda t: [0] * len(t)),
                "map: one number of the triangle": edit("map.transform", lambda t: t[:-1] + [t[-1] * 1.001]),
                "map: the triangle mirrored": edit("map.transform", lambda t: [-x for x in t]),
                "map: another seed": lambda model: model.fact("seed", "2"),
                "map: no seed": lambda model: model.fact("seed", "one"),
                "map: more landmarks asked for": lambda model: model.fact("map", "nystrom:13 for rbf:0.5"),
                "map: fewer landmarks asked for": lambda model: model.fact("map", "nystrom:11 for rbf:0.5"),
                "map: another kernel in the fact": lambda model: model.fact("map", "nystrom:12 for rbf:0.6"),
                "map: another kernel": lambda model: model.fields.update(map_kernel="rbf:0.6"),
                "map: another kernel in both": lambda model: [model.fields.update(map_kernel="rbf:0.6"),
                                                             model.fact("map", "nystrom:12 for rbf:0.6")],
                "map: another kind in the fact": lambda model: model.fact("map", "fourier:12 for rbf:0.5"),
                "map: no fact": lambda model: model.fields["facts"].remove(["map", "nystrom:12 for rbf:0.5"]),
                "map: scaled by zero first": edit("scaling.factor", lambda f: [0] * len(f)),
                "map: without its scaling": lambda model: [model.fields.pop("scaling"), model.tensors.pop("scaling.shift"),
                                                           model.tensors.pop("scaling.factor")]}.items():
            self.forged(kind, nystrom, change)
        for kind, change in {
                "map: frequencies zero": edit("map.frequency", lambda f: [0] * len(f)),
                "map: frequencies doubled": edit("map.frequency", lambda f: [2 * x for x in f]),
                "map: one frequency": edit("map.frequency", lambda f: f[:-1] + [f[-1] + 1e-6]),
                "map: frequencies not a number": edit("map.frequency", lambda f: [float("nan")] * len(f)),
                "map: another seed": lambda model: model.fact("seed", "7"),
                "map: more frequencies asked for": lambda model: model.fact("map", "fourier:22 for rbf:0.5"),
                "map: very many asked for": lambda model: model.fact("map", "fourier:1000000 for rbf:0.5"),
                "map: another kernel in both": lambda model: [model.fields.update(map_kernel="rbf:0.6"),
                                                             model.fact("map", "fourier:20 for rbf:0.6")],
                "map: a kernel without frequencies": lambda model: model.fields.update(map_kernel="linear")}.items():
            self.forged(kind, fourier, change)
        self.forged("map: a fact without a map", ("iris.csv",),
                    lambda model: model.fields["facts"].append(["map", "fourier:20 for rbf:0.5"]))


if __name__ == "__main__":
    main()
