#!/usr/bin/env python3
"""Standard streams: full, closed, piped; nothing but results on standard output."""
import os
import pathlib
import pty
import subprocess

from support import PROGRAM, ProgramTest, main, without_thread_sanitizer


class Streams(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train("rows.txt", "model")
        self.commands = [("--version",), ("--help",), ("show", "model"), ("show", "model", "--json"),
                         ("predict", "model", "rows.txt"), ("evaluate", "model", "rows.txt"), ("doctor", "rows.txt"),
                         ("train", "rows.txt", "-o", "again")]

    def test_a_full_standard_output_is_exit_5(self):
        if not pathlib.Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        for command in self.commands:
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *command], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 5, command)
            self.assertIn(b"error: ", done.stderr)

    def test_a_closed_standard_output_is_exit_5_and_spoils_no_file(self):
        for command in self.commands:
            done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', PROGRAM, *command], cwd=self.folder,
                                  stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 5, command)
        self.assertEqual((self.folder / "again").read_bytes(), (self.folder / "model").read_bytes())

    def test_a_reader_that_leaves_is_exit_5_not_a_signal_and_no_words(self):
        for command in (("predict", "model", "rows.txt"), ("show", "model"), ("evaluate", "model", "rows.txt", "--json")):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([PROGRAM, *command], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            self.assertEqual(done.returncode, 5, command)
            self.assertNotIn(b"error", done.stderr)

    def test_help_that_nobody_reads_to_its_end_is_no_failure(self):
        for command in (("--help",), ("train", "--help"), ("help", "tune"), ("--version",)):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([PROGRAM, *command], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)

    def test_closed_standard_error_does_no_harm(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" 2>&-', PROGRAM, "predict", "model", "rows.txt"],
                              cwd=self.folder, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count(b"\n"), 60)

    @without_thread_sanitizer
    def test_a_file_size_limit_is_exit_5_not_a_signal(self):
        before = (self.folder / "model").read_bytes()
        done = subprocess.run(["sh", "-c", 'ulimit -f 0; exec "$0" "$@"', PROGRAM, "train", "rows.txt", "-o", "model"],
                              cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 5)
        self.assertEqual((self.folder / "model").read_bytes(), before)

    def test_no_escape_bytes_when_piped(self):
        for command in self.commands:
            for env in ({"TERM": "xterm"}, {"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}):
                result = self.run_program(*command, env=env)
                self.assertNotIn(b"\x1b", result.stdout + result.stderr)
                self.assertNotIn(b"\r", result.stdout + result.stderr)

    def stderr_on_a_terminal(self, *args, term="xterm"):
        try:
            main_end, other_end = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be had here: {error}")
        process = subprocess.Popen([PROGRAM, *args], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=other_end,
                                   env={**os.environ, "TERM": term})
        os.close(other_end)
        text = b""
        try:
            while chunk := os.read(main_end, 4096):
                text += chunk
        except OSError:  # how a terminal says that its other end is closed
            pass
        process.wait(timeout=30)
        os.close(main_end)
        return text

    def test_progress_is_drawn_on_a_terminal_only_when_wanted(self):
        long = ("train", "rows.txt", "-o", "long", "--algorithm", "perceptron", "--passes", "until-clean", "--max-passes", "1000000000", "--time", "1")
        shown = self.stderr_on_a_terminal(*long)
        self.assertNotIn(b"\x1b", shown)
        self.assertIn(b" passes, ", shown)
        self.assertEqual(self.stderr_on_a_terminal(*long, "--quiet"), b"")
        self.assertNotIn(b" passes, ", self.stderr_on_a_terminal(*long, term="dumb"))
        self.assertNotIn(b" passes, ", self.stderr_on_a_terminal(*long, "--progress", "none"))


if __name__ == "__main__":
    main()
