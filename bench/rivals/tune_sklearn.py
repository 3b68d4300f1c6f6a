"""Chooses C with scikit-learn by five folds: tune_sklearn.py FILE logistic|svm LOW HIGH COUNT JOBS.

logistic: LogisticRegressionCV, which follows C with warm starts. svm: GridSearchCV over LinearSVC. Both at their default
tolerance; the fit on all rows is part of both. Prints the choice and the seconds, without the start of the interpreter."""
import json
import sys
import time
import warnings

import numpy
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore")  # limits of iterations that are reached
start = time.perf_counter()
x, y = load_svmlight_file(sys.argv[1])
read = time.perf_counter()
values = numpy.geomspace(float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
jobs = int(sys.argv[6])
if sys.argv[2] == "logistic":
    model = LogisticRegressionCV(Cs=values, cv=5, n_jobs=jobs).fit(x, y)
    chosen, error = float(model.C_[0]), 1 - float(next(iter(model.scores_.values())).mean(axis=0).max())
else:
    model = GridSearchCV(LinearSVC(), {"C": values}, cv=5, n_jobs=jobs).fit(x, y)
    chosen, error = float(model.best_params_["C"]), 1 - float(model.best_score_)
done = time.perf_counter()
print(json.dumps({"chosen": chosen, "error": error, "seconds": {"read": read - start, "solve": done - read, "total": done - start}}))
