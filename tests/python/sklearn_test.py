#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's own test modules for linear models and support vector machines, with our classes in the place of theirs.

A test passes, fails, or does not apply for a reason that is found while it runs (sklearn_stand_ins.py) or stands in REASONS below. The table is
docs/python-scikit-learn.md, and this test holds it against what happens; --write writes it anew.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import support  # noqa: F401
import sklearn

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "python-scikit-learn.md"
MODULES = ("linear_model/tests/test_logistic.py", "linear_model/tests/test_perceptron.py", "linear_model/tests/test_passive_aggressive.py",
           "linear_model/tests/test_sgd.py", "svm/tests/test_svm.py", "svm/tests/test_sparse.py", "svm/tests/test_bounds.py")

# Tests that use our classes and yet do not apply: by name, why.
REASONS = {
}


def run(folder):
    try:
        import pytest  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: {error} (Debian: python3-pytest)")
        sys.exit(0)
    base = pathlib.Path(sklearn.__file__).parent
    modules = [str(base / module) for module in MODULES]
    if not all(os.path.exists(module) for module in modules):
        print("SKIPPED: this scikit-learn comes without its tests")
        sys.exit(0)
    if not sklearn.__version__.startswith("1.2."):
        print(f"SKIPPED: the table is that of scikit-learn 1.2, this is {sklearn.__version__}")
        sys.exit(0)
    outcomes = os.path.join(folder, "outcomes.json")
    environment = {**os.environ, "HALFSPACE_OUTCOMES": outcomes, "PYTHONPATH": f"{HERE}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "sklearn_stand_ins", "-p", "no:cacheprovider", "-q", "-W", "ignore",
                           f"--rootdir={folder}", "--import-mode=importlib", *modules], env=environment, cwd=folder, capture_output=True, text=True)
    with open(outcomes, encoding="utf-8") as file:
        found = json.load(file)
    if not found:
        sys.exit(done.stdout[-4000:] + done.stderr[-4000:])
    return found


def name_of(node):
    return re.sub(r"\[.*", "", node.split("::", 1)[1])


def module_of(node):
    return re.search(r"(linear_model|svm)/tests/\w+", node).group(0).replace("tests/", "")


def table(found):
    by_test = collections.defaultdict(list)
    for node, (outcome, why) in found.items():
        by_test[module_of(node), name_of(node)].append((outcome, why))
    lines = ["# scikit-learn's own tests", "",
             "scikit-learn carries the tests of its modules. `tests/python/sklearn_test.py` runs those for linear models and support vector machines with the",
             "classes of this package in the place of theirs; the stand-ins only translate keywords (`tests/python/sklearn_stand_ins.py`). Written by",
             "`tests/python/sklearn_test.py --write` with scikit-learn 1.2.1. A test with several parameters counts once for each.", "",
             "| module | tests | apply | pass |", "|---|---:|---:|---:|"]
    sums = collections.Counter()
    for module in sorted({module for module, _ in by_test}):
        cases = [one for (m, name), many in by_test.items() if m == module for one in judged(name, many)]
        counts = collections.Counter(outcome for outcome, _ in cases)
        applying = counts["passes"] + counts["fails"]
        lines.append(f"| {module} | {len(cases)} | {applying} | {counts['passes']} |")
        sums.update(tests=len(cases), apply=applying, passes=counts["passes"])
    lines += [f"| together | {sums['tests']} | {sums['apply']} | {sums['passes']} |", "", "## Why the others do not apply", "", "| test | why |", "|---|---|"]
    for (module, name), many in sorted(by_test.items()):
        reasons = sorted({why for outcome, why in judged(name, many) if outcome == "does not apply"})
        if reasons:
            left = sum(outcome != "does not apply" for outcome, _ in judged(name, many))
            lines.append(f"| {module} `{name}` | {'some: ' if left else ''}{'; '.join(reasons[:3])}{'; ...' if len(reasons) > 3 else ''} |".replace("\n", " "))
    lines += ["", "## What applies and does not pass", "", "Not yet judged one by one: some expect other words in an error, a warning or an attribute of scikit-learn's own.", "",
              "| test | cases | ends with |", "|---|---:|---|"]
    for (module, name), many in sorted(by_test.items()):
        ends = [why.split(":")[0] for outcome, why in judged(name, many) if outcome == "fails"]
        if ends:
            lines.append(f"| {module} `{name}` | {len(ends)} | {', '.join(sorted(set(ends)))} |")
    return "\n".join(lines) + "\n"


def judged(name, many):
    return [("does not apply", REASONS[name]) if outcome == "fails" and name in REASONS else (outcome, why) for outcome, why in many]


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = run(folder)
    failed = [(node, why) for node, (outcome, why) in found.items() if outcome == "fails" and name_of(node) not in REASONS]
    text = table(found)
    if "--write" in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    for node, why in failed:
        print(f"{module_of(node)} {node.split('::', 1)[1]}: {why}")
    print(re.search(r"\| together.*", text).group(0))
    if PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/python-scikit-learn.md is not this table: run tests/python/sklearn_test.py --write")


main()
