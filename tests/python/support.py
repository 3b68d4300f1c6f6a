# SPDX-License-Identifier: BSD-3-Clause
"""Skips with a line where numpy, scipy or scikit-learn is missing."""
import sys

try:
    import numpy, pandas, scipy, sklearn  # noqa: F401, E401
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(0)
