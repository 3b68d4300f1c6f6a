# SPDX-License-Identifier: BSD-3-Clause
"""White space as clang-format has it, and calls that the sources must not have.

style_test.py SOURCE_DIR [CLANG_FORMAT]"""
import pathlib
import re
import subprocess
import sys

FOLDERS = ("include", "src", "cli", "mpi", "tests", "fuzz", "bench", "examples")
# What gives other answers in another locale, is not the same on every machine, or ends the caller's program.
FORBIDDEN = {
    r"\b(?:std::)?(?:strtod|strtof|stod|stof|atof|sscanf|setlocale)\s*\(": "reads numbers by the locale: std::from_chars",
    r"\b(?:std::)?s?rand\s*\(": "random numbers come from core/random.hpp",
    r"\bstd::(?:cout|cerr|random_device)\b": "the library does not print and draws no seeds",
    r"\b(?:std::)?(?:abort|exit|_Exit|quick_exit)\s*\(": "the library does not end the program",
}


def sources(root, folders):
    for folder in folders:
        yield from sorted(p for p in (root / folder).rglob("*.[ch]pp"))


def calls(root):
    faults = []
    for path in sources(root, ("include", "src")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code = line.split("//")[0]
            for pattern, why in FORBIDDEN.items():
                if re.search(pattern, code):
                    faults.append(f"{path.relative_to(root)}:{number}: {code.strip()}: {why}")
    return faults


def white_space(root, program):
    files = [str(p) for p in sources(root, FOLDERS)]
    result = subprocess.run([program, "--dry-run", "--Werror", *files], cwd=root, capture_output=True, text=True, check=False)
    found = [line for line in result.stderr.splitlines() if "error:" in line]
    return found if result.returncode == 0 or found else [result.stderr.strip()]


def main():
    root = pathlib.Path(sys.argv[1])
    faults = calls(root)
    if len(sys.argv) > 2:
        faults += white_space(root, sys.argv[2])
    else:
        print("clang-format 14 is not here: white space was not looked at")
    print("\n".join(faults[:40]))
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
