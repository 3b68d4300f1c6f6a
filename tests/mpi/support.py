"""Processes of halfspace-mpi under mpirun, on this machine alone. The paths of halfspace-mpi and halfspace are the first arguments."""
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

PROGRAM, PLAIN = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
MPIRUN = shutil.which("mpirun")
if MPIRUN is None:
    print("SKIPPED: there is no mpirun (Debian: openmpi-bin)")
    sys.exit(0)

# No other machine is asked for, and memory is copied through shared pages: containers forbid the other way.
ENVIRONMENT = {**os.environ, "OMPI_MCA_plm": "isolated", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
FAULT_SECONDS = 30  # after which nobody may be left


def svm_text(rows, features, classes, seed, density=0.3):
    draw = random.Random(seed)
    lines = []
    for _ in range(rows):
        label = draw.randrange(classes)
        entries = " ".join(f"{j}:{round(draw.gauss(1 if j % classes == label else 0, 1), 2) or 1}" for j in range(1, features + 1) if draw.random() < density)
        lines.append(f"{label} {entries or '1:1'}\n")
    return "".join(lines)


class Job:
    """One mpirun and what it has started."""

    number = itertools.count()

    def __init__(self, folder, processes, words, environment):
        self.folder = folder
        # Several jobs may be under way in one folder: this is how the processes of each are known.
        self.mark = f"HALFSPACE_JOB={os.getpid()}-{next(Job.number)}"
        name, value = self.mark.split("=")
        self.begun = b""  # of what it says
        self.place = tempfile.mkdtemp(prefix="halfspace-mpirun-")  # two that start at once disagree about a common one
        self.process = subprocess.Popen([MPIRUN, "-q", "-n", str(processes), *words], cwd=folder, env={**ENVIRONMENT, **environment, name: value, "OMPI_MCA_orte_tmpdir_base": self.place},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ranks(self):
        """The processes of this job, by rank."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if os.readlink(entry / "cwd") != str(self.folder) or os.readlink(entry / "exe") not in (PROGRAM, PLAIN):
                    continue
                words = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if self.mark.encode() not in words:
                continue
            for word in words:
                if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(word.split(b"=")[1])] = int(entry.name)
        return found

    def wait_for_ranks(self, count):
        while len(found := self.ranks()) < count and self.process.poll() is None:
            time.sleep(0.01)
        return found

    def wait_for_progress(self):
        """Until the training, started with --progress jsonl, has taken a step; False: it ended without one."""
        for line in self.process.stderr:
            self.begun += line
            if b"halfspace.progress/1" in line:
                return True
        return False

    def finish(self, seconds=120):
        """Waits; (exit code, output, errors, seconds). Nothing may be left behind."""
        start = time.monotonic()
        try:
            output, errors = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            for pid in self.ranks().values():
                os.kill(pid, signal.SIGKILL)
            self.process.kill()
            self.process.communicate()
            raise
        took = time.monotonic() - start
        for _ in range(500):
            if not self.ranks():
                break
            time.sleep(0.01)
        left = self.ranks()
        shutil.rmtree(self.place, ignore_errors=True)
        for pid in left.values():
            os.kill(pid, signal.SIGKILL)
        assert not left, f"left behind: {left}"
        return self.process.returncode, output.decode(), (self.begun + errors).decode(), took


class MpiTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="halfspace-mpi-")
        cls.addClassCleanup(cls.place.cleanup)
        cls.folder = pathlib.Path(cls.place.name).resolve()

    def start(self, processes, *words, program=PROGRAM, **environment):
        return Job(self.folder, processes, [program, *words], environment)

    def mpirun(self, processes, *words, code=0, **more):
        got = self.start(processes, *words, **more).finish()
        self.assertEqual(got[0], code, got[2])
        return got[1], got[2]

    @staticmethod
    def at_once(work, items, most=3):
        """work(item) for all of them, some at a time: starting and ending mpirun is mostly waiting."""
        with ThreadPoolExecutor(most) as pool:
            return list(pool.map(work, items))

    def alone(self, *words, code=0):
        done = subprocess.run([PLAIN, *words], cwd=self.folder, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout.decode()

    def model(self, name="model"):
        return (self.folder / name).read_bytes()

    def put(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def json(self, text):
        return json.loads(text)
