# SPDX-License-Identifier: BSD-3-Clause
"""Estimators for rows that lie in the workers of a Dask cluster: the model of one process that has all rows, to the byte.

Blocks of rows stay in the workers; each worker is a member of a team for every stretch of neighbouring blocks that it has. Which workers
there are, how many, and how the rows are cut decides nothing about the model.
"""
import numpy as np

try:
    import dask
    import distributed
    from dask import array, dataframe
except ImportError as _error:
    raise ImportError(f"halfspace.dask needs Dask ({_error}); Debian: python3-dask, python3-distributed") from None

from . import _checks, _dask_blocks, _dask_fit, _dask_rows, _data, _estimators, _model
from ._base import Classifier, PlanesMixin, _may_have_probabilities
from ._parameters import with_options
from ._progress import Bar
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

__all__ = ["LinearSVC", "LogisticRegression"]

_TEAM = {
    "retries": (3, "how often a fit begins again when a worker is lost"),
    "patience": (30.0, "seconds after which a worker, or a client, that does not answer counts as lost"),
    "members": (None, "at most so many stretches of blocks are trained where they lie, else blocks move between workers; None: four for each worker"),
}


class _OnDask(PlanesMixin, Classifier):
    """What both estimators share."""

    def fit(self, X, y, sample_weight=None, client=None):
        """Trains on a dask array (blocks dense or CSR) or frame X with labels y, in the workers where the blocks lie. Returns self.

        client: None: the current one. y and sample_weight: dask arrays or series with the blocks of X; where the lengths of the blocks of X are
        known, also with others, or arrays in memory.
        """
        settings = self._settings()
        client = _dask_fit.client_of(client)
        try:
            whole, names, label_name = _dask_blocks.collections(X, y, sample_weight)
        except TypeError as error:
            raise TypeError(str(error).format(type(self).__name__)) from None
        self._forget()
        blocks = _dask_blocks.persist(client, whole)
        facts = self._survey(client, blocks, settings)
        self._learn_facts(facts, names, client, blocks)
        own = self.__dict__
        bar = Bar(type(self).__name__, self.callback) if self.progress or own.get("verbose") else None
        try:
            fit = _dask_fit.TeamFit(client, blocks, [fact["rows"] for fact in facts], self._how(names, label_name), settings, bar or self.callback)
            model, report, self.team_ = fit.run()
        finally:
            if bar is not None:
                bar.close()
        self._keep(_model.Model.from_bytes(model) if model else None, report)
        return self

    def _settings(self):
        if isinstance(self.retries, bool) or not isinstance(self.retries, (int, np.integer)) or self.retries < 0:
            raise ValueError(f"retries must be a whole number of at least 0, not {self.retries!r}")
        if isinstance(self.patience, bool) or not isinstance(self.patience, (int, float, np.number)) or not 0 < self.patience < 1e9:
            raise ValueError(f"patience must be a number of seconds above 0, not {self.patience!r}")
        if self.members is not None and (isinstance(self.members, bool) or not isinstance(self.members, (int, np.integer)) or self.members < 1):
            raise ValueError(f"members must be None or a whole number of at least 1, not {self.members!r}")
        return {"retries": int(self.retries), "patience": float(self.patience), "members": self.members}

    def _on_blocks(self, client, blocks, settings, function, *arguments):
        """function(x, y, w, ...) for every block, where it lies."""
        holders = _dask_fit.holders_of(client, [x for x, _, _ in blocks], settings["patience"])
        tasks = [client.submit(function, *block, *arguments, pure=False, workers=list(where), allow_other_workers=True)
                 for block, where in zip(blocks, holders)]
        _dask_fit.wait_for(client, tasks, settings["patience"])
        return client.gather(tasks)

    def _survey(self, client, blocks, settings):
        """What each block says of itself, all of them in order; the first problem of all rows is raised."""
        facts, first = self._on_blocks(client, blocks, settings, _dask_rows.look_at), 0
        for number, fact in enumerate(facts):
            if fact["problem"] is not None:
                what, row, words = fact["problem"]
                raise ValueError(f"{what}[{first + row}]: {words}" if row is not None else f"block {number} (from row {first} on): {words}")
            if fact["columns"] != facts[0]["columns"]:
                raise ValueError(f"block {number} (from row {first} on) has {fact['columns']} columns, the first block {facts[0]['columns']}")
            first += fact["rows"]
        if first == 0:
            raise ValueError(f"Found array with 0 sample(s): X has no rows in any of its {len(facts)} blocks")
        return facts

    def _learn_facts(self, facts, names, client, blocks):
        """Classes, weights and columns of all rows."""
        full = [fact for fact in facts if fact["rows"]]
        words = {fact["classes"].dtype.kind in "OUS" for fact in full}
        if len(words) > 1:
            raise ValueError("y has blocks of words and blocks of numbers")
        self.classes_ = _checks.classes_of(np.concatenate([fact["classes"] for fact in full]))[0]
        if len(self.classes_) < 2:
            raise ValueError(f"the labels have only one class, {self.classes_[0]!r}; at least two classes are needed")
        self._names = _data.label_names(self.classes_)
        counts, heavy = np.zeros(len(self.classes_), np.int64), np.zeros(len(self.classes_), bool)
        for fact in full:
            at = np.searchsorted(self.classes_, fact["classes"])
            counts[at] += fact["counts"]
            heavy[at] |= fact["heavy"]
        if heavy.sum() < 2:
            raise ValueError("fewer than two classes have rows with a weight above 0; at least two classes are needed")
        weighted = full[0]["weight"] is not None
        self._factors = self._factors_of(counts, weighted)
        if self._factors is not None and self.alpha is not None:
            self._weight_of_rows = _dask_rows.sum_of(sum(self._on_blocks(client, blocks, self._settings(), _dask_rows.weight_of, self.classes_, self._factors)))
        else:
            self._weight_of_rows = _dask_rows.sum_of(sum(fact["weight"] for fact in full)) if weighted else float(counts.sum())
        self._categories, self.n_features_in_ = None, full[0]["columns"]
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _factors_of(self, counts, weighted):
        """class_weight as factors for the weights of the rows; None: there is none, or the library knows it as an option."""
        def factors(given):
            if isinstance(given, str) and given == "balanced":
                return counts.sum() / (len(counts) * counts.astype(np.float64))
            return _checks.class_factors(given, self.classes_, self.classes_)

        return self._row_factors(factors, weighted)

    def _how(self, names, label_name):
        most = self.max_iter if self.max_iter not in (None, -1) else None
        return {"classes": self.classes_, "names": self._names, "columns": names, "label_name": label_name, "factors": self._factors,
                "n_jobs": None if self.n_jobs is None else _model.lib.threads(self.n_jobs), "most": most, "algorithm": self._algorithm,
                "options": self._options(), "scale": self.scale, "seed": self._seed(), "seconds": self.seconds}

    # ---- prediction

    def _local(self):
        """The same model as an estimator for one block in memory."""
        check_is_fitted(self, "model_")
        out = self._twin()
        kept = {name: value for name, value in self.__dict__.items() if name not in ("callback", "progress", "verbose", "_kept_planes", "team_")}
        out.__dict__.update({**{name: value for name, value in kept.items() if name not in self._defaults or name in out._defaults}, "n_jobs": 1})
        return out

    def _lazily(self, method, X, width):
        """method of the local estimator on every block. width: None: one value for a row; else so many, with these names in a frame."""
        local = self._local()
        if not isinstance(X, (array.Array, dataframe.DataFrame)):
            return getattr(local, method)(X)
        if isinstance(X, array.Array) and X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: X has rows and columns")
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        kind = self.classes_.dtype if method == "predict" else np.dtype(np.float64)
        model = dask.delayed(local, pure=True)
        if isinstance(X, dataframe.DataFrame):
            meta = _dask_rows.scored(X._meta, local, method, width, kind)
            return X.map_partitions(_dask_rows.scored, model, method, width, kind, meta=meta)
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        if width is None:
            return X.map_blocks(_dask_rows.scored, model, method, None, kind, dtype=kind, drop_axis=1, meta=np.empty(0, kind))
        return X.map_blocks(_dask_rows.scored, model, method, width, kind, dtype=kind, chunks=(X.chunks[0], (len(width),)), meta=np.empty((0, 0), kind))

    def predict(self, X):
        """The class of every row: a dask array, a series for a frame; computed when it is asked for. Rows in memory: an array."""
        return self._lazily("predict", X, None)

    def decision_function(self, X):
        """Scores: one per row between two classes, above 0 for the second; else one per class."""
        check_is_fitted(self, "model_")
        return self._lazily("decision_function", X, None if len(self.classes_) == 2 else list(self.classes_))

    @available_if(_may_have_probabilities)
    def predict_proba(self, X):
        """The probability of every class, row after row."""
        check_is_fitted(self, "model_")
        return self._lazily("predict_proba", X, list(self.classes_))

    @available_if(_may_have_probabilities)
    def predict_log_proba(self, X):
        """Logarithms of predict_proba."""
        check_is_fitted(self, "model_")
        return self._lazily("predict_log_proba", X, list(self.classes_))

    def score(self, X, y, sample_weight=None):
        """The share of rows that get their label, counted where the rows lie."""
        if not isinstance(X, (array.Array, dataframe.DataFrame)):
            return self._local().score(X, y, sample_weight)
        (X, y, weights), _, _ = _dask_blocks.collections(X, y, sample_weight)
        given = self.predict(X)
        parts = [part.to_delayed().ravel() if isinstance(part, array.Array) else part.to_delayed() for part in (given, y)]
        parts.append([None] * len(parts[0]) if weights is None else np.ravel(weights.to_delayed()))
        sums = dask.compute(*[dask.delayed(_dask_rows.right)(*block) for block in zip(*parts)])
        return sum(part[0] for part in sums) / sum(part[1] for part in sums)


@with_options("logistic", **_TEAM)
class LogisticRegression(_OnDask):
    """Logistic regression, softmax for several classes, on rows in a Dask cluster: the model of `halfspace.LogisticRegression`, to the byte."""

    _twin = _estimators.LogisticRegression


@with_options("svm", leave_out=_estimators._KERNEL_ONLY, **_TEAM)
class LinearSVC(_OnDask):
    """The linear support vector machine on rows in a Dask cluster: the model of `halfspace.LinearSVC`, to the byte."""

    _twin = _estimators.LinearSVC
