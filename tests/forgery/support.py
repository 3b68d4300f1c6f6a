"""Runs checkers on forged claims. A forgery must be refused, quickly, in little memory, and in words.

Usage of every test script: NAME_test.py PROGRAM. `refused` and `accepted` take a whole command, so that the program and the
scripts beside it are held to the same rules. What was tried is counted by kind and printed at the end.
"""
import collections
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "halfspace"
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SECOND_CHECKER = [sys.executable, str(SOURCE / "scripts" / "check-certificate")]
SANITIZED = os.environ.get("HALFSPACE_SANITIZE", "") not in ("", "OFF")

MOST_CPU_SECONDS = 2.0
MOST_BYTES = 256 << 20
SAMPLE = 0.1  # of the forgeries of a kind are tried under a sanitizer, beside the first: it looks for other things
HANG_SECONDS = 120  # a hang fails the test; nothing else is judged by elapsed time


class Outcome:
    """What became of one process: exit code (negative: signal), both outputs, and what it cost."""

    def __init__(self, command, code, out, err, seconds, usage):
        self.command, self.code, self.out, self.err, self.seconds = command, code, out, err, seconds
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024  # at least what this script has resident: the child begins as its copy

    def __str__(self):
        shown = " ".join(str(word) for word in self.command)
        return (f"{shown}\nexit {self.code}, {self.cpu:.2f} s of processor time, {self.peak >> 20} MB\n"
                f"stdout: {self.out[:2000]}\nstderr: {self.err[:2000]}")


def run(command, folder=None, stdin=b"", environment=None):
    """Runs a command to its end and measures it by wait4."""
    command = [str(word) for word in command]
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        start = time.monotonic()
        child = subprocess.Popen(command, cwd=folder, stdin=given, stdout=out, stderr=err,
                                 env={**os.environ, **(environment or {})})
        ends = threading.Timer(HANG_SECONDS, child.kill)
        ends.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            ends.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
        return Outcome(command, child.returncode, *texts, time.monotonic() - start, usage)


def says_yes(text):
    """Whether any line of a checker's output says that a claim holds."""
    return any(line.startswith("verified") or '"holds":true' in line.replace(" ", "") for line in text.splitlines())


class ForgeryTest(unittest.TestCase):
    maxDiff = None
    tried = collections.Counter()  # by kind
    kinds = collections.Counter()  # with what was left out
    dearest = [0.0, 0]             # seconds of processor time, bytes
    draw = random.Random(20170917)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        """A file in the folder of this test: text, bytes, or anything that JSON can say."""
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def measured(self, command, **more):
        outcome = run(command, self.folder, **more)
        self.assertGreaterEqual(outcome.code, 0, f"ended by a signal\n{outcome}")
        for word in ("Traceback", "terminate called", "Sanitizer", "internal error"):
            self.assertNotIn(word, outcome.err, str(outcome))
        if not SANITIZED:
            self.assertLessEqual(outcome.cpu, MOST_CPU_SECONDS, f"too slow\n{outcome}")
            self.assertLessEqual(outcome.peak, MOST_BYTES, f"too much memory\n{outcome}")
            self.dearest[0] = max(self.dearest[0], outcome.cpu)
            self.dearest[1] = max(self.dearest[1], outcome.peak)
        return outcome

    def refused(self, kind, *command, codes=(1, 3), always=False, **more):
        """The command says no (exit 1) or cannot read the claim (exit 3), within the limits."""
        left_out = SANITIZED and not always and self.kinds[kind] > 0 and self.draw.random() >= SAMPLE
        self.kinds[kind] += 1
        if left_out:
            return Outcome(command, 0, "", "", 0, resource.getrusage(resource.RUSAGE_SELF))
        self.tried[kind] += 1
        outcome = self.measured(command, **more)
        self.assertFalse(says_yes(outcome.out), f"{kind}: believed\n{outcome}")
        self.assertIn(outcome.code, codes, f"{kind}\n{outcome}")
        self.assertTrue(outcome.out.strip() or outcome.err.strip(), f"{kind}: refused without a word\n{outcome}")
        return outcome

    def accepted(self, *command, **more):
        """An honest claim holds, within the same limits."""
        self.tried["honest"] += 1
        outcome = self.measured(command, **more)
        self.assertEqual(outcome.code, 0, str(outcome))
        self.assertTrue(says_yes(outcome.out), str(outcome))
        return outcome

    def done(self, *command, code=0, **more):
        """A step that is not judged: makes the honest claim."""
        outcome = run(command, self.folder, **more)
        self.assertEqual(outcome.code, code, str(outcome))
        return outcome


def main():
    test = unittest.main(verbosity=1, exit=False)
    tried = ForgeryTest.tried
    forged = sum(count for kind, count in tried.items() if kind != "honest")
    print(f"{forged} forgeries, {tried['honest']} honest claims; at most {ForgeryTest.dearest[0]:.2f} s of processor time "
          f"and {ForgeryTest.dearest[1] >> 20} MB", flush=True)
    for kind, count in sorted(tried.items()):
        print(f"  {kind}: {count}", flush=True)
    sys.exit(0 if test.result.wasSuccessful() else 1)
