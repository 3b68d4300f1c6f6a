"""Forged certificates of separability: refused by `verify` and by scripts/check-certificate."""
import copy
import json

from support import PROGRAM, SECOND_CHECKER, ForgeryTest, main

OVERLAPPING = "-1 1:0 2:0\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n"


class SeparationTest(ForgeryTest):
    def certificate(self, name, rows, *options, code=0):
        self.write(name, rows)
        self.done(PROGRAM, "separable", name, "-o", "honest", *options, code=code)
        return json.loads((self.folder / "honest").read_text(encoding="utf-8"))

    def both_refuse(self, kind, certificate, data, *options):
        self.write("forged", certificate)
        self.refused(kind, PROGRAM, "verify", "forged", data, *options)
        self.refused(kind + ", second checker", *SECOND_CHECKER, "forged", data)

    def test_honest_certificates_are_accepted(self):
        self.certificate("rows.txt", OVERLAPPING, code=1)
        self.accepted(PROGRAM, "verify", "honest", "rows.txt")
        self.accepted(*SECOND_CHECKER, "honest", "rows.txt")

    def test_witnesses_that_do_not_sum_to_zero_are_refused(self):
        honest = self.certificate("rows.txt", OVERLAPPING, code=1)
        for k in range(len(honest["witnesses"][0]["weights"])):
            forged = copy.deepcopy(honest)
            forged["witnesses"][0]["weights"][k] = "7/3"
            self.both_refuse("witness does not sum to zero", forged, "rows.txt")


if __name__ == "__main__":
    main()
