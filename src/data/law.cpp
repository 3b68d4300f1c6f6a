// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/law.hpp"

#include <fmt/format.h>

#include <cmath>

#include "data/storage/row_access.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

bool has_plane(GeneratorKind kind) {
  return kind == GeneratorKind::Gaussians || kind == GeneratorKind::Logistic || kind == GeneratorKind::Margin;
}

// Before labels were turned over. `along` is u.x, `corner` x1 x2.
double clean_eta(const Law& law, double along, double corner) {
  switch (law.kind) {
    case GeneratorKind::Gaussians:
      return 1 / (1 + (1 - law.positive) / law.positive * std::exp(-law.distance * along));
    case GeneratorKind::Logistic: return 1 / (1 + std::exp(-law.distance * along));
    case GeneratorKind::Margin: return along > 0 ? 1 : 0;
    case GeneratorKind::Xor: return corner > 0 ? 1 : 0;
    case GeneratorKind::Noise: break;
  }
  return 0.5;
}

}  // namespace

std::vector<double> eta(const Law& law, const Dataset& data, const Threads& threads) {
  if (data.features() != law.direction.size())
    throw InputError({.file = data.name()}, fmt::format("{} columns", data.features()),
                     fmt::format("the {} of the law", law.direction.size()));
  const auto rows = RowAccess::of(data.matrix());
  std::vector<double> out(data.rows());
  std::vector<double> first(data.features(), 0.0), second(data.features(), 0.0);
  if (law.kind == GeneratorKind::Xor) first.at(0) = second.at(1) = 1;
  threads.run(data.rows(), [&](std::size_t i) {
    const double corner =
        law.kind == GeneratorKind::Xor ? rows->dot(i, first.data()) * rows->dot(i, second.data()) : 0;
    const double clean = clean_eta(law, rows->dot(i, law.direction.data()), corner);
    out[i] = clean * (1 - law.flip) + (1 - clean) * law.flip;
  });
  return out;
}

std::string eta_words(const Law& law) {
  std::string out;
  switch (law.kind) {
    case GeneratorKind::Gaussians:
      out = fmt::format("1 / (1 + exp(-({:g} u.x + log({:g} / {:g}))))", law.distance, law.positive,
                        1 - law.positive);
      break;
    case GeneratorKind::Logistic: out = fmt::format("1 / (1 + exp(-{:g} u.x))", law.distance); break;
    case GeneratorKind::Margin: out = "1 where u.x > 0, else 0"; break;
    case GeneratorKind::Xor: out = "1 where x1 x2 > 0, else 0"; break;
    case GeneratorKind::Noise: out = "1/2"; break;
  }
  if (law.flip > 0) out = fmt::format("{:g} + {:g} ({})", law.flip, 1 - 2 * law.flip, out);
  return out;
}

std::optional<BestPlane> best_plane(const Law& law) {
  if (!has_plane(law.kind)) return std::nullopt;
  const double sign = law.flip > 0.5 ? -1 : 1;
  BestPlane out{law.direction, 0};
  for (double& w : out.weights) w *= sign * (law.kind == GeneratorKind::Margin ? 1 : law.distance);
  if (law.kind == GeneratorKind::Gaussians) out.offset = sign * std::log(law.positive / (1 - law.positive));
  return out;
}

}  // namespace halfspace
