#!/usr/bin/env python3
"""Bad input files, each with the verdict, the place and the words the program must give.

usage: run_reject.py PROGRAM [SOURCE_DIR]

Reads cases.tsv beside this file. When a collection of bad inputs lies next to the project (../shared/badinput with an
INDEX.md), its files are run too, as their tables say; otherwise that part says it was skipped.
A place is LINE:COLUMN (columns may differ by one), "byte N", "-" (no line) or "*" (anywhere).
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TRAINING = ["--algorithm", "perceptron", "--passes", "3"]
SECONDS = 30  # far beyond what any case takes; catches a hang


def place_matches(line: str, file: str, place: str) -> bool:
    rest = line[len(file):] if line.startswith(file) else line
    if place == "*":
        return True
    if place == "-":
        return not re.match(r":\d+:", rest)
    if place.startswith("byte"):
        found = re.match(r": byte (\d+): ", rest)
        wanted = place.split()[1]
        return bool(found) and (wanted == "*" or int(found[1]) == int(wanted))
    found = re.match(r":(\d+):(\d+): ", rest)
    if not found:
        return False
    row, column = place.split(":")
    return int(found[1]) == int(row) and (column == "*" or abs(int(found[2]) - int(column)) <= 1)


class Runner:
    def __init__(self, program: str, folder: pathlib.Path):
        self.program, self.folder = program, folder
        self.count = 0
        self.failures: list[str] = []

    def run(self, name: str, file: str, arguments: list[str], codes: set[int], place: str, words: list[str]) -> None:
        """Runs one case; with 0 among the codes the file may also be accepted."""
        self.count += 1
        out = self.folder / f"model{self.count}"
        command = [self.program, *arguments]
        if arguments[0] == "train":
            command += ["-o", str(out), *([] if "--algorithm" in arguments else TRAINING)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.failures.append(f"{name}: no answer within {SECONDS} s")
            return
        text = done.stderr.decode("utf-8", "backslashreplace")
        problems = []
        if done.returncode not in codes:
            problems.append(f"exit {done.returncode}, expected {sorted(codes)}")
        elif done.returncode == 0:
            if arguments[0] == "train" and not out.exists():
                problems.append("accepted, but no model")
        else:
            lines = text.splitlines()
            if len(lines) != 1 or not text.endswith("\n"):
                problems.append(f"{len(lines)} lines on standard error")
            if any(ord(c) < 32 for line in lines for c in line):
                problems.append("control bytes on standard error")
            if done.stdout:
                problems.append("text on standard output")
            if lines and "error: " not in lines[0]:
                problems.append("no 'error: '")
            if lines and not place_matches(lines[0], file, place):
                problems.append(f"place, expected {place}")
            said = text.replace(file, "").lower()  # the name of the file may hold the words, too
            problems += [f"no '{w}'" for w in words if w.lower() not in said]
            if out.exists() or list(self.folder.glob(f"*model{self.count}*")):
                problems.append("left a file")
        if problems:
            self.failures.append(f"{name}: {'; '.join(problems)}\n    {text.strip()[:300]}")


def own_cases(runner: Runner) -> None:
    for line in (HERE / "cases.tsv").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, arguments, code, place, words = (line.split("\t") + [""])[:5]
        path = HERE / "files" / name
        filled = [a.replace("{}", str(path)).replace("@", str(path.parent)) for a in arguments.split()]
        runner.run(name, str(path), filled, {int(code)}, place, [w for w in words.split(" & ") if w])


def arguments_for(folder: pathlib.Path, name: str) -> list[str]:
    """The command a file of the collection is run with, by its kind."""
    path = folder / name
    if folder.name == "model_liblinear":
        return ["show", str(path)]
    if folder.name == "csv":
        return ["train", str(path), "--label", "label"]
    if folder.name == "idx":
        if name.endswith(".idx1"):
            return ["train", f"{folder / 'I00_good-images.idx3'},{path}", "--format", "idx"]
        return ["train", f"{path},{folder / 'I00_good-labels.idx1'}", "--format", "idx"]
    if folder.name == "npy":
        return ["train", f"{path},{HERE / 'files/npy/labels.npy'}", "--format", "npy"]
    return ["train", str(path), "--format", "libsvm"]


def collection_cases(runner: Runner, index: pathlib.Path) -> None:
    kind = ""
    for line in index.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.split()[1]
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        folder = index.parent / kind
        if len(cells) != 7 or not (folder / cells[0]).is_file():
            continue
        name, _, _, verdict, at = cells[:5]
        codes = {"R": {3}, "A": {0}}.get(verdict, {0, 3})
        # Values at the edge of the range may also end at a limit with a finite model.
        if verdict.startswith("A\\"):
            codes.add(4)
        place = at if re.fullmatch(r"\d+:\d+|byte \d+", at) else "-" if kind in ("libsvm", "csv") else "*"
        runner.run(f"{kind}/{name}", str(folder / name), arguments_for(folder, name), codes, place, [])


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(sys.argv[1], pathlib.Path(folder))
        own_cases(runner)
        own = runner.count
        root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE.parent.parent
        index = root.parent / "shared" / "badinput" / "INDEX.md"
        if index.is_file():
            collection_cases(runner, index)
        else:
            print("skipped: no collection of bad inputs next to the project")
        for failure in runner.failures:
            print("FAILED", failure)
        print(f"{own} own files, {runner.count - own} of the collection, {len(runner.failures)} failures")
        return 1 if runner.failures or own == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
