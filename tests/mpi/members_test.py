#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A process that runs out of memory where the others are about to give it a state: all are told.

members_test.py MEMBERS HALFSPACE: MEMBERS is members.cpp."""
import unittest

from support import FAULT_SECONDS, MpiTest


class Members(MpiTest):
    def test_a_process_that_fails_before_it_takes_a_state(self):
        """Of 160 KB, which goes by a message that waits for its receiver, and of 80 bytes."""
        def fail(run):
            rank, count, pages = run
            job = self.start(3, str(rank), str(count), HALFSPACE_SHARED_PAGES=pages)
            code, _, errors, _ = job.finish(FAULT_SECONDS)
            self.assertEqual(code, 5, f"{run}: {errors}")

        self.at_once(fail, [(rank, count, pages) for rank in range(3) for count in (20000, 10) for pages in "10"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
