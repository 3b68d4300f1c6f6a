# SPDX-License-Identifier: BSD-3-Clause
"""The library's own choice of options: estimators that tune themselves, a classifier along one option, and the updates of a walk."""
import numpy as np

from . import _data, _model
from ._base import Classifier
from ._parameters import DEAL, TABLES, keyword, value_of_text, with_options
from ._proofs import _labelled

_JUDGING = {
    "repeats": (1, "how often, with other folds each time"),
    "metric": ("error", "error, log-loss, auc, balanced-error or cost"),
    "costs": (None, "of the metric cost: 'FP:FN', what a false alarm and a missed positive row cost"),
    "rule": ("best", "best, or one-standard-error: the plainest classifier within one standard error of the best"),
    **DEAL,
    "nested": (False, "also an estimate of the whole procedure, choice included, on outer folds: nested_"),
}


def _range_text(value):
    """What is to be tried, as the library reads it: 'LOW:HIGH', values, or one value."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(str(one.item() if hasattr(one, "item") else one) for one in value)
    return str(value)


class _TunedMixin:
    def _tune(self, X, y, weights, algorithm, options, folds):
        """options(): pairs of names and texts, asked for when the rows and classes are known."""
        folds = 5 if folds is None else folds
        if not isinstance(self.repeats, (int, np.integer)) or isinstance(self.repeats, bool) or self.repeats < 1:
            raise ValueError(f"repeats must be a whole number of at least 1, not {self.repeats!r}")
        if not isinstance(folds, (int, np.integer)) or isinstance(folds, bool) or folds < 2:
            raise ValueError(f"{'cv' if hasattr(self, 'cv') else 'folds'} must be a number of folds of at least 2, not {folds!r}; "
                             "GridSearchCV takes what splits in another way")
        data = self._training_set(X, y, weights)
        folds = int(min(folds, max(2, self._rows_of_classes.min())))  # every class has a row in every fold where there are enough
        model, report = self._with_trainer(algorithm, options(), lambda trainer: _model.tune(
            data, trainer, folds, self.repeats, self._said()["metric"], self.costs, self.rule, self.nested, self._deal()))
        self.tuning_ = report["tuning"]
        chosen = self.tuning_["chosen"]
        self.best_params_ = {keyword(name): value_of_text(text) for name, text in chosen["values"].items()}
        self.best_algorithm_ = chosen["algorithm"]
        self.best_score_ = self.tuning_["estimate"]["mean"]
        self.nested_ = self.tuning_.get("nested")
        self._keep(model, report)
        return self


@with_options("logistic", leave_out=("C",), Cs=("1e-4:1e4", "what is tried for C: a range 'LOW:HIGH', values, or how many from 1e-4 to 1e4"),
              cv=(5, "number of folds"), **_JUDGING)
class LogisticRegressionCV(_TunedMixin, Classifier):
    """Logistic regression whose C is chosen by the library's own cross-validation, with warm starts and folds of equal shares of the classes.

    `C_` is the choice, `tuning_` the table of everything that was tried, `best_score_` its mean over the folds.
    """

    def fit(self, X, y, sample_weight=None):
        """Chooses C and trains with it on all rows. sample_weight counts in the fits and in the errors on rows held out. Returns self."""
        self._weight_of_rows = None
        count = isinstance(self.Cs, (int, np.integer))
        text = _range_text((f"1e-4:1e4:{self.Cs}" if self.Cs != 1 else "1e-4") if count else self.Cs)
        self._tune(X, y, sample_weight, "logistic", lambda: self._options() + ["C", text], self.cv)
        self.C_ = np.array([float(self.best_params_.get("C", text))])
        return self


_TUNED = {
    "algorithm": ("logistic", "what to train: " + ", ".join(TABLES) + "; several with commas between them are compared"),
    "options": (None, "a dict of options of the algorithms; one with a range 'LOW:HIGH' or a list of values is searched. Without any the one "
                      "that decides how complex the classifier gets: C, nu, alpha or passes"),
    "folds": (5, "parts of the rows, each held out once"),
}


@with_options(None, **_TUNED, **_JUDGING)
class TunedClassifier(_TunedMixin, Classifier):
    """Any algorithm, or the best of several, with options chosen by the library's own cross-validation: `halfspace tune`.

    `best_algorithm_` and `best_params_` are the choice, `tuning_` the table of everything that was tried, `best_score_` the mean of the
    metric over the folds: a little too good, since it was chosen for it; `nested_` (with nested=True) is not.
    """

    def _gives_probabilities(self):
        return self.algorithm == "logistic"

    def fit(self, X, y, sample_weight=None):
        """Chooses and trains on all rows. sample_weight counts in the fits and in the errors on rows held out. Returns self."""
        self._class_weight_text = None
        if not isinstance(self.algorithm, str):
            raise TypeError(f"algorithm must be a text, not {self.algorithm!r}")
        pairs = []
        for name, value in (self.options or {}).items():
            pairs += ["lambda" if name == "alpha" else name.replace("_", "-"), _range_text(value)]
        walks = [name for name in self.algorithm.split(",") if any(option["name"] == "order" for option in TABLES.get(name, {"options": ()})["options"])]
        if walks and "order" not in pairs[::2]:
            pairs += ["order", "content"]
        return self._tune(X, y, sample_weight, self.algorithm, lambda: pairs, self.folds)


def _pairs(options):
    pairs = []
    for name, value in options.items():
        text = "true" if value is True else "false" if value is False else _range_text(value)
        pairs += ["lambda" if name == "alpha" else name.replace("_", "-"), text]
    return pairs


class Path:
    """A classifier along one option: `option`, its `values`, and for every value norm, margin, support_vectors, training_error,
    validation_error, relative_gap (NaN where there is none), `theta` and `theta0`. `points` has everything as the library says it."""

    def __init__(self, found):
        self.option, self.points = found["option"], found["points"]
        for name in ("value", "norm", "margin", "support_vectors", "training_error", "validation_error", "relative_gap"):
            column = np.array([np.nan if point[name] is None else point[name] for point in self.points], float)
            setattr(self, "values" if name == "value" else name, column)
        self.theta = [np.array(point["theta"]) for point in self.points]
        self.theta0 = [np.array(point["theta0"]) for point in self.points]

    def __len__(self):
        return len(self.points)

    def __repr__(self):
        return f"<{len(self)} points along {self.option}, from {self.values[0]:g} to {self.values[-1]:g}>"


def path(X, y, algorithm="svm", *, holdout=0.25, scale="none", random_state=None, n_jobs=None, **options):
    """Trains along one option (a range 'LOW:HIGH' or a list; C, nu, alpha or passes without one) and judges on rows held out.

    >>> import halfspace
    >>> X, y = halfspace.read("data/breast_cancer.csv")
    >>> halfspace.path(X, y, C=[0.01, 0.1, 1], scale="standard")
    <3 points along C, from 0.01 to 1>
    """
    data, _ = _labelled(X, y, None, n_jobs)
    return Path(_model.path(data, _model.Trainer(algorithm, _pairs(options), scale, random_state or 0, n_jobs), holdout))


class Trace:
    """The updates of an online learner, one place in every array for each: number, pass_, row (from 0), y, margin_before,
    margin_after, theta0, norm, and theta, a row for each (None where it was not kept). `model` is what came of them."""

    _COLUMNS = ("number", "pass_", "row", "y", "margin_before", "margin_after", "theta0", "norm")

    def __init__(self, updates, theta, model, report):
        for name in self._COLUMNS:
            setattr(self, name, np.array([update[name] for update in updates]))
        self.theta = None if theta is None else np.array(theta).reshape(len(updates), -1)
        self.model, self.report = model, report

    def __len__(self):
        return len(self.number)

    def __iter__(self):
        for k in range(len(self)):
            line = {name: getattr(self, name)[k].item() for name in self._COLUMNS}
            yield line if self.theta is None else {**line, "theta": self.theta[k]}

    def __repr__(self):
        return f"<{len(self)} updates of {self.model.describe['algorithm']}>"


def trace(X, y, algorithm="perceptron", *, every=1, most=None, theta=None, callback=None, random_state=None, n_jobs=None, **options):
    """Trains between two classes and keeps every `every`-th update, at most `most`. theta: keep the weights of each (None: up to 100
    features). callback: called with a dict for every update in place of keeping it.

    >>> import halfspace
    >>> halfspace.trace([[1.0, 0.0], [0.0, 1.0]], [1, -1], passes="until-clean", offset="none")
    <2 updates of perceptron>
    """
    data, rows = _labelled(X, y, None, n_jobs)
    if theta is None:
        theta = rows.shape[1] <= 100
    kept, weights = [], [] if theta else None

    def see(update):
        line = {name: getattr(update, name) for name in Trace._COLUMNS}
        after = np.ctypeslib.as_array(update.theta, (update.features,)).copy() if theta else None
        if callback is not None:
            callback(line if after is None else {**line, "theta": after})
            return
        kept.append(line)
        if theta:
            weights.append(after)

    trainer = _model.Trainer(algorithm, _pairs(options), "none", random_state or 0, n_jobs)
    model, report = _model.trace(data, trainer, every, most, see)
    return Trace(kept, weights, model, report)

