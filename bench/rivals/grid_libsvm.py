"""LIBSVM's grid over C and gamma by five folds: grid_libsvm.py FILE CLOW CHIGH CCOUNT GLOW GHIGH GCOUNT JOBS.

One svm-train -v 5 for every point, JOBS at a time, as its own grid.py does; then the fit on all rows. Prints the choice."""
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy


def accuracy(point):
    done = subprocess.run(["svm-train", "-q", "-v", "5", "-m", "500", "-c", str(point[0]), "-g", str(point[1]), sys.argv[1]],
                          capture_output=True, text=True, check=True)
    return float(re.search(r"Accuracy = ([0-9.]+)%", done.stdout)[1])


low, high, count, glow, ghigh, gcount = (float(word) for word in sys.argv[2:8])
points = [(c, g) for c in numpy.geomspace(low, high, int(count)) for g in numpy.geomspace(glow, ghigh, int(gcount))]
with ThreadPoolExecutor(int(sys.argv[8])) as pool:
    found = list(pool.map(accuracy, points))
best = points[int(numpy.argmax(found))]
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(["svm-train", "-q", "-m", "500", "-c", str(best[0]), "-g", str(best[1]), sys.argv[1], f"{folder}/model"], check=True)
print(json.dumps({"chosen": [float(v) for v in best], "error": 1 - max(found) / 100}))
