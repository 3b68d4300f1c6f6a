// SPDX-License-Identifier: BSD-3-Clause
// Bare passes over synthetic data: all row dots, dot + axpy row by row, gather against single loads, many
// planes. "entries" is the rate that matters: stored entries per second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/simd/loop_table.hpp"
#include "core/simd/row_loops.hpp"
#include "data/storage/row_products.hpp"
#include "halfspace/core/random.hpp"

namespace {

using namespace halfspace;

struct Shape {
  const char* name;
  std::size_t rows, cols, per_row;
  bool text_like;  // columns by a power law and rows of varied length, as words are
};
constexpr Shape short_rows{"short rows (14 of 123)", 32000, 123, 14, false};
constexpr Shape digit_rows{"digits (150 of 784)", 6000, 784, 150, false};
constexpr Shape text_rows{"text (74 of 1e6)", 20000, 1000000, 74, true};
constexpr Shape dense_rows{"dense (500)", 2000, 500, 500, false};
constexpr Shape narrow_rows{"dense (13)", 60000, 13, 13, false};

template <class V>
struct Stored {
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<V> value;
  std::vector<double> w;
  Shape shape;

  explicit Stored(const Shape& s) : shape(s) {
    Random random(1);
    std::vector<std::uint32_t> row;
    for (std::size_t i = 0; i < s.rows; ++i) {
      row.clear();
      const std::size_t size = s.text_like ? 1 + random.below(2 * s.per_row) : s.per_row;
      if (s.per_row == s.cols) {
        for (std::uint32_t j = 0; j < s.cols; ++j) row.push_back(j);
      }
      while (row.size() < size) {
        const double u = random.uniform();
        row.push_back(
            static_cast<std::uint32_t>((s.text_like ? u * u * u : u) * static_cast<double>(s.cols)));
        if (row.size() == size) {
          std::sort(row.begin(), row.end());
          row.erase(std::unique(row.begin(), row.end()), row.end());
        }
      }
      index.insert(index.end(), row.begin(), row.end());
      start.push_back(index.size());
    }
    for (std::size_t k = 0; k < index.size(); ++k) {
      const auto digits = static_cast<std::int32_t>(1 + random.below(1000));
      if constexpr (std::is_same_v<V, Decimal>) value.push_back({digits});
      if constexpr (std::is_floating_point_v<V>) value.push_back(static_cast<V>(digits / 8.0));
    }
    w.resize(s.cols);
    for (double& x : w) x = random.normal();
  }
  template <class View>
  [[nodiscard]] View view() const {
    if constexpr (is_sparse<View>) {
      return {shape.rows, shape.cols, start.data(), index.data(), value.empty() ? nullptr : value.data(),
              1000};
    } else {
      return {shape.rows, shape.cols, value.data(), 1000};
    }
  }
  void report(benchmark::State& state, double passes = 1) const {
    state.counters["entries"] = benchmark::Counter(static_cast<double>(index.size()) * passes,
                                                   benchmark::Counter::kIsIterationInvariantRate);
  }
};

template <class View>
void all_dots(benchmark::State& state, const Shape& shape) {
  const Stored<typename View::Value> data(shape);
  const View view = data.template view<View>();
  std::vector<double> out(shape.rows);
  for (auto _ : state) {
    dot_rows(view, 0, shape.rows, data.w.data(), out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  data.report(state);
}

template <class View>
void dot_and_axpy(benchmark::State& state, const Shape& shape) {
  Stored<typename View::Value> data(shape);
  const View view = data.template view<View>();
  for (auto _ : state) {
    for (std::size_t i = 0; i < shape.rows; ++i) {
      const auto row = view.row(i);
      axpy(-1e-9 * dot(row, data.w.data()), row, data.w.data());
    }
    benchmark::ClobberMemory();
  }
  data.report(state);
}

// One of the two ways to the weights of a long sparse row, on the best instruction set.
template <class V>
void long_dots(benchmark::State& state, const Shape& shape, bool gather) {
  const detail::KernelTable table = detail::best_table();
  const auto& kernels = [&]() -> const auto& {
    if constexpr (std::is_same_v<V, One>) return table.sparse_one;
    if constexpr (std::is_same_v<V, float>) return table.sparse_float;
    if constexpr (std::is_same_v<V, double>) return table.sparse_double;
    if constexpr (std::is_same_v<V, Decimal>) return table.sparse_decimal;
  }
  ();
  const auto dot_of = gather ? kernels.dot_gather : kernels.dot;
  if (dot_of == nullptr) return state.SkipWithError("no gather instructions");
  const Stored<V> data(shape);
  const auto view = data.template view<CsrView<V>>();
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t i = 0; i < shape.rows; ++i) sum += dot_of(view.row(i), data.w.data());
    benchmark::DoNotOptimize(sum);
  }
  data.report(state);
}

template <class View>
void planes_pass(benchmark::State& state, const Shape& shape, std::size_t planes, bool together) {
  const Stored<typename View::Value> data(shape);
  const View view = data.template view<View>();
  std::vector<double> w(shape.cols * planes, 0.5), out(shape.rows * planes);
  for (auto _ : state) {
    if (together) {
      dot_rows_planes(view, 0, shape.rows, w.data(), planes, out.data());
    } else {
      for (std::size_t k = 0; k < planes; ++k) {
        dot_rows(view, 0, shape.rows, w.data() + k * shape.cols, out.data() + k * shape.rows);
      }
    }
    benchmark::ClobberMemory();
  }
  data.report(state, static_cast<double>(planes));
}

template <class View>
void add(const Shape& shape, const std::string& storage) {
  benchmark::RegisterBenchmark((std::string("dot/") + shape.name + "/" + storage).c_str(), all_dots<View>,
                               shape);
  benchmark::RegisterBenchmark((std::string("dot+axpy/") + shape.name + "/" + storage).c_str(),
                               dot_and_axpy<View>, shape);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Shape& shape : {short_rows, digit_rows, text_rows}) {
    add<CsrView<One>>(shape, "ones");
    add<CsrView<float>>(shape, "float");
    add<CsrView<Decimal>>(shape, "decimal");
    add<CsrView<double>>(shape, "double");
  }
  for (const Shape& shape : {dense_rows, narrow_rows}) {
    add<DenseView<float>>(shape, "float");
    add<DenseView<Decimal>>(shape, "decimal");
    add<DenseView<double>>(shape, "double");
  }
  for (const bool gather : {false, true}) {
    const std::string how = gather ? "/gather" : "/loads";
    for (const Shape& shape : {digit_rows, text_rows}) {
      const std::string name = std::string("long/") + shape.name;
      benchmark::RegisterBenchmark((name + "/ones" + how).c_str(), long_dots<One>, shape, gather);
      benchmark::RegisterBenchmark((name + "/float" + how).c_str(), long_dots<float>, shape, gather);
      benchmark::RegisterBenchmark((name + "/double" + how).c_str(), long_dots<double>, shape, gather);
      benchmark::RegisterBenchmark((name + "/decimal" + how).c_str(), long_dots<Decimal>, shape, gather);
    }
  }
  for (const std::size_t planes : {std::size_t{3}, std::size_t{10}, std::size_t{26}, std::size_t{100}}) {
    for (const bool together : {false, true}) {
      const std::string name = "planes/" + std::to_string(planes) + (together ? "/together" : "/one by one");
      benchmark::RegisterBenchmark((name + "/digits").c_str(), planes_pass<CsrView<float>>, digit_rows,
                                   planes, together);
      benchmark::RegisterBenchmark((name + "/dense").c_str(), planes_pass<DenseView<float>>, dense_rows,
                                   planes, together);
    }
  }
  benchmark::AddCustomContext("kernels", instruction_set());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
