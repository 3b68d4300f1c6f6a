"""Reads a libsvm file with scikit-learn and prints how long that took, without the start of the interpreter."""
import json
import sys
import time

from sklearn.datasets import load_svmlight_file

start = time.perf_counter()
load_svmlight_file(sys.argv[1])
print(json.dumps({"seconds": {"read": time.perf_counter() - start}}))
