// SPDX-License-Identifier: BSD-3-Clause
// The engine behind the playground's page: requests about points in the plane, answered by the library itself. Text in, text
// out (docs/playground.md has both); nothing here knows of a network, and nothing in a request names a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "halfspace/core/stop.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

class Playground {
 public:
  // `data`: labelled rows whose columns can be picked. Nothing: points are drawn, made or pasted.
  explicit Playground(std::optional<Dataset> data = std::nullopt);
  ~Playground();
  Playground(Playground&&) noexcept;
  Playground& operator=(Playground&&) noexcept;

  // The answer to one request, as one line of JSON. What is wrong with a request is an answer too: an object with `error`.
  // Work that takes longer than a few seconds ends with the best so far. Throws Stopped when `stop` was cancelled. May be called by
  // several threads at once.
  [[nodiscard]] std::string answer(std::string_view request, const StopHandle& stop = {}) const;

 private:
  struct Board;
  std::unique_ptr<const Board> board_;
};

// The page that asks: one HTML file that needs nothing but the address it came from.
[[nodiscard]] std::string_view playground_page();

}  // namespace halfspace
