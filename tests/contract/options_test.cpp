// SPDX-License-Identifier: BSD-3-Clause
// Of every option of every algorithm of the list: its name, its help, its default, and the values that it refuses.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

// f(options of an algorithm by default, one of its fields)
template <class F>
void for_fields(F&& f) {
  [&]<class... A>(std::tuple<A...>*) {
    (
        [&] {
          CAPTURE(A::name);
          for (const auto& field : A::fields()) {
            CAPTURE(field.name);
            f(A{}, field);
          }
        }(),
        ...);
  }(static_cast<Algorithms*>(nullptr));
}

// What the UsageError says that `f` throws, hint included; empty when it throws none.
template <class F>
std::string usage_error(F&& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what() + error.hint();
  }
  return {};
}
bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && name.back() != '-' &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
}

}  // namespace

TEST_CASE("every algorithm and option has a name of its own, and says what it is") {
  std::set<std::string_view> algorithms;
  [&]<class... A>(std::tuple<A...>*) {
    (
        [&] {
          CAPTURE(A::name);
          CHECK(is_name(A::name));
          CHECK(algorithms.insert(A::name).second);
          CHECK(A::summary.size() >= 10);
          std::set<std::string_view> options;
          for (const auto& field : A::fields()) CHECK(options.insert(field.name).second);
        }(),
        ...);
  }(static_cast<Algorithms*>(nullptr));
  CHECK(algorithms.size() == Algorithm::names().size());
  for_fields([](const auto&, const auto& field) {
    CHECK(is_name(field.name));
    CHECK(field.help.size() >= 4);
    CHECK(field.unit.empty() == field.flag);
  });
}

TEST_CASE("every option: its default is a value of its own range, and reads as it prints") {
  for_fields([](auto options, const auto& field) {
    const std::string printed = field.get(options);
    field.set(options, field.name, printed, field.range);
    CHECK(field.get(options) == printed);
    CHECK(usage_error([&] { field.check(options, field.name, field.range); }) == "");
    CHECK(field.range.min <= field.range.max);
    if (field.number) CHECK(std::isfinite(field.range.min));
    if (field.number) CHECK(std::isfinite(field.range.max));
  });
}

TEST_CASE("every option with words takes each of them, and lists them when it is given another") {
  for_fields([](auto options, const auto& field) {
    const std::string choices = field.choices();
    if (choices.empty()) return;
    for (std::size_t begin = 0; begin < choices.size();) {
      const std::size_t end = std::min(choices.find('|', begin), choices.size());
      const std::string word = choices.substr(begin, end - begin);
      begin = end + 1;
      field.set(options, field.name, word, field.range);
      CHECK(field.get(options) == word);
      for (const std::string& wrong : {std::string("no-such-word"), word + "x", " " + word, std::string()}) {
        CAPTURE(wrong);
        const std::string said = usage_error([&] { field.set(options, field.name, wrong, field.range); });
        CHECK(has(said, field.name));
        CHECK(has(said, word));
      }
      CHECK(field.get(options) == word);  // a refusal changes nothing
    }
  });
}

TEST_CASE("every option with a number refuses what is none, and what is outside of its range, by its name") {
  for_fields([](auto options, const auto& field) {
    if (!field.number) return;
    const std::string before = field.get(options);
    std::vector<std::string> wrong = {"",      " ",    "nan", "-nan",   "inf",   "-inf", "infinity",
                                      "1e999", "0x10", "1,5", "1 ",     " 1",    "1e",   "one",
                                      "--1",   "+",    "+-1", "-1e999", "1e308", "1.5.2"};
    for (const double value : {std::nextafter(field.range.min, -std::numeric_limits<double>::infinity()),
                               std::nextafter(field.range.max, std::numeric_limits<double>::infinity()),
                               field.range.min - 1, field.range.max * 2 + 1})
      wrong.push_back(fmt::format("{}", value));
    for (const std::string& text : wrong) {
      CAPTURE(text);
      CHECK(has(usage_error([&] { field.set(options, field.name, text, field.range); }), field.name));
    }
    CHECK(field.get(options) == before);
    for (const double end : {field.range.min, field.range.max}) {
      const std::string text = fmt::format("{}", end);
      CAPTURE(text);
      if (usage_error([&] { field.set(options, field.name, text, field.range); }).empty()) continue;
      // A whole number is written without a fraction or an exponent.
      const std::string whole = fmt::format("{:.0f}", end);
      CHECK(usage_error([&] { field.set(options, field.name, whole, field.range); }) == "");
    }
  });
}

TEST_CASE("every option of another form refuses what has not that form, by its name") {
  for_fields([](auto options, const auto& field) {
    // Words of people, such as weights of classes, are looked at when the data are there.
    if (field.number || !field.choices().empty() || field.name == "class-weight") return;
    const std::string before = field.get(options);
    for (const std::string text :
         {"", "nan", "no-such-thing", "-1", "1e999", "rbf:nan", "constant:inf", "inverse:1,"}) {
      CAPTURE(text);
      CHECK(has(usage_error([&] { field.set(options, field.name, text, field.range); }), field.name));
    }
    CHECK(field.get(options) == before);
  });
}

TEST_CASE("every algorithm offers the option that was meant, and takes none that it has not") {
  for (const std::string& name : Algorithm::names()) {
    CAPTURE(name);
    Algorithm algorithm = Algorithm::by_name(name);
    const std::vector<OptionInfo> options = algorithm.options();
    for (const OptionInfo& option : options) {
      if (option.name.size() < 4) continue;
      std::string typo = option.name;
      std::swap(typo[1], typo[2]);
      if (typo == option.name) typo.pop_back();
      CAPTURE(typo);
      const std::string said = usage_error([&] { algorithm.set(typo, option.fallback); });
      CHECK(has(said, typo));
      CHECK(has(said, option.name));
    }
    CHECK(has(usage_error([&] { algorithm.set("no-such-option", "1"); }), "no-such-option"));
    std::string typo = name;
    typo.pop_back();
    CHECK(has(usage_error([&] { static_cast<void>(Algorithm::by_name(typo)); }), name));
  }
}

TEST_CASE("options set from C++ are held to what they may be as text, and the error names the option") {
  const Dataset data = testing::dataset_from(testing::Rows{{1}, {-1}}, std::vector<int>{1, 0});
  const auto said = [&](const auto& options) {
    return usage_error([&] { static_cast<void>(train(data, options)); });
  };
  CHECK(said(Perceptron{}) == "");
  CHECK(said(Perceptron{.offset = Offset::Free}) == "offset: 'free' is not one of lifted, none");
  CHECK(said(Pegasos{.offset = Offset::Lifted}) == "offset: 'lifted' is not one of free, none");
  CHECK(said(Pegasos{.order = Order::Worst}) ==
        "order: 'worst' is not one of cyclic, shuffled, random, content");
  CHECK(has(said(Svm{.loss = Logistic{}}), "loss: 'logistic' is not one of hinge"));
  for (const double C : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(has(said(Svm{.C = C}), "C"));
    CHECK(has(said(LogisticRegression{.C = C}), "C"));
  }
}
