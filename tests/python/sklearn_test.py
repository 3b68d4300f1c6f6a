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
_NEGATIVE = "negative sample_weight takes a row away there; here a weight k is k copies, and a negative one is refused"
_OWN_WORDS = "the ValueError is raised, in other words"
_TWO_PLANES = "of two classes, multinomial there is a problem with a plane for each; here it is that of one plane"
REASONS = {
    "test_check_solver_option": "expects what solvers of scikit-learn cannot do to be refused; here a solver's name chooses nothing",
    "test_dtype_match": "expects weights in float32 for rows in float32; here they are float64, computed in float64",
    "test_l1_ratio_non_elasticnet": "expects a warning that l1_ratio is not used",
    "test_large_sparse_matrix": "expects 64-bit indices to be refused; here they are taken",
    "test_liblinear_dual_random_state": "expects answers that depend on the seed; here they do not",
    "test_lr_liblinear_warning": "expects a warning that LIBLINEAR takes no n_jobs",
    "test_max_iter": "expects the words of each solver, and n_iter_ as an array; the warning is there, in words of ours",
    "test_n_iter": "expects n_iter_ as an array of one number for each class; here it is one number",
    "test_multinomial_binary_probabilities": _TWO_PLANES,
    "test_logistic_regression_multi_class_auto": _TWO_PLANES,
    "test_multinomial_identifiability_on_iris": "expects planes that add up to 0 within 1e-10; here they do within what the gap allows, 1e-5",
    "test_penalty_none": "expects a warning that C is not used; here C beside penalty=None is refused",
    "test_logistic_cv_multinomial_score": "sets coef_ of an estimator that was not trained, which is read-only here",
    "test_warning_on_penalty_string_none": "the warning about an old spelling of scikit-learn's own",
    "test_warm_start": "expects one iteration from the last answer to be enough; here solvers start anew, and reach the same gap",
    "test_write_parameters": "writes into coef_, which is read-only here: scores, certificate and file are those of the model",
    "test_large_regularization": "steps longer than 1 / alpha overflow here, and are refused; there shrinking ends at 0",
    "test_bad_input": "expects that sparse rows are refused by a model of dense ones; here they are taken",
    "test_sparse_precomputed": "expects that a sparse matrix of a kernel is refused; here it is taken",
    "test_consistent_proba": "a fit that max_iter=1 has ended learns no probabilities here",
    "test_hasattr_predict_proba": "expects predict_proba to appear when probability is set after the fit, and then to fail; here a model that has none does not have it",
    "test_linear_svm_convergence_warnings": "expects a warning after two iterations of LIBLINEAR; here two are enough",
    "test_linearsvc_parameters": "expects combinations of penalty, loss and dual to be refused; dual means nothing here",
    "test_liblinear_set_coef": "sets coef_, which is read-only here: scores, certificate and file are those of the model",
    "test_loss_deprecated": "the warning about an old spelling of scikit-learn's own",
    "test_n_iter_libsvm": "expects n_iter_ as an array of one number for each pair; here it is one number",
    "test_negative_sample_weights_mask_all_samples": _NEGATIVE,
    "test_negative_weight_equal_coeffs": _NEGATIVE,
    "test_negative_weights_svc_leave_just_one_label": _NEGATIVE,
    "test_negative_weights_svc_leave_two_labels": _NEGATIVE,
    "test_libsvm_parameters": "expects dual values that are equal to the bit; here they are certified to a gap, and differ by 3e-9",
    "test_tweak_params": "expects dual values that are equal to the bit; here they are certified to a gap, and differ by 3e-9",
    "test_sparse_realdata": "expects dual values of sparse and of dense rows to be equal to the bit; here they differ by 4e-11",
    "test_partial_fit_weight_class_balanced": _OWN_WORDS,
    "test_sgd_random_state": "expects a warning that one pass was not enough; here as many passes are walked as were asked for",
    "test_svc_nonfinite_params": _OWN_WORDS,
    "test_svc_ovr_tie_breaking": "expects predict and the largest decision_function to disagree without break_ties; here they never do",
    "test_tol_parameter": "tol of SGDClassifier is taken and not used: all passes are walked",
    "test_underflow_or_overlow": _OWN_WORDS,
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
    lines += [f"| together | {sums['tests']} | {sums['apply']} | {sums['passes']} |", "", "## Why the others do not apply, or are meant to differ", "", "| test | why |", "|---|---|"]
    for (module, name), many in sorted(by_test.items()):
        reasons = sorted({why for outcome, why in judged(name, many) if outcome == "does not apply"})
        if reasons:
            left = sum(outcome != "does not apply" for outcome, _ in judged(name, many))
            lines.append(f"| {module} `{name}` | {'some: ' if left else ''}{'; '.join(reasons[:3])}{'; ...' if len(reasons) > 3 else ''} |".replace("\n", " "))
    lines += ["", "## What applies and does not pass", "", "| test | cases | ends with |", "|---|---:|---|"]
    for (module, name), many in sorted(by_test.items()):
        ends = [why.split(":")[0] for outcome, why in judged(name, many) if outcome == "fails"]
        if ends:
            lines.append(f"| {module} `{name}` | {len(ends)} | {', '.join(sorted(set(ends)))} |")
    if lines[-1] == "|---|---:|---|":
        lines[-2:] = ["Nothing."]
    return re.sub(r" at 0x[0-9a-f]+", "", "\n".join(lines)) + "\n"


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
    if failed:
        sys.exit(f"{len(failed)} cases apply and do not pass")
    if PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/python-scikit-learn.md is not this table: run tests/python/sklearn_test.py --write")


main()
