// SPDX-License-Identifier: BSD-3-Clause
// One writer per format; write() has chosen which.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halfspace/core/bytes.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

void write_libsvm(const Dataset& data, ByteSink& sink, bool zero_based);
void write_table(const Dataset& data, ByteSink& sink, char delimiter);
void write_npy_matrix(const Dataset& data, ByteSink& sink);
void write_npy_labels(const Dataset& data, ByteSink& sink);
void write_cache(const Dataset& data, ByteSink& sink);

// "sparse ones", "dense float32", ...: what Dataset::storage_name() says.
[[nodiscard]] std::string storage_name(const Matrix& matrix);

// The numbers that class names stand for; nullopt unless all are finite and different.
[[nodiscard]] std::optional<std::vector<double>> class_numbers(const std::vector<std::string>& classes);

// Gathers text or bytes for a sink, which wants large pieces.
class BufferedOutput {
 public:
  explicit BufferedOutput(ByteSink& sink) : sink_(sink) {}
  std::string& text() { return text_; }  // append here
  void flush_when_full() {
    constexpr std::size_t full = std::size_t{1} << 16;
    if (text_.size() >= full) flush();
  }
  void flush() {
    sink_.write(text_);
    text_.clear();
  }

 private:
  ByteSink& sink_;
  std::string text_;
};

}  // namespace halfspace
