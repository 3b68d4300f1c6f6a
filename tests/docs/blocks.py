#!/usr/bin/env python3
"""blocks.py FILE.md FOLDER: writes the C++ of a page into FOLDER, and what the page says that it prints.

A ```cpp block with a main() is a program: STEM_1.cpp, STEM_2.cpp, ... in the order of the page. The other blocks are
functions of one more program, STEM_parts.cpp. The ```text block right after a block is its output: NAME.txt, as run.py
reads it ("…" stands for anything). Prints the names of the programs. Files that would not change are not written."""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.M | re.S)
HEAD = "#include <halfspace/halfspace.hpp>\n\n#include <cstdio>\n#include <string>\n#include <vector>\n\nnamespace hs = halfspace;\n"


def write(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    programs, parts = [], []
    for code, shown in BLOCK.findall(page.read_text(encoding="utf-8")):
        if "int main(" in code:
            programs.append((f"{page.stem}_{len(programs) + 1}", code, shown))
        else:
            parts.append((code, shown))
    if parts:
        bodies = "".join(f"\nstatic void part_{k}() {{\n{code}}}\n" for k, (code, _) in enumerate(parts))
        calls = "".join(f"  part_{k}();\n" for k in range(len(parts)))
        programs.append((f"{page.stem}_parts", f"{HEAD}{bodies}\nint main() {{\n{calls}}}\n", "".join(shown for _, shown in parts)))
    for name, code, shown in programs:
        write(folder / f"{name}.cpp", code)
        write(folder / f"{name}.txt", shown)
    print(";".join(name for name, _, _ in programs), end="")
    return 0 if programs else 1


if __name__ == "__main__":
    sys.exit(main())
