// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C, SIGTERM and the time limit. While nothing is worth saving (reading, scoring) the program ends at
// once; while a model is being trained, the library is asked to stop and the work winds up in order.
#pragma once

#include "halfspace/core/stop.hpp"

namespace halfspace::cli {

// Also opens standard streams that were closed, so that no file of ours becomes "standard output", and makes
// writes to a broken pipe or beyond a file size limit return errors instead of killing the program.
void install_signals(bool json);

// From now on the first signal only asks program_stop(); the second one ends the program at once.
void finish_in_order();
[[nodiscard]] bool interrupted();
// mpirun says SIGTERM more than once where a person would have pressed Ctrl-C once: that counts as one.
void expect_launcher();

// What long work has to ask: cancelled by a signal, and due when the time is up.
[[nodiscard]] const StopHandle& program_stop();

// Ends the program with exit code 4 after `seconds` unless finish_in_order() was called.
void limit_seconds(double seconds);

}  // namespace halfspace::cli
