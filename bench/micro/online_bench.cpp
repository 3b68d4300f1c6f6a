// SPDX-License-Identifier: BSD-3-Clause
// A pass of the perceptron against a bare pass that only computes every row's product, on real data:
//   online_bench [options of google-benchmark] FILE...
// Ten passes with the certificate at their end are timed; "pass" is the tenth part.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "data/storage/row_access.hpp"
#include "halfspace/halfspace.hpp"

namespace {

using namespace halfspace;

constexpr double passes = 10;

void bare(benchmark::State& state, const Dataset& data) {
  const auto rows = RowAccess::of(data.matrix());
  std::vector<double> w(data.features(), 0.5), out(data.rows());
  const Threads one(1);
  for (auto _ : state) {
    row_products(*rows, w.data(), out.data(), one);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["pass"] =
      benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Options>
void learn(benchmark::State& state, const Dataset& data, Order order) {
  for (auto _ : state) benchmark::DoNotOptimize(solve(data, Options{.passes = {passes}, .order = order}, {}));
  state.counters["pass"] =
      benchmark::Counter(passes, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<Dataset> sets;
  for (int i = 1; i < argc; ++i) {
    Dataset data = read(argv[i]);
    if (data.classes().size() > 2) data = data.one_against_rest(data.classes().back());
    const std::string name = argv[i] + std::string(", ") + data.storage_name();
    benchmark::RegisterBenchmark(("bare pass, " + name).c_str(), [data](auto& state) { bare(state, data); });
    for (const Order order : {Order::Cyclic, Order::Shuffled}) {
      const std::string how = order == Order::Cyclic ? " cyclic, " : " shuffled, ";
      benchmark::RegisterBenchmark(("perceptron" + how + name).c_str(),
                                   [data, order](auto& state) { learn<Perceptron>(state, data, order); });
      benchmark::RegisterBenchmark(("averaged-perceptron" + how + name).c_str(), [data, order](auto& state) {
        learn<AveragedPerceptron>(state, data, order);
      });
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
