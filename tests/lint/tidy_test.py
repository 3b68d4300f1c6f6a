# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy over the library and the program, as .clang-tidy has it: every source once, by the units of a unity build.

Half of the time of a unit goes into headers that its neighbours include as well, so all units of a layer are read as one
source; where two of them do not go together (a name that both have for themselves) each half of them is.

tidy_test.py CLANG_TIDY BUILD_DIR JOBS"""
import concurrent.futures
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def units(build):
    """The compile commands of sources of the library and the program, by layer: units of Highway's loops are alone."""
    commands = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))}
    found = [entry for name, entry in sorted(commands.items()) if re.search(r"/(src|cli)/", name) and "/tests/" not in name]

    def layer(entry):
        target = re.search(r"CMakeFiles/(\w+)\.dir/Unity/unity_([a-z]*)", entry["file"])
        return f"{target[1]}_{target[2]}" if target else entry["file"]

    return [list(group) for _, group in itertools.groupby(sorted(found, key=layer), layer)]


def main():
    program, build, jobs = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    # Named, because clang-tidy looks for it beside the source, and units that are read together lie elsewhere.
    settings = pathlib.Path(__file__).resolve().parents[2] / ".clang-tidy"
    groups = units(build)
    if not groups:
        print("no units to look at")
        return 1

    def faults_of(folder, source):
        # A unit is a list of includes of sources.
        done = subprocess.run([program, "-p", str(folder), "--quiet", f"--config-file={settings}",
                               "--checks=-bugprone-suspicious-include", str(source)],
                              capture_output=True, text=True, check=False)
        faults = {line for line in done.stdout.splitlines() if re.search(r": (warning|error): ", line)}
        if done.returncode != 0 and not faults:  # it has looked at nothing
            faults.add(f"{source}: {program} ends with {done.returncode}: {done.stderr.strip()[-300:]}")
        return faults

    def tidy(group):
        """The faults of a group of units, read as one source where that can be compiled."""
        if len(group) == 1:
            return faults_of(build, group[0]["file"])
        with tempfile.TemporaryDirectory() as scratch:
            together = pathlib.Path(scratch) / "units.cpp"
            together.write_text("".join(f'#include "{entry["file"]}"\n' for entry in group), encoding="utf-8")
            command = dict(group[0], file=str(together), command=group[0]["command"].replace(group[0]["file"], str(together)))
            (together.parent / "compile_commands.json").write_text(json.dumps([command]), encoding="utf-8")
            found = faults_of(scratch, together)
        if any("clang-diagnostic-error" in line for line in found):
            half = len(group) // 2
            return tidy(group[:half]) | tidy(group[half:])
        return found

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        faults = sorted(set().union(*pool.map(tidy, sorted(groups, key=len, reverse=True))))
    print("\n".join(faults[:40]))
    print(f"{sum(map(len, groups))} units, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
