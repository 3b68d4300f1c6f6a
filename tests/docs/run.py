#!/usr/bin/env python3
"""run.py HALFSPACE FILE.md...: runs the commands of the documentation and compares what they print with what is shown.

A ```sh block after a line <!-- run --> is run by bash in a fresh folder of its page, with data/ beside it and halfspace
on the PATH; <!-- run exit=3 --> says which exit code is right. A ```text block that follows is its output (standard
output and standard error together): "…" in a line stands for anything, a line "…" alone for any number of lines.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^<!-- run(?: exit=(\d+))? -->\n```sh\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.M | re.S)


def pattern(shown):
    """The regular expression of an output as the page shows it."""
    parts = []
    for line in shown.splitlines():
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append("[^\n]*".join(re.escape(piece.rstrip()) for piece in line.split("…")) + r"[ \t]*\n")
    return re.compile("".join(parts))


def check(page, halfspace):
    """Number of blocks of the page and a list of complaints."""
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    complaints = []
    if text.count("<!-- run") != len(blocks):
        complaints.append(f"{page}: {text.count('<!-- run')} marks, but {len(blocks)} blocks: a mark stands right before ```sh")
    with tempfile.TemporaryDirectory(prefix="halfspace-docs-") as folder:
        os.symlink(ROOT / "data", pathlib.Path(folder) / "data")
        # A bin folder of its own: the page must meet the program under test, and no other.
        tools = pathlib.Path(folder) / ".bin"
        tools.mkdir()
        os.symlink(pathlib.Path(halfspace).resolve(), tools / "halfspace")
        environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        for block in blocks:
            place = f"{page}:{text.count(chr(10), 0, block.start()) + 1}"
            expected = int(block[1] or 0)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block[2]], cwd=folder, env=environment, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            printed = done.stdout.decode("utf-8", "replace")
            if printed and not printed.endswith("\n"):
                printed += "\n"
            if done.returncode != expected:
                complaints.append(f"{place}: exit {done.returncode}, expected {expected}; printed:\n{printed}")
            elif block[3] is not None and not pattern(block[3]).fullmatch(printed):
                complaints.append(f"{place}: the page shows\n{block[3]}but it prints\n{printed}")
    return len(blocks), complaints


def main():
    total, complaints = 0, []
    for name in sys.argv[2:]:
        count, found = check(pathlib.Path(name), sys.argv[1])
        total += count
        complaints += found
    print("\n".join(complaints))
    print(f"{total} blocks run, {len(complaints)} complaints")
    return 1 if complaints or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
