#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""libhalfspace.so exports the functions that c.h declares, and nothing else."""
import re
import subprocess
import sys

library, header = sys.argv[1:]
out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
exported = {line.split()[-1].split("@")[0] for line in out.splitlines()}
declared = set(re.findall(r"HALFSPACE_API[^;(]*?\b(halfspace_\w+)\(", open(header, encoding="utf-8").read()))
assert declared, "no function found in the header"
assert exported == declared, f"only exported: {sorted(exported - declared)}; only declared: {sorted(declared - exported)}"
print(f"{len(exported)} functions")
