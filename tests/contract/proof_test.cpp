// SPDX-License-Identifier: BSD-3-Clause
// Of every algorithm of the list: what its models claim about their training rows holds, and which claim nothing.
#include <doctest/doctest.h>

#include <set>

#include "contract/cases.hpp"
#include "halfspace/certify/verify_model.hpp"

using namespace halfspace;
using namespace halfspace::contract;

namespace {

std::string refused(const Model& model, const Dataset& data) {
  try {
    static_cast<void>(verify(model, data, Threads(1)));
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE(
    "every algorithm: verify accepts what its models claim, and says of the others that they claim nothing") {
  std::set<std::string> certified;
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const Dataset data = sample.data();
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      const auto fit = fit_of(variant, sample.name, data);
      if (!fit || !fit->has_model()) continue;
      if (fit->model().certificate.empty()) {
        CHECK_FALSE(refused(fit->model(), data).empty());
        continue;
      }
      certified.insert(variant.algorithm);
      const ModelCheck check = verify(fit->model(), data, Threads(2));
      for (const std::string& line : check.lines) CAPTURE(line);
      CHECK(check.holds);
    }
  }
  for (const std::string& name : Algorithm::names()) {
    CAPTURE(name);
    CHECK(certified.contains(name) == nature(name).certified);
  }
}

TEST_CASE("every algorithm: a claim about other rows does not hold") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    Sample other = sample;
    other.rows[5][0] += 1;
    const Dataset data = other.data();
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      const auto fit = fit_of(variant, sample.name, sample.data());
      if (!fit || !fit->has_model() || fit->model().certificate.empty()) continue;
      CHECK_FALSE(verify(fit->model(), data, Threads(1)).holds);
    }
  }
}

TEST_CASE("every algorithm: an answer that is no comes with a reason, and one that is yes with a model") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const Dataset data = sample.data();
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      const auto fit = fit_of(variant, sample.name, data);
      if (!fit) continue;
      CHECK(fit->has_model() == fit->answer.reason.empty());
      CHECK((fit->outcome() != Outcome::Yes || fit->has_model()));
      CHECK((fit->outcome() != Outcome::No || !fit->has_model()));
      if (fit->proof.objective) CHECK(fit->proof.objective->gap() >= 0);
    }
  }
}

TEST_CASE("the tables of this folder name what there is") {
  const std::vector<std::string> names = Algorithm::names();
  const std::set<std::string> known(names.begin(), names.end());
  std::set<std::string_view> seen;
  for (const Nature& nature : natures) {
    CAPTURE(nature.algorithm);
    CHECK(known.contains(std::string(nature.algorithm)));
    CHECK(seen.insert(nature.algorithm).second);
    // An entry that says nothing is one too many.
    CHECK(
        (!nature.certified || nature.order_matters || nature.exact || !nature.asks || !nature.given_problem));
  }
  for (const Impossible& entry : impossible) {
    CAPTURE(entry.algorithm);
    CAPTURE(entry.value);
    CHECK(std::any_of(variants().begin(), variants().end(), [&](const Variant& v) {
      return v.algorithm == entry.algorithm && v.option == entry.option && v.value == entry.value;
    }));
    CHECK((entry.sample.empty() || std::any_of(samples().begin(), samples().end(),
                                               [&](const Sample& s) { return s.name == entry.sample; })));
    CHECK_FALSE(entry.reason.empty());
  }
}
