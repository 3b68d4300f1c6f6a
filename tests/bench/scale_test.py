#!/usr/bin/env python3
"""scale_test.py: the model of bench/scale waits as core/team.cpp does, on cases that are worked out by hand."""
import importlib.machinery
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "scale"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("bench_scale", str(SCRIPT))
scale = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_scale", loader))
loader.exec_module(scale)


def near(got, wanted):
    assert math.isclose(got, wanted, rel_tol=1e-6, abs_tol=1e-9), f"{got}, not {wanted}"


def chains():
    """Twelve seconds of work in two slices, messages that take no time: who holds how much decides nothing beyond two."""
    free = scale.Machine(rate=1, threads=1, latency=0, bandwidth=math.inf)

    def seconds(members, length, machine=free, size=8):
        return scale.block_round(machine, members, 1200, length, size, 0.01)

    near(seconds(1, 600).seconds, 12)
    for members in (2, 3, 4, 7, 100):
        near(seconds(members, 600).seconds, 6)
    near(seconds(4, 1).seconds, 3)  # small blocks: everybody works all the time
    near(seconds(4, 1200).seconds, 12)  # one slice: one after the other
    near(seconds(4, 1200).work, 3)
    # One slice through three members with messages of a second: two on the way, and two rounds of gathering.
    near(seconds(3, 1200, scale.Machine(1, 1, 1, math.inf)).seconds, 12 + 2 + 2)
    # Four slices on two threads of one process: two turns of three seconds.
    near(seconds(1, 300, scale.Machine(1, 2, 0, math.inf)).seconds, 6)
    near(seconds(1, 1200, scale.Machine(1, 2, 0, math.inf)).seconds, 12)
    # The states of both slices come to everybody: 16 bytes, half of them from elsewhere, at one byte a second.
    near(seconds(2, 600, scale.Machine(1, 1, 0, 1)).sending, 8)
    near(scale.turn_round(free, 4, 1200, 8, 0.01).seconds, 12)


def slices():
    assert scale.slices_all(10**6, 100) == 16 and scale.slices_all(10**6, 10**6) == 2 and scale.slices_all(100, 5) == 1
    assert scale.slices_list(10**6, 100) == 8 and scale.slices_list(10**6, 2 * 10**6) == 2 and scale.slices_list(5000, 5) == 2


def told(folder):
    picture = folder / "scale.svg"
    command = [sys.executable, str(SCRIPT), "--rows", "1e6", "--features", "300", "--measured", "1:40,2:21", "--svg", str(picture), "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    processes = answer["processes"]
    assert [p["processes"] for p in processes] == [1 << k for k in range(11)]
    for one, next_one in zip(processes, processes[1:]):
        near(one["seconds"], one["work"] + one["waiting"] + one["sending"])
        near(one["work"], 2 * next_one["work"])
        assert one["seconds"] >= one["work"] and next_one["memory"] < one["memory"]
    assert processes[0]["rounds"] == 0 and processes[0]["bytes"] == 0
    near(answer["measured"][1]["ratio"] * processes[1]["seconds"], 21)
    assert any("breaks first" in line for line in answer["largest"])
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    wrong = subprocess.run([sys.executable, str(SCRIPT), "--rate", "-1"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "above zero" in wrong.stderr


def main():
    chains()
    slices()
    with tempfile.TemporaryDirectory() as name:
        told(pathlib.Path(name))
    print("the model waits as it should")


if __name__ == "__main__":
    main()
