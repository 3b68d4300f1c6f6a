"""halfspace separable and verify from outside, each certificate also checked by scripts/check-certificate."""
import json
import pathlib
import subprocess
import sys

from support import ProgramTest, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKER = ROOT / "scripts" / "check-certificate"
XOR = "-1 1:0 2:0\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n"
TOUCHING = "-1 1:0\n+1 1:0\n-1 1:-1\n+1 1:1\n-1 1:0\n"


class SeparableTest(ProgramTest):
    def check_elsewhere(self, certificate, data):
        return subprocess.run([sys.executable, CHECKER, self.folder / certificate, self.folder / data],
                              capture_output=True, timeout=120).returncode

    def prove(self, data, verdict, *args):
        code = 0 if verdict == "separable" else 1
        found = self.json("separable", data, "-o", "c", *args, code=code)
        self.assertEqual(found["verdict"], verdict)
        self.assertTrue(found["exact"])
        self.assertEqual(found["certificate"], "c")
        self.assertEqual(self.check_elsewhere("c", data), 0)
        self.assertTrue(self.json("verify", "c", data)["holds"])
        return found

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def test_three_verdicts_with_their_exit_codes(self):
        self.write("xor.txt", XOR)
        self.write("touching.txt", TOUCHING)
        found = self.prove("xor.txt", "overlapping")
        self.assertEqual(sorted(found["witness_rows"]), [1, 2, 3, 4])
        self.assertEqual(found["witness_weights"], ["1/4"] * 4)
        self.assertEqual(found["schema"], "halfspace.separable/1")
        self.prove("touching.txt", "touching")
        self.prove("apart.txt", "separable")
        self.prove("apart.txt", "separable", "--offset", "none")

    def test_real_sets(self):
        cancer = (ROOT / "data" / "breast_cancer.csv").read_bytes()
        (self.folder / "cancer.csv").write_bytes(cancer)
        self.prove("cancer.csv", "separable")
        (self.folder / "iris.csv").write_bytes((ROOT / "data" / "iris.csv").read_bytes())
        names = {line.split(",")[-1].strip() for line in (self.folder / "iris.csv").read_text().splitlines()[1:]}
        verdicts = {name: json.loads(self.run_program("separable", "iris.csv", "--positive", name, "--json").stdout)["verdict"]
                    for name in names}
        self.assertEqual(sorted(verdicts.values()), ["overlapping", "overlapping", "separable"])
        pairs = self.json("separable", "iris.csv", "--pairs", code=1)["questions"]
        self.assertEqual(len(pairs), 6)

    def test_margins_and_the_hard_margin(self):
        found = self.prove("apart.txt", "separable")
        low, high = found["margin"]
        self.assertLess(high / low - 1, 1e-6)
        self.assertGreaterEqual(found["mistake_bound"], 1)
        self.assertIsNone(self.json("separable", "apart.txt", "--margin", "none")["margin"])
        self.json("train", "apart.txt", "--algorithm", "hard-margin", "-o", "model")
        self.write("xor.txt", XOR)
        before = (self.folder / "model").read_bytes()
        refused = self.json("train", "xor.txt", "--algorithm", "hard-margin", "-o", "model", code=1)
        self.assertEqual(refused["verdict"], "overlapping")
        self.assertEqual(refused["witness_rows"], [1, 2, 3, 4])
        self.assertEqual((self.folder / "model").read_bytes(), before)

    def test_a_hard_margin_model_is_verified_exactly(self):
        for offset in ("free", "lifted", "none"):
            self.done("train", "apart.txt", "--algorithm", "hard-margin", "--offset", offset, "-o", "model")
            self.assertIn("best margin from", self.done("verify", "model", "apart.txt"))
        (self.folder / "iris.csv").write_bytes((ROOT / "data" / "iris.csv").read_bytes())
        self.done("train", "iris.csv", "--positive", "setosa", "--algorithm", "hard-margin", "-o", "model")
        self.assertTrue(self.json("verify", "model", "iris.csv")["holds"])
        text = (self.folder / "iris.csv").read_text()
        self.write("other.csv", text.replace("5.1", "5.2", 1))
        self.done("verify", "model", "other.csv", code=1)

    def test_what_is_too_large_is_not_decided_but_bounded(self):
        self.write("xor.txt", XOR)
        found = self.json("separable", "xor.txt", "--most-columns", "1", code=4)
        self.assertIsNone(found["verdict"])
        self.assertFalse(found["exact"])
        self.assertGreaterEqual(found["margin_at_most"], 0)
        text = self.done("separable", "xor.txt", "--most-columns", "1", code=4)
        self.assertIn("no unit vector has margin above", text)
        self.assertNotIn("overlapping", text)
        self.assertNotIn("not separable", text)

    def test_p9_mistakes_and_cosines_keep_their_bounds(self):
        (self.folder / "iris.csv").write_bytes((ROOT / "data" / "iris.csv").read_bytes())
        for offset in ("lifted", "none"):
            found = self.json("train", "iris.csv", "--positive", "setosa", "--algorithm", "perceptron", "--passes",
                              "until-clean", "--offset", offset, "-o", "model")
            figures = found["figures"]
            self.assertEqual(found["stop"], "clean")
            self.assertEqual(found["separation"]["verdict"], "separable")
            self.assertGreater(found["mistakes"], 0)
            self.assertLessEqual(found["mistakes"], figures["mistake_bound"])
            self.assertGreaterEqual(figures["cosine"], figures["cosine_bound"])
            self.assertLessEqual(figures["cosine"], 1 + 1e-12)
            lines = self.done("trace", "iris.csv", "--positive", "setosa", "--cosine", "--passes", "until-clean",
                              "--offset", offset).splitlines()
            self.assertEqual(len(lines), found["mistakes"])
            for line in map(json.loads, lines):
                self.assertGreaterEqual(line["cosine"], line["cosine_bound"])
            self.assertAlmostEqual(json.loads(lines[-1])["cosine"], figures["cosine"], places=9)

    def test_p12_a_perceptron_that_cannot_end_says_why(self):
        self.write("xor.txt", XOR)
        args = ("train", "xor.txt", "--algorithm", "perceptron", "--passes", "until-clean", "-o", "model")
        for more in ((), ("--quiet",)):
            self.assertIn("no plane separates the classes (overlapping): proved by 4 rows, 1, 2, 3, 4",
                          self.done(*args, *more, code=4))
        found = self.json(*args, code=4)
        self.assertEqual(found["separation"], {"verdict": "overlapping", "witness_rows": [1, 2, 3, 4],
                                               "witness_weights": ["1/4"] * 4})
        self.assertIn("error: --cosine needs", self.fails(2, "trace", "xor.txt", "--cosine"))

    def test_many_classes_in_pairs(self):
        self.write("many.txt", "".join(f"{k} 1:{x} 2:{x * x}\n" for k in range(12) for x in (k, k + 0.25)))
        pairs = self.json("separable", "many.txt", "--pairs")["questions"]
        self.assertEqual(len(pairs), 12 + 66)
        self.assertTrue(all(pair["verdict"] == "separable" for pair in pairs))

    def test_a_certificate_for_other_data_is_refused(self):
        self.write("xor.txt", XOR)
        self.write("and.txt", XOR.replace("+1", "-1", 1))
        self.done("separable", "xor.txt", "-o", "c", code=1)
        self.assertIn("NOT verified", self.done("verify", "c", "and.txt", code=1))

    def test_tampered_certificates_are_refused_by_both_checkers(self):
        self.write("touching.txt", TOUCHING)
        self.done("separable", "touching.txt", "-o", "c", code=1)
        good = json.loads((self.folder / "c").read_text())

        def changes():
            for change in ("weight", "drop", "verdict", "plane", "witnesses"):
                bad = json.loads(json.dumps(good))
                if change == "weight":
                    bad["witnesses"][0]["weights"][0] = "2"
                elif change == "drop":
                    bad["witnesses"][0]["rows"].pop()
                    bad["witnesses"][0]["weights"].pop()
                elif change == "verdict":
                    bad["verdict"] = "overlapping"
                    del bad["plane"], bad["complete"]
                elif change == "plane":
                    bad["plane"]["weights"] = ["-" + w for w in bad["plane"]["weights"]]
                else:
                    bad["witnesses"] = []
                yield change, bad

        for change, bad in changes():
            with self.subTest(change):
                self.write("bad", json.dumps(bad))
                self.done("verify", "bad", "touching.txt", code=1)
                self.assertEqual(self.check_elsewhere("bad", "touching.txt"), 1)

    def test_bad_use_and_bad_certificates(self):
        self.assertIn("3 classes", self.fails(2, "separable", "three.txt"))
        self.assertIn("--pairs", self.fails(2, "separable", "three.txt", "--pairs", "-o", "c"))
        self.write("bad", "{\"schema\":\"halfspace.certificate/9\"}")
        self.assertIn("another schema", self.fails(3, "verify", "bad", "apart.txt"))
        self.write("bad", "{\"schema\":")
        self.assertIn("not valid JSON", self.fails(3, "verify", "bad", "apart.txt"))
        self.assertIn("follows from the model", self.fails(2, "verify", "apart.txt", "apart.txt", "--label", "x"))

    def test_the_certificate_can_go_to_standard_output(self):
        certificate = json.loads(self.done("separable", "apart.txt", "-o", "-"))
        self.assertEqual(certificate["verdict"], "separable")


if __name__ == "__main__":
    main()
