#!/usr/bin/env python3
"""onnx_test.py PROGRAM FOLDER: exports models as ONNX, has onnx's own checker look at them (python3-onnx) and runs them by ONNX Runtime. FOLDER
keeps the package between runs. Prints SKIPPED and why, when Node, npm or the package is not there."""
import filecmp
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from models import KERNELS, MODELS, differences, program, train_all

HERE = pathlib.Path(__file__).resolve().parent
NODE_FOLDER = pathlib.Path(sys.argv[2])
SYSTEM_PYTHON = "/usr/bin/python3"


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(0)


def runtime():
    """The packages of package-lock.json, installed once for every lock file."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        skip("no node or no npm on the path")
    NODE_FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "run_onnx.mjs"):
        shutil.copy(HERE / name, NODE_FOLDER / name)
    lock = NODE_FOLDER / "package-lock.json"
    if lock.exists() and filecmp.cmp(lock, HERE / "package-lock.json", shallow=False) and (NODE_FOLDER / "node_modules").is_dir():
        return node
    shutil.copy(HERE / "package-lock.json", lock)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=60000"]
    try:
        done = subprocess.run(command, cwd=NODE_FOLDER, capture_output=True, text=True, timeout=400)
    except subprocess.TimeoutExpired:
        lock.unlink(missing_ok=True)
        skip("npm ci took longer than 400 s")
    if done.returncode != 0:
        lock.unlink(missing_ok=True)
        skip("npm ci failed: " + done.stderr.strip().replace("\n", " | ")[-400:])
    return node


CHECK = """
import sys
try:
    import onnx
except ImportError:
    print('absent'); sys.exit(0)
for path in sys.argv[1:]:
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert [o.name for o in model.graph.output][:2] == ['label', 'score'], path
print('checked', len(sys.argv) - 1)
"""


def main():
    node = runtime()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trained = train_all(folder, MODELS + KERNELS)
        for one in trained:
            said = json.loads(program(folder, "export", one.model, "--to", "onnx", "-o", f"{one.name}.onnx", "--json"))
            if said["check"]["other_labels"] != 0 or not (said["check"]["same_bits"] or one.about["kind"] == "kernel"):
                failures.append(f"{one.name}: {said['check']}")
            (folder / f"{one.name}.rows.json").write_text(json.dumps(one.rows))
        if pathlib.Path(SYSTEM_PYTHON).exists():
            checked = subprocess.run([SYSTEM_PYTHON, "-c", CHECK, *map(str, sorted(folder.glob("*.onnx")))], capture_output=True, text=True, timeout=200)
            print("onnx.checker:", checked.stdout.strip() or checked.stderr[-2000:])
            if checked.returncode != 0:
                failures.append("the checker of onnx refuses a model")
        done = subprocess.run([node, "run_onnx.mjs", str(folder)], cwd=NODE_FOLDER, capture_output=True, timeout=300)
        if done.returncode != 0:
            print(done.stderr.decode("utf-8", "replace")[-3000:])
            sys.exit(1)
        said = json.loads(done.stdout)
        for one in trained:
            here = said[one.name]
            apart, shares, same = differences(one, here["scores"], here["probabilities"])
            print(f"{one.name}: scores {'equal to the bit' if same else f'differ by {apart:.2g} of the largest'}, probabilities by {shares:.2g}")
            if here["labels"] != one.labels or here["dims"] != [len(one.rows)]:
                failures.append(f"{one.name}: other labels")
            if apart > 1e-12 or shares > 1e-13:
                failures.append(f"{one.name}: scores or probabilities differ")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
