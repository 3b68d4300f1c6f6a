"""Forged model files: functions of kernels, and kernels that are no products."""
from honest_models import HONEST, Models, kind_of, restated
from model_file import ModelFile
from support import PROGRAM, main


class Kernels(Models):
    """Functions, vectors and the kernel itself."""

    def test_functions(self):
        for name in HONEST:
            if kind_of(name) != "kernel":
                continue
            for tensor in ("functions.coefficient", "vectors.value", "offsets"):
                for factor, shift in ((1.01, 0), (-1, 0), (1, 0.5), (0, 0)):
                    model = self.honest(name)
                    values = model.numbers(tensor)
                    values[0] = values[0] * factor + shift
                    if abs(values[0] - self.honest(name).numbers(tensor)[0]) < 1e-6:
                        continue  # an offset of nothing
                    with self.subTest(name, tensor=tensor, factor=factor, shift=shift):
                        self.no("functions changed", name, model)

    def test_indefinite_kernels(self):
        for name in ("rbf", "poly", "nu", "pairs", "hard margin rbf"):
            for kernel in ("sigmoid:-0.5,0", "sigmoid:0.5,0", "sigmoid:1,1", "poly:1,-0.1,0", "poly:2,1,-1", "poly:3,-1,1",
                           "poly:2,-0,0", "precomputed"):
                model = self.honest(name)
                model.fields["kernel"] = kernel
                model.option("kernel", kernel)
                model.certificate = [restated(gap, 270.0, 7149.0) for gap in model.certificate]
                self.no("kernels that are no products", name, model)
                model.certificate = self.honest(name).certificate
                self.no("kernels that are no products", name, model)

    def test_a_made_up_point_of_an_indefinite_kernel(self):
        """Weak duality is false there: the zero function has 40, the point "proves" more."""
        self.done(PROGRAM, "train", "two.txt", "-o", "m", "--quiet", "--algorithm", "svm", "--kernel", "sigmoid:-0.5,0", code=0)
        model = ModelFile((self.folder / "m").read_bytes())
        self.assertNotIn("certificate", model.tensors)
        self.assertNotIn("dual.alpha", model.tensors)
        rows = len(model.numbers("functions.coefficient"))
        model.certificate = [restated({}, 7149.0, 7149.0)]
        model.put("dual.start", [0, rows], dtype="U64")
        model.put("dual.alpha", [abs(c) for c in model.numbers("functions.coefficient")], dtype="F64")
        model.put("dual.rows", list(range(rows)), dtype="U32")
        self.no("kernels that are no products", "rbf", model)

    def test_matrices_that_are_no_products(self):
        for n, values in ((4, lambda i, j: 1.0 if i != j else 0.5), (6, lambda i, j: -1.0 if i != j else 1.0)):
            lines = [f"{1 if i % 2 else -1} " + " ".join(f"{j + 1}:{values(i, j)}" for j in range(n)) for i in range(n)]
            self.write("matrix.txt", "\n".join(lines) + "\n")
            self.done(PROGRAM, "train", "matrix.txt", "-o", "m", "--quiet", "--algorithm", "svm", "--kernel", "precomputed")
            model = ModelFile((self.folder / "m").read_bytes())
            rows = len(model.numbers("functions.coefficient"))
            model.certificate = [restated({}, 1e3, 1e3)]
            model.put("dual.start", [0, rows], dtype="U64")
            model.put("dual.alpha", [abs(c) for c in model.numbers("functions.coefficient")], dtype="F64")
            model.put("dual.rows", list(range(rows)), dtype="U32")
            self.no("kernels that are no products", "rbf", model, data="matrix.txt")

    def test_a_matrix_that_is_a_product(self):
        n = 6
        lines = [f"{1 if i % 2 else -1} " + " ".join(f"{j + 1}:{2.0 ** -abs(i - j)}" for j in range(n)) for i in range(n)]
        self.write("matrix.txt", "\n".join(lines) + "\n")
        for options in ("--algorithm svm", "--algorithm hard-margin", "--algorithm nu-svm --nu 0.5"):
            self.done(PROGRAM, "train", "matrix.txt", "-o", "m", "--quiet", *options.split(), "--kernel", "precomputed")
            self.accepted(PROGRAM, "verify", "m", "matrix.txt")


if __name__ == "__main__":
    main()
