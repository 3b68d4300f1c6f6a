// SPDX-License-Identifier: BSD-3-Clause
#include "contract/cases.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"

namespace halfspace::contract {
namespace {

std::vector<std::string> words_of(const std::string& choices) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < choices.size();) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    out.push_back(choices.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::vector<Variant> make_variants() {
  std::vector<Variant> out;
  for (const std::string& name : Algorithm::names()) {
    out.push_back({name, "", ""});
    for (const OptionInfo& option : Algorithm::by_name(name).options()) {
      for (const std::string& word : words_of(option.choices)) {
        if (word != option.fallback) out.push_back({name, option.name, word});
      }
      if (option.flag) out.push_back({name, option.name, "true"});
      if (option.name == "kernel") out.push_back({name, option.name, "rbf:0.1"});
      if (option.name == "max-passes") out.push_back({name, "passes", "until-clean"});
    }
  }
  return out;
}

// Whole numbers from -5 to 5 about one centre a class, a fifth of them zero.
Sample cloud(const std::string& name, std::size_t rows, const testing::Rows& centres) {
  Random random(20260109);
  Sample out{name, {}, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t k = i < 2 * centres.size() ? i % centres.size() : random.below(centres.size());
    std::vector<double> row;
    for (const double centre : centres[k]) {
      const bool zero = random.below(5) == 0;
      row.push_back(zero ? 0 : centre + static_cast<double>(random.below(5)) - 2);
    }
    out.rows.push_back(row);
    out.labels.push_back(static_cast<int>(k));
  }
  return out;
}

// The column that tells the classes apart is never zero.
Sample apart() {
  Sample out = cloud("apart", 40, {{-1, 0, 1, 0}, {1, 1, 0, 0}});
  for (std::size_t i = 0; i < out.rows.size(); ++i)
    out.rows[i].push_back(out.labels[i] == 0 ? -2 - static_cast<double>(i % 3)
                                             : 1 + static_cast<double>(i % 2));
  return out;
}

}  // namespace

std::string Variant::name() const {
  return option.empty() ? algorithm : fmt::format("{}, {} {}", algorithm, option, value);
}

Algorithm Variant::made() const {
  Algorithm out = Algorithm::by_name(algorithm);
  if (!option.empty()) out.set(option, value);
  return out;
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = make_variants();
  return all;
}

bool has_option(const Algorithm& algorithm, std::string_view option) {
  const std::vector<OptionInfo> all = algorithm.options();
  return std::any_of(all.begin(), all.end(), [&](const OptionInfo& info) { return info.name == option; });
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {apart(), cloud("mixed", 60, {{-1, 0, 1, 0}, {1, 1, 0, 0}}),
                                          cloud("three", 60, {{-3, 0, 1}, {3, 0, 0}, {0, 4, -1}})};
  return all;
}

Nature nature(std::string_view algorithm) {
  const auto* found =
      std::find_if(natures.begin(), natures.end(), [&](const Nature& n) { return n.algorithm == algorithm; });
  return found != natures.end() ? *found : Nature{algorithm, true, false, false};
}

std::optional<Fit> fit_of(const Variant& variant, const std::string& sample, const Dataset& data,
                          const Run& run) {
  const bool expected = std::any_of(impossible.begin(), impossible.end(), [&](const Impossible& i) {
    return i.algorithm == variant.algorithm && i.option == variant.option && i.value == variant.value &&
           (i.sample.empty() || i.sample == sample);
  });
  try {
    Fit fit = variant.made().train(data, run);
    CHECK_FALSE(expected);
    return fit;
  } catch (const UsageError& error) {
    CAPTURE(error.what());
    CHECK(expected);
    return std::nullopt;
  }
}

void check_same_answer(const Variant& variant, const Fit& one, const Fit& other, const Dataset& data) {
  CHECK(one.answer.stop == other.answer.stop);
  REQUIRE(one.has_model() == other.has_model());
  if (!one.has_model()) return;
  const Nature is = nature(variant.algorithm);
  if (one.proof.objective && other.proof.objective && is.given_problem) {
    const Objective &a = *one.proof.objective, &b = *other.proof.objective;
    // No answer is below what the other proves, so that they differ by the larger gap at most.
    const double rounding = 1e-12 * std::max(1.0, std::abs(a.primal));
    CHECK(a.primal >= b.dual - rounding);
    CHECK(b.primal >= a.dual - rounding);
    return;
  }
  const std::vector<double> f = scores(one.model(), data, Threads(1));
  const std::vector<double> g = scores(other.model(), data, Threads(1));
  if (is.exact && variant.option != "kernel") {
    CHECK(testing::same_bits(f, g));
    return;
  }
  REQUIRE(f.size() == g.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    largest = std::max(largest, std::abs(f[i]));
    difference = std::max(difference, std::abs(f[i] - g[i]));
  }
  // Where there is a gap, the distance to the best is of the order of its root: 1/2 |theta|^2 is strongly convex.
  const double off = one.proof.objective ? 4 * std::sqrt(one.proof.objective->relative_gap()) : 1e-9;
  CHECK(difference <= off * largest);
}

void check_usable(const Model& model, const Dataset& data, bool finite) {
  const std::vector<double> f = scores(model, data, Threads(1));
  CHECK(f.size() == data.rows() * model.planes());
  if (finite) CHECK(std::all_of(f.begin(), f.end(), [](double x) { return std::isfinite(x); }));
  const std::string bytes = to_bytes(model);
  const Model again = model_from_bytes(bytes, "model");
  CHECK(to_bytes(again) == bytes);
  CHECK(testing::same_bits(scores(again, data, Threads(1)), f));
}

}  // namespace halfspace::contract
