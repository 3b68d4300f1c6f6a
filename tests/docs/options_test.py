# SPDX-License-Identifier: BSD-3-Clause
"""options_test.py OPTION_TABLES PAGE [--write]: the page of options is what the tables of the library say."""
import difflib
import pathlib
import subprocess
import sys


def main():
    made = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    page = pathlib.Path(sys.argv[2])
    if "--write" in sys.argv[3:]:
        page.write_text(made, encoding="utf-8")
        return 0
    kept = page.read_text(encoding="utf-8") if page.exists() else ""
    difference = list(difflib.unified_diff(kept.splitlines(), made.splitlines(), str(page), "from the library", lineterm="", n=0))
    print("\n".join(difference[:60]) or "the page is what the library says")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
