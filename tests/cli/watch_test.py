# SPDX-License-Identifier: BSD-3-Clause
"""Every online learner can be watched: traces against the rules of the lectures, walked here once more with fractions; laws
and their Bayes classifier; alpha; pictures of paths."""
import json
import math
import unittest
import xml.etree.ElementTree
from fractions import Fraction

from support import SANITIZED, SOURCE, ProgramTest

EXAMPLE = "+1 1:2 2:2\n-1 1:2 2:-1\n"
ROWS = [((2, 2), 1), ((2, -1), -1), ((1, 3), 1), ((-1, 1), -1), ((1, 0), 1)]
# Beside the project, or beside the main one of several working trees.
MNIST = next((p for p in (SOURCE.parent / "shared/data/mnist", SOURCE.parents[1] / "shared/data/mnist") if p.is_dir()), SOURCE / "none")
XOR = "-1 1:-1 2:-1\n1 1:-1 2:1\n1 1:1 2:-1\n-1 1:1 2:1\n"


def text_of(rows):
    return "".join(f"{y} {' '.join(f'{j + 1}:{v}' for j, v in enumerate(x) if v)}\n" for x, y in rows)


def product(a, b):
    return sum(Fraction(p) * Fraction(q) for p, q in zip(a, b))


class Watch(ProgramTest):
    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def trace(self, *args):
        return [json.loads(line) for line in self.done("trace", *args).splitlines()]

    def near(self, found, wanted):
        self.assertEqual(len(found), len(wanted))
        for a, b in zip(found, wanted):
            self.assertAlmostEqual(a, float(b), delta=1e-12 * (1 + abs(float(b))))

    def test_stochastic_gradient_steps_of_the_lecture(self):
        """if y theta.x <= 1: theta += eta_k y x, eta_k = 1/(k+1), k counting the updates."""
        self.write("rows.txt", text_of(ROWS))
        lines = self.trace("rows.txt", "--algorithm", "sgd", "--order", "cyclic", "--passes", "6", "--offset", "none", "--tie", "update",
                           "--rate", "1/(k+1):updates", "--keep", "last")
        theta, k, wanted = [Fraction(0)] * 2, 0, []
        for _ in range(6):
            for i, (x, y) in enumerate(ROWS):
                margin = y * product(theta, x)
                if margin > 1:
                    continue
                before = theta
                theta = [t + Fraction(y, k + 1) * v for t, v in zip(theta, x)]
                k += 1
                wanted.append((i + 1, margin, Fraction(1, k), before, theta))
        self.assertEqual([line["row"] for line in lines], [w[0] for w in wanted])
        self.near([line["margin_before"] for line in lines], [w[1] for w in wanted])
        self.near([line["rate"] for line in lines], [w[2] for w in wanted])
        for line, w in zip(lines, wanted):
            self.near(line["theta_before"], w[3])
            self.near(line["theta"], w[4])
            self.assertAlmostEqual(line["loss"], float(max(0, 1 - w[1])), delta=1e-12)

    def test_a_margin_of_exactly_one(self):
        """theta = (1) after the first row; the second has m = 1: a step with --tie update, none without."""
        self.write("tie.txt", "1 1:1\n-1 1:-1\n")
        common = ("tie.txt", "--algorithm", "sgd", "--order", "cyclic", "--passes", "1", "--offset", "none", "--rate", "constant:1")
        self.assertEqual([line["theta"] for line in self.trace(*common, "--tie", "update")], [[1], [2]])
        self.assertEqual([line["theta"] for line in self.trace(*common)], [[1]])
        # Pegasos with lambda 1: theta = 1 after the first step, and m = 1 at the second.
        common = ("tie.txt", "--algorithm", "pegasos", "--order", "cyclic", "--passes", "1", "--lambda", "1")
        self.near([line["theta"][0] for line in self.trace(*common, "--tie", "update")], [1, 1])
        self.near([line["theta"][0] for line in self.trace(*common)], [1, Fraction(1, 2)])

    def test_pegasos_steps_of_the_lecture(self):
        """theta <- (1 - eta lambda) theta, + eta y x if m <= 1; theta0 += eta y and is never shrunk."""
        self.write("rows.txt", text_of(ROWS))
        for offset in ("none", "free"):
            lines = self.trace("rows.txt", "--algorithm", "pegasos", "--order", "cyclic", "--passes", "3", "--lambda", "0.5", "--tie", "update",
                               "--offset", offset)
            theta, theta0 = [Fraction(0)] * 2, Fraction(0)
            self.assertEqual(len(lines), 15)  # every step shrinks, so every step is an update
            for t, line in enumerate(lines, 1):
                (x, y), eta = ROWS[(t - 1) % len(ROWS)], Fraction(2, t)
                margin = y * (product(theta, x) + theta0)
                self.near(line["theta_before"], theta)
                theta = [(1 - eta / 2) * w for w in theta]
                if margin <= 1:
                    theta = [w + eta * y * v for w, v in zip(theta, x)]
                    theta0 += eta * y if offset == "free" else 0
                self.near([line["margin_before"], line["rate"], line["shrink"], line["theta0"]], [margin, eta, 1 - eta / 2, theta0])
                self.near(line["theta"], theta)
                self.near([line["amount"]], [eta if margin <= 1 else 0])

    def test_gradient_steps_of_all_rows(self):
        """theta <- theta - eta mean of the gradients, the logistic loss."""
        self.write("rows.txt", text_of(ROWS))
        lines = self.trace("rows.txt", "--algorithm", "sgd", "--loss", "logistic", "--batch", "all", "--passes", "4", "--offset", "none",
                           "--rate", "constant:0.5")
        theta = [0.0, 0.0]
        self.assertEqual(len(lines), 4)
        for line in lines:
            slopes = [y / (1 + math.exp(y * (theta[0] * x[0] + theta[1] * x[1]))) for x, y in ROWS]
            theta = [theta[j] + 0.5 * sum(s * x[j] for s, (x, _) in zip(slopes, ROWS)) / len(ROWS) for j in range(2)]
            self.near(line["theta"], theta)
            self.assertEqual([row["row"] for row in line["rows"]], [1, 2, 3, 4, 5])

    def test_the_perceptron_is_a_gradient_method(self):
        self.write("rows.txt", text_of(ROWS))
        steps = self.trace("rows.txt", "--algorithm", "sgd", "--loss", "perceptron", "--rate", "constant:1", "--order", "cyclic", "--passes", "20",
                           "--offset", "none")
        walk = self.trace("rows.txt", "--offset", "none", "--passes", "20")
        self.assertEqual([(s["row"], s["theta"]) for s in steps], [(w["row"], w["theta"]) for w in walk])

    def test_passive_aggressive_steps(self):
        self.write("rows.txt", text_of(ROWS))
        lines = self.trace("rows.txt", "--algorithm", "passive-aggressive", "--variant", "pa", "--passes", "2", "--offset", "none")
        for line in lines:
            x, _ = ROWS[line["row"] - 1]
            self.assertAlmostEqual(line["rate"], line["loss"] / float(product(x, x)), places=12)
            self.assertAlmostEqual(line["margin_after"], 1, places=12)

    def test_running_mean_of_the_averaged_perceptron(self):
        self.write("rows.txt", text_of(ROWS))
        lines = self.trace("rows.txt", "--algorithm", "averaged-perceptron", "--passes", "3")
        after = {line["step"]: (line["theta"], line["theta0"]) for line in lines}
        total, now, means = [Fraction(0)] * 3, ([0, 0], 0), {}
        for t in range(1, 16):
            now = after.get(t, now)
            total = [a + Fraction(b) for a, b in zip(total, [*now[0], now[1]])]
            means[t] = [a / t for a in total]
        for line in lines:
            self.near([*line["mean"], line["mean0"]], means[line["step"]])

    def test_votes_of_every_plane(self):
        self.write("rows.txt", text_of(ROWS))
        lines = self.trace("rows.txt", "--algorithm", "voted-perceptron", "--passes", "4")
        ends = [line["step"] for line in lines[1:]] + [21]
        clean = self.json("train", "rows.txt", "--algorithm", "voted-perceptron", "--passes", "4", "-o", "voted.model")["stop"] == "clean"
        found = [line["votes"] for line in lines]
        self.assertEqual(found[:-1], [end - line["step"] for line, end in zip(lines, ends)][:-1])
        if not clean:
            self.assertEqual(found[-1], 21 - lines[-1]["step"])
        self.assertEqual(self.json("show", "voted.model")["voted"]["votes"], found)
        few = self.trace("rows.txt", "--algorithm", "voted-perceptron", "--passes", "4", "--every", "2", "--max", "2")
        self.assertEqual([line["votes"] for line in few], found[::2][:2])

    def test_alpha_of_a_kernel_perceptron(self):
        """XOR with (1 + x.z)^2: alpha counts the mistakes, |f|^2 follows from them."""
        self.write("xor.txt", XOR)
        rows = [((-1, -1), -1), ((-1, 1), 1), ((1, -1), 1), ((1, 1), -1)]
        lines = self.trace("xor.txt", "--kernel", "poly:2,1,1", "--offset", "none", "--passes", "until-clean")
        alpha = [0] * 4
        kernel = lambda a, b: (1 + product(a, b)) ** 2
        for line in lines:
            i = line["row"] - 1
            margin = rows[i][1] * sum(a * y * kernel(x, rows[i][0]) for a, (x, y) in zip(alpha, rows))
            self.assertLessEqual(margin, 0)
            alpha[i] += 1
            norm2 = sum(a * b * y * z * kernel(x, w) for a, (x, y) in zip(alpha, rows) for b, (w, z) in zip(alpha, rows))
            self.near([line["margin_before"], line["alpha"], line["norm"] ** 2], [margin, alpha[i], norm2])
            self.assertNotIn("theta", line)
        self.done("train", "xor.txt", "--algorithm", "perceptron", "--kernel", "poly:2,1,1", "--offset", "none", "--passes", "until-clean", "-o", "k.model")
        shown = self.json("show", "k.model")["alpha"][0]
        self.assertEqual(dict(zip(shown["rows"], shown["alpha"])), {i + 1: a for i, a in enumerate(alpha) if a})

    def test_the_walk_depends_on_its_start(self):
        self.write("two.txt", EXAMPLE)
        ends = [self.trace("two.txt", "--offset", "none", "--from", start)[-1]["theta"] for start in ("zero", "1,-4")]
        self.assertEqual(ends[0], [0, 3])
        self.assertNotEqual(ends[0], ends[1])
        for a, b in ends:  # and both separate
            self.assertGreater(2 * a + 2 * b, 0)
            self.assertLess(2 * a - b, 0)

    def test_support_vectors_and_the_form_of_the_lecture(self):
        """Hard margin on three points: theta = (1, 0), theta0 = 0; alpha by hand."""
        self.write("three.txt", "1 1:1\n-1 1:-1\n1 1:5 2:1\n")
        self.done("train", "three.txt", "--algorithm", "svm", "--C", "10", "-o", "svm.model")
        shown = self.json("show", "svm.model")
        alpha = dict(zip(shown["alpha"][0]["rows"], shown["alpha"][0]["alpha"]))
        self.assertEqual(sorted(row for row, value in alpha.items() if value > 1e-4), [1, 2])
        self.assertAlmostEqual(alpha[1], 0.5, places=3)
        self.assertAlmostEqual(shown["doubled"]["C"], 20)
        self.assertAlmostEqual(shown["doubled"]["objective"], 1, places=3)  # |theta|^2, no slack
        self.assertIn("2 support vectors: row and alpha", self.done("show", "svm.model", "--support"))

    def test_alpha_of_the_perceptron(self):
        self.write("two.txt", EXAMPLE)
        self.done("train", "two.txt", "--algorithm", "perceptron", "--offset", "none", "-o", "p.model")
        self.assertEqual(self.json("show", "p.model")["alpha"], [{"rows": [1, 2], "alpha": [1.0, 1.0]}])
        self.assertIn("2 mistaken rows", self.done("show", "p.model", "--support"))

    def test_models_of_one_walk_on_test_rows(self):
        self.done("generate", "logistic", "-o", "a.csv", "--rows", "300", "--features", "5", "--distance", "4")
        self.done("generate", "logistic", "-o", "b.csv", "--rows", "500", "--features", "5", "--distance", "4", "--seed", "2")
        fit = self.json("train", "a.csv", "--algorithm", "perceptron", "--online-to-batch", "all", "--passes", "3", "--test", "b.csv", "-o", "all.model")
        others = {one["name"]: one["error"] for one in fit["test_of_others"]}
        self.assertEqual(list(others), ["last", "average", "last-half", "longest", "vote"])
        for which, error in others.items():
            alone = self.json("train", "a.csv", "--algorithm", "perceptron", "--online-to-batch", which, "--passes", "3", "--test", "b.csv", "-o", "one.model")
            self.assertEqual(alone["test"]["error"], error, which)

    @unittest.skipIf(SANITIZED or not MNIST.is_dir(), "no ../shared/data/mnist, or a sanitizer")
    def test_online_to_batch_on_mnist_as_the_lecture_has_it(self):
        """9 against the rest, one pass: the lecture has 0.064 for the last plane and 0.039 for the vote."""
        files = [",".join(str(MNIST / f"{part}-{what}-ubyte.gz") for what in ("images-idx3", "labels-idx1")) for part in ("train", "t10k")]
        fit = self.json("train", files[0], "--positive", "9", "--algorithm", "perceptron", "--order", "shuffled", "--passes", "1",
                        "--online-to-batch", "all", "--test", files[1], "-o", "all.model")
        error = {one["name"]: one["error"] for one in fit["test_of_others"]}
        self.assertAlmostEqual(error["vote"], 0.039, delta=0.0015)
        self.assertGreater(error["last"], error["vote"])

    def test_excess_over_the_bayes_classifier(self):
        self.done("generate", "gaussians", "-o", "g.csv", "--rows", "2000", "--distance", "2", "--positive-share", "0.3", "--flip", "0.1", "--law", "law.json")
        law = json.loads((self.folder / "law.json").read_text())
        self.assertAlmostEqual(math.hypot(*law["direction"]), 1)
        self.done("train", "g.csv", "--algorithm", "majority", "-o", "m.model")
        found = self.json("evaluate", "m.model", "g.csv", "--bayes", "law.json")["bayes"]
        best = excess = 0
        for line in (self.folder / "g.csv").read_text().splitlines()[1:]:
            *x, label = line.split(",")
            along = 2 * sum(u * float(v) for u, v in zip(law["direction"], x)) + math.log(0.3 / 0.7)
            eta = 0.1 + 0.8 / (1 + math.exp(-along))
            best += (eta > 0.5) != (float(label) > 0)
            excess += abs(2 * eta - 1) if eta > 0.5 else 0  # the majority says -1 everywhere
        self.assertAlmostEqual(found["best_error"], best / 2000)
        self.assertAlmostEqual(found["excess"], excess / 2000, places=9)
        self.assertAlmostEqual(found["bayes_error"], law["bayes_error"])
        for bad in ("{}", '{"schema":"halfspace.law/1"}', law and json.dumps({**law, "direction": [1, "a"]}), json.dumps({**law, "positive": 0})):
            self.write("bad.json", bad)
            self.assertEqual(self.run_program("evaluate", "m.model", "g.csv", "--bayes", "bad.json").returncode, 3, bad)

    def test_pictures_of_stored_results(self):
        self.done("generate", "gaussians", "-o", "g.csv", "--rows", "120", "--law", "law.json")
        self.write("path.json", self.done("path", "g.csv", "--C", "0.01:10", "--json"))
        self.write("tune.json", self.done("tune", "g.csv", "--algorithm", "svm", "--C", "0.1:10", "-o", "t.model", "--json"))
        self.write("curve.json", self.done("curve", "g.csv", "--json", "--repeats", "2"))
        for arguments, words in ((("path", "path.json"), ("support vectors", "rows held out")), (("path", "tune.json"), ("chosen: ", "5 folds")),
                                 (("curve", "curve.json"), ("training rows", "test rows")), (("varying-c", "g.csv", "--C", "0.01,1,100"), ("C = 0.01", "C = 100")),
                                 (("cone", "g.csv"), ("no \u03b8 is on the right side",)), (("plane", "t.model", "g.csv", "--bayes", "law.json"), ("Bayes classifier",)),
                                 (("steps", "g.csv", "--algorithm", "averaged-perceptron", "--steps", "3"), ("Steps of averaged-perceptron",)),
                                 (("steps", "g.csv", "--algorithm", "voted-perceptron", "--steps", "3"), ("vote",)),
                                 (("steps", "g.csv", "--algorithm", "pegasos", "--steps", "3"), ("\u03b7 = ",))):
            svg = self.done("plot", *arguments)
            xml.etree.ElementTree.fromstring(svg)
            for word in words:
                self.assertIn(word, svg, arguments)
        self.write("bad.json", '{"schema":"halfspace.path/1","points":[]}')
        for what in ("path", "curve"):
            self.assertEqual(self.run_program("plot", what, "bad.json").returncode, 3)
        page = self.json("report", "t.model", "g.csv", "--path", "tune.json", "--curve", "curve.json")
        self.assertEqual(page["path"]["chosen"], json.loads((self.folder / "tune.json").read_text())["chosen"]["C"])
        self.assertEqual(len(page["curve"]["points"]), len(json.loads((self.folder / "curve.json").read_text())["points"]))
        self.assertGreaterEqual(len(page["solved"]["progress"]), 2)
        page = self.json("report", "t.model", "g.csv", "--path", "path.json")
        self.assertEqual(len(page["path"]["picture"]["lines"]), len(page["path"]["points"]))

    def test_one_class_against_the_rest_is_replayed(self):
        self.write("three.csv", "a,b,kind\n" + "".join(f"{i % 5},{i % 3},{'xyz'[i % 3]}\n" for i in range(30)))
        self.done("train", "three.csv", "--positive", "y", "--algorithm", "voted-perceptron", "-o", "m.model")
        page = self.json("report", "m.model", "three.csv")
        self.assertTrue(page["data"]["training"])
        self.assertEqual([one["label"] for one in page["data"]["classes"]], ["rest", "y"])
        self.assertEqual(page["replay"]["updates"], len(self.trace("three.csv", "--positive", "y", "--algorithm", "voted-perceptron")))

    def test_a_trace_is_replayed_as_it_is(self):
        self.write("rows.txt", text_of(ROWS))
        self.done("train", "rows.txt", "-o", "m.model")
        lines = self.done("trace", "rows.txt", "--algorithm", "averaged-perceptron", "--from", "1,2,3")
        self.write("trace.jsonl", lines)
        replay = self.json("report", "m.model", "rows.txt", "--trace", "trace.jsonl")["replay"]
        wanted = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual([s["after"] for s in replay["shown"]], [[*w["theta"], w["theta0"]] for w in wanted])
        self.assertEqual([s["mean"] for s in replay["shown"]], [[*w["mean"], w["mean0"]] for w in wanted])
        for bad in ("{}", "[1]", lines.replace('"row":2,', '"row":99,'), lines.replace('"theta":[', '"theta":[1,'), lines[:-20]):
            self.write("bad.jsonl", bad)
            error = self.run_program("report", "m.model", "rows.txt", "--trace", "bad.jsonl", "--json")
            self.assertEqual(error.returncode, 3, bad)

    def test_a_batch_is_replayed_as_one_step_of_many_rows(self):
        self.write("rows.txt", text_of(ROWS))
        how = ("--algorithm", "sgd", "--loss", "logistic", "--batch", "all", "--passes", "3")
        self.done("train", "rows.txt", *how, "-o", "m.model")
        self.write("trace.jsonl", self.done("trace", "rows.txt", *how))
        walked, traced = (self.json("report", "m.model", "rows.txt", *more)["replay"]["shown"] for more in ((), ("--trace", "trace.jsonl")))
        self.assertEqual([step["batch"] for step in walked], 3 * [len(ROWS)])
        self.assertEqual(traced, walked)
        self.done("plot", "steps", "rows.txt", *how, "-o", "steps.svg")
        picture = (self.folder / "steps.svg").read_text()
        self.assertEqual(picture.count(f"{len(ROWS)} rows together"), 3)
        self.assertNotIn("margin 0", picture)

    def test_the_report_replays_the_trace(self):
        self.write("rows.txt", text_of(ROWS))
        for name, options in (("perceptron", ["--offset", "none"]), ("averaged-perceptron", []), ("voted-perceptron", []), ("passive-aggressive", []),
                              ("pegasos", ["--lambda", "0.5"]), ("sgd", ["--passes", "3"])):
            self.done("train", "rows.txt", "--algorithm", name, *options, "-o", "m.model")
            replay = self.json("report", "m.model", "rows.txt")["replay"]
            lines = self.trace("rows.txt", "--algorithm", name, *options)
            self.assertEqual(replay["updates"], len(lines), name)
            for shown, line in zip(replay["shown"], lines):
                self.assertEqual(shown["row"], line["row"])
                self.assertEqual(shown["after"], [*line["theta"], line["theta0"]])
                self.assertEqual(shown["before"], [*line["theta_before"], line["theta0_before"]])


if __name__ == "__main__":
    unittest.main()
