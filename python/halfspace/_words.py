# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's words for options of the library: taken as keywords beside our own, and said in them."""
import numbers

_NO_SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
# Values of our own keywords as scikit-learn writes them.
VALUES = {
    "loss": {"squared_hinge": "squared-hinge", "log_loss": "logistic", "log": "logistic"},
    "penalty": {"elasticnet": "elastic-net"},
    "solver": dict.fromkeys(_NO_SOLVERS, "auto"),
}
# What a TypeError adds about words of scikit-learn that are no keywords here.
NO_SUCH = {
    "intercept_scaling": "offset='free' does not penalise the intercept, so there is nothing to scale",
    "early_stopping": "hold rows out by TunedClassifier, or end the walk by callback=",
    "validation_fraction": "hold rows out by TunedClassifier, or end the walk by callback=",
    "n_iter_no_change": "tol=None walks all max_iter passes, another tol ends with the first clean one",
    "power_t": "the library has the rates 1/(k+1), constant:ETA and inverse:ETA0,DECAY",
    "epsilon": "it belongs to losses of regression",
    "refit": "the chosen options are always trained on all rows",
    "loss": "the loss of this algorithm is fixed",
    "class_weight": "there is nothing here that weighs a class",
    "penalty": "LogisticRegression and LinearSVC have the penalties l1, l2 and elastic-net",
    "l1_ratio": "LogisticRegression and LinearSVC have the penalty elastic-net",
    "dual": "the solver is chosen by the shape of the data",
}


class Word:
    """One keyword: which of ours it stands for, what it means, and say(value, params) -> changes of params.

    default: what it is when not given, where scikit-learn tells None from that.
    """

    def __init__(self, own, meaning, say, default=None):
        self.own, self.meaning, self.say, self.default = own, meaning, say, default


def _yes_or_no(name, value):
    if type(value).__name__ not in ("bool", "bool_") and value not in (0, 1):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def _number(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, not {value!r}")
    return value


def _nothing(value, params):
    return {}


def _gap(value, params):
    return {"gap": _number("tol", value)}


def _fit_intercept(with_one):
    return lambda value, params: {"offset": with_one if _yes_or_no("fit_intercept", value) else "none"}


def _most_iterations(value, params):
    _number("max_iter", value)
    if value != -1 and value < 1:
        raise ValueError(f"max_iter must be at least 1, or -1 for no limit, not {value!r}")
    return {}


_SOLVED = {
    "tol": Word("gap", "in place of gap", _gap),
    "max_iter": Word(None, "stop after so many iterations with the best model so far, and warn; None and -1: no limit", _most_iterations),
}
_LINES = {"fit_intercept": Word("offset", "False: offset='none'; True: offset='free'", _fit_intercept("free"))}
_SHOWN = {"verbose": Word("progress", "anything but 0: progress=True", lambda value, params: {"progress": bool(value)})}
_PROBABLE = {"probability": Word("calibrate", "True: calibrate='platt'", lambda value, params: {
    "calibrate": "platt" if _yes_or_no("probability", value) else "none"})}


def _multi_class(names):
    def say(value, params):
        if value not in names:
            raise ValueError(f"multi_class must be one of {', '.join(names)}, not {value!r}")
        return {"multiclass": names[value]} if names[value] else {}
    return say


def _max_passes(value, params):
    _number("max_iter", value)
    return {"max_passes" if params.get("passes") == "until-clean" else "passes": value}


def _until_clean(value, params):
    _number("tol", value)
    if "max_passes" not in params:
        return {}
    most = params.get("max_iter")
    return {"passes": "until-clean", **({} if most is None else {"max_passes": most})}


_ONLINE = {
    "max_iter": Word("passes", "in place of passes; with tol that of max_passes", _max_passes),
    "shuffle": Word("order", "True: order='shuffled'; False: order='cyclic'",
                    lambda value, params: {"order": "shuffled" if _yes_or_no("shuffle", value) else "cyclic"}),
}
_CLEAN = {"tol": Word(None, "a number: the walk ends with the first pass without a mistake, after max_iter passes at the latest", _until_clean)}
_ALL_PASSES = {"tol": Word(None, "a number, taken and not used: all passes are walked", lambda value, params: {} if _number("tol", value) else {})}
_LIFTED = {"fit_intercept": Word("offset", "False: offset='none'; True: offset='lifted'", _fit_intercept("lifted"))}
_AGAIN = {"warm_start": Word(None, "True: fit starts from the planes that are there", _nothing)}
_SAME_AGAIN = {"warm_start": Word(None, "taken and not used: the answer is the same to the gap wherever a solver starts", _nothing)}
_UNUSED_DUAL = {"dual": Word(None, "taken and not used: the solver is chosen by the shape of the data", _nothing)}


def _kernel_text(name, value, params):
    """gamma, degree and coef0 as parameters of the kernel."""
    kernel = params.get("kernel", "rbf")
    if callable(kernel):
        return {}  # refused with words of its own
    if not isinstance(kernel, str) or ":" in kernel:
        raise ValueError(f"{name} and kernel={kernel!r} are two ways to say the same: give one of them")
    if kernel not in ("rbf", "poly", "sigmoid"):
        return {}
    gamma = params.get("gamma")
    if gamma is None or gamma == "auto":
        gamma = 1.0 / params["_features"]
    elif gamma == "scale":
        gamma = params["_scale"]()
    elif isinstance(gamma, str):
        raise ValueError(f"gamma must be a number, 'scale' or 'auto', not {gamma!r}")
    elif not _number("gamma", gamma) >= 0:
        raise ValueError(f"gamma must be at least 0, not {gamma!r}")
    gamma = float(gamma)
    coef0 = params.get("coef0")
    coef0 = 0.0 if coef0 is None else float(_number("coef0", coef0))
    if kernel == "rbf":
        return {"kernel": f"rbf:{gamma!r}"}
    if kernel == "sigmoid":
        return {"kernel": f"sigmoid:{gamma!r},{coef0!r}"}
    degree = params.get("degree")
    if degree is not None and (isinstance(degree, bool) or not isinstance(degree, numbers.Real) or degree != int(degree) or degree < 1):
        raise ValueError(f"degree must be a whole number of at least 1, not {degree!r}")
    return {"kernel": f"poly:{3 if degree is None else int(degree)},{gamma!r},{coef0!r}"}


def _kernel_word(name):
    return lambda value, params: _kernel_text(name, value, params)


def _shape(value, params):
    if value != "ovr":
        raise ValueError(f"decision_function_shape must be 'ovr', votes for every class, not {value!r}; OneVsOneClassifier has values of pairs")
    return {}


def _scoring(value, params):
    known = {"accuracy": "error", "roc_auc": "auc", "neg_log_loss": "log-loss", "balanced_accuracy": "balanced-error"}
    if value not in known:
        raise ValueError(f"scoring must be one of {', '.join(known)}, not {value!r}; GridSearchCV takes others")
    return {"metric": known[value]}


_KERNEL = {
    "gamma": Word("kernel", "of the kernels 'rbf', 'poly' and 'sigmoid': a number, 'scale' = 1 / (features times the variance of X), "
                            "'auto' = 1 / features", _kernel_word("gamma")),
    "degree": Word("kernel", "of the kernel 'poly': 3 unless given", _kernel_word("degree")),
    "coef0": Word("kernel", "of the kernels 'poly' and 'sigmoid': 0 unless given", _kernel_word("coef0")),
    "cache_size": Word("cache", "in place of cache", lambda value, params: {"cache": _number("cache_size", value)}),
    "decision_function_shape": Word(None, "'ovr', which is what is done: votes for every class", _shape),
    "shrinking": Word(None, "taken and not used: rows at their bounds are always set aside for a while", _nothing),
}


def _average(value, params):
    return {"keep": "average"} if _yes_or_no("average", value) else {"keep": "last"}


def _learning_rate(value, params):
    eta0 = params.get("eta0")
    if value == "constant":
        if eta0 is None:
            raise ValueError("learning_rate='constant' needs eta0")
        return {"rate": f"constant:{float(_number('eta0', eta0))!r}"}
    if value == "optimal":
        # Bottou's guess at the first step: 1 / (alpha (t0 + k)) is as long as weights typically are.
        alpha = params.get("alpha")
        if not alpha or not _number("alpha", alpha) > 0:
            raise ValueError("learning_rate='optimal' needs alpha above 0")
        typical = (1.0 / float(alpha) ** 0.5) ** 0.5
        slope = _slope_below(VALUES["loss"].get(params["loss"], params["loss"]), typical)
        begin = max(1.0, slope) / (typical * float(alpha))
        return {"rate": f"inverse:{1.0 / (float(alpha) * begin)!r},{1.0 / begin!r}"}
    raise ValueError(f"learning_rate must be 'constant' or 'optimal', not {value!r}; rate= has the rates of the library")


def _slope_below(loss, margin):
    """The steepness of a loss at minus `margin`."""
    import math
    known = {"hinge": 1.0, "perceptron": 1.0, "squared-hinge": 2 * (1 + margin), "smooth-hinge": 1.0,
             "logistic": 1.0 / (1.0 + math.exp(-min(margin, 700.0)))}
    return known.get(loss, 1.0)


_SGD = {
    "learning_rate": Word("rate", "'constant': rate='constant:ETA0'; 'optimal': 1 / (alpha (t0 + k)) with scikit-learn's t0", _learning_rate),
    "eta0": Word(None, "of learning_rate='constant'", _nothing),
    "average": Word("keep", "True: keep='average'; False: keep='last'", _average),
}
def _variant(value, params):
    known = {"hinge": "pa1", "squared_hinge": "pa2", "squared-hinge": "pa2"}
    if value not in known:
        raise ValueError(f"loss must be 'hinge' or 'squared_hinge', not {value!r}; variant= has pa too")
    return {"variant": known[value]}


_VARIANT = {"loss": Word("variant", "'hinge': variant='pa1'; 'squared_hinge': variant='pa2'", _variant)}
_SOFTMAX = {"multi_class": Word("multiclass", "'multinomial': softmax; 'ovr': one-vs-rest; 'auto'", _multi_class(
    {"auto": None, "multinomial": "softmax", "ovr": "one-vs-rest"}))}
_AGAINST = {"multi_class": Word(None, "'ovr', which is what is done", _multi_class({"ovr": None}))}

_WALK = {**_ONLINE, **_CLEAN, **_LIFTED, **_AGAIN, **_SHOWN}
_SCORING = {"scoring": Word("metric", "'accuracy': error; 'roc_auc': auc; 'neg_log_loss': log-loss; 'balanced_accuracy': balanced-error", _scoring)}
WORDS = {
    "Perceptron": _WALK, "AveragedPerceptron": _WALK, "VotedPerceptron": {**_ONLINE, **_CLEAN, **_LIFTED, **_SHOWN},
    "PassiveAggressiveClassifier": {**_WALK, **_VARIANT},
    "Pegasos": {**_ONLINE, **_ALL_PASSES, **_LINES, **_SHOWN},
    "SGDClassifier": {**_ONLINE, **_ALL_PASSES, **_LINES, **_AGAIN, **_SGD, **_SHOWN},
    "LinearSVC": {**_SOLVED, **_LINES, **_AGAINST, **_UNUSED_DUAL, **_SAME_AGAIN, **_SHOWN},
    "SVC": {**_KERNEL, **_SOLVED, **_PROBABLE, **_SHOWN},
    "NuSVC": {**_KERNEL, **_SOLVED, **_PROBABLE, **_SHOWN},
    "HardMarginSVC": {**_KERNEL, **_SOLVED, **_LINES, **_SHOWN},
    "LogisticRegression": {**_SOLVED, **_LINES, **_SOFTMAX, **_UNUSED_DUAL, **_SAME_AGAIN, **_SHOWN},
    "LogisticRegressionCV": {**_SCORING, **_SOLVED, **_LINES, **_SOFTMAX, **_UNUSED_DUAL, **_SHOWN},
    "FewestErrors": {**_LINES, **_SHOWN},
    "TunedClassifier": {**_SCORING, **_SHOWN},
}
