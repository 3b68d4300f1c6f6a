# SPDX-License-Identifier: BSD-3-Clause
"""Linear classification with proofs: scikit-learn estimators on the halfspace library."""
from ._data import read
from ._estimators import (AveragedPerceptron, FewestErrors, HardMarginSVC, LinearSVC, LogisticRegression, NuSVC, PassiveAggressiveClassifier,
                          Pegasos, Perceptron, SGDClassifier, SVC, VotedPerceptron)
from ._library import Stopped, version as _version
from ._model import Model
from ._proofs import Check, Separability, load, separable, verify
from ._search import LogisticRegressionCV, Path, Trace, TunedClassifier, path, trace
from ._show import plot_path, plot_plane

__version__ = _version()
__all__ = ["AveragedPerceptron", "Check", "FewestErrors", "HardMarginSVC", "LinearSVC", "LogisticRegression", "LogisticRegressionCV", "Model", "NuSVC",
           "PassiveAggressiveClassifier", "Path", "Pegasos", "Perceptron", "SGDClassifier", "SVC", "Separability", "Stopped",
           "Trace", "TunedClassifier", "VotedPerceptron", "load", "path", "plot_path", "plot_plane", "read", "separable", "trace", "verify"]
