#!/usr/bin/env python3
"""Reads every #include and fails on one that points to a layer the including file may not use."""
import pathlib
import re
import sys

# layer -> layers it may include besides itself
MAY = {
    "core": set(),
    "data": {"core"},
    "prepare": {"core", "data"},
    "objective": {"core", "data"},
    "model": {"core", "data", "prepare"},
    "certify": {"core", "data", "prepare", "objective", "model"},  # never solve: the checker shares no code with the solvers
    "solve": {"core", "data", "prepare", "objective", "model", "certify"},
    "train": {"core", "data", "prepare", "objective", "model", "certify", "solve"},
    "evaluate": {"core", "data", "prepare", "objective", "model", "certify", "solve", "train"},
    "report": {"core", "data", "prepare", "objective", "model", "certify", "solve", "train", "evaluate"},
    "playground": {"core", "data", "prepare", "objective", "model", "certify", "solve", "train", "evaluate", "report"},
    # The C interface (c.h) stands above everything, and nothing of the library includes it.
    "c": {"core", "data", "prepare", "objective", "model", "certify", "solve", "train", "evaluate", "report", "playground"},
}
# Libraries that must not show in an installed header.
PRIVATE = ("fmt/", "nlohmann/", "hwy/", "CLI/", "zlib.h", "zstd.h", "lzma.h", "bzlib.h", "xxhash.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def main(root: pathlib.Path) -> int:
    bad = []
    files = 0
    for base in ("include/halfspace", "src"):
        for path in sorted((root / base).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".h"):
                continue
            parts = path.relative_to(root / base).parts
            layer = parts[0] if len(parts) > 1 else None
            if layer is not None and layer not in MAY:
                bad.append(f"{path}: unknown layer {layer}")
                continue
            files += 1
            for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if base.startswith("include") and target.startswith(PRIVATE):
                    bad.append(f"{path.relative_to(root)}: public header includes {target}")
                name = target.removeprefix("halfspace/")
                other = name.split("/")[0] if "/" in name else "c" if name == "c.h" else None
                if layer and other in MAY and other != layer and other not in MAY[layer]:
                    bad.append(f"{path.relative_to(root)}: {layer} may not include {target}")
    for line in bad:
        print(line)
    print(f"{files} files read, {len(bad)} upward or foreign includes")
    return 1 if bad or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
