"""What is true of a few rows, in fractions: a third computation, by brute force, against which checkers are judged.

Rows are (label, {column: Fraction}). `false_claim` names what is untrue in a certificate, or gives None; it shares no line with
the checkers and does not look at how a claim is proved.
"""
from fractions import Fraction


def signed(rows, side, offset):
    """a_i = y_i (x_i, 1) as lists, for the rows that take part."""
    width = max((j for _, x in rows for j in x), default=0)
    out = {}
    for i, (label, x) in enumerate(rows, 1):
        y = side.get(label, 0)
        if y:
            out[i] = [y * x.get(j, Fraction(0)) for j in range(1, width + 1)] + ([Fraction(y)] if offset != "none" else [])
    return out


def rows_apart(a):
    """The rows that some plane has strictly on their side while no row is on the wrong one:
    max sum s, A w >= s, 0 <= s <= 1, by the simplex method with Bland's rule."""
    names = list(a)
    n, c = len(names), len(a[names[0]])
    columns = 2 * c + 3 * n + 1
    table, basis = [], []
    for k, i in enumerate(names):
        row = [-v for v in a[i]] + list(a[i]) + [Fraction(0)] * (3 * n + 1)
        row[2 * c + k] = row[2 * c + n + k] = Fraction(1)
        table.append(row)
        basis.append(2 * c + n + k)
    for k in range(n):
        row = [Fraction(0)] * columns
        row[2 * c + k] = row[2 * c + 2 * n + k] = row[-1] = Fraction(1)
        table.append(row)
        basis.append(2 * c + 2 * n + k)
    cost = [Fraction(0)] * columns
    for k in range(n):
        cost[2 * c + k] = Fraction(-1)
    table.append(cost)
    while True:
        enter = next((k for k in range(columns - 1) if table[-1][k] < 0), None)
        if enter is None:
            break
        leave = min((r for r in range(2 * n) if table[r][enter] > 0), key=lambda r: (table[r][-1] / table[r][enter], basis[r]))
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for r, row in enumerate(table):
            if r != leave and row[enter]:
                factor = row[enter]
                table[r] = [v - factor * p if p else v for v, p in zip(row, table[leave])]
        basis[leave] = enter
    value = {b: table[r][-1] for r, b in enumerate(basis)}
    return {i for k, i in enumerate(names) if value.get(2 * c + k, 0) > 0}


def score(plane, x):
    return sum((Fraction(w) * x.get(j, 0) for j, w in zip(plane["columns"], plane["weights"])), Fraction(plane["offset"]))


def false_claim(c, rows, features, values, fingerprint):
    """The first thing in a well-formed certificate that is not true of the rows; None when all of it is."""
    if (c["data"]["rows"], c["data"]["features"], c["data"]["fingerprint"]) != (len(rows), features, fingerprint):
        return "other data"
    if c["values"] != values:
        return "another reading"
    labels = {label for label, _ in rows}
    named = c["positive"] + c["negative"]
    if not c["positive"] or not c["negative"] or len(set(named)) != len(named) or not set(named) <= labels:
        return "sides"
    side = {**{name: 1 for name in c["positive"]}, **{name: -1 for name in c["negative"]}}
    a = signed(rows, side, c["offset"])
    y = {i: side[rows[i - 1][0]] for i in a}
    apart = rows_apart(a)
    verdict = "separable" if len(apart) == len(a) else "touching" if apart else "overlapping"
    if c["verdict"] != verdict:
        return "verdict"
    on_plane = set(a)
    if "plane" in c:
        if c["offset"] == "none" and Fraction(c["plane"]["offset"]):
            return "offset"
        margins = {i: y[i] * score(c["plane"], rows[i - 1][1]) for i in a}
        if min(margins.values()) < 0 or (verdict == "separable" and min(margins.values()) == 0) or max(margins.values()) <= 0:
            return "plane"
        on_plane = {i for i, m in margins.items() if m == 0}
    if c.get("complete") and on_plane != set(a) - apart:
        return "complete"
    fixed = set()
    for witness in c.get("witnesses", []):
        total = [Fraction(0)] * len(next(iter(a.values())))
        for i, w in zip(witness["rows"], map(Fraction, witness["weights"])):
            if i not in a or (i not in fixed and w <= 0):
                return "weight"
            total = [t + w * v for t, v in zip(total, a[i])]
        if any(total) or set(witness["rows"]) <= fixed:
            return "witness"
        fixed |= set(witness["rows"])
    for plane in c.get("null_space", []):
        if any(score(plane, rows[i - 1][1]) for i in on_plane):
            return "null_space"
    if "margin" in c:
        plane = c["margin"]["plane"]
        lower, upper = Fraction(c["margin"]["lower"]), Fraction(c["margin"]["upper"])
        length = sum(Fraction(w) ** 2 for w in plane["weights"]) + (Fraction(plane["offset"]) ** 2 if c["offset"] == "lifted" else 0)
        smallest = min(y[i] * score(plane, rows[i - 1][1]) for i in a)
        if lower <= 0 or smallest <= 0 or lower ** 2 * length > smallest ** 2:
            return "lower bound"
        if upper < lower:
            return "upper bound"
        if any(i not in a or Fraction(w) <= 0 for i, w in zip(c["margin"]["rows"], c["margin"]["weights"])):
            return "hull"
    if "radius" in c:
        longest = max(sum(v * v for v in rows[i - 1][1].values()) for i in a) + (1 if c["offset"] == "lifted" else 0)
        if Fraction(c["radius"]) < 0 or Fraction(c["radius"]) ** 2 < longest:
            return "radius"
    return None
