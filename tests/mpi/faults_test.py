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
    LONG = ("train", "rows.svm", "-o", "model", "--quiet", "--multiclass", "one-vs-rest", "--C", "1e4", "--gap", "1e-9", "--threads", "1")

    def remove_model(self):
        (self.folder / "model").unlink(missing_ok=True)

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
        self.remove_model()
        job = self.start(3, *self.LONG)
        job.wait_for_ranks(3)
        code, _, errors, seconds = job.finish()  # from the moment on at which there are processes to kill
        self.assertEqual(code, 0, errors)
        right = self.model()
        draw = random.Random(11)
        hit = 0
        for _ in range(KILLS):
            self.remove_model()
            job = self.start(3, *self.LONG)
            job.wait_for_ranks(3)
            time.sleep(draw.random() * seconds * 0.9)
            ranks = job.ranks()
            if ranks:
                try:
                    os.kill(ranks[draw.choice(sorted(ranks))], signal.SIGKILL)
                except ProcessLookupError:
                    ranks = {}
            code, _, errors, took = job.finish(FAULT_SECONDS)
            self.assertLess(took, FAULT_SECONDS)
            hit += code != 0
            if ranks and code == 0:  # it was about to end, with its model written
                self.assertEqual(self.model(), right)
            if (self.folder / "model").exists():
                self.assertTrue(self.model() == right, "a wrong model")
            if code != 0:
                self.assertIn(code, (137, 5), errors)
        self.assertGreater(hit, 0)
        self.assertEqual([p.name for p in self.folder.iterdir() if "tmp" in p.name], [])

    def test_a_process_that_is_stopped(self):
        for rank in (0, 2):
            self.remove_model()
            job = self.start(3, *self.LONG, HALFSPACE_PATIENCE="2")
            ranks = job.wait_for_ranks(3)
            time.sleep(0.6)
            os.kill(ranks[rank], signal.SIGSTOP)
            code, _, errors, took = job.finish(FAULT_SECONDS)
            self.assertEqual(code, 5, errors)
            self.assertIn(f"process {rank} of 3 has not answered for 2 seconds", errors)
            self.assertLess(took, FAULT_SECONDS)
            self.assertFalse((self.folder / "model").exists())

    def test_a_pause_of_all_is_no_fault(self):
        job = self.start(2, *self.LONG, HALFSPACE_PATIENCE="2")
        ranks = job.wait_for_ranks(2)
        time.sleep(0.5)
        for pid in ranks.values():
            os.kill(pid, signal.SIGSTOP)
        time.sleep(3)
        for pid in ranks.values():
            os.kill(pid, signal.SIGCONT)
        code, _, errors, _ = job.finish()
        self.assertEqual(code, 0, errors)

    def test_a_time_limit_is_agreed(self):
        self.remove_model()
        _, errors = self.mpirun(3, *self.LONG, "--time", "0.1", code=4)
        self.assertNotIn("error", errors.replace("error: time limit reached; nothing was written", ""))
        if (self.folder / "model").exists():
            self.alone("evaluate", "model", "rows.svm")

    def test_an_interrupt_keeps_the_best_model_or_says_that_there_is_none(self):
        self.remove_model()
        job = self.start(3, *self.LONG)
        ranks = job.wait_for_ranks(3)
        time.sleep(1.0)
        for pid in ranks.values():
            os.kill(pid, signal.SIGINT)
        code, _, errors, _ = job.finish(FAULT_SECONDS)
        self.assertIn(code, (130, 0), errors)
        if (self.folder / "model").exists():
            self.alone("evaluate", "model", "rows.svm")


if __name__ == "__main__":
    unittest.main(verbosity=1)
