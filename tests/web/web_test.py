#!/usr/bin/env python3
"""web_test.py PROGRAM FOLDER: builds the page of the report from its sources and compares it with the one that is
committed, then opens reports in a headless browser. FOLDER keeps the packages of Node between runs.
Prints SKIPPED and why, when Node 18, npm, the registry or Chromium is not there."""
import filecmp
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
WEB = SOURCE / "web"
DATA = SOURCE / "data"

HOSTILE = (
    '"<script>alert(1)</script>",__proto__,"a""b\'c","\u202eright to left","\U0001f600 & co",label\n'
    + "".join(f"{i % 7},{(i * 3) % 5},{i % 2},{i},{-i},{'</script><img src=x onerror=alert(2)>' if i % 3 else '&amp;constructor'}\n" for i in range(60))
)
EVIL_NAME = '"><img src=x onerror=alert(5)> \u202e.csv'
EVIL_OPTION = "</script><img src=x onerror=alert(6)>"
# What a stranger may hand over as the output of path and curve.
EVIL_PATH = {"schema": "halfspace.path/1", "algorithm": "<script>alert(7)</script>", "option": EVIL_OPTION, "scale": "none", "points": [
    {EVIL_OPTION: value, "validation_error": error, "training_error": -error, "norm": 1e300, "margin": 0, "support_vectors": -1, "theta": [1e308], "theta0": ["x"]}
    for value, error in ((1e-300, 1e300), (1, 0), (1e300, -1))]}
EVIL_CURVE = {"schema": "halfspace.curve/1", "algorithm": "<b onclick=alert(8)>x</b>", "bayes_error": -3, "points": [
    {"rows": rows, "training_error": 2, "test_error": -1, "interval": [1e308, -1e308]} for rows in (1e-9, 5, 1e18)]}
# Data sets that may lie next to the project, or next to the main one of several working trees.
SHARED = next((p for p in (SOURCE.parent / "shared" / "data", SOURCE.parents[1] / "shared" / "data") if p.is_dir()), None)
STEPS = "+1 1:2 2:2\n-1 1:2 2:-1\n+1 1:-3\n-1 1:-3 2:-3\n-1 1:-2 2:-1\n"
XOR = "x1,x2,label\n0,0,a\n1,1,a\n0,1,b\n1,0,b\n"


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(0)


def node_packages():
    """The packages of web/package-lock.json, installed once for every lock file."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        skip("no node or no npm on the path")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    if int(re.match(r"v(\d+)", version).group(1)) < 18:
        skip(f"node {version.strip()} is older than 18")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "tsconfig.json", "build.mjs", "src"):
        target = FOLDER / name
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
        shutil.copytree(WEB / name, target) if (WEB / name).is_dir() else shutil.copy(WEB / name, target)
    lock = FOLDER / "package-lock.json"
    if lock.exists() and filecmp.cmp(lock, WEB / "package-lock.json", shallow=False) and (FOLDER / "node_modules").is_dir():
        return
    lock.unlink(missing_ok=True)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=60000"]
    shutil.copy(WEB / "package-lock.json", FOLDER / "package-lock.json")
    try:
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=400)
    except subprocess.TimeoutExpired:
        lock.unlink(missing_ok=True)
        skip("npm ci took longer than 400 s")
    if done.returncode != 0:
        lock.unlink(missing_ok=True)
        skip("npm ci failed: " + done.stderr.strip().replace("\n", " | ")[-400:])


def built_page_is_committed():
    subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit"], cwd=FOLDER, check=True, timeout=200)
    subprocess.run(["node", "build.mjs", str(FOLDER / "built")], cwd=FOLDER, check=True, timeout=100)
    good = True
    for page in ("report.html", "playground.html"):
        same = (FOLDER / "built" / page).read_bytes() == (WEB / "dist" / page).read_bytes()
        print(f"web/dist/{page} is what web/src builds" if same else f"web/dist/{page} is not what web/src builds: run npm ci && npm run build in web/")
        good = good and same
    return good


def run(folder, *command):
    return subprocess.run([PROGRAM, *map(str, command), "--quiet"], cwd=folder, check=True, timeout=300, stdout=subprocess.PIPE).stdout


def tuned_cancer(folder):
    """A search over C and a learning curve, which the report of the model shows."""
    data = DATA / "breast_cancer.csv"
    search = ("--algorithm", "logistic", "--scale", "standard")
    (folder / "tune.json").write_bytes(run(folder, "tune", data, *search, "--C", "1e-3:10", "-o", "cancer.model", "--json"))
    (folder / "curve.json").write_bytes(run(folder, "curve", data, *search, "--repeats", "5", "--json"))
    run(folder, "report", "cancer.model", data, "--path", "tune.json", "--curve", "curve.json", "-o", "cancer.html")


def machines_along_c(folder):
    run(folder, "generate", "gaussians", "-o", "clouds.csv", "--rows", "80", "--distance", "3")
    (folder / "path.json").write_bytes(run(folder, "path", "clouds.csv", "--C", "1e-2:100", "--json"))
    run(folder, "train", "clouds.csv", "--algorithm", "svm", "-o", "along.model")
    run(folder, "report", "along.model", "clouds.csv", "--path", "path.json", "-o", "along.html")


def reports(folder):
    """Reports of several kinds of model, as pages."""
    (folder / "xor.csv").write_text(XOR)
    evil = folder / EVIL_NAME
    evil.write_text(HOSTILE, encoding="utf-8")
    (folder / "evil-path.json").write_text(json.dumps(EVIL_PATH))
    (folder / "evil-curve.json").write_text(json.dumps(EVIL_CURVE))
    (folder / "steps.txt").write_text(STEPS)
    cases = [
        ("iris", DATA / "iris.csv", []),
        ("setosa", DATA / "iris.csv", ["--positive", "setosa", "--algorithm", "perceptron", "--passes", "until-clean"]),
        ("xor", folder / "xor.csv", []),
        ("svm", DATA / "breast_cancer.csv", ["--scale", "standard", "--algorithm", "svm"]),
        ("evil", evil, [], ["--path", "evil-path.json", "--curve", "evil-curve.json"]),
        ("steps", folder / "steps.txt", ["--algorithm", "averaged-perceptron", "--offset", "none", "--passes", "4"]),
        ("petals", DATA / "iris.csv", [], ["--columns", "petal length,petal width"]),
    ]
    if SHARED is None:
        print("no ../shared/data: digits of 8 x 8 pixels stand for MNIST, made messages for the SMS")
        images, passes = str(DATA / "digits.csv.gz"), "2"
        (folder / "sms.tsv").write_text(messages(), encoding="utf-8")
    else:
        images, passes = ",".join(str(SHARED / "mnist" / f"t10k-{name}.gz") for name in ("images-idx3-ubyte", "labels-idx1-ubyte")), "1"
        (folder / "sms.tsv").write_bytes(b"label\ttext\n" + lzma.decompress((SHARED / "csv" / "sms_spam.tsv.xz").read_bytes()))
    nine = ["--positive", "9", "--algorithm", "voted-perceptron", "--passes", passes]
    (folder / "voted.jsonl").write_bytes(run(folder, "trace", images, *nine, "--max", "200", "--theta", "always"))
    cases.append(("voted", images, nine, ["--trace", "voted.jsonl"]))
    cases.append(("sms", folder / "sms.tsv", ["--label", "label", "--text", "text", "--algorithm", "svm"]))
    (folder / "wide.csv").write_text(wide_table(), encoding="utf-8")
    cases.append(("wide", folder / "wide.csv", ["--algorithm", "svm"]))
    run(folder, "generate", "gaussians", "-o", "many.csv", "--rows", "1000000", "--features", "2", "--distance", "2")
    cases.append(("many", folder / "many.csv", ["--algorithm", "perceptron", "--passes", "1"]))
    for kind in ("platt", "isotonic"):
        cases.append((kind, DATA / "breast_cancer.csv", ["--scale", "standard", "--algorithm", "svm", "--calibrate", kind]))
    tuned_cancer(folder)
    machines_along_c(folder)
    made = [str(folder / "cancer.html"), str(folder / "along.html")]
    for name, data, options, *more in cases:
        run(folder, "train", data, "-o", f"{name}.model", *options)
        run(folder, "report", f"{name}.model", data, "-o", f"{name}.html", *(more[0] if more else []))
        made.append(str(folder / f"{name}.html"))
    for page in made:
        size = pathlib.Path(page).stat().st_size
        if size > 2_000_000:
            print(f"{page}: {size} bytes are more than 2 MB")
            sys.exit(1)
    return made


def probabilities(folder):
    """What predict says of the last class, row by row, for the models that are calibrated."""
    out = {}
    for kind in ("platt", "isotonic"):
        lines = run(folder, "predict", f"{kind}.model", DATA / "breast_cancer.csv", "--probabilities").decode().splitlines()
        out[kind] = [float(line.split("\t")[-1]) for line in lines if line and not line.startswith("labels")]
    return out


def messages():
    """Short messages of two kinds, which share most of their words; some are marked as the other kind."""
    wanted = ["claim your free prize now", "you have won a voucher, call today", "urgent: your account \"expires\" tonight", "free entry into a weekly draw"]
    plain = ["see you at seven", "call me when you are home", "the meeting is moved to monday", "can you send me the notes, please", "happy birthday to you"]
    lines = ["label\ttext\n"]
    for i in range(240):
        spam = i % 4 == 0
        words = (wanted if spam else plain)[(i // 4 * 7) % (4 if spam else 5)] + f" {plain[(i * 3) % 5]} {i % 17} \u00a3{i % 9}00" * (i % 3)
        lines.append(f"{'spam' if spam != (i % 37 == 5) else 'ham'}\t{words}\n")
    return "".join(lines)


def wide_table():
    """Ten thousand columns, some of them with names that are not harmless."""
    odd = ["__proto__", "constructor", "<script>alert(3)</script>", '""quoted""', "it's", "\u202eright to left", "\U0001f600", "a & b", "toString", "</title>"]
    names = [odd[j] if j < len(odd) else f"column {j}" for j in range(10000)]
    lines = [",".join(f'"{name}"' for name in names) + ",label\n"]
    for i in range(40):
        cells = [str((i * (j % 13 + 1) + j) % 7) if (i + j) % 5 == 0 or j < 10 else "0" for j in range(10000)]
        lines.append(",".join(cells) + (",yes\n" if i % 2 else ",no\n"))
    return "".join(lines)


def browser_agrees(pictures=None):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        print("no chromium on the path: the pages were not opened")
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pages = reports(folder)
        order = {"chromium": chromium, "modules": str(FOLDER), "profile": str(folder / "profile"), "pages": pages, "pictures": pictures, "probabilities": probabilities(folder)}
        (folder / "order.json").write_text(json.dumps(order))
        environment = {**os.environ, "HOME": str(folder)}
        done = subprocess.run(["node", str(pathlib.Path(__file__).with_name("browser.mjs")), str(folder / "order.json")], timeout=1500, env=environment)
        return done.returncode == 0


def main():
    node_packages()
    good = built_page_is_committed()
    opened = browser_agrees(sys.argv[3] if len(sys.argv) > 3 else None)
    if not good or opened is False:
        sys.exit(1)
    if opened is None:
        skip("no chromium; the page itself was built and compared")


if __name__ == "__main__":
    main()
