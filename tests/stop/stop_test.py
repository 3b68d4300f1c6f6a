#!/usr/bin/env python3
"""Every verb and every algorithm stops: by SIGINT, by SIGTERM and by --time, in the middle of work that takes far longer.

    stop_test.py PROGRAM [--strict] [NAME...]

The algorithms are those that `halfspace train --help` lists; what makes each of them long follows from its own options.
Checked: the exit code, that it was stopped and had not finished, that a model which was written loads and predicts, that
an old model stays where none was written, and that nothing else is in the folder. How long each took to end is printed;
on a quiet machine --strict asks for half a second.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

STRICT = "--strict" in sys.argv
WORDS = [word for word in sys.argv[1:] if word != "--strict"]
PROGRAM = os.path.abspath(WORDS[0])
ONLY = WORDS[1:]
SANITIZED = os.environ.get("HALFSPACE_SANITIZE", "")
GUARD = 0.5 if STRICT else 30.0  # machines are noisy; a hang is what must be found
LIMIT = 1.0  # --time
OLD = b"the model of yesterday"


def run(*args, **more):
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, timeout=300, check=False, **more)


def made(*args):
    result = run(*args)
    if result.returncode not in (0, 4):
        sys.exit(f"{args}: {result.stderr.decode()}")


def algorithms():
    text = run("train", "--help").stdout.decode()
    return re.findall(r"^  ([a-z][a-z-]+)  ", text[text.index("Algorithms ("):], re.M)


def options_of(algorithm):
    return set(re.findall(r"^  --([A-Za-z-]+)", run("train", "--algorithm", algorithm, "--help").stdout.decode(), re.M))


class Case:
    """Work that takes longer than anyone waits.

    model: what -o names, None where the answer goes to standard output. saved: once the work has begun there is a best
    answer so far. feed: bytes for standard input, which then stays open and idle.
    """

    def __init__(self, name, args, model=None, saved=False, feed=None):
        self.name, self.args, self.model, self.saved, self.feed = name, args, model, saved, feed
        self.trains = args[0] in ("train", "tune")
        # The lines of progress say when training has begun; a stream has none.
        self.shows_progress = saved and self.trains and feed is None


def train(name, data, *more, saved=True, **rest):
    return Case(name, ["train", data, "-o", "out.model", *more], "out.model", saved, **rest)


def training_cases():
    for algorithm in algorithms():
        own = options_of(algorithm)
        more = ["--algorithm", algorithm]
        if "passes" in own:
            yield train(f"train {algorithm}", "overlap.svm", *more, "--passes", "1e9")
        elif "gap" in own:
            if "C" in own:
                more += ["--C", "1e6"]
            # Many features made of few: steps that take long, and far more of them than there is time for.
            if algorithm == "hard-margin":
                yield train(f"train {algorithm}", "wide.npy,wide.y.npy", *more, "--gap", "1e-9", saved=False)
            else:
                # A machine keeps its rows, and what is measured is not the disk.
                features = "fourier:300" if "nu" in own else "fourier:1900"
                yield train(f"train {algorithm}", "overlap.svm", *more, "--gap", "1e-12", "--features", features,
                            "--kernel", "rbf:1")
        else:  # nothing but a look at the rows: it is the rows that do not come
            yield train(f"train {algorithm}", "-", *more, saved=False, feed=b"+1 1:1\n-1 2:1\n")
    kernel = ["--kernel", "rbf:3"]
    yield train("train svm, kernel", "overlap.svm", "--algorithm", "svm", *kernel, "--C", "1e6", "--gap", "1e-9")
    yield train("train svm, kernel, classes", "many.csv", "--algorithm", "svm", *kernel, "--C", "1e6", "--gap", "1e-9")
    yield train("train nu-svm, kernel", "overlap.svm", "--algorithm", "nu-svm", *kernel, "--nu", "0.3", "--gap", "1e-9")
    yield train("train hard-margin, kernel", "overlap.svm", "--algorithm", "hard-margin", "--kernel", "rbf:3000",
                "--gap", "1e-9", saved=False)
    yield train("train perceptron, kernel", "overlap.svm", "--algorithm", "perceptron", "--kernel", "rbf:0.01",
                "--passes", "1e6")
    yield train("train svm, dual descent", "overlap.svm", "--algorithm", "svm", "--solver", "dual-descent", "--C", "1e7",
                "--gap", "1e-12")
    yield train("train svm, squared hinge", "overlap.svm", "--algorithm", "svm", "--loss", "squared-hinge", "--C", "1e7",
                "--gap", "1e-12", "--features", "fourier:1900", "--kernel", "rbf:1")
    yield train("train logistic, classes", "many.csv", "--algorithm", "logistic", "--C", "1e7", "--gap", "1e-12",
                "--features", "fourier:1900", "--kernel", "rbf:1")
    yield train("train logistic, no penalty", "overlap.svm", "--algorithm", "logistic", "--penalty", "none", "--features",
                "fourier:1900", "--kernel", "rbf:1", saved=False)
    yield train("train perceptron, until clean", "overlap.svm", "--algorithm", "perceptron", "--passes", "until-clean",
                "--max-passes", "1000000")
    yield train("train perceptron, worst row", "overlap.svm", "--algorithm", "perceptron", "--order", "worst",
                "--passes", "1e9")
    yield train("train, nystrom", "overlap.npy,overlap.y.npy", "--algorithm", "svm", "--features", "nystrom:2000",
                "--kernel", "rbf:1", saved=False)
    yield train("train --stream, idle pipe", "-", "--stream", "--algorithm", "perceptron", saved=False, feed=b"")
    yield train("train --stream, after rows", "-", "--stream", "--algorithm", "perceptron",
                feed=b"+1 1:1\n-1 2:1\n" * 200000)
    yield train("train --stream, few rows", "-", "--stream", "--algorithm", "perceptron",
                feed=b"+1 1:1\n-1 2:1\n-1 3:0.")
    yield train("train --stream, unopened fifo", "fifo", "--stream", "--algorithm", "perceptron", saved=False)


def other_cases():
    yield Case("predict, idle pipe", ["predict", "plane.model", "-"], feed=b"+1 1:1\n")
    yield Case("predict -o, kernel", ["predict", "kernel.model", "huge.npy", "-o", "out.txt"], "out.txt")
    yield Case("evaluate, votes", ["evaluate", "votes.model", "large.npy,large.y.npy"])
    yield Case("separable, margin", ["separable", "wide.npy,wide.y.npy", "--margin", "full", "-o", "out.cert"], "out.cert")
    yield Case("verify, kernel", ["verify", "kernel.model", "-"], feed=b"+1 1:1\n")
    yield Case("trace", ["trace", "overlap.svm", "--passes", "1e9", "--every", "1000000", "-o", "out.jsonl"], "out.jsonl",
               saved=True)
    yield Case("convert, xz", ["convert", "large.npy,large.y.npy", "-o", "out.csv.xz"], "out.csv.xz")
    yield Case("generate", ["generate", "gaussians", "-o", "out.svm", "--rows", "20000000", "--features", "20"], "out.svm")
    large = "large.npy,large.y.npy"
    yield Case("tune", ["tune", large, "-o", "out.model", "--C", "1e-6:1e6:900"], "out.model")
    yield Case("compare", ["compare", large, "--algorithms", "logistic,svm", "--repeats", "1000"])
    yield Case("curve", ["curve", large, "--repeats", "1000"])
    yield Case("path", ["path", large, "--C", "1e-6:1e6:900"])
    yield Case("doctor, idle pipe", ["doctor", "-"], feed=b"+1 1:1\n")
    yield Case("show, idle pipe", ["show", "-"], feed=b"\x20")
    yield Case("export, idle pipe", ["export", "-", "--to", "libsvm", "-o", "out.libsvm"], "out.libsvm", feed=b"\x20")


def repeated_rows(npy, rows, columns, times):
    """An NPY file of doubles or floats, with its rows several times over."""
    header = 10 + int.from_bytes(npy[8:10], "little")
    text = npy[10:header].decode("latin-1")
    again = text.replace(f"({rows}, {columns})", f"({rows * times}, {columns})").rstrip()
    again += " " * ((-(10 + len(again) + 1)) % 64) + "\n"
    return npy[:8] + len(again).to_bytes(2, "little") + again.encode("latin-1") + npy[header:] * times


def make_inputs(folder):
    os.chdir(folder)
    made("generate", "gaussians", "-o", "overlap.svm", "--rows", 8000, "--features", 10, "--distance", 1)
    made("convert", "overlap.svm", "-o", "overlap.npy,overlap.y.npy")
    made("generate", "gaussians", "-o", "large.npy,large.y.npy", "--rows", 60000, "--features", 60, "--distance", 1)
    pathlib.Path("huge.npy").write_bytes(repeated_rows(pathlib.Path("large.npy").read_bytes(), 60000, 60, 8))
    made("generate", "margin", "-o", "wide.npy,wide.y.npy", "--rows", 12000, "--features", 900, "--margin", 0.0001)
    made("generate", "gaussians", "-o", "many.svm", "--rows", 6000, "--features", 10, "--distance", 1)
    rows = pathlib.Path("many.svm").read_text(encoding="utf-8").splitlines()
    lines = ["a,b,c,d,e,f,g,h,i,j,label"]
    for at, row in enumerate(rows):
        lines.append(",".join(part.split(":")[1] for part in row.split()[1:]) + f",class{at % 5}")
    pathlib.Path("many.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    made("generate", "gaussians", "-o", "some.svm", "--rows", 6000, "--features", 60, "--distance", 1)
    made("train", "overlap.svm", "-o", "plane.model", "--algorithm", "perceptron")
    made("train", "some.svm", "-o", "kernel.model", "--algorithm", "svm", "--kernel", "rbf:3", "--gap", "0.1")
    made("train", "some.svm", "-o", "votes.model", "--algorithm", "voted-perceptron", "--passes", "300")
    os.mkfifo("fifo")


class Ended:
    def __init__(self, code, delay, errors, begun):
        self.code, self.delay, self.errors, self.begun = code, delay, errors, begun


def wait_for_progress(stream, lines, begun):
    for line in stream:
        lines.append(line)
        if b"halfspace.progress/1" in line:
            begun.set()


def stop(case, how):
    args = [PROGRAM, *case.args]
    if case.shows_progress:
        args += ["--progress", "jsonl"]
    if how == "time":
        args += ["--time", str(LIMIT)]
    said = tempfile.TemporaryFile()
    start = time.monotonic()
    process = subprocess.Popen(args, stdin=subprocess.PIPE if case.feed is not None else subprocess.DEVNULL,
                               stdout=said, stderr=subprocess.PIPE)
    lines, begun = [], threading.Event()
    reader = threading.Thread(target=wait_for_progress, args=(process.stderr, lines, begun), daemon=True)
    reader.start()
    if case.feed:
        threading.Thread(target=feed, args=(process.stdin, case.feed), daemon=True).start()
    asked = start + LIMIT
    if how != "time":
        if case.shows_progress:
            while process.poll() is None and not begun.wait(0.05) and time.monotonic() < start + 60:
                pass
            time.sleep(0.2)
        else:
            time.sleep(0.6)
        if process.poll() is not None:
            raise AssertionError(f"ended by itself with {process.returncode}: {b''.join(lines)[-300:]}")
        asked = time.monotonic()
        process.send_signal(how)
    try:
        code = process.wait(timeout=max(0.1, asked - time.monotonic()) + max(GUARD, 30))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise AssertionError("did not stop") from None
    delay = time.monotonic() - asked
    reader.join(5)
    if process.stdin is not None:
        try:
            process.stdin.close()
        except OSError:
            pass
    said.seek(0)
    words = b"".join(lines) + said.read()
    said.close()
    return Ended(code, delay, words.decode("utf-8", "replace"), begun.is_set())


def feed(pipe, text):
    try:
        pipe.write(text)
        pipe.flush()
    except OSError:
        pass


def check(case, how, before):
    if case.model:
        pathlib.Path(case.model).write_bytes(OLD)
    ended = stop(case, how)
    wanted = 4 if how == "time" else 130
    if ended.code != wanted:
        raise AssertionError(f"exit code {ended.code}, not {wanted}: {ended.errors[-400:]}")
    if case.model:
        written = pathlib.Path(case.model).read_bytes() != OLD
        # Stopped by its time, a slow machine may not have come to the first step.
        if case.saved and not written and (ended.begun or not case.shows_progress):
            raise AssertionError(f"the best so far was not written: {ended.errors[-400:]}")
        if not written and case.trains and not re.search("nothing was written|no model: ", ended.errors):
            raise AssertionError(f"neither a model nor a word that there is none: {ended.errors[-400:]}")
        if written and case.trains:
            for args in (["show", case.model], ["predict", case.model, "sample.svm"]):
                result = run(*args)
                if result.returncode != 0:
                    raise AssertionError(f"{args[0]} of the model: {result.stderr.decode()}")
        os.remove(case.model)
    left = sorted(set(os.listdir(".")) - before)
    if left:
        raise AssertionError(f"left behind: {left}")
    if ended.delay > GUARD:
        raise AssertionError(f"took {ended.delay:.2f} s to stop")
    return ended.delay


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    failures, slowest = [], 0.0
    try:
        make_inputs(folder)
        with open("overlap.svm", encoding="utf-8") as rows:
            pathlib.Path("sample.svm").write_text("".join(rows.readlines()[:20]), encoding="utf-8")
        before = set(os.listdir("."))
        print(f"{'seconds until the end, after':<36}{'SIGINT':>10}{'SIGTERM':>10}{'--time':>10}", flush=True)
        for case in [*training_cases(), *other_cases()]:
            if ONLY and not any(word in case.name for word in ONLY):
                continue
            cells = []
            for how in (signal.SIGINT, signal.SIGTERM, "time"):
                try:
                    delay = check(case, how, before)
                    slowest = max(slowest, delay)
                    cells.append(f"{delay:>10.3f}")
                except AssertionError as error:
                    cells.append(f"{'FAILED':>10}")
                    failures.append(f"{case.name}, {'--time' if how == 'time' else how.name}: {error}")
                    for name in set(os.listdir(".")) - before:
                        os.remove(name)
            print(f"{case.name:<36}{''.join(cells)}", flush=True)
        print(f"slowest {slowest:.3f} s")
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    if SANITIZED == "thread":
        print("skipped: the thread sanitizer keeps a signal until the system call it interrupted has returned")
        sys.exit(0)
    sys.exit(main())
