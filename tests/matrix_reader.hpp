// SPDX-License-Identifier: BSD-3-Clause
// For the tests of readers of a file of rows with a file of labels beside it (IDX, NPY).
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::testing {

// Bytes without a known size, as from a pipe.
class Stream final : public ByteSource {
 public:
  explicit Stream(std::string_view bytes) : source_(memory_source(bytes, "stream")) {}
  std::size_t read(std::span<char> to) override { return source_->read(to); }

 private:
  std::unique_ptr<ByteSource> source_;
};

// The message of read(rows, labels); it must be the same whether the sizes are known beforehand or not.
template <class Read>
std::string error_of_pair(const std::string& rows, const std::string& labels, const Read& read) {
  std::string messages[2];
  for (const bool known : {true, false}) {
    try {
      const auto x = known ? memory_source(rows, "X") : std::make_unique<Stream>(rows);
      const auto y = known ? memory_source(labels, "Y") : std::make_unique<Stream>(labels);
      static_cast<void>(read(*x, "X", y.get(), "Y", ReadOptions{}));
    } catch (const InputError& error) {
      messages[known ? 1 : 0] = error.what();
    }
  }
  CHECK(messages[0] == messages[1]);
  return messages[0];
}

inline std::vector<double> values(const DatasetParts& parts) {
  std::vector<double> all;
  std::visit(
      [&](const auto& view) {
        all.resize(view.rows * view.cols);
        for (std::size_t i = 0; i < view.rows; ++i) {
          for_entries(view.row(i), [&](std::uint32_t j, double x) { all[i * view.cols + j] = x; });
        }
      },
      parts.matrix);
  return all;
}

inline bool begins(const std::string& text, std::string_view front) {
  INFO(text);
  return text.starts_with(front);
}

}  // namespace halfspace::testing
