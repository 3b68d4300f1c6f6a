#!/usr/bin/env python3
"""How rows are prepared is part of a model: written so that it can be checked, and said when rows come without names."""
import random

from support import ProgramTest, main


def far(mean, rows=80, seed=1):
    """A column whose mean is far beyond its deviation, an ordinary one, and a wide one."""
    draw = random.Random(seed)
    lines = ["a,b,c,y"]
    for i in range(rows):
        lines.append(f"{mean + round(draw.gauss(i % 2, 1), 3)!r},{draw.gauss(0, 1):.4f},{mean * draw.uniform(-1, 1):.6g},{'yn'[i % 2]}")
    return "\n".join(lines) + "\n"


TABLE = "size,color,y\n1,red,a\n2,blue,b\n3,red,a\n4,blue,b\n5,red,b\n0,blue,a\n"


class Preparation(ProgramTest):
    def test_the_plane_that_is_written_is_the_one_that_is_certified(self):
        for mean in (1.0, 1e6, 1e9, 1e13):
            (self.folder / "far.csv").write_text(far(mean))
            for scale in ("standard", "minmax"):
                for algorithm in (["logistic"], ["svm"], ["svm", "--loss", "squared-hinge"], ["svm", "--offset", "none"],
                                  ["logistic", "--offset", "lifted"]):
                    with self.subTest(mean=mean, scale=scale, algorithm=algorithm):
                        self.json("train", "far.csv", "-o", "m", "--scale", scale, "--algorithm", *algorithm)
                        self.assertIn("verified", self.done("verify", "m", "far.csv"))

    def test_a_scaling_stands_beside_the_plane_where_folding_would_lose_digits(self):
        for mean, beside in ((0.0, False), (1e13, True)):
            (self.folder / "far.csv").write_text(far(mean))
            self.json("train", "far.csv", "-o", "m", "--scale", "standard", "--algorithm", "svm")
            self.assertEqual("columns are scaled first (standard)" in self.done("show", "m"), beside)

    def test_rows_without_names_are_taken_by_position_with_a_word(self):
        (self.folder / "t.csv").write_text(TABLE)
        self.json("train", "t.csv", "-o", "m")
        (self.folder / "rows.txt").write_text("a 1:1 3:1\nb 2:1 3:2\n".replace("a", "1").replace("b", "2"))
        for verb in ("predict", "evaluate"):
            result = self.run_program(verb, "m", "rows.txt", "--rename", "1=a,2=b")
            self.assertIn("taken by position", result.stderr.decode(), verb)
        self.assertNotIn("position", self.run_program("predict", "m", "t.csv").stderr.decode())
        (self.folder / "wide.txt").write_text("1 1:1 9:1\n")
        for verb in ("predict", "evaluate"):
            result = self.run_program(verb, "m", "wide.txt")
            self.assertEqual(result.returncode, 3)
            self.assertIn("9 features", result.stderr.decode())
            self.assertIn("gives 3", result.stderr.decode())
        self.assertEqual(self.run_program("verify", "m", "rows.txt").returncode, 1)

    def test_a_cache_of_a_table_says_how_it_was_read(self):
        (self.folder / "t.csv").write_text("id," + TABLE.replace("\n", "\n7,", 6)[:-1] + "\n8,?,red,a\n")
        reading = ("--ignore", "id", "--missing", "median", "--missing-words", "none")
        self.done("convert", "t.csv", "-o", "t.hsd", *reading)
        self.json("train", "t.hsd", "-o", "m")
        self.assertIn("ignored id", self.done("verify", "m", "t.csv"))
        self.assertIn("missing values by the median", self.done("verify", "m", "t.hsd"))

    def test_words_that_mean_missing_are_kept(self):
        (self.folder / "t.csv").write_text("x,z,y\n1,none,a\n2,3,b\n3,4,b\n0,1,a\n")
        self.json("train", "t.csv", "-o", "m", "--missing", "mean", "--missing-words", "none")
        (self.folder / "new.csv").write_text("x,z\n1,none\n")
        self.done("predict", "m", "new.csv")
        self.assertIn("verified", self.done("verify", "m", "t.csv"))


if __name__ == "__main__":
    main()
