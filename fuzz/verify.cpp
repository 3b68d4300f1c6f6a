// SPDX-License-Identifier: BSD-3-Clause
// Forged models. The input is a list of edits to the parts of an honest model of a small data set: numbers of its tensors,
// names, sizes, the text of its fields and of its certificate. The library's own writer puts the parts together again, so
// every checksum is right. Whatever comes out is refused, or predicts; and no check of it may hold that claims an
// objective better than the best one of the data.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "model/file/safetensors.hpp"
#include "oracle.hpp"

namespace {

using namespace halfspace;
using detail::Tensor;

Dataset rows_of(const std::vector<std::array<double, 2>>& rows, std::vector<std::uint32_t> labels,
                std::vector<std::string> classes) {
  MatrixBuilder builder;
  for (const auto& row : rows) {
    builder.add(0, row[0]);
    builder.add(1, row[1]);
    builder.end_row();
  }
  StoredMatrix stored = builder.finish(2, Threads(1));
  DatasetParts parts{.matrix = stored.matrix, .storage = stored.storage, .labels = std::move(labels)};
  parts.classes = std::move(classes);
  parts.name = "rows";
  return Dataset::make(std::move(parts));
}

const Dataset& mixed() {
  static const Dataset data =
      rows_of({{0, 0}, {1, 0.5}, {2, -1}, {0.5, 2}, {-1, 1}, {1.5, 1.5}, {-0.5, -1}, {3, 0}},
              {0, 1, 0, 1, 0, 1, 0, 1}, {"-1", "1"});
  return data;
}
const Dataset& three() {
  static const Dataset data =
      rows_of({{0, 0}, {1, 0.5}, {2, -1}, {0.5, 2}, {-1, 1}, {1.5, 1.5}, {-0.5, -1}, {3, 0}, {2, 2}},
              {0, 1, 2, 1, 0, 1, 0, 2, 2}, {"a", "b", "c"});
  return data;
}
const Dataset& apart() {
  static const Dataset data =
      rows_of({{0, 0}, {-1, 0.5}, {-2, -1}, {2, 2}, {3, 1}, {2, 4}}, {0, 0, 0, 1, 1, 1}, {"-1", "1"});
  return data;
}

// The parts of a model file, to be edited.
struct Parts {
  std::string fields;
  std::vector<Tensor> tensors;
  std::vector<std::string> bytes;  // of the tensors

  [[nodiscard]] std::string file() {
    for (std::size_t t = 0; t < tensors.size(); ++t) tensors[t].bytes = bytes[t];
    return detail::write_tensors(fields, tensors);
  }
};

struct Base {
  const Dataset* data = nullptr;
  Model model;
  ModelCheck check;
  Parts parts;
};

Base base_of(const Dataset& data, Fit fit) {
  Base out{.data = &data, .model = std::move(fit.model())};
  out.check = verify(out.model, data, Threads(1));
  fuzz::require(out.check.holds, "an honest model of " + out.model.algorithm + " is verified");
  const std::string saved = to_bytes(out.model);
  detail::TensorFile file = detail::read_tensors(saved, "saved");
  out.parts.fields = file.fields;
  for (Tensor& tensor : file.tensors) {
    out.parts.bytes.emplace_back(tensor.bytes);
    out.parts.tensors.push_back(std::move(tensor));
  }
  return out;
}

const std::vector<Base>& bases() {
  static const std::vector<Base> all = [] {
    const KernelFunction rbf{.kind = KernelKind::Rbf, .gamma = 0.5};
    std::vector<Base> out;
    out.push_back(base_of(mixed(), train(mixed(), Svm{.gap = 1e-9})));
    out.push_back(
        base_of(mixed(),
                train(mixed(), Svm{.C = 10, .loss = SquaredHinge{}, .offset = Offset::Lifted, .gap = 1e-9})));
    out.push_back(base_of(mixed(), train(mixed(), LogisticRegression{.offset = Offset::None, .gap = 1e-9})));
    out.push_back(base_of(mixed(), train(mixed(), Svm{.gap = 1e-6, .kernel = rbf})));
    out.push_back(base_of(mixed(), train(mixed(), NuSvm{})));
    out.push_back(base_of(three(), train(three(), LogisticRegression{.gap = 1e-9})));
    out.push_back(base_of(three(), train(three(), Svm{.gap = 1e-9})));
    out.push_back(base_of(three(), train(three(), Svm{.gap = 1e-6, .kernel = rbf})));
    out.push_back(base_of(apart(), train(apart(), HardMargin{})));
    return out;
  }();
  return all;
}

// The input, a number at a time; zeros when it has ended.
class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  [[nodiscard]] bool ended() const { return at_ == end_; }
  std::size_t byte() { return at_ == end_ ? 0 : *at_++; }
  std::size_t below(std::size_t n) {
    const std::size_t high = n > 256 ? byte() : 0;
    return n == 0 ? 0 : (256 * high + byte()) % n;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

double other_number(Script& script, double now) {
  constexpr std::array<double, 12> some = {0.0,    -0.0,  1,        -1,
                                           1e-300, 1e300, HUGE_VAL, -1e30,
                                           1e-9,   1e12,  0.5,      std::numeric_limits<double>::quiet_NaN()};
  const std::size_t which = script.byte();
  if (which < some.size()) return some[which];
  if (which < 40) return -now;
  if (which < 80) return now * static_cast<double>(script.byte());
  return now * (1 + (static_cast<double>(script.byte()) - 128) / (which < 160 ? 128.0 : 1e6));
}

// The number at or after `from` in a JSON text becomes another one.
void replace_number(Script& script, std::string& text) {
  if (text.empty()) return;
  std::size_t at = text.find_first_of("0123456789", script.below(text.size()));
  if (at == std::string::npos) return;
  const std::size_t length = std::min(text.find_first_not_of("0123456789.eE+-", at), text.size()) - at;
  constexpr std::array<std::string_view, 9> some = {"0",    "-1",  "1e300",      "1e-300", "1e999",
                                                    "null", "0.5", "4294967296", "\"1\""};
  const std::size_t which = script.byte();
  if (which < some.size()) {
    text.replace(at, length, some[which]);
  } else {
    text[at + script.below(length)] = static_cast<char>('0' + which % 10);
  }
}

void edit(Script& script, Parts& parts) {
  const std::size_t kind = script.byte() % 8;
  const std::size_t t = script.below(parts.tensors.size());
  std::string& bytes = parts.bytes[t];
  Tensor& tensor = parts.tensors[t];
  const auto certificate = std::find_if(parts.tensors.begin(), parts.tensors.end(),
                                        [](const Tensor& other) { return other.name == "certificate"; });
  switch (kind) {
    case 0:
    case 1:
      if (tensor.dtype == detail::Dtype::F64 && bytes.size() >= 8) {
        const std::size_t at = 8 * script.below(bytes.size() / 8);
        double value = 0;
        std::memcpy(&value, bytes.data() + at, 8);
        value = other_number(script, value);
        std::memcpy(bytes.data() + at, &value, 8);
      } else if (!bytes.empty()) {
        bytes[script.below(bytes.size())] ^= static_cast<char>(1U << script.below(8));
      }
      break;
    case 2: std::swap(tensor.name, parts.tensors[script.below(parts.tensors.size())].name); break;
    case 3:  // fewer or more elements along the first extent
      if (!tensor.shape.empty() && tensor.shape[0] > 0) {
        const std::size_t each = bytes.size() / tensor.shape[0];
        tensor.shape[0] = script.below(2 * tensor.shape[0] + 1);
        bytes.resize(each * tensor.shape[0], static_cast<char>(script.byte()));
      }
      break;
    case 4:
      if (!parts.fields.empty())
        parts.fields[script.below(parts.fields.size())] = static_cast<char>(' ' + script.byte() % 95);
      break;
    case 5: replace_number(script, parts.fields); break;
    default:
      if (certificate != parts.tensors.end()) {
        std::string& text = parts.bytes[static_cast<std::size_t>(certificate - parts.tensors.begin())];
        replace_number(script, text);
        certificate->shape = {text.size()};
      }
  }
}

const std::string* option(const Facts& facts, std::string_view name) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const auto& f) { return f.first == name; });
  return found == facts.end() ? nullptr : &found->second;
}

bool same_problem(const Model& a, const Model& b) {
  const auto* const kernel = std::get_if<KernelModel>(&a.form);
  const auto* const other = std::get_if<KernelModel>(&b.form);
  if (a.form.index() != b.form.index()) return false;
  if (kernel != nullptr && (OptionType<KernelFunction>::print(kernel->kernel) !=
                                OptionType<KernelFunction>::print(other->kernel) ||
                            kernel->pairs != other->pairs))
    return false;
  return a.algorithm == b.algorithm && a.options == b.options && a.facts == b.facts &&
         a.classes == b.classes && a.unit_rows == b.unit_rows && !has_preparation(a) && a.encoding == nullptr;
}

// The zero function is one of all functions, whatever C is.
std::optional<double> objective_of_zero(const Model& model, const Model& base) {
  Model like = base;
  like.options = model.options;
  const std::string* const text = option(model.options, "C");
  if (text == nullptr || !same_problem(model, like)) return std::nullopt;
  for (const auto& [name, value] : base.options) {
    const std::string* const now = option(model.options, name);
    if (name != "C" && (now == nullptr || *now != value)) return std::nullopt;
  }
  const double c = std::strtod(text->c_str(), nullptr);
  const std::string* const rows = option(base.facts, "rows");
  const double loss = base.algorithm == "svm" ? 1 : std::log(static_cast<double>(base.classes.size()));
  return c * std::strtod(rows->c_str(), nullptr) * loss;
}

void check_claim(const Base& base, const Model& model, const ModelCheck& check) {
  const bool same = same_problem(model, base.model);
  const auto zero = objective_of_zero(model, base.model);
  for (std::size_t k = 0; k < check.gaps.size(); ++k) {
    const DualityGap& gap = check.gaps[k];
    fuzz::require(std::isfinite(gap.primal) && std::isfinite(gap.dual) && gap.dual <= gap.primal,
                  "numbers of a check that holds are in order");
    const double unit = 1e-9 * std::max(1.0, std::abs(gap.primal));
    if (zero) fuzz::require(gap.dual <= *zero + unit, "no bound is above the objective of the zero function");
    if (!same || k >= base.check.gaps.size()) continue;
    const DualityGap& known = base.check.gaps[k];
    fuzz::require(gap.dual <= known.primal + unit, "no bound is above the best objective");
    fuzz::require(gap.primal >= known.dual - unit, "no model is better than the best one");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Script script(data, size);
  const Base& base = bases()[script.byte() % bases().size()];
  Parts parts = base.parts;
  for (int edits = 0; edits < 8 && !script.ended(); ++edits) edit(script, parts);
  try {
    const Model model = model_from_bytes(parts.file(), "forged");
    (void)labels_from_scores(model, scores(model, *base.data, Threads(1)));
    const ModelCheck check = verify(model, *base.data, Threads(2));
    if (check.holds) check_claim(base, model, check);
  } catch (const InputError&) {
  } catch (const UsageError&) {
  }
  return 0;
}
