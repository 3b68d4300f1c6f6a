# SPDX-License-Identifier: BSD-3-Clause
"""Proofs: separability, the check of what a model claims, and models from files."""
import ctypes

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from . import _data, _estimators
from . import _library as lib
from ._base import Classifier
from ._checks import CHECKS
from ._model import Model
from ._tables import table_of


def _labelled(X, y, sample_weight, n_jobs, decimals=False, names=None, label_name=None, categories=None):
    table = table_of(X)
    X, y = check_X_y(X if table is None else table.encoded(table.categories()), y, **CHECKS)
    check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
    return _data.dataset(X, numbers, _data.label_names(classes), weights, names, label_name, n_jobs, decimals, categories), X


class Separability:
    """The verdict on two classes: separable, touching or overlapping (None: undecided), with what proves it.

    `plane_` (weights, offset) and `margin_` (bounds of the widest margin) where a plane separates; `witness_` (rows, weights)
    where none does: the weighted rows of both sides meet. `proof_` is what `halfspace verify` takes as a file.
    """

    def __init__(self, found):
        self.verdict = found["verdict"]
        self.method = found["method"]
        self.plane_ = None if found["plane"] is None else (np.array(found["plane"]), found["offset"])
        self.margin_ = found["margin"] and (found["margin"]["lower"], found["margin"]["upper"])
        self.witness_ = found["witness"] and (np.array(found["witness"]["rows"]), np.array(found["witness"]["weights"]))
        self.proof_ = found["proof"]

    def __bool__(self):
        if self.verdict is None:
            raise ValueError("no proof was found within the limits: neither separable nor not")
        return self.verdict == "separable"

    def __repr__(self):
        return f"<{self.verdict or 'undecided'}, by {self.method}>"


def separable(X, y, sample_weight=None, *, margin="auto", decimals=False, n_jobs=None):
    """Decides exactly whether a plane has the last class on one side and all others on the other; rows of weight 0 are absent.

    margin: none, auto or full, whether the widest margin is bracketed. decimals: 0.1 stands for 1/10, not for the double next to it.
    """
    data, _ = _labelled(X, y, sample_weight, n_jobs, decimals)
    return Separability(lib.interruptible(lambda stop: lib.call_for_json(
        "separable", data.pointer, lib.text_bytes(margin), ctypes.c_int32(lib.threads(n_jobs)), stop)))


class Check:
    """What verify() found: `holds`, and `lines` that say what was checked."""

    def __init__(self, found):
        self.holds, self.lines, self.gaps = found["holds"], found["lines"], found["gaps"]

    def __bool__(self):
        return self.holds

    def __repr__(self):
        return "\n".join([*self.lines, "holds" if self.holds else "does NOT hold"])


def verify(model, X, y, sample_weight=None, *, n_jobs=None):
    """Recomputes what a model (or a fitted estimator) claims from its training rows, apart from the solvers."""
    decimals = False
    if isinstance(model, Classifier):
        decimals = model._decimals()
        sample_weight = model._weights_for_check(y, sample_weight)
        model = model.model_
    names, categories = model.describe["names"], None
    if model.describe["columns"] is not None:
        categories = [column["categories"] for column in model.describe["columns"]]
        names = [column["name"] for column in model.describe["columns"]]
        table = table_of(X)
        X = X if table is None else table.encoded(categories)
    data, _ = _labelled(X, y, sample_weight, n_jobs, decimals, names=names, label_name=model.describe["label"], categories=categories)
    return Check(lib.call_for_json("verify", model._handle.pointer, data.pointer, ctypes.c_int32(lib.threads(n_jobs))))


_CLASSES = {"perceptron": "Perceptron", "averaged-perceptron": "AveragedPerceptron", "voted-perceptron": "VotedPerceptron",
            "passive-aggressive": "PassiveAggressiveClassifier", "pegasos": "Pegasos", "sgd": "SGDClassifier", "svm": "SVC",
            "nu-svm": "NuSVC", "hard-margin": "HardMarginSVC", "logistic": "LogisticRegression", "fewest-errors": "FewestErrors"}


def load(path):
    """The model of a file, as the estimator of its algorithm, ready to predict. Models of the command line are such files."""
    model = Model.load(path)
    name = _CLASSES.get(model.describe["algorithm"])
    if name == "SVC" and model.describe["form"] == "linear":
        name = "LinearSVC"
    if name is None:
        raise ValueError(f"{path}: no estimator for a model of {model.describe['algorithm'] or 'this kind'}; halfspace.Model.load() reads it")
    return getattr(_estimators, name)._of_model(model)
