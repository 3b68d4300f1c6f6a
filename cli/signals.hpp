// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C, SIGTERM and the time limit. While nothing is worth saving (reading, scoring) the program ends at
// once; while a model is being trained or a file written, a flag is set and the work winds up in order.
#pragma once

namespace halfspace::cli {

// Also opens standard streams that were closed, so that no file of ours becomes "standard output", and makes
// writes to a broken pipe or beyond a file size limit return errors instead of killing the program.
void install_signals(bool json);

// From now on a signal only sets the flag.
void finish_in_order();
[[nodiscard]] bool interrupted();

// Ends the program with exit code 4 after `seconds` unless finish_in_order() was called.
void limit_seconds(double seconds);

}  // namespace halfspace::cli
