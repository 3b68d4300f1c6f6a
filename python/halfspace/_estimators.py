# SPDX-License-Identifier: BSD-3-Clause
"""The estimators. Each is an algorithm of the library with its options as keywords."""
import warnings

from . import _model
from ._base import Classifier, PlanesMixin
from ._kernel import KernelMachine
from ._online import OnlineClassifier, PartialFitMixin
from ._parameters import DEAL, with_options

# Narrower than on the command line: scores then agree to seven digits whatever the order of the rows, which scikit-learn's
# checks ask of estimators that take weights.
_KERNEL_GAP = 1e-8
_KERNEL_ONLY = ("kernel", "cache", "multiclass")
_CALIBRATE = {"calibrate": ("none", "platt or isotonic: also probabilities, learned from the scores of rows held out: five more fits; none"), **DEAL}
_DECIMALS = {"decimals": (False, "True: in the proof 0.1 stands for 1/10, as in a file of text; False: for the double next to it")}
_WEIGHTED = {"class_weight": (None, "'balanced', or a dict from labels to factors on the weights of their rows")}
_ONLINE = {**_WEIGHTED, **_CALIBRATE}
_ANY_ORDER = {"order": "content"}  # unlike on the command line: the walk does not depend on where the rows stand


@with_options("perceptron", defaults=_ANY_ORDER, **_ONLINE)
class Perceptron(PlanesMixin, PartialFitMixin, OnlineClassifier):
    """Rosenblatt's perceptron. `certificate_` has its mistake bound, or the margin of a plane that separates the classes."""


@with_options("averaged-perceptron", defaults=_ANY_ORDER, **_ONLINE)
class AveragedPerceptron(PlanesMixin, PartialFitMixin, OnlineClassifier):
    """The mean of the planes of a perceptron over all steps (Freund and Schapire 1999)."""


@with_options("voted-perceptron", defaults=_ANY_ORDER, **_ONLINE)
class VotedPerceptron(PartialFitMixin, OnlineClassifier):
    """The planes of a perceptron vote, each with the number of steps it survived (Freund and Schapire 1999)."""

    _keeps_votes = True


@with_options("passive-aggressive", defaults=_ANY_ORDER, **_ONLINE)
class PassiveAggressiveClassifier(PlanesMixin, PartialFitMixin, OnlineClassifier):
    """Passive-aggressive learning (Crammer et al. 2006)."""


@with_options("pegasos", defaults={"offset": "free", **_ANY_ORDER}, **_ONLINE)
class Pegasos(PlanesMixin, PartialFitMixin, OnlineClassifier):
    """Stochastic subgradient steps on the hinge loss with a penalty (Shalev-Shwartz et al. 2007), with a duality gap.

    Unlike on the command line the plane has an offset by default.
    """


@with_options("sgd", defaults=_ANY_ORDER, **_ONLINE)
class SGDClassifier(PlanesMixin, PartialFitMixin, OnlineClassifier):
    """Gradient descent by rows or batches on a convex loss. With loss='logistic' it has probabilities."""

    def _gives_probabilities(self):
        return self.loss in ("logistic", "log_loss", "log") or super()._gives_probabilities()


@with_options("svm", leave_out=_KERNEL_ONLY, **_CALIBRATE)
class LinearSVC(PlanesMixin, Classifier):
    """The linear support vector machine, solved to a certified duality gap: minimise 1/2 |theta|^2 + C sum of losses."""


@with_options("svm", leave_out=("solver",), defaults={"kernel": "rbf", "gap": _KERNEL_GAP}, **_CALIBRATE)
class SVC(KernelMachine):
    """The support vector machine with a kernel, solved to a certified duality gap."""


@with_options("nu-svm", defaults={"kernel": "rbf", "gap": _KERNEL_GAP}, **_CALIBRATE)
class NuSVC(KernelMachine):
    """The support vector machine whose nu bounds the share of margin errors from above and that of support vectors from below."""


@with_options("hard-margin", on_nonseparable=(
    "warn", "warn: train LinearSVC or SVC with C = 1e6 in its place and warn; raise: a ValueError"), **_DECIMALS, **_CALIBRATE)
class HardMarginSVC(KernelMachine):
    """The plane with the widest margin.

    Where no plane separates the classes that is proved, and `separability_` has the proof with its witness: rows of both sides
    whose convex combinations meet.
    """

    def _keep(self, model, report):
        self.separability_ = report["separation"]
        if model is None and report["outcome"] == "no":
            if self.on_nonseparable not in ("warn", "raise"):
                raise ValueError(f"on_nonseparable must be 'warn' or 'raise', not {self.on_nonseparable!r}")
            if self.on_nonseparable == "raise":
                raise ValueError(report["reason"])
            warnings.warn(f"{report['reason']}; trained with soft margins (C = 1e6) in its place", UserWarning)
            said = self._said()
            options = ["C", "1e6", "offset", str(said["offset"]), "kernel", str(said["kernel"]), "gap", "0.001"]
            if said["kernel"] == "linear":
                options = options[:4] + options[6:]
            model, report = self._with_trainer("svm", options, lambda trainer: _model.train(self._data, trainer))
        super()._keep(model, report)

    def fit(self, X, y, sample_weight=None):
        """Trains on rows X with labels y; rows of weight 0 are absent, other weights change nothing. Returns self."""
        self._data = self._training_set(X, y, sample_weight)
        try:
            self._keep(*self._train(self._data))
        finally:
            del self._data
        return self


@with_options("logistic")
class LogisticRegression(PlanesMixin, Classifier):
    """Logistic regression, softmax for several classes, solved to a certified duality gap."""


@with_options("fewest-errors", **_DECIMALS, **_CALIBRATE)
class FewestErrors(PlanesMixin, Classifier):
    """The plane with the fewest training errors, and a proof that no plane has fewer: `certificate_`. Exact, so for a few hundred rows.

    Weights are counted exactly too, and so need few digits: as multiples of the largest number that divides all of them they must sum to less
    than 2^40. Whole numbers and halves do; 0.1 beside 0.3 only with decimals=True; weights such as 1/3 and 1/7 are to be rounded.
    """
