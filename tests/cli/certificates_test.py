"""Hundreds of certificates, each judged by the program and by scripts/check-certificate, whole and tampered with."""
import copy
import importlib.machinery
import importlib.util
import json
import pathlib
import random

from support import ProgramTest, main

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-certificate"
loader = importlib.machinery.SourceFileLoader("check_certificate", str(SCRIPT))
check_certificate = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_certificate", loader))
loader.exec_module(check_certificate)


def random_rows(rng):
    """Integer grids with labels by a plane, some of them flipped, some rows twice: all three verdicts occur."""
    n, d = rng.randint(2, 25), rng.randint(1, 5)
    size = rng.choice([1, 2, 5, 1000, 10 ** 6])
    factor = rng.choice([1, 1, 0.001, 0.25])
    plane = [rng.randint(-3, 3) for _ in range(d)]
    flipped = rng.choice([0, 0, 0.1, 0.4])
    rows = []
    for _ in range(n):
        x = [rng.randint(-size, size) for _ in range(d)]
        if rows and rng.random() < 0.15:
            x = list(rng.choice(rows)[1])
        score = sum(a * b for a, b in zip(plane, x))
        positive = rng.random() < 0.5 if score == 0 else score > 0
        rows.append(("+1" if positive != (rng.random() < flipped) else "-1", x))
    if len({y for y, _ in rows}) == 1:
        rows[0] = ("-1" if rows[0][0] == "+1" else "+1", rows[0][1])
    return "".join(f"{y} " + " ".join(f"{j}:{v * factor:.6g}" for j, v in enumerate(x, 1)) + "\n" for y, x in rows)


def tamper(rng, good):
    """A change after which the certificate proves nothing; None: no such change was found."""
    bad = copy.deepcopy(good)
    if bad["verdict"] == "separable":
        kind = rng.choice(["turn", "overlap", "margin"])
        if kind == "turn":
            bad["plane"]["weights"] = [str(-int(w)) for w in bad["plane"]["weights"]]
            bad["plane"]["offset"] = str(-int(bad["plane"]["offset"]))
        elif kind == "margin" and "margin" in bad:
            end = rng.choice(["lower", "upper"])
            bad["margin"][end] = repr(float(bad["margin"][end]) * (1.001 if end == "lower" else 0.999))
        else:
            bad["verdict"], bad["witnesses"], bad["null_space"] = "overlapping", [{"rows": [1], "weights": ["1"]}], []
            for key in ("plane", "margin", "radius"):
                bad.pop(key, None)
            if bad["offset"] == "none":
                return None
        return bad
    witness = rng.choice(bad["witnesses"])
    if len(witness["rows"]) < 2:
        return None
    at = rng.randrange(len(witness["rows"]))
    kind = rng.choice(["more", "drop", "turn", "row"])
    if kind == "more":
        witness["weights"][at] = str(int(witness["weights"][at]) + 1)
    elif kind == "drop":
        del witness["rows"][at], witness["weights"][at]
    elif kind == "turn":
        bad["witnesses"][0]["weights"] = [str(-int(w)) for w in bad["witnesses"][0]["weights"]]
    else:
        witness["rows"][at] = bad["data"]["rows"] + 1
    return bad


class CertificatesTest(ProgramTest):
    def judged(self, certificate, data):
        (self.folder / "judged").write_text(json.dumps(certificate), encoding="utf-8")
        try:
            read = check_certificate.read_certificate(str(self.folder / "judged"))
            check_certificate.Checker(read, str(self.folder / data)).check()
        except (check_certificate.Refused, check_certificate.Unreadable):
            return False
        return True

    def test_both_checkers_agree_on_hundreds_of_certificates(self):
        rng = random.Random(11)
        seen = {"separable": 0, "touching": 0, "overlapping": 0}
        tampered = 0
        for trial in range(300):
            (self.folder / "data").write_text(random_rows(rng), encoding="utf-8")
            offset = rng.choice(["free", "free", "lifted", "none"])
            result = self.run_program("separable", "data", "--offset", offset, "-o", "c", "--quiet", "--threads", "1")
            self.assertIn(result.returncode, (0, 1), result.stderr)
            good = json.loads((self.folder / "c").read_text())
            seen[good["verdict"]] += 1
            with self.subTest(trial=trial, verdict=good["verdict"], offset=offset):
                self.assertTrue(self.judged(good, "data"))
                if trial % 10 == 0:
                    self.done("verify", "c", "data")
                for _ in range(6):
                    # Without an offset a row of zeros may have any weight.
                    bad = tamper(rng, good) if offset != "none" else None
                    if bad is None:
                        continue
                    self.assertFalse(self.judged(bad, "data"))
                    tampered += 1
                    if tampered % 40 == 0:
                        (self.folder / "bad").write_text(json.dumps(bad), encoding="utf-8")
                        self.assertIn(self.run_program("verify", "bad", "data").returncode, (1, 3))
        for verdict, count in seen.items():
            self.assertGreater(count, 20, verdict)
        self.assertGreater(tampered, 600)

    def test_damaged_files_are_refused_and_never_crash(self):
        data = "-1 1:0 2:0\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n"
        (self.folder / "data").write_text(data, encoding="utf-8")
        self.run_program("separable", "data", "-o", "c")
        text = (self.folder / "c").read_text()
        for length in range(0, len(text) - 1, max(1, len(text) // 60)):
            (self.folder / "bad").write_text(text[:length], encoding="utf-8")
            self.assertIn(self.run_program("verify", "bad", "data").returncode, (2, 3), text[:length])
        good = json.loads(text)
        weights = ["1e9999", "1e-9999", "9" * 50000, "1/" + "9" * 50000, "1/0", "1e99999", "nan", "", "0x1", "١"]
        for weight in weights:
            bad = copy.deepcopy(good)
            bad["witnesses"][0]["weights"][0] = weight
            (self.folder / "bad").write_text(json.dumps(bad), encoding="utf-8")
            with self.subTest(weight=weight[:12]):
                self.assertIn(self.run_program("verify", "bad", "data").returncode, (1, 3))
        for change in ("rows", "twice", "fingerprint", "zero", "columns", "classes"):
            bad = copy.deepcopy(good)
            if change == "rows":
                bad["data"]["rows"] = 4294967295
            elif change == "twice":
                bad["witnesses"][0]["rows"][0] = bad["witnesses"][0]["rows"][1]
            elif change == "fingerprint":
                bad["data"]["fingerprint"] = bad["data"]["fingerprint"][::-1]
            elif change == "zero":
                bad["witnesses"][0]["rows"][0] = 0
            elif change == "columns":
                bad["null_space"] = [{"columns": [4294967295], "weights": ["1"], "offset": "0"}]
            else:
                bad["positive"] = ["1", "1"]
            (self.folder / "bad").write_text(json.dumps(bad), encoding="utf-8")
            with self.subTest(change=change):
                self.assertIn(self.run_program("verify", "bad", "data").returncode, (1, 3))


if __name__ == "__main__":
    main()
