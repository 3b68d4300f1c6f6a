# SPDX-License-Identifier: BSD-3-Clause
"""Machines made of support vectors: gamma of the rows, and the vectors under scikit-learn's names."""
import numpy as np
import scipy.sparse as sparse

from ._base import Classifier

_DENSE_VALUES = 10_000_000  # beyond, support_vectors_ is a CSR matrix


def scale_gamma(X):
    """scikit-learn's gamma='scale': 1 / (features times the variance of all values)."""
    if sparse.issparse(X):
        variance = float((X.multiply(X)).mean() - X.mean() ** 2)
    else:
        variance = float(np.asarray(X).var())
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


class KernelMachine(Classifier):
    """What SVC, NuSVC and HardMarginSVC have besides other estimators."""

    def _look_at(self, X, numbers):
        if callable(self.kernel):
            raise ValueError("kernel: a function is not taken; give kernel='precomputed' and the matrix that it makes of the rows")
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"kernel='precomputed' takes the square matrix of the kernel between all training rows, not one of {X.shape[0]} rows "
                             f"and {X.shape[1]} columns")
        self._gamma_of_rows = None
        if isinstance(self.gamma, str) and self.gamma == "scale":
            if self.scale != "none":
                raise ValueError("gamma='scale' looks at the rows before scale= changes them: give a number")
            self._gamma_of_rows = scale_gamma(X)
        self._seen = X, numbers

    def _more_tags(self):
        return {"pairwise": self.kernel == "precomputed"}

    def _keep(self, model, report):
        X, numbers = self.__dict__.pop("_seen")
        self._rows_of_support = self._classes_of_support = None
        self._sparse = sparse.issparse(X)
        super()._keep(model, report)
        rows = self._support_rows()
        if not len(rows):
            return
        self._classes_of_support = numbers[rows]
        if self.model_.describe["form"] == "linear":
            vectors = X[rows]
            self._rows_of_support = vectors if self._sparse else np.array(vectors, float)

    def _need(self, what):
        if "model_" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: no {what}")

    def _functions(self):
        """Which class is above and which below (None: all others) for every plane or function, in the order of classes_."""
        model, place = self.model_, [self._names.index(name) for name in self.model_.classes]
        count = len(place)
        if count == 2:
            return [(1, 0)]
        if model.describe["form"] == "kernel" and model.describe["options"].get("multiclass") != "one-vs-rest":
            return [(place[b], place[a]) for a in range(count) for b in range(a + 1, count)]
        return [(above, None) for above in place]

    def _support_rows(self):
        found = [self.model_.dual(k)[0] for k in range(len(self._functions()))]
        if not any(map(len, found)) and self.kernel == "precomputed" and self.model_.describe["form"] == "kernel":
            return self.model_.vectors().indices.astype(np.int64)  # a vector there is the number of its row
        return np.unique(np.concatenate(found)).astype(np.int64)

    def _has_kernel(self):
        return "model_" in self.__dict__ and self.model_.describe["form"] == "kernel"

    def _coefficients(self):
        """What every function multiplies its vectors by, a column for each of them."""
        vectors = self.model_.vectors()
        sign = -1.0 if self._order is not None and len(self.classes_) == 2 else 1.0
        out = np.zeros((len(self._functions()), vectors.shape[0]))
        for k in range(len(out)):
            numbers, coefficients, _ = self.model_.function(k)
            out[k, numbers] = sign * coefficients
        return out, vectors

    @property
    def coef_(self):
        """Weights of the planes of kernel='linear', one row for each plane, or for each pair of classes."""
        if not self._has_kernel() or self._said()["kernel"] != "linear":
            coef = self._planes(0)
        else:
            coefficients, vectors = self._coefficients()
            coef = vectors.T.dot(coefficients.T).T
        if self.__dict__.get("_sparse"):
            coef = sparse.csr_matrix(coef)
            coef.data.setflags(write=False)
        else:
            coef.setflags(write=False)
        return coef

    @property
    def intercept_(self):
        """Offsets of the planes, or of the functions of a machine with a kernel."""
        if not self._has_kernel():
            return self._planes(1)
        offsets = np.array([self.model_.function(k)[2] for k in range(len(self._functions()))])
        return -offsets if self._order is not None and len(self.classes_) == 2 else offsets

    @property
    def support_(self):
        """Numbers of the training rows that the planes are made of, ascending."""
        self._need("support_")
        rows = self._support_rows()
        if not len(rows):
            raise AttributeError("the model keeps no dual values: no support_")
        return rows

    @property
    def support_vectors_(self):
        """The rows that the planes are made of."""
        self._need("support_vectors_")
        kept = self.__dict__.get("_rows_of_support")
        if kept is not None:
            return kept
        rows = self.model_.vectors()
        if rows is None:
            raise AttributeError("the model has planes and no rows: no support_vectors_")
        return rows if self.__dict__.get("_sparse") or rows.shape[0] * rows.shape[1] > _DENSE_VALUES else rows.toarray()

    @property
    def dual_coef_(self):
        """Dual values with the sign of their side: a row for each plane or function, a column for each of support_."""
        self._need("dual_coef_")
        if self._has_kernel():
            out = self._coefficients()[0]
        else:
            support, labels = self.support_, self._support_classes("dual_coef_")
            functions = self._functions()
            out = np.zeros((len(functions), len(support)))
            for k, (above, _) in enumerate(functions):
                rows, alpha = self.model_.dual(k)
                at = np.searchsorted(support, rows)
                out[k, at] = np.where(labels[at] == above, alpha, -alpha)
        return sparse.csr_matrix(out) if self.__dict__.get("_sparse") else out

    @property
    def n_support_(self):
        """How many of support_ every class has."""
        return np.bincount(self._support_classes("n_support_"), minlength=len(self.classes_))

    def _support_classes(self, what):
        self._need(what)
        known = self.__dict__.get("_classes_of_support")
        if known is None:
            raise AttributeError(f"a model read from a file does not know the labels of its rows: no {what}")
        return known
