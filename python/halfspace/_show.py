# SPDX-License-Identifier: BSD-3-Clause
"""Estimators for people: the page of a notebook, and pictures where matplotlib is installed."""
import html as _html

import numpy as np

_STRONGEST = 8


def _number(value):
    return f"{value:.4g}"


def _last_plane(estimator):
    weights = estimator._planes(0)
    return (weights.toarray() if hasattr(weights, "toarray") else weights)[-1]


def effects(estimator):
    """The features of one plane by how much they move its score, strongest first: (name, weight, weight times spread)."""
    weights = _last_plane(estimator)
    spread = estimator.model_.deviations()
    moved = weights * spread if np.isfinite(spread).all() else weights
    names = estimator.get_feature_names_out()
    order = np.argsort(-np.abs(moved), kind="stable")[:_STRONGEST]
    return [(str(names[k]), float(weights[k]), float(moved[k])) for k in order if weights[k] != 0]


def formula(estimator):
    """f(x) of the last class with its strongest features."""
    terms = [f"{'-' if weight < 0 else '+'} {_number(abs(weight))} {name}" for name, weight, _ in effects(estimator)]
    left = int(np.count_nonzero(_last_plane(estimator))) - len(terms)
    offset = float(estimator._planes(1)[-1])
    terms += [f"+ {left} more"] if left > 0 else []
    terms += [f"{'-' if offset < 0 else '+'} {_number(abs(offset))}"] if offset else []
    text = " ".join(terms).removeprefix("+ ") or "0"
    return f"f(x) = {text}"


def _row(cells, tag="td"):
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def html(estimator):
    """What a notebook shows: formula, proof, parameters with those changed marked, strongest effects."""
    escape = _html.escape
    out = [f"<div class='halfspace'><b>{escape(type(estimator).__name__)}</b>"]
    if "model_" in estimator.__dict__:
        about = estimator.model_.describe
        out.append(f"<div>{about['features']} features, classes {escape(', '.join(map(str, estimator.classes_[:8])))}</div>")
        if about["linear"]:
            out.append(f"<div><code>{escape(formula(estimator))}</code></div>")
        for line in estimator.model_.proofs[:4]:
            out.append(f"<div>proved: {escape(line)}</div>")
    else:
        out.append("<div>not trained yet</div>")
    defaults = type(estimator)().get_params()
    rows = []
    for name, value in estimator.get_params(deep=False).items():
        changed = repr(value) != repr(defaults.get(name))
        if name in estimator._words and not changed:
            continue  # said in our own words
        rows.append(_row([f"<b>{escape(name)}</b>" if changed else escape(name), f"<b>{escape(repr(value))}</b>" if changed else escape(repr(value))]))
    out.append("<details><summary>parameters (changed ones bold)</summary><table>" + "".join(rows) + "</table></details>")
    if "model_" in estimator.__dict__ and about["linear"]:
        rows = [_row([escape(name), _number(weight), _number(moved)]) for name, weight, moved in effects(estimator)]
        head = _row(["feature", "weight", "weight x spread"], "th")
        out.append("<details open><summary>strongest effects</summary><table>" + head + "".join(rows) + "</table></details>")
    return "".join(out) + "</div>"


def _axes(ax):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib (Debian: python3-matplotlib)") from None
    return plt.subplots()[1] if ax is None else ax


def plot_plane(model, X, y=None, features=(0, 1), ax=None, resolution=200):
    """Draws rows and half spaces over two features of a trained model; the others are held at their mean. Returns the axes.

    `features`: two numbers or names of columns. With one plane also the lines of score -1 and 1.
    """
    ax = _axes(ax)
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X, float)
    names = [str(name) for name in model.get_feature_names_out()]
    first, second = [names.index(f) if isinstance(f, str) else int(f) for f in features]
    low, high = rows[:, [first, second]].min(axis=0), rows[:, [first, second]].max(axis=0)
    pad = 0.05 * np.where(high > low, high - low, 1.0)
    along, up = [np.linspace(low[k] - pad[k], high[k] + pad[k], resolution) for k in (0, 1)]
    grid = np.tile(rows.mean(axis=0), (resolution * resolution, 1))
    grid[:, first], grid[:, second] = np.tile(along, resolution), np.repeat(up, resolution)
    if hasattr(model, "feature_names_in_"):
        import pandas
        grid = pandas.DataFrame(grid, columns=model.feature_names_in_)
    scores = model.decision_function(grid)
    shape = (resolution, resolution)
    if scores.ndim == 1:
        ax.contourf(along, up, (scores > 0).reshape(shape).astype(float), levels=[-0.5, 0.5, 1.5], alpha=0.15)
        ax.contour(along, up, scores.reshape(shape), levels=[-1, 0, 1], linestyles=["dashed", "solid", "dashed"], colors="k")
    else:
        ax.contourf(along, up, scores.argmax(axis=1).reshape(shape), levels=np.arange(scores.shape[1] + 1) - 0.5, alpha=0.15)
    if y is None:
        ax.plot(rows[:, first], rows[:, second], ".")
    else:
        for k, label in enumerate(model.classes_):
            chosen = np.asarray(y) == label
            ax.plot(rows[chosen, first], rows[chosen, second], "os^vDP*X"[k % 8], label=str(label), alpha=0.8)
        ax.legend()
    ax.set_xlabel(names[first])
    ax.set_ylabel(names[second])
    return ax


def plot_path(path, ax=None):
    """Draws errors along the option of halfspace.path(), on the training rows and on those held out. Returns the axes."""
    ax = _axes(ax)
    values = path.values
    ax.plot(values, path.training_error, "o-", label="training rows")
    ax.plot(values, path.validation_error, "s--", label="rows held out")
    if len(values) > 1 and values.min() > 0 and values.max() / values.min() >= 10:
        ax.set_xscale("log")
    ax.set_xlabel(path.option)
    ax.set_ylabel("error")
    ax.legend()
    return ax
