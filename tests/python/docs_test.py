#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python blocks of the documentation run, and print what is shown after them."""
import contextlib
import doctest
import io
import pathlib
import re
import subprocess
import sys

import support  # noqa: F401

import halfspace
import halfspace._data
import halfspace._estimators
import halfspace._search

failed = 0
for page in ("README.md", "docs/python.md"):
    text = pathlib.Path(page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n(?:```text\n(.*?)```)?", text, re.S)
    assert blocks, page
    for code, shown in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, page, "exec"), {})
        if shown and out.getvalue() != shown:
            failed += 1
            print(f"{page}: expected\n{shown}found\n{out.getvalue()}")
for module in (halfspace._data, halfspace._estimators, halfspace._search):
    tried = doctest.testmod(module)
    assert tried.attempted, module
    failed += tried.failed
failed += subprocess.run([sys.executable, "scripts/make-python-docs", "--check"]).returncode != 0
sys.exit(1 if failed else 0)
