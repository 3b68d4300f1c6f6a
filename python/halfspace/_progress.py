# SPDX-License-Identifier: BSD-3-Clause
"""The bar of progress=True: a line on standard error, or an element of a notebook."""
import sys
import time


def _notebook_display():
    """IPython's display where a notebook shows it; None elsewhere. IPython is only looked at where it already runs."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is None or "IPKernelApp" not in getattr(shell, "config", {}):
        return None
    from IPython.display import HTML, display
    return lambda markup, shown: display(HTML(markup), display_id=True) if shown is None else shown.update(HTML(markup)) or shown


class Bar:
    """Called with what a callback is told; shows at most ten states a second."""

    def __init__(self, name, also=None, stream=None):
        self._name, self._also, self._stream = name, also, stream or sys.stderr
        self._notebook = _notebook_display()
        self._next, self._shown, self._width = 0.0, None, 0

    def __call__(self, now):
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            self._show(now)
        return None if self._also is None else self._also(now)

    def _show(self, now):
        done = now["done"] if now["done"] == now["done"] else None
        words = f"{now['iterations']} iterations" + (f", gap {now['relative_gap']:.1e}" if now["relative_gap"] == now["relative_gap"] else "")
        if self._notebook is not None:
            value = "" if done is None else f" value='{done:.3f}'"
            self._shown = self._notebook(f"<label>{self._name} <progress max='1'{value}></progress> {words}</label>", self._shown)
            return
        filled = 0 if done is None else int(20 * min(1.0, done))
        share = "" if done is None else f" {100 * min(1.0, done):3.0f} %"
        line = f"{self._name} [{'#' * filled}{' ' * (20 - filled)}]{share} {words}"
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def close(self):
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
