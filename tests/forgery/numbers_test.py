"""Forgeries that live at the ends of the range of numbers, and parts of a file that no claim speaks of."""
from model_file import ModelFile
from support import PROGRAM, SECOND_CHECKER, ForgeryTest, main


class Numbers(ForgeryTest):
    def trained(self, data, *options):
        self.write("rows.txt", data)
        self.done(PROGRAM, "train", "rows.txt", "-o", "honest.model", *options, "--quiet")
        return ModelFile((self.folder / "honest.model").read_bytes())

    def no(self, kind, model, codes=(1, 3)):
        self.write("forged.model", model.bytes())
        return self.refused(kind, PROGRAM, "verify", "forged.model", "rows.txt", codes=codes)

    def test_a_scaling_taken_out_of_weights_leaves_digits_or_nothing(self):
        far = "".join(f"{y} " + " ".join(f"{j}:{10 ** 16 + s * (2 if j % 2 else -2)}" for j in range(1, 17)) + "\n"
                      for y, s in (("1", 1), ("-1", -1)))
        for algorithm in ("svm", "passive-aggressive", "hard-margin"):
            model = self.trained(far, "--algorithm", algorithm, "--scale", "standard")
            for name in ("scaling.shift", "scaling.factor"):  # folded, as a forger would have it
                model.tensors.pop(name, None)
            model.fields.pop("scaling", None)
            model.put("weights", [0.5 + k * 2.0 ** -53 for k in range(16)])
            model.put("offsets", [-8.000000000000024e16])
            self.no("a scaling that eats all digits", model)
        model = self.trained("1 1:1000\n-1 1:3000\n", "--algorithm", "hard-margin", "--scale", "standard")
        for weight in (1e304, 1e306, -1.7e308):
            forged = model.copy()
            forged.put("weights", [weight])
            self.no("weights that leave the range when the scaling is taken out", forged)

    def test_products_that_vanish_prove_nothing(self):
        model = self.trained("1 1:1.5e-162\n-1 1:-1.5e-162\n", "--algorithm", "perceptron", "--kernel", "poly:1,1e300,0",
                             "--offset", "none", "--passes", "20")
        self.no("kernel values that underflow", model, codes=(1, 2, 3))
        model = self.trained("1 1:1.6e-162\n-1 1:-1.6e-162\n", "--algorithm", "hard-margin", "--kernel", "poly:1,1e300,0")
        self.no("kernel values that underflow", model, codes=(1, 2, 3))

    def test_a_bound_from_below_is_held_against_its_own_size(self):
        model = self.trained("1 1:1\n-1 1:-1\n", "--algorithm", "svm", "--offset", "none")
        for weight, dual in ((1e7, 49.99999), (1e100, 4.95e187)):
            forged = model.copy()
            forged.put("weights", [weight])
            primal = weight * weight / 2 * (1 + 1e-13)
            forged.certificate = [{"kind": "duality-gap", "primal": primal, "dual": dual, "gap": primal - dual,
                                   "relative_gap": (primal - dual) / max(1.0, primal)}]
            self.no("a bad plane that makes room for a bad bound", forged)

    def test_what_changes_answers_is_part_of_no_honest_file(self):
        rows = "".join(f"{k % 3} 1:{k % 7} 2:{(k * k) % 5}\n" for k in range(30))
        model = self.trained(rows, "--algorithm", "svm")
        model.put("order", [2, 1, 0], dtype="U32")
        self.no("another order of classes", model)
        two = "".join(f"{1 if k % 2 else -1} 1:{k % 7} 2:{(k * k) % 5}\n" for k in range(30))
        model = self.trained(two, "--algorithm", "svm", "--kernel", "rbf:1")
        model.put("functions.sigmoid", [5.0, 1.0], shape=[1, 2])
        self.no("probabilities that were never learned", model)

    def test_words_of_options(self):
        apart = "1 1:2\n-1 1:-2\n"
        model = self.trained(apart, "--algorithm", "perceptron", "--offset", "none")
        for option in ("online-to-batch", "order", "passes", "max-passes"):
            forged = model.copy()
            forged.option(option, "no-such-word")
            forged.put("weights", [-123.0])
            self.no("a word that is no option's", forged)
        model = self.trained(apart, "--algorithm", "svm")
        model.option("solver", "no-such-solver")
        self.no("a word that is no option's", model)

    def test_a_sum_of_nothing_is_no_plane(self):
        model = self.trained("1 1:1\n-1 1:1\n", "--algorithm", "perceptron", "--offset", "none", "--passes", "2")
        model.put("dual.start", [0, 2], dtype="U64")
        model.put("dual.rows", [0, 1], dtype="U32")
        model.put("dual.alpha", [2.0, 2.0])
        model.put("weights", [-1e-170])
        self.no("a plane beside a sum of zero", model)

    def test_labels_beyond_the_range_are_not_one_class(self):
        self.write("rows.txt", "1e400 1:1\n3 1:0\n1e500 1:-1\n")
        plane = {"columns": [1], "weights": ["1"], "offset": "-0.5"}
        self.write("forged", {"schema": "halfspace.certificate/1", "data": {"fingerprint": "0" * 32, "rows": 3, "features": 1},
                              "values": "decimals", "positive": ["1e400"], "negative": ["3"], "offset": "free",
                              "verdict": "separable", "plane": plane})
        self.refused("labels beyond the range", *SECOND_CHECKER, "forged", "rows.txt")
        self.refused("labels beyond the range", PROGRAM, "verify", "forged", "rows.txt")


if __name__ == "__main__":
    main()
