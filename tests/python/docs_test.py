#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python blocks of the documentation run, and print what is shown after them."""
import contextlib
import doctest
import io
import pathlib
import re
import sys

import support  # noqa: F401

import halfspace
import halfspace._data

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
failed += doctest.testmod(halfspace._data).failed
sys.exit(1 if failed else 0)
