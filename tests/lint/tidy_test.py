# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy over the library and the program, as .clang-tidy has it: every source once, by the units of a unity build.

tidy_test.py CLANG_TIDY BUILD_DIR JOBS"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys


def units(build):
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    files = {entry["file"] for entry in commands}
    return sorted(f for f in files if re.search(r"/(src|cli)/", f) and "/tests/" not in f)


def main():
    program, build, jobs = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])

    def tidy(unit):
        # A unit is a list of includes of sources.
        return subprocess.run([program, "-p", str(build), "--quiet", "--checks=-bugprone-suspicious-include", unit],
                              capture_output=True, text=True, check=False).stdout

    found = units(build)
    if not found:
        print("no units to look at")
        return 1
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        faults = sorted({line for text in pool.map(tidy, found) for line in text.splitlines()
                         if re.search(r": (warning|error): ", line)})
    print("\n".join(faults[:40]))
    print(f"{len(found)} units, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
