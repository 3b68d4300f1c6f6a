#!/usr/bin/env python3
"""run.py [--write] [--real-data] HALFSPACE FILE.md...: runs the commands of the documentation and compares what they print with what is shown.

A ```sh block after a line <!-- run --> is run by bash in a fresh folder of its page, with data/ beside it and halfspace
on the PATH; <!-- run exit=3 --> says which exit code is right. A ```text block that follows is its output (standard
output and standard error together): "…" in a line stands for anything, a line "…" alone for any number of lines.
A picture images/NAME.svg of the page that the commands have made as NAME.svg must be the one that is kept; those named PAGE-... must be made.
Links to other pages, to their headings and to pictures must lead somewhere.
--write puts what is printed and drawn into the page and its folder instead, where it differs.

<!-- run data=csv/NAME.xz,... --> is for blocks on public data that are not part of the project. They are run with
--real-data alone, after these files were unpacked into the folder, and left out where the files are not there
($HALFSPACE_SHARED_DATA, or shared/data beside the project).
"""
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("HALFSPACE_SHARED_DATA", ROOT.parent / "shared" / "data"))
BLOCK = re.compile(r"^<!-- run(?: exit=(\d+))?(?: data=(\S+))? -->\n```sh\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.M | re.S)


def pattern(shown):
    """The regular expression of an output as the page shows it."""
    parts = []
    for line in shown.splitlines():
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append("[^\n]*".join(re.escape(piece.rstrip()) for piece in line.split("…")) + r"[ \t]*\n")
    return re.compile("".join(parts))


def pictures(page, text, folder, write):
    """Complaints about pictures of the page that its commands draw otherwise."""
    complaints = []
    for name in sorted(set(re.findall(r"\]\(images/([\w-]+\.svg)\)", text))):
        made, kept = pathlib.Path(folder) / name, page.parent / "images" / name
        if not made.exists() and name.startswith(page.stem + "-"):
            complaints.append(f"{page}: no command makes {name}")
        if not made.exists() or (kept.exists() and made.read_bytes() == kept.read_bytes()):
            continue
        if write:
            kept.write_bytes(made.read_bytes())
        else:
            complaints.append(f"{page}: {kept} is not what the commands draw (tests/docs/run.py --write keeps the new one)")
    return complaints


def slugs(page):
    """The anchors of the headings of a page, as they are made of their words."""
    headings = re.findall(r"^#{1,6} +(.*)$", re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def dead_links(page, text):
    """Complaints about links that lead nowhere. Addresses elsewhere are not looked at."""
    complaints = []
    plain = re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    for link in sorted(set(re.findall(r"\]\(([^)\s]+)\)", plain))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            complaints.append(f"{page}: {link}: there is no such file")
        elif anchor and target.suffix == ".md" and anchor not in slugs(target):
            complaints.append(f"{page}: {link}: there is no such heading")
    return complaints


def unpack(names, folder):
    """The files that a block needs, without their .xz. False: some are not there."""
    for name in names.split(","):
        if not (SHARED / name).is_file():
            return False
        target = pathlib.Path(folder) / pathlib.Path(name).stem
        if not target.exists():
            target.write_bytes(lzma.decompress((SHARED / name).read_bytes()))
    return True


def check(page, halfspace, write, real_data):
    """Number of blocks of the page that were run and a list of complaints."""
    text = page.read_text(encoding="utf-8")
    changes = []
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
        count = 0
        for block in blocks:
            if bool(block[2]) != real_data or (real_data and not unpack(block[2], folder)):
                continue
            count += 1
            place = f"{page}:{text.count(chr(10), 0, block.start()) + 1}"
            expected = int(block[1] or 0)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block[3]], cwd=folder, env=environment, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            printed = done.stdout.decode("utf-8", "replace")
            if printed and not printed.endswith("\n"):
                printed += "\n"
            if done.returncode != expected:
                complaints.append(f"{place}: exit {done.returncode}, expected {expected}; printed:\n{printed}")
            elif write and printed and (block[4] is None or not pattern(block[4]).fullmatch(printed)):
                end = block.end(4) if block[4] is not None else block.end(3) + len("```\n")
                begin = block.start(4) if block[4] is not None else end
                changes.append((begin, end, printed if block[4] is not None else f"```text\n{printed}```\n"))
            elif block[4] is not None and not pattern(block[4]).fullmatch(printed):
                complaints.append(f"{place}: the page shows\n{block[4]}but it prints\n{printed}")
        complaints += [] if real_data else pictures(page, text, folder, write) + dead_links(page, text)
    for begin, end, printed in reversed(changes):
        text = text[:begin] + printed + text[end:]
    if changes:
        page.write_text(text, encoding="utf-8")
    return count, complaints


def main():
    total, complaints = 0, []
    write, real_data = "--write" in sys.argv, "--real-data" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    for name in arguments[1:]:
        count, found = check(pathlib.Path(name), arguments[0], write, real_data)
        total += count
        complaints += found
    print("\n".join(complaints))
    print(f"{total} blocks run, {len(complaints)} complaints")
    if real_data and total == 0:
        print(f"SKIPPED: no public data in {SHARED}")
        return 0
    return 1 if complaints or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
