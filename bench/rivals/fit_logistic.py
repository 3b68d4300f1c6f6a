#!/usr/bin/env python3
"""Fits scikit-learn's LogisticRegression (softmax, its default solver and tolerance) to libsvm text: PATH [C]."""
import json
import sys
import time

start = time.perf_counter()
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression

rows, labels = load_svmlight_file(sys.argv[1])
read = time.perf_counter()
model = LogisticRegression(C=float(sys.argv[2]) if len(sys.argv) > 2 else 1.0).fit(rows, labels)
print(json.dumps({"seconds": {"read": read - start, "solve": time.perf_counter() - read}}))
