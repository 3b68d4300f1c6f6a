"""Runs the program in a folder of its own. The path of the program is the first argument of every test script."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "halfspace"

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SANITIZED = os.environ.get("HALFSPACE_SANITIZE", "") not in ("", "OFF")
# The thread sanitizer writes files before main and keeps a signal until the system call it interrupted has returned.
without_thread_sanitizer = unittest.skipIf(os.environ.get("HALFSPACE_SANITIZE") == "thread", "not under the thread sanitizer")

ROWS = "".join(
    f"{'+1' if i % 3 else '-1'} 1:{(i % 7) - 3 + (2 if i % 3 else -2)} 2:{i % 5} 4:{0.25 * (i % 4)}\n" for i in range(60)
)
APART = "+1 1:2 2:1\n+1 1:3\n+1 1:2.5 2:-1\n-1 1:-2 2:1\n-1 1:-3\n-1 1:-2 2:-1\n"
TABLE = "size,color,label\n" + "".join(f"{i},{'red' if i % 2 else 'blue'},{'big' if i > 10 else 'small'}\n" for i in range(20))
THREE = "".join(f"{k} {k}:1 4:{0.125 * i}\n" for i in range(8) for k in (1, 2, 3))


class ProgramTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("rows.txt", ROWS), ("apart.txt", APART), ("table.csv", TABLE), ("three.txt", THREE)):
            (self.folder / name).write_text(text, encoding="utf-8")

    def run_program(self, *args, stdin=b"", env=None, **more):
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
        environment.update(env or {})
        return subprocess.run([PROGRAM, *args], cwd=self.folder, input=stdin, capture_output=True, timeout=60,
                              env=environment, **more)

    def done(self, *args, code=0, **more):
        """Runs, checks the exit code, gives back standard output as text."""
        result = self.run_program(*args, **more)
        self.assertEqual(result.returncode, code, result.stderr.decode("utf-8", "replace"))
        return result.stdout.decode("utf-8")

    def json(self, *args, code=0, **more):
        return json.loads(self.done(*args, "--json", code=code, **more))

    def fails(self, code, *args, **more):
        """Runs, expects exactly one line on standard error and nothing on standard output; gives back that line."""
        result = self.run_program(*args, **more)
        text = result.stderr.decode("utf-8", "replace")
        self.assertEqual(result.returncode, code, text)
        self.assertEqual(result.stdout, b"")
        self.assertEqual(text.count("\n"), 1, text)
        self.assertTrue(text.endswith("\n"))
        self.assertIn("error: ", text)
        return text.strip()

    def train(self, data="rows.txt", model="model", *args):
        self.done("train", data, "-o", model, *args)
        return (self.folder / model).read_bytes()


def main():
    unittest.main(verbosity=1)
