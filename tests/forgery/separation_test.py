"""Forged certificates of separability, made by hand: refused by `verify` and by scripts/check-certificate."""
# ctest: slow
import copy
import json

from support import PROGRAM, SANITIZED, SECOND_CHECKER, ForgeryTest, main, run

OVERLAPPING = "-1 1:0 2:0\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n"
TOUCHING = "-1 1:0\n+1 1:0\n-1 1:-1\n+1 1:1\n-1 1:0\n"
# Widest margin 2 exactly, longest row 5.
APART = "-1 1:-3 2:4\n-1 1:1\n+1 1:5\n"
# All rows have x1 = x2, and row 5 is in no witness.
NULL_SPACE = "-1 1:0 2:0\n+1 1:0 2:0\n-1 1:1 2:1\n+1 1:1 2:1\n+1 1:2 2:2\n"
THREE = "1 1:0\n2 1:1\n3 1:2\n3 1:3\n"
EXACT_MARGIN = {"rows": [2, 3], "weights": ["1", "1"], "lower": "2", "upper": "2",
                "plane": {"columns": [1], "weights": ["1"], "offset": "-3"}}


def at(certificate, path, value):
    """A copy with another value at a path such as 'witnesses.0.weights.1'; None takes the key away."""
    forged = copy.deepcopy(certificate)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = forged
    for step in steps:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return forged


class SeparationTest(ForgeryTest):
    def certificate(self, rows, *options, name="rows.txt", code=None):
        self.write(name, rows)
        made = run([PROGRAM, "separable", name, "-o", "honest", *options], self.folder)
        self.assertIn(made.code, (0, 1) if code is None else (code,), str(made))
        return json.loads((self.folder / "honest").read_text(encoding="utf-8"))

    def both_refuse(self, kind, certificate, data="rows.txt", *options):
        self.write("forged", certificate)
        with self.subTest(kind=kind, certificate=str(certificate)[:300]):
            self.refused(kind, PROGRAM, "verify", "forged", data, *options)
            if not SANITIZED:  # a script gains nothing from them
                self.refused(kind + ", second checker", *SECOND_CHECKER, "forged", data)

    def both_accept(self, certificate, data="rows.txt", *options):
        self.write("claim", certificate)
        self.accepted(*SECOND_CHECKER, "claim", data)
        return self.accepted(PROGRAM, "verify", "claim", data, *options).out

    def exact_margin(self):
        honest = self.certificate(APART)
        return {**honest, "margin": EXACT_MARGIN, "radius": "5"}

    def test_honest_certificates_are_accepted(self):
        for rows in (OVERLAPPING, TOUCHING, APART, NULL_SPACE):
            for offset in ("free", "lifted", "none"):
                self.both_accept(self.certificate(rows, "--offset", offset))
        self.both_accept(self.exact_margin())

    def test_who_takes_part_is_said(self):
        honest = self.certificate(THREE, "--positive", "3")
        self.assertIn("3 (2 rows) against 1, 2 (2 rows)", self.both_accept(honest))
        pair = {**honest, "negative": ["2"]}
        said = self.both_accept(pair)
        self.assertIn("3 (2 rows) against 2 (1 row)", said)
        self.assertIn("1 row is not taking part, among them all of 1", said)
        found = json.loads(self.accepted(PROGRAM, "verify", "claim", "rows.txt", "--json").out)
        self.assertEqual((found["absent_rows"], found["absent_classes"]), (1, ["1"]))

    def test_classes_that_are_left_out(self):
        honest = self.certificate(THREE, "--positive", "3")
        for kind, positive, negative in (
                ("no classes", [], []), ("one side empty", ["3"], []), ("one side empty", [], ["1", "2"]),
                ("one side empty", [], ["1", "2", "3"]), ("all classes on one side", ["1", "2", "3"], []),
                ("all classes on one side", [], ["3", "2", "1"]),
                ("a class on both sides", ["3"], ["1", "2", "3"]), ("a class on both sides", ["1", "3"], ["1", "2"]),
                ("a class on both sides", ["3"], ["3"]), ("a class twice", ["3", "3"], ["1", "2"]),
                ("a class twice", ["3"], ["1", "1"]), ("an unknown class", ["4"], ["1", "2"]),
                ("an unknown class", ["3"], ["1", "2", "4"]), ("an unknown class", ["3"], [""]),
                ("the same class in other words", ["3"], ["3.0"]), ("the same class in other words", ["3"], ["1", "+1"]),
                ("other sides", ["2"], ["1", "3"]), ("other sides", ["1", "2"], ["3"])):
            self.both_refuse(kind, {**honest, "positive": positive, "negative": negative})
        overlapping = self.certificate(OVERLAPPING)
        for positive, negative in (([], []), (["1"], []), ([], ["-1"]), (["1", "-1"], []), (["1"], ["1"])):
            self.both_refuse("classes left out of an overlap", {**overlapping, "positive": positive, "negative": negative})

    def test_a_class_whose_rows_all_have_weight_zero(self):
        table = "x,w,label\n0,1,a\n1,1,b\n2,0,c\n3,0,c\n"
        honest = self.certificate(table, "--positive", "b", "--weight", "w", name="rows.csv")
        self.accepted(PROGRAM, "verify", "honest", "rows.csv", "--weight", "w")
        for positive, negative in ((["c"], ["a"]), (["b"], ["c"])):
            self.write("forged", {**honest, "positive": positive, "negative": negative})
            self.refused("a side of weight zero", PROGRAM, "verify", "forged", "rows.csv", "--weight", "w")
        # The second checker knows no weights: it must not take the column for a feature.
        self.refused("weights, second checker", *SECOND_CHECKER, "honest", "rows.csv")

    def test_one_class_is_no_question(self):
        self.write("one.txt", "1 1:1\n1 1:2\n")
        for options in ((), ("--pairs",), ("--offset", "none")):
            outcome = run([PROGRAM, "separable", "one.txt", *options], self.folder)
            self.assertEqual(outcome.code, 3, str(outcome))
            self.assertIn("one class only", outcome.err)

    def test_what_the_data_are(self):
        honest = self.certificate(OVERLAPPING)
        for key, value in (("rows", 3), ("rows", 5), ("rows", 0), ("features", 1), ("features", 3), ("features", 4294967295)):
            self.both_refuse(f"false {key}", at(honest, f"data.{key}", value))
        for fingerprint in ("", "0" * 32, honest["data"]["fingerprint"][::-1], honest["data"]["fingerprint"] + "0"):
            self.write("forged", at(honest, "data.fingerprint", fingerprint))
            self.refused("false fingerprint", PROGRAM, "verify", "forged", "rows.txt")
        self.both_refuse("another reading", {**honest, "values": "doubles"})

    def test_the_reading_is_the_verifier_s_choice(self):
        """0.3 = 3 * 0.1 in decimals only: through the origin these two rows overlap, as doubles they are apart."""
        rows = "+1 1:0.3 2:3\n-1 1:0.1 2:1\n"
        decimals = self.certificate(rows, "--offset", "none")
        doubles = self.certificate(rows, "--offset", "none", "--values", "doubles")
        self.assertNotEqual(decimals["verdict"], doubles["verdict"])
        self.both_refuse("doubles of text", doubles)
        self.write("claim", doubles)
        self.accepted(PROGRAM, "verify", "claim", "rows.txt", "--values", "doubles")
        self.accepted(*SECOND_CHECKER, "--values", "doubles", "claim", "rows.txt")
        self.both_refuse("the verdict of the other reading", {**decimals, "values": "doubles"})

    def test_the_schema_is_closed(self):
        separable, touching = self.exact_margin(), self.certificate(TOUCHING)
        overlapping = self.certificate(OVERLAPPING)
        self.write("apart.txt", APART)
        self.write("touching.txt", TOUCHING)
        for certificate, data in ((separable, "apart.txt"), (touching, "touching.txt"), (overlapping, "rows.txt")):
            self.both_refuse("unknown key", {**certificate, "note": "trust me"}, data)
            self.both_refuse("unknown key", at(certificate, "data.name", "rows"), data)
            for key in ("schema", "data", "values", "positive", "negative", "offset", "verdict"):
                self.both_refuse("missing key", at(certificate, key, None), data)
            text = json.dumps(certificate)
            for twice in ('"verdict": "separable", ', '"positive": ["1"], '):
                self.both_refuse("key twice", text.replace("{", "{" + twice, 1), data)
            for after in ("{}", "x", "]", "\x00", text):
                self.both_refuse("text behind it", text + after, data)
        for key, value in (("witnesses", touching["witnesses"]), ("null_space", []), ("complete", True)):
            self.both_refuse("a key of another verdict", {**separable, key: value}, "apart.txt")
        for key, value in (("margin", EXACT_MARGIN), ("radius", "5")):
            self.both_refuse("a key of another verdict", {**touching, key: value}, "touching.txt")
        for key, value in (("margin", EXACT_MARGIN), ("radius", "5"), ("plane", separable["plane"]), ("complete", True)):
            self.both_refuse("a key of another verdict", {**overlapping, key: value}, "rows.txt")
        for key in ("lower", "upper", "rows", "weights", "plane"):
            self.both_refuse("half a margin", at(separable, "margin." + key, None), "apart.txt")

    def test_kinds_of_values(self):
        honest = self.certificate(NULL_SPACE)
        for path, values in (
                ("data.rows", (True, "5", 5.0, -5, None, [5], 1e300)), ("data.features", (True, "2", 2.0)),
                ("positive", ("1", [1], {"1": 1}, [["1"]], [None])), ("verdict", (True, 0, ["overlapping"], "Overlapping", "")),
                ("offset", ("Free", 0, False)), ("values", ("Decimals", 0)), ("witnesses", ({}, "x", [[]], [{}], 3)),
                ("null_space", ({}, [[]], [{}], None)), ("witnesses.0.rows", ([True, 2], ["1", "2"], [1.0, 2.0], [0, 1], [1, -2])),
                ("witnesses.0.weights", ([1, 1], [True, True], [None, None], [["1"], ["1"]])),
                ("witnesses.0.weights.0", ("", "+1", "1.", ".5", "1/0", "0x1", "1_0", "nan", "inf", "\u0661", " 1", "1 ", "1e", "1E0",
                                           "--1", "1/-1", "1/2/3", "1e1/2")),
                ("null_space.0.columns", ([2, 1], [1, 1], [1, 3], [True, 2], [0, 1], [])), ("null_space.0.offset", (0, None, "zero"))):
            for value in values:
                forged = at(honest, path, None) if value is None and path != "data.rows" else at(honest, path, value)
                self.both_refuse("wrong kind of value", forged)
        text = json.dumps(honest)
        for literal in ("NaN", "Infinity", "-Infinity", "1e5", "1" + "0" * 5000):
            self.both_refuse("numbers that are none", text.replace('"rows": 5', f'"rows": {literal}'))

    def test_planes_that_do_not_separate(self):
        honest = self.certificate(APART, "--margin", "none")
        for weights, offset in ((["-1"], "3"), (["1"], "-5"), (["1"], "-1"), (["1"], "0"), (["0"], "1"), (["0"], "-1"), (["0"], "0"),
                                (["1"], "-6"), (["1e-400"], "0"), (["1/3"], "-2"), (["1"], "-0.9999999999999999999999")):
            self.both_refuse("plane on the wrong side", {**honest, "plane": {"columns": [1], "weights": weights, "offset": offset}})
        self.both_refuse("plane without columns", {**honest, "plane": {"columns": [], "weights": [], "offset": "1"}})
        self.both_refuse("another column", at(honest, "plane.columns", [2] if len(honest["plane"]["columns"]) == 1 else [1, 3]))
        self.both_refuse("offset where there is none", {**honest, "offset": "none"})
        for verdict in ("touching", "overlapping"):
            forged = {**honest, "verdict": verdict, "witnesses": [{"rows": [2, 3], "weights": ["1", "1"]}], "null_space": []}
            forged = {**forged, "complete": False} if verdict == "touching" else at(forged, "plane", None)
            self.both_refuse("another verdict", forged)

    def test_margins_that_are_too_good(self):
        honest = self.exact_margin()
        for path, values in (("margin.lower", ("2.000000000002", "2.0000000000000000000001", "3", "-2", "0", "-3")),
                             ("margin.upper", ("1.999999999998", "1.9999999999999999999999", "1", "-2", "0", "-3")),
                             ("radius", ("4.999999999999", "-5", "-6", "0")),
                             ("margin.plane.offset", ("-2.999", "-3.001", "3")), ("margin.plane.weights.0", ("-1", "0.999", "0")),
                             ("margin.rows", ([1, 3], [1, 2], [3, 2][:1] + [1])),
                             ("margin.weights", (["1", "-1"], ["0", "1"], ["-1", "-1"], ["1", "0"]))):
            for value in values:
                self.both_refuse("margin too good", at(honest, path, value))
        one_side = {**EXACT_MARGIN, "rows": [2], "weights": ["1"]}
        self.both_refuse("hull of one class", {**honest, "margin": one_side})
        for offset in ("lifted", "none"):
            self.both_refuse("margin of another offset", {**honest, "offset": offset})

    def test_witnesses_that_prove_nothing(self):
        honest = self.certificate(OVERLAPPING)
        for k in range(4):
            for weight in ("7/3", "-1", "0", "2", "1e-300", "1.0000000000000000000001"):
                self.both_refuse("witness does not sum to zero", at(honest, f"witnesses.0.weights.{k}", weight))
        for witnesses in ([], [{"rows": [1, 2], "weights": ["1", "1"]}], [{"rows": [1], "weights": ["1"]}],
                          [{"rows": [1, 2, 3, 4], "weights": ["-1"] * 4}], [{"rows": [1, 2, 3, 4], "weights": ["0"] * 4}],
                          [{"rows": [1, 2, 3, 4], "weights": ["1", "1", "1"]}], [{"rows": [1, 1, 2, 3], "weights": ["1"] * 4}],
                          [{"rows": [1, 2, 3, 5], "weights": ["1"] * 4}], [{"rows": [], "weights": []}],
                          [*honest["witnesses"], *honest["witnesses"]], [{"rows": [], "weights": []}, *honest["witnesses"]]):
            self.both_refuse("witness that is none", {**honest, "witnesses": witnesses})
        touching = self.certificate(TOUCHING)
        forged = {**touching, "verdict": "overlapping"}
        del forged["plane"], forged["complete"]
        self.both_refuse("touching called overlapping", forged)
        for weight in ("0", "-1"):
            self.both_refuse("plane with rows on the wrong side", at(touching, "plane.weights.0", weight))
        separable_plane = at({**touching, "verdict": "separable"}, "witnesses", None)
        del separable_plane["null_space"], separable_plane["complete"]
        self.both_refuse("touching called separable", separable_plane)

    def test_null_spaces_that_explain_nothing(self):
        honest = self.certificate(NULL_SPACE)
        plane = honest["null_space"][0]
        for planes in ([], [plane, plane], [plane] * 3, [plane] * 4, [{**plane, "weights": ["0", "0"]}], [{**plane, "weights": ["1", "1"]}],
                       [{**plane, "offset": "1"}], [{"columns": [1], "weights": ["1"], "offset": "0"}],
                       [{"columns": [], "weights": [], "offset": "0"}], [plane, {"columns": [2], "weights": ["1"], "offset": "-1"}],
                       [{"columns": [1], "weights": ["1"], "offset": "0"}, {"columns": [2], "weights": ["1"], "offset": "0"}]):
            self.both_refuse("null space that explains nothing", {**honest, "null_space": planes})
        self.both_refuse("witness left out", at(honest, "witnesses", honest["witnesses"][:1]))
        touching = self.certificate("-1 1:0\n+1 1:0\n+1 1:1 2:1\n+1 1:2 2:1\n-1 1:-1 2:3\n")
        self.assertEqual(touching["verdict"], "touching")
        # A plane with more rows on it than every plane has.
        forged = {**touching, "plane": {"columns": [1], "weights": ["1"], "offset": "0"}, "complete": True, "null_space": []}
        self.both_accept(forged)
        wider = self.certificate("-1 1:0 2:0\n+1 1:0 2:0\n+1 1:1 2:0\n+1 1:1 2:1\n-1 1:-1 2:-1\n")
        chance = {"columns": [2], "weights": ["1"], "offset": "0"}
        for planes in ([], [{"columns": [1], "weights": ["1"], "offset": "0"}]):
            self.both_refuse("rows on the plane by chance, complete", {**wider, "plane": chance, "complete": True, "null_space": planes})
        self.both_accept({**wider, "plane": chance, "complete": False, "null_space": []})

    def test_small_files_that_would_cost_much(self):
        honest = self.certificate("".join(f"{'+1' if i % 2 else '-1'} 1:1 2:{i // 2}\n" for i in range(6000)))
        rows = list(range(1, 6001))
        primes = [str(1000003 + 2 * k) for k in range(len(rows))]
        for kind, path, value in (
                ("fractions without a common denominator", "witnesses", [{"rows": rows, "weights": [f"1/{p * 24}" for p in primes]}]),
                ("fractions without a common denominator", "witnesses", [{"rows": rows, "weights": [f"{p}/{p[::-1]}" for p in primes]}]),
                ("decimals of many lengths", "witnesses", [{"rows": rows, "weights": [f"1e-{k % 2400}" for k in rows]}]),
                ("long exponent", "witnesses.0.weights.0", "1e99999999"), ("long exponent", "witnesses.0.weights.0", "1e9999"),
                ("long exponent", "witnesses.0.weights.0", "1e-9999"), ("long exponent", "witnesses.0.weights.0", "1e" + "9" * 100000),
                ("long exponent", "witnesses.0.weights.0", "1e-" + "0" * 1000000 + "1"),
                ("long digits", "witnesses.0.weights.0", "9" * 2000000), ("long digits", "witnesses.0.weights.0", "1/" + "9" * 2000000),
                ("long digits", "witnesses.0.weights.0", "0." + "9" * 2000000), ("long digits", "witnesses.0.weights.0", "0" * 2000000),
                ("many equal witnesses", "witnesses", [{"rows": [1, 2], "weights": ["1", "1"]}] * 30000),
                ("many witnesses without rows", "witnesses", [{"rows": [], "weights": []}] * 60000),
                ("many empty planes", "null_space", [{"columns": [], "weights": [], "offset": "0"}] * 30000),
                ("many planes of zeros", "null_space", [{"columns": [1], "weights": ["0"], "offset": "0"}] * 30000),
                ("many equal planes", "null_space", [{"columns": [1], "weights": ["1"], "offset": "-1"}] * 30000),
                ("many classes", "positive", [str(k) for k in range(100000)]),
                ("many rows", "witnesses.0.rows", list(range(1, 300000))), ("many rows", "witnesses.0.rows", [1] * 300000)):
            self.both_refuse(kind, at(honest, path, value))
        text = json.dumps(honest)
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            self.both_refuse("deep nesting", text.replace('"null_space": ', f'"null_space": {opening * 200000}1{closing * 200000}, "x": ', 1))
            self.both_refuse("deep nesting", opening * 500000)
        self.both_refuse("many keys", "{" + ",".join(f'"{k}":1' for k in range(100000)) + "}")

    def test_too_little_memory_is_exit_code_5(self):
        if SANITIZED:
            self.skipTest("sanitizers reserve address space")
        rows = "".join(f"{'+1' if (i * i) % 7 > 3 else '-1'} " + " ".join(f"{j}:{(i * 37 + j * j * 11) % 997}" for j in range(1, 61)) + "\n"
                       for i in range(300))
        self.certificate(rows)
        def within(kilobytes, *command):
            return run(["/bin/sh", "-c", f"ulimit -v {kilobytes}; exec \"$@\"", "sh", PROGRAM, *command], self.folder)
        too_little, enough = 4096, 131072  # for the program itself
        while enough - too_little > 64:
            middle = (too_little + enough) // 2
            too_little, enough = (too_little, middle) if within(middle, "--version").code == 0 else (middle, enough)
        codes = set()
        for more in [*range(0, 2048, 64), *range(2048, 65536, 2048)]:
            outcome = within(enough + more, "verify", "honest", "rows.txt", "--threads", "1")
            self.assertIn(outcome.code, (0, 5), str(outcome))
            codes.add(outcome.code)
        self.assertEqual(codes, {0, 5})


if __name__ == "__main__":
    main()
