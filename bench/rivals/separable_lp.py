"""Asks a linear program whether a plane separates the classes: separable_lp.py highs|clp FILE [POSITIVE [NEGATIVE]].

The program is  min 0  s.t.  y_i (w . x_i + b) >= 1  with w and b free, the row form, which is the faster one. highs: SciPy's
linprog. clp: COIN-OR's solver on a file in MPS form; its seconds leave out the writing of that file. Prints what the solver
says, which is a floating-point status and no proof.
"""
import json
import re
import subprocess
import sys
import tempfile
import time

import numpy
import scipy.optimize
import scipy.sparse
from sklearn.datasets import load_svmlight_file


def clp(a):
    """Columns are w+ and w-, because MPS has them from 0 on."""
    rows, columns = a.shape
    a = a.tocsc()
    with tempfile.NamedTemporaryFile("w", suffix=".mps") as file:
        file.write("NAME separable\nROWS\n N cost\n" + "".join(f" G r{i}\n" for i in range(rows)) + "COLUMNS\n")
        for j in range(columns):
            for k in range(a.indptr[j], a.indptr[j + 1]):
                file.write(f" c{j} r{a.indices[k]} {a.data[k]:.17g}\n")
        file.write("RHS\n" + "".join(f" rhs r{i} 1\n" for i in range(rows)) + "BOUNDS\n")
        file.write("".join(f" FR bound c{j}\n" for j in range(columns)) + "ENDATA\n")
        file.flush()
        start = time.perf_counter()
        text = subprocess.run(["clp", file.name, "-dualsimplex"], capture_output=True, text=True, timeout=300).stdout
        seconds = time.perf_counter() - start
    if re.search("infeasible", text, re.I):
        return "infeasible", seconds
    return ("feasible" if re.search("Optimal", text) else text[-200:]), seconds


def highs(a):
    start = time.perf_counter()
    result = scipy.optimize.linprog(numpy.zeros(a.shape[1]), A_ub=-a, b_ub=-numpy.ones(a.shape[0]), bounds=(None, None),
                                    method="highs")
    word = {0: "feasible", 2: "infeasible"}.get(result.status, result.message)
    return word, time.perf_counter() - start


def main(which, path, positive=None, negative=None):
    start = time.perf_counter()
    x, labels = load_svmlight_file(path)
    if negative is not None:
        chosen = (labels == float(positive)) | (labels == float(negative))
        x, labels = x[chosen], labels[chosen]
    y = numpy.where(labels == (labels.max() if positive is None else float(positive)), 1.0, -1.0)
    a = scipy.sparse.diags(y) @ scipy.sparse.hstack([x, numpy.ones((x.shape[0], 1))]).tocsr()
    read = time.perf_counter() - start
    said, solve = (clp if which == "clp" else highs)(a)
    print(json.dumps({"said": said, "seconds": {"read": read, "solve": solve}}))


main(*sys.argv[1:])
