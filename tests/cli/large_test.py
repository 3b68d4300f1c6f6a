#!/usr/bin/env python3
"""Training with less memory than the rows take, and training that is killed and goes on."""
import os
import random
import re
import resource
import signal
import subprocess
import time

from support import PROGRAM, SANITIZED, ProgramTest, main


class Memory(ProgramTest):
    @staticmethod
    def rows(path, rows, columns):
        draw = random.Random(1)
        lines = [" ".join(f"{j}:{draw.gauss(0, 1):.5f}" for j in range(1, columns + 1)) for _ in range(500)]
        with open(path, "w", encoding="ascii") as out:
            for i in range(rows):
                out.write(f"{1 if draw.random() < 0.5 else -1} {lines[draw.randrange(500)]}\n")

    def test_the_same_bytes_with_rows_in_files(self):
        self.rows(self.folder / "long.txt", 40000, 200)  # 32 MB as it is stored, 80 MB of text
        self.done("convert", "long.txt", "-o", "long.hsd")
        self.train("long.txt", "whole", "--threads", "2")
        whole = (self.folder / "whole").read_bytes()
        for data in ("long.txt", "long.hsd"):
            self.limited(60, data)
            self.assertEqual((self.folder / "limited").read_bytes(), whole)
        for data in ("long.txt", "long.hsd"):
            result = self.run_program("verify", "whole", data, "--memory", "60", "--threads", "2")
            self.assertEqual(result.stdout.decode(), self.done("verify", "whole", data))
            if not SANITIZED:
                self.assertLessEqual(self.resident(result), 60)
        self.assertRegex(self.fails(2, "verify", "whole", "long.hsd", "--memory", "20"), r"--memory \d+")

    def limited(self, memory, data, *options):
        """A training that keeps to its limit."""
        result = self.run_program("train", data, "-o", "limited", "--memory", str(memory), "--threads", "2", "--verbose", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        if not SANITIZED:  # which have memory of their own
            self.assertLessEqual(self.resident(result), memory)

    @staticmethod
    def resident(result):
        return int(re.search(rb"at most (\d+) MB were resident", result.stdout + result.stderr)[1])

    def test_files_in_parts(self):
        self.rows(self.folder / "long.txt", 30000, 200)
        self.train("long.txt", "whole")
        lines = (self.folder / "long.txt").read_text(encoding="ascii").splitlines(keepends=True)
        for k, (a, b) in enumerate(((0, 7000), (7000, 7003), (7003, len(lines)))):
            (self.folder / f"part-{k}.svm").write_text("".join(lines[a:b]), encoding="ascii")
            self.done("convert", f"part-{k}.svm", "-o", f"part-{k}.hsd")
        for data in ("part-*.svm", "part-*.hsd"):
            self.limited(60, data)
            self.assertEqual((self.folder / "limited").read_bytes(), (self.folder / "whole").read_bytes(), data)
        self.assertIn("csv", self.fails(2, "train", "tab*.csv", "-o", "m", "--memory", "100"))

    def test_what_does_not_fit_is_said_at_once(self):
        self.rows(self.folder / "long.txt", 2000, 20)
        self.done("convert", "long.txt", "-o", "long.hsd")
        for data in ("long.txt", "long.hsd"):
            text = self.fails(2, "train", data, "-o", "m", "--memory", "10")
            self.assertRegex(text, r"2000 rows with 20 features take up to \d+ MB .*--memory \d+")
        self.assertIn("csv", self.fails(2, "train", "table.csv", "-o", "m", "--memory", "100"))
        self.fails(2, "train", "long.txt", "-o", "m", "--memory", "100", "--holdout", "0.2")
        self.fails(2, "train", "long.txt", "-o", "m", "--memory", "100", "--algorithm", "hard-margin")
        self.fails(2, "train", "long.txt", "-o", "m", "--memory", "100", "--algorithm", "svm", "--kernel", "rbf:1")

    def test_a_full_disk_is_exit_5_and_nothing_is_left(self):
        self.rows(self.folder / "long.txt", 4000, 50)
        before = sorted(os.listdir(self.folder))

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        text = self.fails(5, "train", "long.txt", "-o", "m", "--memory", "200", preexec_fn=small_files,
                          env={"TMPDIR": str(self.folder)})
        self.assertIn("no room", text)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Killed(ProgramTest):
    TIMES = int(os.environ.get("HALFSPACE_KILLS", "6"))

    def test_killed_and_gone_on_to_the_same_bytes(self):
        Memory.rows(self.folder / "rows.svm", 3000, 120)
        self.done("convert", "rows.svm", "-o", "rows.hsd")
        draw = random.Random(os.environ.get("HALFSPACE_KILLS", "1"))
        for options in (("--algorithm", "svm", "--C", "100"),
                        ("--algorithm", "svm", "--loss", "squared-hinge", "--C", "1000", "--gap", "1e-9")):
            begin = time.monotonic()
            self.train("rows.hsd", "whole", *options, "--threads", "1")
            whole, takes = (self.folder / "whole").read_bytes(), time.monotonic() - begin
            command = [PROGRAM, "train", "rows.hsd", "-o", "model", *options, "--checkpoint", "left", "--every", "0"]
            kills = 0
            while kills < self.TIMES // 2:
                child = subprocess.Popen([*command, "--threads", str(1 + kills % 2)], cwd=self.folder,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    child.wait(draw.uniform(0.2, 1.0) * takes)
                except subprocess.TimeoutExpired:
                    child.send_signal(signal.SIGKILL)
                    child.wait()
                    kills += 1
                else:
                    self.assertEqual((self.folder / "model").read_bytes(), whole)
                    (self.folder / "model").unlink()
            self.done(*command[1:])
            self.assertEqual((self.folder / "model").read_bytes(), whole)
            self.assertEqual(os.listdir(self.folder / "left"), [])
            (self.folder / "model").unlink()

    def test_out_of_time_is_kept_too(self):
        Memory.rows(self.folder / "rows.svm", 3000, 120)
        options = ("--algorithm", "svm", "--C", "100", "--checkpoint", "left", "--every", "0")
        result = self.run_program("train", "rows.svm", "-o", "model", *options, "--time", "0.15")
        if result.returncode == 4:  # a slow machine may not have begun, a fast one be done
            self.done("train", "rows.svm", "-o", "model", *options)
        self.train("rows.svm", "whole", *options[:4])
        self.assertEqual((self.folder / "model").read_bytes(), (self.folder / "whole").read_bytes())

    def test_another_training_is_refused_by_name(self):
        (self.folder / "left").mkdir()
        (self.folder / "left" / "halfspace.checkpoint").write_bytes(b"HALFCKPT and then nothing")
        text = self.fails(3, "train", "rows.txt", "-o", "m", "--checkpoint", "left")
        self.assertIn("left/halfspace.checkpoint", text)
        self.fails(2, "train", "rows.txt", "-o", "m", "--checkpoint", "other", "--algorithm", "perceptron")


if __name__ == "__main__":
    main()
