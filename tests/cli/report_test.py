#!/usr/bin/env python3
"""report and plot from outside: the page, the object, the pictures."""
import json
import re
import shlex
import xml.dom.minidom

from support import ProgramTest, main

HOSTILE_TABLE = (
    '"<script>alert(1)</script>",__proto__,"a""b\'c","\u202eright to left","\U0001f600 & co",label\n'
    + "".join(f"{i % 7},{(i * 3) % 5},{i % 2},{i},{-i},{'</script><img src=x onerror=alert(2)>' if i % 3 else '&amp;constructor'}\n" for i in range(40))
)


class Report(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train("rows.txt")

    def page_of(self, *args):
        self.done("report", *args, "-o", "report.html")
        return (self.folder / "report.html").read_text(encoding="utf-8")

    @staticmethod
    def object_in(page):
        return json.loads(re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.S).group(1))

    def test_the_page_holds_the_object_that_json_prints(self):
        self.assertEqual(self.object_in(self.page_of("model", "rows.txt")), self.json("report", "model", "rows.txt"))

    def test_says_where_the_page_is(self):
        text = self.done("report", "model", "rows.txt", "-o", "report.html")
        self.assertIn("report.html written", text)
        self.assertIn(f"open it in a browser: {self.folder / 'report.html'}", text)
        self.assertEqual(len(text.splitlines()), 5)

    def test_claims_are_checked_unless_told_otherwise(self):
        self.assertTrue(self.json("report", "model", "rows.txt")["solved"]["checked"]["holds"])
        self.assertIsNone(self.json("report", "model", "rows.txt", "--no-verify")["solved"]["checked"])

    def test_the_command_that_is_shown_trains_the_same_model(self):
        rows = [f"{i},{'' if i % 9 == 1 else i % 5},{'red' if i % 3 else 'blue' if i % 2 else ''},{i % 4},{'good bad'.split()[i % 2]} word,{'yes' if i % 7 > 2 else 'no'}" for i in range(60)]
        (self.folder / "holes.csv").write_text("id,size,color,kind,note,answer\n" + "\n".join(rows) + "\n")
        for how in (["--missing", "indicator"], ["--missing", "mean", "--one-hot", "reference", "--calibrate", "platt", "--algorithm", "svm"], ["--missing", "drop", "--missing-words", "red"]):
            self.done("train", "holes.csv", "--ignore", "id", "--categorical", "kind", "--text", "note", "--scale", "standard", *how, "-o", "first")
            command = self.json("report", "first", "holes.csv", "--missing", "drop")["reproduce"]["train"]
            words = shlex.split(command)
            self.assertEqual((words[:2], words[-2:]), (["halfspace", "train"], ["-o", "first"]))
            self.done(*words[1:-1], "again")
            self.assertEqual((self.folder / "first").read_bytes(), (self.folder / "again").read_bytes(), command)

    def test_other_rows_than_those_of_the_training_are_said_to_be_others(self):
        (self.folder / "other.txt").write_text("+1 1:1 2:3\n-1 1:-2\n+1 1:4\n")
        report = self.json("report", "model", "other.txt")
        self.assertFalse(report["data"]["training"])
        self.assertIsNone(report["solved"]["checked"])
        self.assertIn("which these are not", report["verdict"][1])
        self.assertEqual(report["quality"]["rows"], 3)
        report = self.json("report", "model", "rows.txt", "--test", "other.txt")
        self.assertEqual((report["quality"]["on"], report["quality"]["rows"]), ("test", 3))

    def test_rows_of_one_class_or_of_none_that_is_known(self):
        self.train("three.txt", "three")
        for model, text in (("model", "+1 1:1\n+1 1:2\n"), ("three", "1 1:1\n1 2:1\n")):
            (self.folder / "other.txt").write_text(text)
            report = self.json("report", model, "other.txt")
            self.assertEqual(report["quality"]["rows"], 2)
            self.assertEqual(len(self.json("report", model, "rows.txt" if model == "model" else "three.txt", "--test", "other.txt")["verdict"]), 3)

        (self.folder / "other.txt").write_text("7 1:1\n8 2:1\n")
        self.assertIn("no label is one of the model's", self.fails(3, "report", "three", "other.txt", "-o", "none.html"))

    def test_no_time_leaves_no_page(self):
        self.fails(4, "report", "model", "rows.txt", "-o", "late.html", "--time", "0")
        self.assertFalse((self.folder / "late.html").exists())

    def test_the_page_asks_for_nothing_and_runs_its_own_script_only(self):
        page = self.page_of("model", "rows.txt")
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
        self.assertIn("default-src 'none'", policy)
        self.assertRegex(policy, r"script-src 'sha256-[A-Za-z0-9+/=]+';")
        self.assertLess(len(page.encode()), 2_000_000)
        for pattern in (r'\ssrc="', r"<link", r"@import", r"<iframe", r"<object"):
            self.assertIsNone(re.search(pattern, page), pattern)

    def test_text_without_scripts(self):
        page = self.page_of("model", "rows.txt")
        plain = re.search(r"<noscript>(.*?)</noscript>", page, re.S).group(1)
        self.assertIn("It gets", plain)
        self.assertIn("<svg", plain)
        self.assertIn("halfspace verify model rows.txt", plain)

    def test_hostile_names_stay_text(self):
        (self.folder / "evil.csv").write_text(HOSTILE_TABLE, encoding="utf-8")
        self.train("evil.csv", "evil")
        page = self.page_of("evil", "evil.csv")
        for text in ("<img", "<script>alert", "\u202e"):
            self.assertNotIn(text, page)
        names = {w["name"] for w in self.object_in(page)["weights"]["planes"][0]["weights"]}
        self.assertIn("__proto__", names)
        self.assertIn("<script>alert(1)</script>", names)
        for what in ("roc", "margins"):
            xml.dom.minidom.parseString(self.done("plot", what, "evil", "evil.csv"))
        xml.dom.minidom.parseString(self.done("plot", "plane", "evil", "evil.csv", "--columns", "__proto__,1"))

    def test_ten_thousand_features(self):
        rows = "".join(f"{1 if i % 2 else -1} {(i * 37) % 5000 + 1}:{i % 9 + 1} {5001 + (i * 91) % 5000}:1\n" for i in range(300))
        (self.folder / "wide.txt").write_text(rows)
        self.train("wide.txt", "wide", "--features", "10000")
        report = self.json("report", "wide", "wide.txt")
        self.assertEqual(report["data"]["features"], 10000)
        self.assertEqual(len(report["weights"]["planes"][0]["weights"]), 40)
        self.assertLess(len(self.page_of("wide", "wide.txt")), 2_000_000)

    def test_every_kind_of_model_has_a_report(self):
        for options in (["--algorithm", "voted-perceptron"], ["--algorithm", "svm", "--kernel", "rbf:1"], ["--algorithm", "majority"],
                        ["--algorithm", "lookup"], ["--algorithm", "svm", "--scale", "unit"], ["--algorithm", "hard-margin"],
                        ["--features", "nystrom:5", "--kernel", "rbf:1"], ["--algorithm", "pegasos"], ["--scale", "standard"]):
            data = "apart.txt" if "hard-margin" in options else "rows.txt"
            self.done("train", data, "-o", "m", *options)
            self.assertEqual(self.json("report", "m", data)["schema"], "halfspace.report/1", options)
            xml.dom.minidom.parseString(self.done("plot", "margins", "m", data))
        self.train("three.txt", "three", "--algorithm", "perceptron")
        self.assertEqual(len(self.json("report", "three", "three.txt")["separability"]["answers"]), 3)

    def test_needs_a_file_and_labels(self):
        self.assertIn("-o", self.fails(2, "report", "model", "rows.txt"))
        self.assertIn("would replace", self.fails(2, "report", "model", "rows.txt", "-o", "rows.txt"))
        (self.folder / "bare.csv").write_text("x,y\n1,2\n")
        self.assertEqual(self.run_program("report", "model", "missing", "-o", "r.html").returncode, 3)
        self.assertFalse((self.folder / "r.html").exists())

    def test_the_same_page_for_any_number_of_threads(self):
        self.assertEqual(self.page_of("model", "rows.txt", "--threads", "1"), self.page_of("model", "rows.txt", "--threads", "2"))


class Plot(ProgramTest):
    def picture(self, *args):
        text = self.done("plot", *args)
        document = xml.dom.minidom.parseString(text)
        root = document.documentElement
        self.assertEqual(root.tagName, "svg")
        self.assertTrue(root.getElementsByTagName("title")[0].firstChild.data)
        self.assertTrue(root.getElementsByTagName("desc")[0].firstChild.data)
        self.assertIn("prefers-color-scheme:dark", text)
        return text

    def test_losses_are_five_curves(self):
        self.assertGreaterEqual(self.picture("losses").count("<polyline"), 5)

    def test_steps_of_two_columns(self):
        text = self.picture("steps", "apart.txt", "--steps", "2")
        self.assertIn("update", text)
        self.assertEqual(text.count("margin "), text.count(": row "))

    def test_plane_roc_and_margins(self):
        self.train("apart.txt", "model", "--algorithm", "svm")
        for what in ("plane", "roc", "margins"):
            self.picture(what, "model", "apart.txt")
        self.train("three.txt", "three")
        self.picture("plane", "three", "three.txt", "--columns", "1,2")

    def test_goes_to_a_file(self):
        self.assertIn("p.svg written", self.done("plot", "losses", "-o", "p.svg"))
        xml.dom.minidom.parse(str(self.folder / "p.svg"))

    def test_what_is_wrong_is_said(self):
        self.assertIn("did you mean losses?", self.fails(2, "plot", "losse"))
        self.assertIn("WHAT", self.fails(2, "plot"))
        self.train("rows.txt")
        self.assertIn("--columns", self.fails(2, "plot", "plane", "model", "rows.txt"))
        self.assertIn("SVG", self.run_program("plot", "losses", "--json").stdout.decode())


if __name__ == "__main__":
    main()
