#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What happens when one of several processes fails: all end, with its reason, within half a minute, and no file is wrong.

faults_test.py HALFSPACE-MPI HALFSPACE [--kills N]: N processes are killed at random moments (6 by default)."""
import os
import random
import signal
import sys
import time
import unittest

from support import FAULT_SECONDS, MpiTest, svm_text

KILLS = int(sys.argv.pop(sys.argv.index("--kills") + 1)) if "--kills" in sys.argv else 6
if "--kills" in sys.argv:
    sys.argv.remove("--kills")


class Faults(MpiTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "rows.svm").write_text(svm_text(8000, 40, 100, 5))
        (cls.folder / "small.svm").write_text(svm_text(300, 5, 2, 6))

    # Long enough to be hit in the middle of sums.
    @staticmethod
    def long(name):
        return ("train", "rows.svm", "-o", name, "--quiet", "--multiclass", "one-vs-rest", "--C", "1e4", "--gap", "1e-9", "--threads", "1")

    def test_a_bad_row_has_its_place(self):
        good = svm_text(900, 5, 2, 7)
        self.put("bad.svm", good + "1 2:1 3:x\n" + good)
        self.put("bad-part-0.svm", good)
        self.put("bad-part-1.svm", good + "1 2:1 3:x\n")
        for data, said in (("bad.svm", "bad.svm:901:9: error: value 'x'"), ("bad-part-*", "bad-part-1.svm:901:9: error: value 'x'")):
            for processes in (2, 4):
                _, errors = self.mpirun(processes, "train", data, "-o", "model", code=3)
                self.assertEqual(errors.count("error: "), 1, errors)
                self.assertIn(said, errors)
        output, _ = self.mpirun(3, "train", "bad.svm", "-o", "model", "--json", code=3)
        error = self.json(output)
        self.assertEqual((error["code"], error["file"], error["line"], error["column"]), (3, "bad.svm", 901, 9))

    def test_a_full_disk(self):
        _, errors = self.mpirun(3, "train", "small.svm", "-o", "/dev/full", code=5)
        self.assertEqual(errors.count("error: "), 1, errors)
        self.assertIn("No space left on device", errors)
        _, errors = self.mpirun(3, "train", "small.svm", "-o", "absent/model", code=5)
        self.assertEqual(errors.count("error: "), 1, errors)

    def test_processes_that_are_killed(self):
        job = self.start(3, *self.long("right"))
        job.wait_for_ranks(3)
        code, _, errors, seconds = job.finish()  # from the moment on at which there are processes to kill
        self.assertEqual(code, 0, errors)
        right = self.model("right")
        draw = random.Random(11)

        def kill(run):
            number, moment, rank = run
            name = f"killed-{number}"
            job = self.start(3, *self.long(name))
            job.wait_for_ranks(3)
            time.sleep(moment * seconds)
            ranks = job.ranks()
            if ranks:
                try:
                    os.kill(ranks.get(rank, next(iter(ranks.values()))), signal.SIGKILL)
                except ProcessLookupError:
                    ranks = {}
            code, _, errors, took = job.finish(FAULT_SECONDS)
            self.assertLess(took, FAULT_SECONDS)
            if (self.folder / name).exists():
                self.assertTrue(self.model(name) == right, "a wrong model")
            elif ranks:
                self.assertNotEqual(code, 0, "no model")
            if code != 0:
                self.assertIn(code, (137, 5), errors)
            return code != 0

        hit = self.at_once(kill, [(k, draw.random() * 0.9, draw.randrange(3)) for k in range(KILLS)], 2)
        self.assertGreater(sum(hit), 0)
        self.assertEqual([p.name for p in self.folder.iterdir() if "tmp" in p.name], [])

    def test_a_process_that_is_stopped(self):
        def stop(rank):
            name = f"stopped-{rank}"
            job = self.start(3, *self.endless(name), HALFSPACE_PATIENCE="2")
            ranks = job.wait_for_ranks(3)
            self.assertTrue(job.wait_for_progress())
            os.kill(ranks[rank], signal.SIGSTOP)
            code, _, errors, took = job.finish(FAULT_SECONDS)
            self.assertEqual(code, 5, errors)
            self.assertIn(f"process {rank} of 3 has not answered for 2 seconds", errors)
            self.assertLess(took, FAULT_SECONDS)
            self.assertFalse((self.folder / name).exists())

        self.at_once(stop, (0, 2))

    def test_a_pause_of_all_is_no_fault(self):
        job = self.start(2, *self.long("paused"), HALFSPACE_PATIENCE="1")
        ranks = job.wait_for_ranks(2)
        time.sleep(0.5)
        for pid in ranks.values():
            os.kill(pid, signal.SIGSTOP)
        time.sleep(2)
        for pid in ranks.values():
            os.kill(pid, signal.SIGCONT)
        code, _, errors, _ = job.finish()
        self.assertEqual(code, 0, errors)

    def test_a_time_limit_is_agreed(self):
        _, errors = self.mpirun(3, *self.long("timed"), "--time", "0.1", code=4)
        self.assertNotIn("error", errors.replace("error: time limit reached; nothing was written", ""))
        if (self.folder / "timed").exists():
            self.alone("evaluate", "timed", "rows.svm")

    # Steps of softmax, from the first of which on there are planes to keep.
    @staticmethod
    def endless(name):
        return ("train", "rows.svm", "-o", name, "--C", "1e8", "--gap", "1e-12", "--threads", "1", "--progress", "jsonl")

    def test_an_interrupt_keeps_the_best_model(self):
        """As in one process; once before there is anything to keep."""
        def interrupt(number):
            name = f"interrupted-{number.name}"
            job = self.start(3, *self.endless(name))
            ranks = job.wait_for_ranks(3)
            self.assertTrue(job.wait_for_progress())
            for pid in ranks.values():
                os.kill(pid, number)
            code, _, errors, _ = job.finish(FAULT_SECONDS)
            self.assertEqual(code, 130, errors)
            self.alone("predict", name, "small.svm")

        self.at_once(interrupt, (signal.SIGINT, signal.SIGTERM))

    def test_an_interrupt_of_mpirun(self):
        """It ends its processes a second after it has told them: what is known is written by then, or no file is there."""
        def interrupt(number):
            name = f"ended-{number.name}"
            job = self.start(2, *self.endless(name))
            job.wait_for_ranks(2)
            self.assertTrue(job.wait_for_progress())
            job.process.send_signal(number)
            code, _, errors, _ = job.finish(FAULT_SECONDS)
            self.assertNotEqual(code, 0, errors)
            if (self.folder / name).exists():
                self.alone("predict", name, "small.svm")
            self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(name) and p.name != name], [])

        self.at_once(interrupt, (signal.SIGINT, signal.SIGTERM))


if __name__ == "__main__":
    unittest.main(verbosity=1)
