// SPDX-License-Identifier: BSD-3-Clause
#include "row_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t classes_listed = 20;

// The sums of the members, place by place.
std::vector<double> sums(const std::vector<double>& mine, const Team& team) {
  if (team.alone()) return mine;
  const std::vector<double> all = team.join(mine);
  std::vector<double> out(mine.size(), 0.0);
  for (std::size_t k = 0; k < all.size(); ++k) out[k % mine.size()] += all[k];
  return out;
}

}  // namespace

RowFacts facts_of(const Dataset& data, const Team& team) {
  RowFacts out{.rows = team.total(data.rows()),
               .features = data.features(),
               .nonzeros = team.total(data.nonzeros()),
               .bytes = team.total(data.storage_bytes()),
               .storage = data.storage_name(),
               .classes = data.classes()};
  if (data.encoding() != nullptr) out.label_column = data.encoding()->label_column;
  // Counts and weights one after the other: whole numbers below 2^53 are exact.
  const std::size_t classes = out.classes.size();
  std::vector<double> both(2 * classes, 0.0);
  for (std::size_t i = 0; i < data.labels().size(); ++i) {
    both[data.labels()[i]] += 1;
    both[classes + data.labels()[i]] += data.weight(i);
  }
  if (classes > 0) both = sums(both, team);
  for (std::size_t k = 0; k < classes; ++k) out.counts.push_back(static_cast<std::uint64_t>(both[k]));
  out.weights.assign(both.begin() + static_cast<std::ptrdiff_t>(classes), both.end());
  return out;
}

std::string describe_rows(const std::string& name, std::uint64_t rows, std::uint64_t features,
                          std::uint64_t nonzeros, const std::string& storage, std::uint64_t bytes) {
  return fmt::format("{}: {}, {}, {}, stored as {} ({})", printable(name, 200), counted(rows, "row"),
                     counted(features, "feature"), counted(nonzeros, "nonzero"), storage, human_bytes(bytes));
}

std::string describe_data(const RowFacts& rows, const std::string& name) {
  return describe_rows(name, rows.rows, rows.features, rows.nonzeros, rows.storage, rows.bytes);
}

std::string describe_classes(const RowFacts& rows) {
  const std::vector<std::uint64_t>& counts = rows.counts;
  std::string text = "classes:";
  for (std::size_t k = 0; k < std::min(counts.size(), classes_listed); ++k) {
    text +=
        fmt::format("{} {} ({})", k == 0 ? "" : ",", printable(rows.classes[k]), counted(counts[k], "row"));
  }
  if (counts.size() > classes_listed) text += fmt::format(" and {} more", counts.size() - classes_listed);
  return text;
}

Json classes_json(const RowFacts& rows) {
  Json classes = Json::array();
  for (std::size_t k = 0; k < rows.counts.size(); ++k) {
    Json item;
    item["label"] = rows.classes[k];
    item["rows"] = rows.counts[k];
    classes.push_back(std::move(item));
  }
  return classes;
}
Json classes_json(const Dataset& data) { return classes_json(facts_of(data)); }

std::string majority_words(const RowFacts& rows) {
  double all = 0;
  for (const double weight : rows.weights) all += weight;
  const auto most = std::max_element(rows.weights.begin(), rows.weights.end());
  return fmt::format("always {} would have {:.4g}",
                     printable(rows.classes[static_cast<std::size_t>(most - rows.weights.begin())]),
                     all > 0 ? (all - *most) / all : 0.0);
}

}  // namespace halfspace::cli
