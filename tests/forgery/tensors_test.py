"""Forged model files: the planes and dual points under a claim."""
import math

from honest_models import HONEST, ROWS, Models, kind_of, restated
from support import main


def moved(alpha):
    """A small one may move without a gap that is worse than what the model says."""
    largest = max(range(len(alpha)), key=lambda i: abs(alpha[i]))
    alpha[largest] *= 0.9


class Tensors(Models):
    """What the claim is computed from."""

    def test_planes_moved(self):
        for name in HONEST:
            if kind_of(name) != "planes":
                continue
            weights = "weights" if "weights" in self.honest(name).tensors else "weights.value"
            for change in ("weight", "all", "zero", "offset", "huge", "largest"):
                with self.subTest(name, change=change):
                    model = self.honest(name)
                    values = model.numbers(weights)
                    if change == "offset":
                        model.numbers("offsets")[0] += 0.5
                    elif change == "weight":
                        values[-1] += 0.25
                    elif change == "all":
                        values[:] = [1.5 * v if "hard" not in name else -v for v in values]
                    elif change == "zero":
                        values[:] = [0.0] * len(values)
                    else:
                        values[:] = [1e200 if change == "huge" else 1.7e308] * len(values)
                    self.no("planes moved", name, model, codes=(1,))

    def test_numbers_that_are_none(self):
        for name in ("hinge", "softmax", "rbf", "nu", "hard margin"):
            for tensor, (dtype, _, values) in self.honest(name).tensors.items():
                if dtype != "F64" or not values:
                    continue
                for value in (math.nan, math.inf, -math.inf):
                    model = self.honest(name)
                    model.numbers(tensor)[-1] = value
                    self.no("tensors with no numbers", name, model, codes=(3,))

    def test_dual_points(self):
        for name in HONEST:
            honest = self.honest(name)
            if "dual.alpha" not in honest.tensors:
                continue
            hard = "hard" in name
            changes = {
                "doubled": lambda m: m.put("dual.alpha", [2 * a for a in m.numbers("dual.alpha")]),
                "one above its bound": lambda m: m.numbers("dual.alpha").__setitem__(0, 1e6),
                "a row that is not there": lambda m: m.numbers("dual.rows").__setitem__(-1, 10**6),
                "the last row number": lambda m: m.numbers("dual.rows").__setitem__(-1, 2**32 - 1),
                "another row": lambda m: m.put("dual.rows", [r + 1 for r in m.numbers("dual.rows")]),
                "negative": lambda m: m.numbers("dual.alpha").__setitem__(0, -0.5),
                "zero": lambda m: m.numbers("dual.alpha").__setitem__(0, 0.0),
                "rows not ascending": lambda m: m.numbers("dual.rows").__setitem__(1, m.numbers("dual.rows")[0]),
                "the largest moved": lambda m: moved(m.numbers("dual.alpha")),
                "tiny": lambda m: m.put("dual.alpha", [5e-324] * len(m.numbers("dual.alpha"))),
            }
            for what, change in changes.items():
                with self.subTest(name, what=what):
                    model = self.honest(name)
                    change(model)
                    if hard and what in ("doubled", "tiny") and kind_of(name) == "planes":
                        continue  # weights of a hull count by their shares alone
                    self.no("dual points", name, model)
            for change in ([0], [0, 1], [1, len(honest.numbers("dual.rows"))], [0, 10**6]):
                model = self.honest(name)
                model.put("dual.start", change, dtype="U64")
                if change != model.numbers("dual.start") or honest.numbers("dual.start") != change:
                    self.no("dual points of another length", name, model)

    def test_a_dual_point_where_none_belongs(self):
        for name in ("softmax", "logistic"):
            model = self.honest(name)
            planes = model.fields["planes"]
            model.put("dual.start", [0] + [1] * planes, dtype="U64")
            model.put("dual.alpha", [0.5], dtype="F64")
            model.put("dual.rows", [0], dtype="U32")
            self.no("a dual point that does not belong", name, model)

    def test_swapped_tensors(self):
        for name in HONEST:
            honest = self.honest(name)
            names = list(honest.tensors)
            for i, a in enumerate(names):
                for b in names[:i]:
                    if honest.tensors[a][0] != honest.tensors[b][0] or honest.tensors[a][2] == honest.tensors[b][2]:
                        continue
                    model = honest.copy()
                    model.tensors[a], model.tensors[b] = model.tensors[b], model.tensors[a]
                    self.no("swapped tensors", name, model)

    def test_values_at_the_end_of_the_range(self):
        """Sums of these are no numbers, which must not count as no loss."""
        for value in ("1e308", "1.7e308", "1e200", "1e155", "-1e308"):
            lines = [f"{1 if i % 2 else -1:+d} 1:{value} 2:-{value.lstrip('-')} 3:{i}" for i in range(ROWS)]
            self.write("huge.txt", "\n".join(lines) + "\n")
            for name in ("hinge", "squared hinge", "smoothed hinge", "logistic", "hinge none", "rbf", "poly"):
                model = self.honest(name)
                if kind_of(name) == "planes":
                    for tensor in ("weights", "weights.value"):
                        if tensor in model.tensors:
                            model.put(tensor, [1e10] * len(model.numbers(tensor)))
                    if "hinge none" != name:
                        model.numbers("offsets")[0] = 0.5
                model.fact("data", self.fingerprint_of("huge.txt", model))
                for primal, dual in ((0.0, 0.0), (1.0, 1.0), (1e300, 1e300), (1e300, -1e300)):
                    model.certificate = [restated({}, primal, dual)]
                    with self.subTest(name, value=value, primal=primal):
                        self.no("values at the end of the range", name, model, data="huge.txt")


if __name__ == "__main__":
    main()
