"""Trains a linear learner of scikit-learn on a libsvm file: fit_online.py FILE perceptron|average PASSES. Prints the
seconds for reading and for the fit, without the start of the interpreter."""
import json
import sys
import time

from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron, SGDClassifier

start = time.perf_counter()
x, y = load_svmlight_file(sys.argv[1])
read = time.perf_counter()
passes = int(sys.argv[3])
if sys.argv[2] == "perceptron":
    model = Perceptron(max_iter=passes, tol=None)
else:
    model = SGDClassifier(loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True, max_iter=passes,
                          tol=None)
model.fit(x, y)
done = time.perf_counter()
print(json.dumps({"seconds": {"read": read - start, "solve": done - read, "total": done - start}}))
