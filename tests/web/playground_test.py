#!/usr/bin/env python3
"""playground_test.py PROGRAM FOLDER [PICTURES]: opens the playground in a headless browser, draws, drags and steps in it, and holds what it
shows and saves against the program. Prints SKIPPED and why, when Node 18, npm, the registry or Chromium is not there."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import web_test
from playground_server import Playground


def traces(folder):
    """What `halfspace trace` writes for the points that the browser saves."""
    for saved in sorted(folder.glob("saved-*.csv")):
        words = json.loads(saved.with_suffix(".json").read_text())
        done = subprocess.run([web_test.PROGRAM, "trace", str(saved), "--quiet", *words], capture_output=True, text=True, timeout=60)
        yield saved.with_suffix(".jsonl").read_text(), done.stdout, saved.name


def main():
    web_test.node_packages()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        web_test.skip("no chromium on the path")
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        (folder / "evil.csv").write_text(web_test.HOSTILE, encoding="utf-8")
        plain = stack.enter_context(Playground(web_test.PROGRAM, seconds=400))
        iris = stack.enter_context(Playground(web_test.PROGRAM, str(web_test.DATA / "iris.csv"), seconds=400))
        evil = stack.enter_context(Playground(web_test.PROGRAM, str(folder / "evil.csv"), seconds=400))
        order = {"chromium": chromium, "modules": str(web_test.FOLDER), "folder": str(folder), "program": web_test.PROGRAM, "plain": plain.address, "iris": iris.address, "evil": evil.address,
                 "pictures": sys.argv[3] if len(sys.argv) > 3 else None}
        (folder / "order.json").write_text(json.dumps(order))
        script = pathlib.Path(__file__).with_name("playground.mjs")
        done = subprocess.run(["node", str(script), str(folder / "order.json")], timeout=600, env={**os.environ, "HOME": str(folder)})
        good = done.returncode == 0
        compared = 0
        for saved, traced, which in traces(folder):
            compared += 1
            if not traced or saved != traced:
                print(f"{which}: the trace that was saved is not what halfspace trace writes:\n{saved[:300]}\n{traced[:300]}")
                good = False
        if compared < 2:
            print(f"only {compared} traces were saved")
            good = False
        print(f"{compared} saved traces compared with halfspace trace")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
