#!/usr/bin/env python3
"""prints.py PROGRAM [FILE]: runs the program in a fresh folder with data/ in it; it must succeed, and print what FILE shows."""
import os
import pathlib
import subprocess
import sys
import tempfile

from run import ROOT, pattern


def main():
    with tempfile.TemporaryDirectory(prefix="halfspace-docs-") as folder:
        os.symlink(ROOT / "data", pathlib.Path(folder) / "data")
        done = subprocess.run([os.path.abspath(sys.argv[1])], cwd=folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    printed = done.stdout.decode("utf-8", "replace")
    print(printed)
    if done.returncode != 0:
        print(f"exit {done.returncode}")
        return 1
    if len(sys.argv) < 3:
        return 0
    shown = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    if pattern(shown).fullmatch(printed):
        return 0
    print(f"the page shows\n{shown}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
