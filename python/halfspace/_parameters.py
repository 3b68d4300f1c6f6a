# SPDX-License-Identifier: BSD-3-Clause
"""Keywords of the estimators: the options of the library's algorithms under the names and with the defaults of its tables."""
import difflib
import inspect
import re

from . import _library as lib
from ._words import NO_SUCH, VALUES, WORDS

TABLES = lib.algorithms()

# What every estimator has besides the options of its algorithm: default and meaning.
COMMON = {
    "scale": ("none", "none, standard, minmax or unit: learned on the training rows and kept in the model"),
    "random_state": (None, "seed of everything random: a whole number, a RandomState, or None for the library's own, always the same"),
    "n_jobs": (None, "threads; None and -1: all allowed cores. Results do not depend on it"),
    "seconds": (None, "stop after so long with the best model so far"),
    "callback": (None, "called with done, iterations and relative_gap while the fit runs; returning False ends it"),
    "progress": (False, "True: a bar on standard error, or in the notebook"),
}

# Of those that hold rows out.
DEAL = {"deal": ("content", "content: what stands in the rows decides their folds, not where they are; place: where they are does; copies of a row may come into several folds")}


def keyword(option):
    return {"lambda": "alpha"}.get(option, option.replace("-", "_"))


def _default(option):
    text = option["default"]
    if option["flag"]:
        return text == "true"
    if option["name"] == "class-weight" or text == "":
        return None
    value = value_of_text(text)
    return float(value) if option["name"] in ("C", "lambda") else value


def value_of_text(text):
    """A number where the text is one, True and False for flags, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def option_texts(algorithm, params):
    """Pairs of names and values as text, of the options that have one; lists them flat."""
    pairs = []
    for option in TABLES[algorithm]["options"]:
        name = keyword(option["name"])
        if name == "class_weight" or name not in params or params[name] is None:
            continue
        value = params[name]
        if option["flag"] and not isinstance(value, (bool, int)) and type(value).__name__ != "bool_":
            raise TypeError(f"{name} must be True or False, not {value!r}")
        if option["number"] and not isinstance(value, str) and (isinstance(value, bool) or not hasattr(value, "__float__")):
            raise TypeError(f"{name} must be a number, not {value!r}")
        if isinstance(value, bool) or type(value).__name__ == "bool_":
            text = "true" if value else "false"
        elif hasattr(value, "dtype"):
            text = str(value.item())
        else:
            text = str(value)
        pairs += [option["name"], text]
    return pairs


def _nearest(name, known):
    found = [word for word in known if word.lower() == name.lower()] or difflib.get_close_matches(name, known, 1)
    return f"; did you mean {found[0]}?" if found else ""


def same(left, right):
    """Whether a keyword still has its default: arrays and other odd values have not."""
    if left is right:
        return True
    try:
        return type(left) is type(right) and bool(left == right)
    except (TypeError, ValueError):
        return False


def in_our_words(cls, params, features, scale):
    """params with the words of scikit-learn said in ours. features, scale(): of the rows, for kernels."""
    given = {name: params[name] for name, word in cls._words.items() if not same(params[name], word.default)}
    out = {name: value for name, value in params.items() if name not in cls._words}
    for name, known in VALUES.items():
        if isinstance(out.get(name), str):
            out[name] = known.get(out[name], out[name])
    if "penalty" in out and out["penalty"] is None:
        out["penalty"] = "none"
    if not given:
        return out
    asked = {**params, **out, "_features": features, "_scale": scale}
    for name, value in given.items():
        word = cls._words[name]
        said = word.say(value, asked)
        clash = word.own is not None and word.own not in ("kernel", "max_passes") and not same(out[word.own], cls._defaults[word.own])
        if clash and said.get(word.own) != out[word.own]:
            raise ValueError(f"{name} and {word.own} are two ways to say the same: give one of them")
        out.update(said)
    return out


_EXAMPLE = """    Examples
    --------
    >>> import halfspace
    >>> X, y = halfspace.read("data/iris.csv")
    >>> model = halfspace.{}().fit(X, y == "setosa")
    >>> model.score(X, y == "setosa") > 0.95
    True
"""


def with_options(algorithm, /, leave_out=(), defaults=(), **more):
    """Class decorator: __init__ with the options of an algorithm as keywords, and their table in the docstring.

    leave_out: options that the estimator does not have. defaults: others than the table's. more: keywords of its own, with
    default and meaning.
    """
    changed = dict(defaults)
    table = {}
    for option in TABLES[algorithm]["options"] if algorithm else ():
        name = keyword(option["name"])
        if option["name"] in leave_out or name in COMMON:
            continue
        words = option["help"] + (f": {option['choices']}" if option["choices"] else "")
        if name == "class_weight":
            words = "'balanced', or a dict from labels to factors on the weights of their rows"
        table[name] = (changed.get(name, _default(option)), re.sub(r"\b(L|lambda)\b", "alpha", words) if name == "alpha" else words)
        if name == "C" and algorithm in ("svm", "logistic"):
            table["alpha"] = (None, "in place of C: alpha/2 |theta|^2 + mean loss, so C = 1 / (alpha times the weight of all rows)")
        if name == "alpha":
            table["C"] = (None, "in place of alpha = 1 / (C times the weight of all rows)")
    table.update(more)
    table.update(COMMON)

    def decorate(cls):
        words = {name: word for name, word in WORDS.get(cls.__name__, {}).items() if name not in table}
        table.update({name: (word.default, f"scikit-learn's word: {word.meaning}") for name, word in words.items()})
        defaults = {name: default for name, (default, _) in table.items()}

        def __init__(self, **params):
            own = self.__dict__
            own.update(defaults)
            for name, value in params.items():
                if name not in defaults:
                    hint = f": {NO_SUCH[name]}" if name in NO_SUCH else _nearest(name, defaults)
                    raise TypeError(f"{cls.__name__}() got an unexpected keyword argument '{name}'{hint}")
                own[name] = value

        kind = inspect.Parameter
        __init__.__signature__ = inspect.Signature(
            [kind("self", kind.POSITIONAL_OR_KEYWORD)]
            + [kind(name, kind.KEYWORD_ONLY, default=default) for name, (default, _) in table.items()])
        __init__.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = __init__
        cls._algorithm, cls._parameters, cls._words, cls._defaults, cls._names_of_params = algorithm, table, words, defaults, sorted(table)
        lines = "".join(f"    {name} : default {default!r}\n        {words}\n" for name, (default, words) in table.items())
        cls.__doc__ = f"{inspect.cleandoc(cls.__doc__)}\n\n    Parameters\n    ----------\n{lines}\n{_EXAMPLE.format(cls.__name__)}"
        return cls

    return decorate
