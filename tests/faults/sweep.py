"""Faults at every system call: what a failing disk, a full one, a kill or missing memory leaves behind.

    sweep.py PROGRAM [--cases NAMES]

Each case is a command that writes a file. It is run once under strace to see which calls it makes; then it is run again
for every call and every fault that can meet that call, once and from there on. The outcome must be one of two: exit code
0 and the right file, or another exit code with a message and the file as it was before (or complete, when only what came
after it failed). What is counted must be 0:

    torn           the file is neither the old nor the new one
    lost           there was a file and now there is none
    false success  exit code 0 without the right file
    litter         another file is left in the folder (after a kill: still there when the command has been run again)
    signals        the program ended by a signal that was not ours, hung, or ended with an exit code it should not have
    silent         an exit code other than 0 and no word why
"""
import collections
import concurrent.futures
import gzip
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
ONLY = sys.argv[3].split(",") if len(sys.argv) > 3 and sys.argv[2] == "--cases" else None
BADNESS = ("torn", "lost", "false success", "litter", "signals", "silent")

ROWS = "".join(f"{'+1' if i % 2 else '-1'} 1:{(i % 7) + (3 if i % 2 else -3)} 2:{0.5 * (i % 5)}\n" for i in range(40))
APART = "+1 1:2 2:1\n+1 1:3\n-1 1:-2 2:1\n-1 1:-3\n"
TABLE = "size,color,label\n" + "".join(f"{i},{'red' if i % 2 else 'blue'},{'big' if i > 10 else 'small'}\n" for i in range(20))
IMAGES = struct.pack(">HBBII", 0, 8, 2, 10, 3) + bytes(range(30))
LABELS = struct.pack(">HBBI", 0, 8, 1, 10) + bytes(i % 2 for i in range(10))


class Case:
    def __init__(self, name, command, target, replaces):
        self.name, self.command, self.target, self.replaces = name, command.split(), target, replaces


CASES = [
    Case("train, new file", "train rows.svm -o out.model", "out.model", False),
    Case("train", "train rows.svm -o out.model", "out.model", True),
    Case("train, table.gz", "train table.csv.gz -o out.model", "out.model", True),
    Case("train, cache", "train rows.hsd -o out.model", "out.model", True),
    Case("train, pair", "train images,labels -o out.model", "out.model", True),
    Case("train --stream", "train rows.svm --stream --algorithm perceptron -o out.model", "out.model", True),
    Case("convert, cache", "convert rows.svm -o out.hsd", "out.hsd", True),
    Case("convert, gzip", "convert rows.svm -o out.csv.gz", "out.csv.gz", False),
    Case("predict", "predict rows.model rows.svm -o out.txt", "out.txt", True),
    Case("separable", "separable apart.svm -o out.json", "out.json", True),
    Case("export", "export rows.model -o out.liblinear", "out.liblinear", True),
    Case("generate", "generate gaussians --rows 50 --features 3 -o out.svm", "out.svm", False),
]
OLD = b"the file that was there before\n"

WRITES = {"write", "fsync", "linkat", "rename", "fchmod"}
READS = {"read", "pread64"}
FILES = WRITES | READS | {"openat", "newfstatat", "fstat", "close", "lseek", "readlink", "access", "flock", "fcntl", "unlink"}
MEMORY = {"mmap", "brk", "munmap", "madvise", "mprotect"}


def environment():
    return {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}


def prepare(folder):
    """The inputs, made once and copied for each run."""
    (folder / "rows.svm").write_text(ROWS)
    (folder / "apart.svm").write_text(APART)
    with gzip.open(folder / "table.csv.gz", "wb") as out:
        out.write(TABLE.encode())
    (folder / "images").write_bytes(IMAGES)
    (folder / "labels").write_bytes(LABELS)
    for command in ("train rows.svm -o rows.model", "convert rows.svm -o rows.hsd"):
        subprocess.run([PROGRAM, *command.split(), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


class Bench:
    """A folder with the inputs, in which a command is run as often as there are faults."""

    def __init__(self, inputs, parent, case):
        self.case = case
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=parent))
        self.nameless = None  # which openat() makes the file without a name
        for path in inputs.iterdir():
            shutil.copy(path, self.folder)
        self.inputs = {p.name: p.read_bytes() for p in self.folder.iterdir()}
        self.expected = None

    def reset(self):
        for path in self.folder.iterdir():
            if path.name not in self.inputs:
                path.unlink()
        for name, content in self.inputs.items():
            path = self.folder / name
            if not path.exists() or path.stat().st_size != len(content):
                path.write_bytes(content)
        if self.case.replaces:
            (self.folder / self.case.target).write_bytes(OLD)

    def run(self, before=(), threads=1, **more):
        """Exit code (negative: a signal; None: no end in sight) and what was said."""
        with tempfile.TemporaryFile() as said:
            program = subprocess.Popen([*before, PROGRAM, *self.case.command, "--threads", str(threads), "--quiet"],
                                       cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said, start_new_session=True, **more)
            try:
                code = program.wait(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()
                code = None
            said.seek(0)
            return code, said.read()

    def learn(self):
        self.reset()
        code, said = self.run()
        if code != 0:
            raise SystemExit(f"{self.case.name}: exit code {code} without any fault: {said!r}")
        self.expected = (self.folder / self.case.target).read_bytes()

    def calls(self):
        """Names of the system calls in their order, from the program's own first one on."""
        self.reset()
        log = self.folder / "calls"
        self.run(before=["strace", "-qq", "-o", str(log)])
        text = log.read_text(errors="replace")
        names = re.findall(r"^(\w+)\(", text, re.MULTILINE)
        opens = re.findall(r"^openat\(.*", text, re.MULTILINE)
        self.nameless = next((i + 1 for i, line in enumerate(opens) if "O_TMPFILE" in line), None)
        log.unlink()
        # Before main a static program sets up its own memory; what fails there is no fault of ours.
        begin = names.index("fcntl") if "fcntl" in names else 0
        seen = collections.Counter(names[:begin])
        out = []
        for name in names[begin:]:
            seen[name] += 1
            out.append((name, seen[name]))
        return out

    def is_model(self):
        """Whoever is interrupted may write the best model so far."""
        return self.case.target.endswith(".model") and subprocess.run(
            [PROGRAM, "show", self.case.target], cwd=self.folder, capture_output=True).returncode == 0

    def judge(self, code, said, fault="", mute=False):
        """The kinds of badness that this outcome has."""
        bad = set()
        killed, interrupted = fault == "kill", fault == "interrupt"
        path = self.folder / self.case.target
        there = path.read_bytes() if path.exists() else None
        right = there == self.expected or (interrupted and self.is_model())
        before = there == (OLD if self.case.replaces else None)
        if killed:
            if code not in (-signal.SIGKILL, 128 + signal.SIGKILL):
                bad.add("signals")
        elif interrupted:
            if code not in (0, 130):
                bad.add("signals")
        elif code not in (0, 3, 5):
            bad.add("signals")
        elif code != 0 and not said.strip() and not mute:
            bad.add("silent")
        if code == 0 and not right:
            bad.add("false success")
        if there is None and self.case.replaces:
            bad.add("lost")
        elif not right and not before:
            bad.add("torn")
        if killed:
            again, _ = self.run()
            if again != 0 or path.read_bytes() != self.expected:
                bad.add("lost")
        if {p.name for p in self.folder.iterdir()} - set(self.inputs) - {self.case.target}:
            bad.add("litter")
        return bad


class Counts:
    def __init__(self):
        self.runs = collections.Counter()
        self.bad = collections.Counter()
        self.words = []

    def add(self, fault, bad, words):
        self.runs[fault] += 1
        for kind in bad:
            self.bad[fault, kind] += 1
        if bad:
            self.words.append(f"{fault}: {', '.join(sorted(bad))}: {words}")

    def merge(self, other):
        self.runs += other.runs
        self.bad += other.bad
        self.words += other.words

    def table(self):
        width = max(len(f) for f in self.runs)
        lines = [f"{'fault':<{width}}  {'runs':>5}  " + "  ".join(f"{kind:>{len(kind)}}" for kind in BADNESS)]
        for fault in self.runs:
            numbers = "  ".join(f"{self.bad[fault, kind]:>{len(kind)}}" for kind in BADNESS)
            lines.append(f"{fault:<{width}}  {self.runs[fault]:>5}  {numbers}")
        total = "  ".join(f"{sum(self.bad[f, kind] for f in self.runs):>{len(kind)}}" for kind in BADNESS)
        lines.append(f"{'all':<{width}}  {sum(self.runs.values()):>5}  {total}")
        return "\n".join(lines)


def faults(calls):
    """(word for the table, call, number, what strace injects)."""
    for name, number in calls:
        at, on = f"when={number}", f"when={number}+"
        if name in FILES:
            yield "EIO once", name, number, f"error=EIO:{at}"
            yield "EIO from then on", name, number, f"error=EIO:{on}"
            yield "kill", name, number, f"signal=KILL:{at}"
            yield "interrupt", name, number, f"signal=INT:{at}"
            # lseek, close and the like end by themselves: no signal can interrupt them.
            if name in WRITES | READS | {"openat", "flock"}:
                yield "EINTR", name, number, f"error=EINTR:{at}"
        if name in {"write", "fsync", "linkat", "rename", "openat"}:
            yield "ENOSPC from then on", name, number, f"error=ENOSPC:{on}"
            yield "EDQUOT once", name, number, f"error=EDQUOT:{at}"
        if name == "openat":
            yield "EMFILE from then on", name, number, f"error=EMFILE:{on}"
        if name in READS:
            yield "file ends early", name, number, f"retval=0:{on}"
        if name in {"openat", "linkat"}:  # file systems without nameless files
            yield "EOPNOTSUPP once", name, number, f"error=EOPNOTSUPP:{at}"
        if name in MEMORY:
            # brk has no errors: it gives back an end of the heap that is not the one asked for.
            refused = "retval=0" if name == "brk" else "error=ENOMEM"
            yield "ENOMEM once", name, number, f"{refused}:{at}"
            yield "ENOMEM from then on", name, number, f"{refused}:{on}"


def sweep_calls(inputs, parent, case):
    counts = Counts()
    bench = Bench(inputs, parent, case)
    bench.learn()
    for fault, name, number, injected in faults(bench.calls()):
        bench.reset()
        before = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={name}:{injected}"]
        code, said = bench.run(before)
        if fault == "interrupt" and name == "fcntl" and code == -signal.SIGINT:
            code = 130  # the program does not look after signals yet
        # Standard error itself may be what cannot be written to.
        mute = name == "write" and code != 0
        counts.add(fault, bench.judge(code, said, fault, mute), f"{case.name}, {name} {number}: exit {code} {said!r}")
    sweep_named(bench, counts)
    return counts


def sweep_named(bench, counts):
    """The same where the file system has no files without a name."""
    if bench.nameless is None:
        return
    for name in ("fchmod", "write", "fsync", "rename"):
        for word, injected in (("EIO, temporary name", "error=EIO:when=1"), ("interrupt, temporary name", "signal=INT:when=1")):
            bench.reset()
            code, said = bench.run(["strace", "-qq", "-o", "/dev/null", "-e", f"trace=openat,{name}", "-e",
                                    f"inject=openat:error=EOPNOTSUPP:when={bench.nameless}", "-e", f"inject={name}:{injected}"])
            counts.add(word, bench.judge(code, said, word.split(",")[0]), f"{bench.case.name}, {name}: exit {code} {said!r}")


def sweep_limits(inputs, parent, case):
    """Address space and size of files, from too little to enough."""
    counts = Counts()
    bench = Bench(inputs, parent, case)
    bench.learn()
    least = smallest_space(bench.folder)
    for threads in (1, 3):
        for step in range(24):
            bytes_ = least + step * (1 << 19) * (1 if step < 12 else 8)
            bench.reset()
            code, said = bench.run(["prlimit", f"--as={bytes_}"], threads)
            counts.add("address space", bench.judge(code, said), f"{case.name}, {bytes_} bytes, {threads} threads: exit {code} {said!r}")
    size = len(bench.expected)
    for limit in sorted({0, 1, size // 2, size - 1}):
        bench.reset()
        code, said = bench.run(["prlimit", f"--fsize={limit}"])
        bad = bench.judge(code, said)
        if code == 0:
            bad.add("false success")
        # The limit holds for standard error too, which is a file here.
        counts.add("size of files", bad - {"silent"}, f"{case.name}, {limit} bytes: exit {code} {said!r}")
    return counts


def smallest_space(folder):
    """The least address space, in steps of half a megabyte, in which the program says its version."""
    for size in range(1 << 20, 1 << 30, 1 << 19):
        if subprocess.run(["prlimit", f"--as={size}", PROGRAM, "--version"], cwd=folder, capture_output=True).returncode == 0:
            return size
    raise SystemExit("the program does not start in a gigabyte")


def sweep_disk(inputs, parent):
    """A really full disk: a small file system in memory, filled up to a few pages. Needs the right to mount."""
    counts = Counts()
    place = pathlib.Path(tempfile.mkdtemp(dir=parent))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True).returncode != 0:
        print("skipped: full disk (no right to mount a file system)")
        return counts
    try:
        for case in CASES:
            bench = Bench(inputs, place, case)
            bench.learn()
            for left in range(0, 4):  # pages
                bench.reset()
                fill = bench.folder / "full"
                bench.inputs["full"] = b""
                with open(fill, "wb", buffering=0) as out:
                    try:
                        while True:
                            out.write(bytes(4096))
                    except OSError:
                        pass
                    out.truncate(max(0, out.tell() - 4096 * left))
                code, said = bench.run()
                counts.add("full disk", bench.judge(code, said), f"{case.name}, {left} pages left: exit {code} {said!r}")
                fill.unlink()
                del bench.inputs["full"]
            shutil.rmtree(bench.folder)
    finally:
        subprocess.run(["umount", str(place)], check=True)
    return counts


def sweep_changes(parent):
    """Data files that become shorter or longer while they are read: the model is that of one file or there is none."""
    counts = Counts()
    folder = pathlib.Path(tempfile.mkdtemp(dir=parent))
    rows = ROWS * 700  # more than two pieces of text, read one after the other
    half = rows[: rows.index("\n", len(rows) // 2) + 1]
    cases = {"rows.svm": rows.encode(), "rows.svm.gz": gzip.compress(rows.encode(), 1)}
    halves = {"rows.svm": half.encode(), "rows.svm.gz": gzip.compress(half.encode(), 1)}
    command = [PROGRAM, "train", "DATA", "--algorithm", "perceptron", "--passes", "1", "-o", "out.model", "--threads", "1", "--quiet"]

    def model_of(name, content):
        (folder / name).write_bytes(content)
        (folder / "out.model").unlink(missing_ok=True)
        subprocess.run([name if word == "DATA" else word for word in command], cwd=folder, capture_output=True)
        return (folder / "out.model").read_bytes() if (folder / "out.model").exists() else None

    def shrink(path, name):
        os.truncate(path, len(halves[name]) if name == "rows.svm" else path.stat().st_size // 2)

    def grow(path, name):
        with open(path, "ab") as out:
            out.write(ROWS.encode() if name == "rows.svm" else gzip.compress(ROWS.encode()))

    def overwrite(path, name):
        with open(path, "r+b") as out:
            out.write(halves[name])

    for name, content in cases.items():
        for change in (shrink, grow, overwrite):
            old = model_of(name, content)
            (folder / name).write_bytes(content)
            change(folder / name, name)
            new = model_of(name, (folder / name).read_bytes())
            for moment in range(12):
                (folder / name).write_bytes(content)
                (folder / "out.model").write_bytes(OLD)
                program = subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-e", "inject=read,pread64:delay_enter=25000",
                                            *[name if word == "DATA" else word for word in command]], cwd=folder,
                                           env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(0.02 * moment)
                change(folder / name, name)
                said = program.communicate(timeout=60)[1]
                there = (folder / "out.model").read_bytes()
                bad = set()
                if program.returncode not in (0, 3, 5):
                    bad.add("signals")
                elif program.returncode == 0 and there not in (old, new):
                    bad.add("false success")
                elif program.returncode != 0 and there != OLD:
                    bad.add("torn")
                if program.returncode != 0 and not said.strip():
                    bad.add("silent")
                counts.add(f"file {change.__name__}s" if change is not overwrite else "file overwritten", bad,
                           f"{name}, moment {moment}: exit {program.returncode} {said!r}")
    return counts


def can_inject():
    if shutil.which("strace") is None:
        return False
    probe = subprocess.run(["strace", "-qq", "-o", "/dev/null", "-e", "inject=close:error=EIO:when=1", "true"], capture_output=True)
    return b"strace" not in probe.stderr


def main():
    if not can_inject():
        print("SKIPPED: strace is not there or may not trace here")
        return 0
    start = time.time()
    cases = [case for case in CASES if ONLY is None or case.name in ONLY]
    counts = Counts()
    with tempfile.TemporaryDirectory() as parent:
        inputs = pathlib.Path(parent) / "inputs"
        inputs.mkdir()
        prepare(inputs)
        with concurrent.futures.ThreadPoolExecutor(max(2, len(os.sched_getaffinity(0)))) as pool:
            jobs = [pool.submit(sweep_calls, inputs, parent, case) for case in cases]
            jobs += [pool.submit(sweep_limits, inputs, parent, case) for case in cases]
            if ONLY is None:
                jobs.append(pool.submit(sweep_changes, parent))
            for job in jobs:
                counts.merge(job.result())
        if ONLY is None:
            counts.merge(sweep_disk(inputs, parent))
    print(counts.table())
    for words in counts.words:
        print(words)
    print(f"{sum(counts.runs.values())} runs in {time.time() - start:.0f} s")
    return 1 if counts.words else 0


if __name__ == "__main__":
    sys.exit(main())
