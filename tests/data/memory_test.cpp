// SPDX-License-Identifier: BSD-3-Clause
// Sets made of arrays in memory: every type, borrowed and copied.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "folder.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/data/write.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "memory_arrays.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

void check_entries(const Dataset& data, const Rows& rows) {
  REQUIRE(data.rows() == rows.size());
  REQUIRE(data.features() == rows[0].size());
  std::uint64_t nonzeros = 0;
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          std::vector<double> found(rows[i].size(), 0.0);
          for_entries(view.row(i), [&](std::uint32_t j, double x) {
            found[j] = x;
            ++nonzeros;
          });
          CHECK(found == rows[i]);
        }
      },
      data.matrix());
  CHECK(data.nonzeros() == nonzeros);
}

const void* value_pointer(const Dataset& data) {
  return std::visit([](const auto& view) -> const void* { return view.value; }, data.matrix());
}
const void* index_pointer(const Dataset& data) {
  return std::visit(
      [](const auto& view) -> const void* {
        if constexpr (is_sparse<std::decay_t<decltype(view)>>) return view.index;
        return nullptr;
      },
      data.matrix());
}
const void* start_pointer(const Dataset& data) {
  return std::visit(
      [](const auto& view) -> const void* {
        if constexpr (is_sparse<std::decay_t<decltype(view)>>) return view.start;
        return nullptr;
      },
      data.matrix());
}

template <class V, class I, class S>
void check_csr_types(const Rows& rows, const std::vector<int>& labels, const std::string& fingerprint) {
  const auto arrays = csr_of<V, I, S>(rows);
  for (const Hold hold : {Hold::Copy, Hold::Borrow, Hold::BorrowOnly}) {
    const Dataset data = arrays.data({.hold = hold, .labels = labels});
    check_entries(data, rows);
    CHECK(data.fingerprint() == fingerprint);
    if (hold == Hold::Copy) {
      CHECK(value_pointer(data) != arrays.values.data());
      continue;
    }
    CHECK(value_pointer(data) == arrays.values.data());
    CHECK((index_pointer(data) == arrays.columns.data()) == (sizeof(I) == 4));
    CHECK((start_pointer(data) == arrays.starts.data()) == (sizeof(S) == 8));
  }
}
template <class V, class I>
void check_csr_index(const Rows& rows, const std::vector<int>& labels, const std::string& fingerprint) {
  check_csr_types<V, I, std::int32_t>(rows, labels, fingerprint);
  check_csr_types<V, I, std::int64_t>(rows, labels, fingerprint);
  check_csr_types<V, I, std::uint32_t>(rows, labels, fingerprint);
  check_csr_types<V, I, std::uint64_t>(rows, labels, fingerprint);
}

std::string bytes_of(const char* algorithm, const Dataset& data) {
  return to_bytes(Algorithm::by_name(algorithm).train(data, {.seed = 3}).model());
}

}  // namespace

TEST_CASE("dense arrays of both types and layouts, with gaps and without, are the rows they say") {
  const Rows rows = sample_rows(70, 5);
  const std::vector<int> labels = sample_labels(70);
  const std::string fingerprint = dataset_from(rows, labels).fingerprint();
  const auto check = [&](const auto& values) {
    for (const Hold hold : {Hold::Copy, Hold::Borrow, Hold::BorrowOnly}) {
      const Dataset data = Dataset::dense(values, 70, 5, {.hold = hold, .labels = labels});
      check_entries(data, rows);
      CHECK(data.fingerprint() == fingerprint);
      CHECK((value_pointer(data) == values.data()) == (hold != Hold::Copy));
    }
  };
  check(flat<double>(rows));
  check(flat<float>(rows));

  const auto check_copied = [&](const auto& values, Layout layout, std::size_t stride) {
    for (const Hold hold : {Hold::Copy, Hold::Borrow}) {
      const Dataset data =
          Dataset::dense(values, 70, 5, {.hold = hold, .layout = layout, .stride = stride, .labels = labels});
      check_entries(data, rows);
      CHECK(data.fingerprint() == fingerprint);
    }
    CHECK_FALSE(input_error([&] {
                  Dataset::dense(values, 70, 5,
                                 {.hold = Hold::BorrowOnly, .layout = layout, .stride = stride});
                }).empty());
  };
  check_copied(flat<double>(rows, Layout::ColumnMajor), Layout::ColumnMajor, 0);
  check_copied(flat<float>(rows, Layout::ColumnMajor), Layout::ColumnMajor, 70);
  Rows wide = rows;
  for (auto& row : wide) row.insert(row.end(), 3, std::nan(""));  // between the rows, never looked at
  std::vector<double> gaps = flat<double>(wide);
  check_copied(gaps, Layout::RowMajor, 8);
  gaps.resize(gaps.size() - 3);
  check_copied(gaps, Layout::RowMajor, 8);
}

TEST_CASE("compressed sparse rows of every type are the rows they say, and only what must be is converted") {
  const Rows rows = sample_rows(60, 7);
  const std::vector<int> labels = sample_labels(60);
  const std::string fingerprint = dataset_from(rows, labels).fingerprint();
  check_csr_index<double, std::int32_t>(rows, labels, fingerprint);
  check_csr_index<double, std::int64_t>(rows, labels, fingerprint);
  check_csr_index<double, std::uint32_t>(rows, labels, fingerprint);
  check_csr_index<double, std::uint64_t>(rows, labels, fingerprint);
  check_csr_index<float, std::int32_t>(rows, labels, fingerprint);
  check_csr_index<float, std::int64_t>(rows, labels, fingerprint);
  check_csr_index<float, std::uint32_t>(rows, labels, fingerprint);
  check_csr_index<float, std::uint64_t>(rows, labels, fingerprint);
}

TEST_CASE("64-bit columns beyond 65536 become numbers of 32 bits") {
  Csr<double, std::int64_t, std::int64_t> arrays;
  arrays.cols = 100000;
  arrays.add(7, 1.5);
  arrays.add(99999, -2);
  arrays.end_row();
  arrays.end_row();
  const Dataset data = arrays.data({.hold = Hold::BorrowOnly});
  REQUIRE(std::holds_alternative<CsrView<double>>(data.matrix()));
  const auto& view = std::get<CsrView<double>>(data.matrix());
  CHECK(view.value == arrays.values.data());
  CHECK(view.index[1] == 99999);
  CHECK(data.fingerprint() == arrays.data().fingerprint());
}

TEST_CASE("stored zeros and columns out of order: cleaned in a copy, refused where nothing may be copied") {
  Csr<double, std::int32_t, std::int32_t> arrays;
  arrays.cols = 4;
  arrays.add(0, 1.25);
  arrays.add(2, 3);
  arrays.end_row();
  arrays.add(3, 5);
  arrays.add(1, -4);
  arrays.end_row();
  arrays.add(1, 0);
  arrays.add(2, -0.0);
  arrays.add(3, 2);
  arrays.end_row();
  const Rows rows{{1.25, 0, 3, 0}, {0, -4, 0, 5}, {0, 0, 0, 2}};
  for (const Hold hold : {Hold::Copy, Hold::Borrow}) {
    const Dataset data = arrays.data({.hold = hold});
    check_entries(data, rows);
    CHECK(data.nonzeros() == 5);
    CHECK(data.fingerprint() == dataset_from(rows).fingerprint());
  }
  CHECK(input_error([&] {
          static_cast<void>(arrays.data({.hold = Hold::BorrowOnly}));
        }).starts_with("arrays: error: row 2: columns are not ascending"));
  std::swap(arrays.columns[2], arrays.columns[3]);
  CHECK(input_error([&] {
          static_cast<void>(arrays.data({.hold = Hold::BorrowOnly}));
        }).starts_with("arrays: error: row 3: a stored zero"));
}

TEST_CASE("a fingerprint is that of the entries in every storage") {
  // Ones, floats, decimals, doubles; mostly zeros and mostly not; -0.
  for (const double unit : {1.0, 0.5, 0.1, 0.001, 1.0 / 3, 1e-7, 123456.789}) {
    for (const std::size_t filled : {1, 5, 10}) {
      CAPTURE(unit);
      CAPTURE(filled);
      Random random(11);
      Rows rows;
      for (std::size_t i = 0; i < 40; ++i) {
        std::vector<double> row(10, 0.0);
        for (double& x : row)
          if (random.below(10) < filled) x = unit == 1 ? 1 : static_cast<double>(1 + random.below(30)) * unit;
        rows.push_back(row);
      }
      const std::string expected = dataset_from(rows).fingerprint();
      std::vector<double> values = flat<double>(rows);
      for (double& x : values)
        if (x == 0 && random.below(2) == 0) x = -0.0;
      CHECK(Dataset::dense(values, 40, 10).fingerprint() == expected);
      CHECK(Dataset::dense(values, 40, 10, {.hold = Hold::BorrowOnly}).fingerprint() == expected);
      CHECK(Dataset::dense(flat<double>(rows, Layout::ColumnMajor), 40, 10, {.layout = Layout::ColumnMajor})
                .fingerprint() == expected);
      const auto arrays = csr_of<double, std::int64_t, std::int32_t>(rows);
      CHECK(arrays.data().fingerprint() == expected);
      CHECK(arrays.data({.hold = Hold::BorrowOnly}).fingerprint() == expected);
      CHECK(csr_of<double, std::int32_t>(rows).data({.hold = Hold::BorrowOnly}).fingerprint() == expected);
      values[17] += 1;
      CHECK(Dataset::dense(values, 40, 10, {.hold = Hold::BorrowOnly}).fingerprint() != expected);
    }
  }
}

TEST_CASE("dense arrays that are mostly zeros are stored without them unless they must stay where they are") {
  Random random(11);
  const auto filled = [&](std::size_t rows, std::size_t cols, std::uint64_t of_twenty) {
    Rows out(rows, std::vector<double>(cols, 0.0));
    for (auto& row : out)
      for (double& x : row)
        if (random.below(20) < of_twenty) x = static_cast<double>(1 + random.below(900)) / 7;
    return out;
  };
  const auto is_borrowed = [](const auto& values, const Rows& rows, Hold hold) {
    const std::vector<int> labels = sample_labels(rows.size());
    const Dataset data =
        Dataset::dense(values, rows.size(), rows[0].size(), {.hold = hold, .labels = labels});
    check_entries(data, rows);
    const Dataset copy = Dataset::dense(values, rows.size(), rows[0].size(), {.labels = labels});
    CHECK(data.fingerprint() == copy.fingerprint());
    CHECK(bytes_of("perceptron", data) == bytes_of("perceptron", copy));
    return value_pointer(data) == values.data();
  };
  const Rows few = filled(700, 100, 3), half = filled(700, 100, 10), little = filled(20, 20, 1);
  CHECK_FALSE(is_borrowed(flat<double>(few), few, Hold::Borrow));
  CHECK(is_borrowed(flat<double>(few), few, Hold::BorrowOnly));
  CHECK(is_borrowed(flat<double>(half), half, Hold::Borrow));
  CHECK(is_borrowed(flat<double>(little), little, Hold::Borrow));

  std::vector<float> values = flat<float>(few);
  values[12345] = std::nanf("");
  const std::string message =
      input_error([&] { Dataset::dense(values, few.size(), few[0].size(), {.hold = Hold::Borrow}); });
  CHECK(message.find("row 124, column 46") != std::string::npos);
}

TEST_CASE("a fingerprint of decimals does not depend on how many are stored") {
  const Rows rows{{0.1, 2.5}, {-0.3, 10}};
  std::vector<Decimal> digits{{100}, {2500}, {-300}, {10000}};
  DatasetParts parts = testing::parts_from(rows);
  parts.matrix = DenseView<Decimal>{2, 2, digits.data(), 1000};
  parts.storage = nullptr;
  CHECK(Dataset::make(std::move(parts)).fingerprint() == dataset_from(rows).fingerprint());
}

TEST_CASE("borrowed arrays live as long as a set that reads them") {
  auto values = std::make_shared<std::vector<double>>(flat<double>(sample_rows(6, 3)));
  const std::weak_ptr<const void> watched = values;
  const double* const place = values->data();
  Dataset kept;
  {
    const Dataset data =
        Dataset::dense(*values, 6, 3, {.hold = Hold::Borrow, .owner = values, .labels = sample_labels(6)});
    values.reset();
    kept = data.reweighted({1, 1, 0, 1, 1, 2});
  }
  CHECK_FALSE(watched.expired());
  CHECK(value_pointer(kept) == place);
  kept = kept.relabelled({0, 1, 0, 1, 0, 1}, {"a", "b"});
  CHECK_FALSE(watched.expired());
  kept = Dataset();
  CHECK(watched.expired());
}

TEST_CASE("copied arrays may go at once") {
  auto arrays = std::make_unique<Csr<double, std::int32_t, std::int32_t>>(csr_of(sample_rows(20, 4)));
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = owner;
  const Dataset data = arrays->data({.owner = std::move(owner)});
  arrays.reset();
  CHECK(watched.expired());
  check_entries(data, sample_rows(20, 4));
}

TEST_CASE("other weights share the matrix and the labels, and weight 0 is an absent row") {
  const Rows rows = sample_rows(30, 4);
  const std::vector<int> labels = sample_labels(30);
  const Dataset data = dataset_from(rows, labels);
  std::vector<double> weights(30, 1.0);
  Rows left;
  std::vector<int> left_labels;
  for (std::size_t i = 0; i < 30; ++i) {
    if (i % 5 == 2) {
      weights[i] = 0;
      continue;
    }
    left.push_back(rows[i]);
    left_labels.push_back(labels[i]);
  }
  const Dataset fold = data.reweighted(weights);
  CHECK(value_pointer(fold) == value_pointer(data));
  CHECK(fold.labels().data() == data.labels().data());
  CHECK(fold.weight(2) == 0);
  CHECK(fold.nonzeros() == data.nonzeros());
  CHECK(data.reweighted({}).fingerprint() == data.fingerprint());
  CHECK(fold.reweighted({}).weights().empty());
  const Fit a = Algorithm::by_name("svm").train(fold, {});
  const Fit b = Algorithm::by_name("svm").train(dataset_from(left, left_labels), {});
  CHECK(a.proof.objective->primal >= b.proof.objective->dual - 1e-12);
  CHECK(b.proof.objective->primal >= a.proof.objective->dual - 1e-12);
  CHECK(input_error([&] {
          static_cast<void>(data.reweighted({1, 2}));
        }) == "test: error: 2 weights for 30 rows");
  weights[3] = -1;
  CHECK(input_error([&] { static_cast<void>(data.reweighted(weights)); }).find("weight -1") !=
        std::string::npos);
}

TEST_CASE("arrays train to the bytes of a table with the same numbers") {
  const testing::Folder folder;
  const Rows rows = sample_rows(80, 6, 9);
  const std::vector<int> labels = sample_labels(80);
  std::string text = "a,b,c,d,e,f,y\n";
  Rows decimals = rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (double& x : decimals[i]) {
      x = (x + 0.3) / 5;  // numbers with decimals: what a table keeps as such
      x = std::round(x * 1000) / 1000;
      text += fmt::format("{},", x);
    }
    text += fmt::format("{}\n", labels[i]);
  }
  const std::string path = folder / "t.csv";
  write_file(path, [&](ByteSink& sink) { sink.write(text); });
  const Dataset file = read(path, {.label = "y"});
  ArrayOptions options{.labels = labels, .names = {"a", "b", "c", "d", "e", "f"}, .label_name = "y"};
  options.decimals = true;
  const std::vector<double> values = flat<double>(decimals);
  const Dataset copied = Dataset::dense(values, 80, 6, options);
  options.hold = Hold::BorrowOnly;
  const Dataset borrowed = Dataset::dense(values, 80, 6, options);
  CHECK(file.storage_name() == copied.storage_name());
  CHECK(borrowed.storage_name() == "dense float64");
  for (const char* algorithm : {"svm", "logistic", "perceptron", "sgd", "hard-margin"}) {
    CAPTURE(algorithm);
    const Fit fit = Algorithm::by_name(algorithm).train(file, {.seed = 3});
    if (!fit.has_model()) continue;
    CHECK((bytes_of(algorithm, copied) == to_bytes(fit.model())));
    CHECK((bytes_of(algorithm, borrowed) == to_bytes(fit.model())));
  }
}

TEST_CASE("sparse arrays train to the bytes of libsvm text with the same numbers") {
  const testing::Folder folder;
  Random random(4);
  Csr<double, std::int64_t, std::int64_t> arrays;
  arrays.cols = 300;
  std::string text;
  std::vector<int> labels;
  for (int i = 0; i < 200; ++i) {
    labels.push_back(random.below(2) == 0 ? 1 : -1);
    text += fmt::format("{}", labels.back());
    for (std::size_t j = random.below(40); j < 299; j += 1 + random.below(60)) {
      const double x = static_cast<double>(1 + random.below(999)) / 1000;
      arrays.add(j, x);
      text += fmt::format(" {}:{}", j + 1, x);
    }
    arrays.add(299, 1);
    text += " 300:1\n";
    arrays.end_row();
  }
  const std::string path = folder / "t.svm";
  write_file(path, [&](ByteSink& sink) { sink.write(text); });
  const Dataset file = read(path);
  for (const char* algorithm : {"svm", "logistic", "perceptron", "sgd"}) {
    CAPTURE(algorithm);
    for (const Hold hold : {Hold::Copy, Hold::BorrowOnly})
      CHECK(
          (bytes_of(algorithm, arrays.data({.hold = hold, .labels = labels})) == bytes_of(algorithm, file)));
  }
}

TEST_CASE("borrowed sets are written like others") {
  const testing::Folder folder;
  const Rows rows = sample_rows(25, 4);
  const auto arrays = csr_of<double, std::int32_t, std::int64_t>(rows);
  const Dataset data = arrays.data({.hold = Hold::BorrowOnly, .labels = sample_labels(25)});
  for (const char* name : {"t.hsd", "t.csv", "t.svm"}) {
    CAPTURE(name);
    const std::string path = folder / name;
    write(data, path);
    CHECK(read(path, {.need_labels = false}).nonzeros() == data.nonzeros());
  }
  CHECK(read(folder / "t.hsd").fingerprint() == data.fingerprint());
}

TEST_CASE("values that are not at an even place, rows without entries and values that are all one") {
  const Rows rows = sample_rows(50, 37);
  std::vector<double> values{7};
  for (const double x : flat<double>(rows)) values.push_back(x);
  const Dataset odd = Dataset::dense(std::span<const double>(values).subspan(1), 50, 37,
                                     {.hold = Hold::BorrowOnly, .labels = sample_labels(50)});
  const Dataset even = Dataset::dense(flat<double>(rows), 50, 37, {.labels = sample_labels(50)});
  CHECK((bytes_of("svm", odd).size() == bytes_of("svm", even).size()));
  Csr<double, std::int32_t, std::int32_t> ones;
  ones.cols = 3;
  ones.end_row();
  ones.add(1, 1);
  ones.end_row();
  const Dataset data = ones.data({.hold = Hold::BorrowOnly});
  CHECK(data.storage_name() == "sparse ones");
  CHECK(index_pointer(data) == ones.columns.data());
  check_entries(data, {{0, 0, 0}, {0, 1, 0}});
}
