#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The wheel is built without a network, installed into a clean environment, and works there away from the source tree."""
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import support  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = """
import halfspace, pathlib, sys
assert pathlib.Path(halfspace.__file__).is_relative_to(sys.prefix), halfspace.__file__
assert pathlib.Path(halfspace._library._so._name).is_relative_to(sys.prefix), halfspace._library._so._name
X, y = [[0.0, 1.0], [1.0, 0.0], [0.2, 0.9], [0.8, 0.1]], [0, 1, 0, 1]
print(halfspace.__version__, halfspace.LogisticRegression().fit(X, y).predict(X).tolist())
"""

try:
    import ensurepip  # noqa: F401
    import pip  # noqa: F401
    import venv  # noqa: F401
except ImportError as error:
    print(f"SKIPPED: {error} (Debian: python3-pip, python3-venv)")
    sys.exit(0)

with tempfile.TemporaryDirectory() as folder:
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH",)}
    quiet = ["--quiet", "--no-index", "--no-cache-dir", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-build-isolation", "--no-deps", "-w", folder, *quiet],
                   check=True, env=clean)
    wheels = list(pathlib.Path(folder).glob("*.whl"))
    assert len(wheels) == 1 and wheels[0].name.endswith("-py3-none-linux_x86_64.whl"), wheels
    names = zipfile.ZipFile(wheels[0]).namelist()
    for needed in ("halfspace/__init__.py", "halfspace/__init__.pyi", "halfspace/py.typed", "halfspace/libhalfspace.so"):
        assert needed in names, f"{needed} is not in the wheel"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", f"{folder}/env"], check=True, env=clean)
    python = f"{folder}/env/bin/python"
    subprocess.run([python, "-m", "pip", "install", str(wheels[0]), "--no-deps", *quiet], check=True, env=clean)
    clean.pop("HALFSPACE_LIBRARY", None)
    done = subprocess.run([python, "-c", SCRIPT], check=True, env=clean, cwd=folder, capture_output=True, text=True)
    assert done.stdout.strip().endswith("[0, 1, 0, 1]"), done.stdout
    shown = subprocess.run([python, "-m", "pip", "show", "halfspace", "--disable-pip-version-check"], check=True, env=clean, capture_output=True, text=True)
    assert "Name: halfspace" in shown.stdout
    print(f"{wheels[0].name}, {wheels[0].stat().st_size / 1e6:.1f} MB: {done.stdout.strip()}")
