// SPDX-License-Identifier: BSD-3-Clause
// LIBSVM's text models of classifiers (Chang, Lin: "LIBSVM: a library for support vector machines", ACM TIST
// 2, 2011):
//
//   svm_type c_svc|nu_svc / kernel_type NAME / [degree, gamma, coef0] / nr_class K / total_sv L / rho ... /
//   label ... / [probA ... / probB ...] / nr_sv ... / SV, then L lines: K - 1 coefficients and the entries.
//
// The function of its classes i < j is sum coefficient K(z, x) - rho, above 0 a vote for i, otherwise for j.
// A support vector of class i has its coefficient for the pair with j in column j - 1 if j > i, else in
// column j. Our pairs are in the order of the sorted classes and vote for the later one when above 0, so
// functions are turned round where the orders differ. Of equal votes LIBSVM takes the class that comes first
// in its list: the model keeps that order.
#include "model/foreign/libsvm_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/model/libsvm.hpp"
#include "model/foreign/text_cursor.hpp"

namespace halfspace {
namespace {

using Cursor = detail::TextCursor;

constexpr std::array<std::string_view, 5> kernel_names = {"linear", "polynomial", "rbf", "sigmoid",
                                                          "precomputed"};

struct Head {
  KernelFunction kernel;
  std::size_t classes = 0, vectors = 0;
  std::vector<double> rho;
  std::vector<std::int64_t> label;
  std::vector<std::uint64_t> of_class;
  std::vector<double> prob_a, prob_b;  // -b 1: P(i) = 1 / (1 + exp(A f + B)) for every pair
};

template <class T>
std::vector<T> numbers(Cursor& cursor, const std::string& expected) {
  std::vector<T> out;
  for (cursor.skip_spaces(); !cursor.at_line_end(); cursor.skip_spaces())
    out.push_back(cursor.number<T>(expected));
  return out;
}

std::string word(Cursor& cursor) {
  cursor.skip_spaces();
  std::string out(cursor.token());
  cursor.pass(out);
  return out;
}

void read_kernel(Cursor& cursor, Head& header) {
  const Cursor here = cursor;
  const std::string name = word(cursor);
  const auto* const found = std::find(kernel_names.begin(), kernel_names.end(), name);
  if (found == kernel_names.end())
    here.refuse(fmt::format("kernel_type '{}'", printable(name)),
                "linear, polynomial, rbf, sigmoid or precomputed");
  header.kernel.kind = static_cast<KernelKind>(found - kernel_names.begin());
}

// A count beyond what the file has room for, even if all but a part in `cut` of it had been lost, is the field that is
// wrong.
std::size_t read_count(Cursor& cursor, const std::string& key, const std::string& expected, std::size_t cut) {
  const Cursor here = cursor;
  const auto count = cursor.number<std::uint32_t>(expected);
  if (2 * std::size_t{count} / cut > cursor.left().size())
    here.refuse(fmt::format("{} {}", key, count), "the file has no room for as many");
  return count;
}

void read_key(Cursor& cursor, const std::string& key, const Cursor& at_key, Head& header) {
  cursor.skip_spaces();
  const Cursor here = cursor;
  if (key == "svm_type") {
    const std::string type = word(cursor);
    if (type != "c_svc" && type != "nu_svc")
      here.refuse(fmt::format("svm_type '{}'", printable(type)), "a classifier: c_svc or nu_svc");
  } else if (key == "kernel_type") {
    read_kernel(cursor, header);
  } else if (key == "degree") {
    header.kernel.degree = cursor.number<std::int64_t>("a degree");
    if (header.kernel.degree < 1 || header.kernel.degree > 64) here.refuse("a degree outside 1 to 64");
  } else if (key == "gamma") {
    header.kernel.gamma = cursor.number<double>("gamma");
  } else if (key == "coef0") {
    header.kernel.coef = cursor.number<double>("coef0");
  } else if (key == "nr_class") {
    header.classes = read_count(cursor, key, "the number of classes", 1);
    if (header.classes < 2) here.refuse(fmt::format("nr_class {}", header.classes), "at least 2");
  } else if (key == "total_sv") {
    header.vectors = read_count(cursor, key, "the number of support vectors", 1024);
  } else if (key == "rho") {
    header.rho = numbers<double>(cursor, "a number");
  } else if (key == "label") {
    header.label = numbers<std::int64_t>(cursor, "a label (an integer)");
  } else if (key == "nr_sv") {
    header.of_class = numbers<std::uint64_t>(cursor, "a number of support vectors");
  } else if (key == "probA") {
    header.prob_a = numbers<double>(cursor, "a number");
  } else if (key == "probB") {
    header.prob_b = numbers<double>(cursor, "a number");
  } else {
    at_key.refuse(fmt::format("unknown key '{}'", printable(key)), "a key of a LIBSVM model");
  }
}

// Whether the fields agree with each other. `places`: of what follows the keys.
void check_header(const Head& header, const std::map<std::string, Cursor>& places) {
  const auto refuse = [&](const char* key, std::size_t number, const std::string& found) {
    places.at(key).word(number).refuse(found);
  };
  const std::size_t k = header.classes;
  const auto check_count = [&](const char* key, std::size_t count, std::size_t expected, const char* what) {
    if (count != expected)
      refuse(key, std::min(count, expected), fmt::format("{} {} for {} classes", count, what, k));
  };
  check_count("label", header.label.size(), k, "labels");
  check_count("nr_sv", header.of_class.size(), k, "counts");
  check_count("rho", header.rho.size(), k * (k - 1) / 2, "values of rho");
  for (const char* key : {"probA", "probB"}) {
    if (!places.contains(key)) continue;
    const char* other = key[4] == 'A' ? "probB" : "probA";
    if (!places.contains(other)) refuse(key, 0, fmt::format("{} without {}", key, other));
    check_count(key, (key[4] == 'A' ? header.prob_a : header.prob_b).size(), k * (k - 1) / 2, "values");
  }
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < k; ++i)
    if (!seen.insert(header.label[i]).second)
      refuse("label", i, fmt::format("the label {} twice", header.label[i]));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const std::uint64_t n = header.of_class[i];
    if (n > header.vectors) refuse("nr_sv", i, fmt::format("nr_sv {} above total_sv {}", n, header.vectors));
    sum += n;
  }
  if (sum != header.vectors)
    refuse("nr_sv", k - 1, fmt::format("nr_sv adds up to {}, total_sv is {}", sum, header.vectors));
  const bool gamma =
      header.kernel.kind != KernelKind::Linear && header.kernel.kind != KernelKind::Precomputed;
  if (gamma && header.kernel.gamma == 0)
    refuse(places.contains("gamma") ? "gamma" : "kernel_type", 0, "gamma is 0 or missing");
  if (header.kernel.kind == KernelKind::Poly && !places.contains("degree"))
    refuse("kernel_type", 0, "no 'degree' for a polynomial");
}

Head read_header(Cursor& cursor) {
  Head header;
  std::map<std::string, Cursor> places;  // of what follows the keys
  for (;;) {
    cursor.skip_spaces();
    const Cursor here = cursor;
    if (cursor.at_end()) cursor.refuse("the file ends here", "'SV' expected", "was the file cut short?");
    const std::string key = word(cursor);
    if (key == "SV") {
      for (const char* needed : {"svm_type", "kernel_type", "nr_class", "total_sv", "rho", "label", "nr_sv"})
        if (!places.contains(needed)) here.refuse(fmt::format("no '{}' before SV", needed));
      cursor.end_line();
      break;
    }
    if (!places.emplace(key, cursor).second) here.refuse(fmt::format("'{}' a second time", printable(key)));
    read_key(cursor, key, here, header);
    cursor.end_line();
  }
  check_header(header, places);
  return header;
}

struct Vectors {
  std::vector<std::vector<double>> coefficient;  // [class pair column][vector]
};

// The coefficients and the entries of all support vectors.
Vectors read_vectors(Cursor& cursor, const Head& header, KernelModel& model) {
  Vectors out;
  out.coefficient.resize(header.classes - 1);
  const bool given = header.kernel.kind == KernelKind::Precomputed;
  for (std::size_t r = 0; r < header.vectors; ++r) {
    if (cursor.at_end())
      cursor.refuse(fmt::format("{} of {} support vectors", r, header.vectors), {},
                    "was the file cut short?");
    for (auto& column : out.coefficient) {
      cursor.skip_spaces();
      column.push_back(cursor.number<double>("a coefficient"));
    }
    std::int64_t last = given ? -1 : 0;
    for (cursor.skip_spaces(); !cursor.at_line_end(); cursor.skip_spaces()) {
      const std::string_view token = cursor.token();
      const std::size_t colon = token.find(':');
      std::uint32_t index = 0;
      double value = 0;
      const char* const middle = token.data() + std::min(colon, token.size());
      const auto [index_end, index_code] = std::from_chars(token.data(), middle, index);
      if (colon == std::string_view::npos || index_code != std::errc() || index_end != middle)
        cursor.refuse(fmt::format("'{}'", printable(token)), "index:value");
      Cursor at_value = cursor;
      at_value.pass(token.substr(0, colon + 1));
      value = at_value.number<double>("index:value");
      if (given) {
        if (index != 0 || last != -1 || value < 1 || value > most_features || value != std::floor(value))
          cursor.refuse(fmt::format("'{}'", printable(token)), "0: and the number of a training row");
        model.index.push_back(static_cast<std::uint32_t>(value));
        model.value.push_back(1);
        last = 0;
      } else {
        if (index <= last) cursor.refuse(fmt::format("index {} after {}", index, last), "ascending from 1");
        if (index > most_features)
          cursor.refuse(fmt::format("index {}", index), fmt::format("at most {} features", most_features));
        last = index;
        if (value != 0) {
          model.index.push_back(index - 1);
          model.value.push_back(value);
        }
      }
      cursor.pass(token);
    }
    if (given && last == -1) cursor.refuse("no number of a training row");
    model.start.push_back(model.index.size());
    cursor.end_line();
  }
  if (!cursor.at_end()) cursor.refuse("more lines than support vectors");
  return out;
}

std::size_t pair_number(std::size_t a, std::size_t b, std::size_t classes) {
  return a * classes - a * (a + 1) / 2 + b - a - 1;
}

}  // namespace

namespace detail {

bool is_libsvm_model(std::string_view bytes) { return bytes.starts_with("svm_type "); }

Model model_from_libsvm(std::string_view text, const std::string& name) {
  Cursor cursor(text, name);
  const Head header = read_header(cursor);
  const std::size_t classes = header.classes;
  KernelModel machine{.kernel = header.kernel, .pairs = classes > 2};
  const Vectors vectors = read_vectors(cursor, header, machine);
  for (const std::uint32_t j : machine.index)
    machine.features = std::max<std::size_t>(machine.features, j + std::size_t{1});

  // place[i]: where LIBSVM's class i stands among ours.
  std::vector<std::uint32_t> sorted(classes), place(classes);
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return header.label[a] < header.label[b]; });
  Model model;
  for (std::size_t c = 0; c < classes; ++c) {
    place[sorted[c]] = static_cast<std::uint32_t>(c);
    model.classes.push_back(std::to_string(header.label[sorted[c]]));
  }
  std::vector<std::uint64_t> begin(classes + 1, 0);
  for (std::size_t i = 0; i < classes; ++i) begin[i + 1] = begin[i] + header.of_class[i];
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b) {
      const std::size_t i = std::min(sorted[a], sorted[b]), j = std::max(sorted[a], sorted[b]);
      const double sign = place[i] > place[j] ? 1.0 : -1.0;  // LIBSVM's i wins above 0, our later class does
      for (const std::size_t c : {i, j}) {
        const auto& column = vectors.coefficient[c == i ? j - 1 : i];
        for (std::uint64_t r = begin[c]; r < begin[c + 1]; ++r) {
          if (column[r] == 0) continue;
          machine.vector.push_back(static_cast<std::uint32_t>(r));
          machine.coefficient.push_back(sign * column[r]);
        }
      }
      machine.first.push_back(machine.vector.size());
      const std::size_t pair = pair_number(i, j, classes);
      machine.offsets.push_back(-sign * header.rho[pair]);
      if (!header.prob_a.empty()) {
        // Turned round, A f + B becomes its negative, and f too.
        machine.sigmoid.push_back(header.prob_a[pair]);
        machine.sigmoid.push_back(sign * header.prob_b[pair]);
      }
      if (classes == 2) model.tie = sign > 0 ? Tie::Negative : Tie::Positive;
    }
  }
  if (classes > 2) machine.order = place;
  if (header.kernel.kind == KernelKind::Precomputed) model.facts.emplace_back("zero_based", "true");
  model.form = std::move(machine);
  return model;
}

}  // namespace detail

namespace {

std::int64_t libsvm_label(const std::string& name) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (code != std::errc() || end != name.data() + name.size())
    throw UsageError(fmt::format("the class '{}' is not an integer: LIBSVM has no names", printable(name)));
  return value;
}

// The class to which each support vector belongs, from the signs of its coefficients.
std::vector<std::uint32_t> class_of_vectors(const KernelModel& machine, std::size_t classes) {
  std::vector<std::uint32_t> out(machine.vectors(), 0);
  std::size_t k = 0;
  for (std::uint32_t a = 0; a < classes; ++a) {
    for (std::uint32_t b = a + 1; b < classes; ++b, ++k) {
      for (std::uint64_t at = machine.first[k]; at < machine.first[k + 1]; ++at)
        out[machine.vector[at]] = machine.coefficient[at] > 0 ? b : a;
    }
  }
  return out;
}

}  // namespace

std::string to_libsvm_text(const Model& model) {
  const auto* const machine = std::get_if<KernelModel>(&model.form);
  if (machine == nullptr)
    throw UsageError("LIBSVM models are kernel machines; this is another kind", "--to liblinear for planes");
  const std::size_t classes = model.classes.size();
  if (classes > 2 && !machine->pairs)
    throw UsageError("LIBSVM has pairs of classes, this model has one function per class");
  if (has_preparation(model))
    throw UsageError("LIBSVM does not scale columns or make features of rows; this model does",
                     "scale the data before training");
  if (model.unit_rows) throw UsageError("LIBSVM does not divide rows by their length; this model does");
  const bool given = machine->kernel.kind == KernelKind::Precomputed;
  // LIBSVM counts training rows from 1; so do the columns behind one with the numbers of the rows.
  const bool numbered =
      std::find(model.facts.begin(), model.facts.end(),
                std::pair<std::string, std::string>("zero_based", "true")) != model.facts.end();
  // Our first class comes first in LIBSVM's list as well, so every function is turned round.
  std::string text = fmt::format("svm_type c_svc\nkernel_type {}\n",
                                 kernel_names[static_cast<std::size_t>(machine->kernel.kind)]);
  const KernelKind kind = machine->kernel.kind;
  if (kind == KernelKind::Poly) text += fmt::format("degree {}\n", machine->kernel.degree);
  if (kind != KernelKind::Linear && !given) text += fmt::format("gamma {}\n", machine->kernel.gamma);
  if (kind == KernelKind::Poly || kind == KernelKind::Sigmoid)
    text += fmt::format("coef0 {}\n", machine->kernel.coef);
  text += fmt::format("nr_class {}\ntotal_sv {}\nrho", classes, machine->vectors());
  for (const double b : machine->offsets) text += fmt::format(" {}", b);
  text += "\nlabel";
  for (const std::string& name : model.classes) text += fmt::format(" {}", libsvm_label(name));
  if (!machine->sigmoid.empty()) {
    text += "\nprobA";
    for (std::size_t k = 0; k < machine->offsets.size(); ++k)
      text += fmt::format(" {}", machine->sigmoid[2 * k]);
    text += "\nprobB";
    for (std::size_t k = 0; k < machine->offsets.size(); ++k)
      text += fmt::format(" {}", -machine->sigmoid[2 * k + 1]);
  }
  const std::vector<std::uint32_t> owner = class_of_vectors(*machine, classes);
  std::vector<std::vector<std::uint32_t>> of_class(classes);
  for (std::size_t r = 0; r < owner.size(); ++r) of_class[owner[r]].push_back(static_cast<std::uint32_t>(r));
  text += "\nnr_sv";
  for (const auto& list : of_class) text += fmt::format(" {}", list.size());
  text += "\nSV\n";
  std::vector<double> coefficient(machine->vectors() * (classes - 1), 0.0);
  std::size_t k = 0;
  for (std::uint32_t a = 0; a < classes; ++a) {
    for (std::uint32_t b = a + 1; b < classes; ++b, ++k) {
      for (std::uint64_t at = machine->first[k]; at < machine->first[k + 1]; ++at) {
        const std::uint32_t r = machine->vector[at];
        coefficient[r * (classes - 1) + (owner[r] == a ? b - 1 : a)] = -machine->coefficient[at];
      }
    }
  }
  const auto out = std::back_inserter(text);
  for (const auto& list : of_class) {
    for (const std::uint32_t r : list) {
      for (std::size_t c = 0; c + 1 < classes; ++c)
        fmt::format_to(out, "{} ", coefficient[r * (classes - 1) + c]);
      for (std::uint64_t at = machine->start[r]; at < machine->start[r + 1]; ++at) {
        if (given) {
          fmt::format_to(out, "0:{} ", machine->index[at] + (numbered ? 0U : 1U));
        } else {
          fmt::format_to(out, "{}:{} ", machine->index[at] + 1, machine->value[at]);
        }
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace halfspace
