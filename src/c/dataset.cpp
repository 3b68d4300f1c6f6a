// SPDX-License-Identifier: BSD-3-Clause
// The C interface: data sets from arrays and files, and their values handed out.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "c/handles.hpp"
#include "halfspace/data/arrays.hpp"
#include "halfspace/data/categories.hpp"
#include "halfspace/data/matrix.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/model/read_for_model.hpp"

namespace halfspace::c {
namespace {

std::size_t item_size(std::int32_t type) {
  switch (type) {
    case HALFSPACE_FLOAT64:
    case HALFSPACE_INT64:
    case HALFSPACE_UINT64: return 8;
    case HALFSPACE_FLOAT32:
    case HALFSPACE_INT32:
    case HALFSPACE_UINT32: return 4;
    default: throw UsageError(fmt::format("{} is no type of an array", type));
  }
}

template <class T>
std::span<const T> span_of(const halfspace_array& array, std::size_t size) {
  if (size > 0 && array.data == nullptr) throw UsageError("an array without data");
  if (!is_aligned(array, sizeof(T)))
    throw UsageError("values that do not lie at multiples of their size", "copy the array first");
  return {static_cast<const T*>(array.data), size};
}

ValueArray values_of_type(const halfspace_array& array, std::size_t size) {
  if (array.type == HALFSPACE_FLOAT64) return span_of<double>(array, size);
  if (array.type == HALFSPACE_FLOAT32) return span_of<float>(array, size);
  throw UsageError("values are float64 or float32");
}

// One after the other: the length of a list of values or of numbers.
std::size_t list_size(const halfspace_array& array, const char* what) {
  if (array.cols != 1) throw UsageError(fmt::format("{}: an array with one dimension", what));
  if (array.rows > 1 && array.row_stride != static_cast<std::int64_t>(item_size(array.type)))
    throw UsageError(fmt::format("{}: values one after the other", what));
  return array.rows;
}

IndexArray indices_of(const halfspace_array& array, const char* what) {
  const std::size_t size = list_size(array, what);
  switch (array.type) {
    case HALFSPACE_INT32: return span_of<std::int32_t>(array, size);
    case HALFSPACE_INT64: return span_of<std::int64_t>(array, size);
    case HALFSPACE_UINT32: return span_of<std::uint32_t>(array, size);
    case HALFSPACE_UINT64: return span_of<std::uint64_t>(array, size);
    default: throw UsageError(fmt::format("{}: whole numbers of 32 or 64 bits", what));
  }
}

std::vector<std::string> texts(const char* const* list, std::uint64_t count, const char* what) {
  std::vector<std::string> out;
  for (std::uint64_t i = 0; i < count; ++i) out.emplace_back(&need(need(&list, what)[i], what));
  return out;
}

Dataset with_categories(Dataset data, const halfspace_rows& rows) {
  if (rows.category_counts == nullptr) return data;
  std::vector<TableColumn> columns;
  const char* const* next = rows.categories;
  for (std::uint64_t k = 0; k < rows.name_count; ++k) {
    columns.push_back(
        {&need(need(&rows.names, "names")[k], "a name"), texts(next, rows.category_counts[k], "categories")});
    if (next != nullptr) next += rows.category_counts[k];
  }
  return with_columns(data, columns, text_or(rows.label_name));
}

ArrayOptions array_options(const halfspace_rows& rows, std::size_t count) {
  ArrayOptions out;
  if (rows.hold != HALFSPACE_COPY && rows.hold != HALFSPACE_BORROW)
    throw UsageError(fmt::format("{} is no way to hold arrays", rows.hold));
  out.hold = rows.hold == HALFSPACE_BORROW ? Hold::Borrow : Hold::Copy;
  if (rows.labels != nullptr)
    out.labels = ClassLabels{{rows.labels, count}, texts(rows.classes, rows.class_count, "classes")};
  if (rows.weights != nullptr) out.weights = {rows.weights, count};
  if (rows.names != nullptr) out.names = texts(rows.names, rows.name_count, "names");
  out.label_name = text_or(rows.label_name);
  if (rows.category_counts != nullptr) {  // with_categories() knows the names
    out.names.clear();
    out.label_name.clear();
  }
  out.decimals = rows.decimals != 0;
  out.threads = Threads(rows.threads);
  return out;
}

// Where the rows lie: row after row or column after column, with gaps between them or none.
void set_layout(const halfspace_array& array, ArrayOptions& options) {
  const auto item = static_cast<std::int64_t>(item_size(array.type));
  const auto rows = static_cast<std::int64_t>(array.rows), cols = static_cast<std::int64_t>(array.cols);
  const auto fits = [&](std::int64_t inner, std::int64_t length, std::int64_t outer, std::int64_t lines) {
    return (length <= 1 || inner == item) && (lines <= 1 || (outer % item == 0 && outer / item >= length));
  };
  if (fits(array.col_stride, cols, array.row_stride, rows)) {
    options.layout = Layout::RowMajor;
    options.stride = static_cast<std::size_t>(rows > 1 ? array.row_stride / item : cols);
  } else if (fits(array.row_stride, rows, array.col_stride, cols)) {
    options.layout = Layout::ColumnMajor;
    options.stride = static_cast<std::size_t>(cols > 1 ? array.col_stride / item : rows);
  } else {
    throw UsageError("values are neither row after row nor column after column", "copy the array first");
  }
}

std::size_t value_count(const halfspace_array& array, const ArrayOptions& options) {
  const bool by_rows = options.layout == Layout::RowMajor;
  const std::size_t lines = by_rows ? array.rows : array.cols, length = by_rows ? array.cols : array.rows;
  if (lines == 0 || length == 0) return 0;
  if (options.stride > std::numeric_limits<std::size_t>::max() / 16 / lines)
    throw UsageError("an array larger than memory");
  return (lines - 1) * options.stride + length;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size() && !text.empty();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    out.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return out;
}

void set_read_option(ReadOptions& options, const std::string& name, const std::string& value) {
  if (name == "format") {
    options.format = OptionType<Format>::parse(name, value, {});
  } else if (name == "label") {
    options.label = value;
  } else if (name == "weight") {
    options.weight = value;
  } else if (name == "ignore") {
    options.ignore = words_of(value);
  } else if (name == "categorical") {
    options.categorical = words_of(value);
  } else if (name == "text") {
    options.text = words_of(value);
  } else if (name == "missing") {
    options.missing = OptionType<Missing>::parse(name, value, {});
  } else if (name == "zero-based") {
    options.zero_based = OptionType<bool>::parse(name, value, {});
  } else {
    throw UsageError(fmt::format("reading has no option '{}'", printable(name)),
                     "format, label, weight, ignore, categorical, text, missing, zero-based");
  }
}

template <class T>
halfspace_array list_at(const T* data, std::int32_t type, std::uint64_t size) {
  return {data, type, size, 1, sizeof(T), sizeof(T)};
}

template <class V>
constexpr std::int32_t value_type = std::is_same_v<V, double>  ? HALFSPACE_FLOAT64
                                    : std::is_same_v<V, float> ? HALFSPACE_FLOAT32
                                                               : -1;

template <class View>
void put_view(const View& view, halfspace_array& values, halfspace_array& columns, halfspace_array& starts) {
  using V = typename View::Value;
  if constexpr (value_type<V> < 0) {
    return;
  } else if constexpr (is_sparse<View>) {
    using I = typename View::Index;
    const std::uint64_t entries = view.rows == 0 ? 0 : view.start[view.rows];
    values = list_at(view.value, value_type<V>, entries);
    columns = list_at(view.index, sizeof(I) == 2 ? HALFSPACE_UINT16 : HALFSPACE_UINT32, entries);
    starts = list_at(view.start, HALFSPACE_UINT64, view.rows + 1);
  } else {
    values = {
        view.value, value_type<V>, view.rows, view.cols, static_cast<std::int64_t>(view.cols * sizeof(V)),
        sizeof(V)};
  }
}

Json describe_dataset(const Dataset& data) {
  Json names = nullptr, label = nullptr;
  if (data.encoding() != nullptr) {
    names = Json::array();
    for (std::uint32_t j = 0; j < data.features(); ++j) names.push_back(data.feature_name(j));
    label = data.encoding()->label_column;
  }
  return {{"rows", data.rows()},
          {"features", data.features()},
          {"nonzeros", data.nonzeros()},
          {"sparse", data.sparse()},
          {"storage", data.storage_name()},
          {"classes", data.classes()},
          {"labelled", data.labelled()},
          {"weighted", !data.weights().empty()},
          {"names", names},
          {"label", label}};
}

}  // namespace

Dataset dense_set(const halfspace_array& array, const halfspace_rows& rows) {
  ArrayOptions options = array_options(rows, array.rows);
  set_layout(array, options);
  return with_categories(
      Dataset::dense(values_of_type(array, value_count(array, options)), array.rows, array.cols, options),
      rows);
}

}  // namespace halfspace::c

using namespace halfspace;
using namespace halfspace::c;

std::int32_t halfspace_dataset_dense(const halfspace_array* values, const halfspace_rows* rows,
                                     halfspace_dataset** out, halfspace_error* error) {
  return guarded(error, [&] {
    need(out, "out") = new halfspace_dataset{dense_set(need(values, "values"), need(rows, "rows"))};
  });
}

std::int32_t halfspace_dataset_csr(const halfspace_array* values, const halfspace_array* columns,
                                   const halfspace_array* starts, std::uint64_t cols,
                                   const halfspace_rows* rows, halfspace_dataset** out,
                                   halfspace_error* error) {
  return guarded(error, [&] {
    const halfspace_array& entries = need(values, "values");
    const IndexArray begin = indices_of(need(starts, "starts"), "starts");
    const std::size_t lines = need(starts, "starts").rows;
    if (lines == 0) throw UsageError("starts: one more than there are rows");
    need(out, "out") = new halfspace_dataset{
        with_categories(Dataset::csr(values_of_type(entries, list_size(entries, "values")),
                                     indices_of(need(columns, "columns"), "columns"), begin, cols,
                                     array_options(need(rows, "rows"), lines - 1)),
                        need(rows, "rows"))};
  });
}

std::int32_t halfspace_dataset_read(const char* path, const char* const* options, std::uint64_t option_count,
                                    const halfspace_model* model, std::int32_t threads,
                                    halfspace_dataset** out, halfspace_error* error) {
  return guarded(error, [&] {
    ReadOptions how;
    how.need_labels = model == nullptr;
    how.threads = Threads(threads);
    for (std::uint64_t i = 0; i < option_count; ++i)
      set_read_option(how, &need(options[2 * i], "an option"), text_or(options[2 * i + 1]));
    const std::string name = &need(path, "path");
    need(out, "out") =
        new halfspace_dataset{model == nullptr ? read(name, how) : read_for_model(name, model->model, how)};
  });
}

std::int32_t halfspace_dataset_describe(const halfspace_dataset* data, char** json, halfspace_error* error) {
  return guarded(error,
                 [&] { need(json, "json") = allocate_json(describe_dataset(need(data, "data").data)); });
}

std::int32_t halfspace_dataset_labels(const halfspace_dataset* data, std::uint32_t* labels, double* weights,
                                      halfspace_error* error) {
  return guarded(error, [&] {
    const Dataset& rows = need(data, "data").data;
    if (labels != nullptr) {
      if (!rows.labelled()) throw UsageError("the rows have no labels");
      std::copy(rows.labels().begin(), rows.labels().end(), labels);
    }
    if (weights != nullptr)
      for (std::size_t i = 0; i < rows.rows(); ++i) weights[i] = rows.weight(i);
  });
}

std::int32_t halfspace_dataset_values(const halfspace_dataset* data, double* values, halfspace_error* error) {
  return guarded(error, [&] {
    const Dataset& rows = need(data, "data").data;
    double* const out = &need(values, "values");
    const std::size_t cols = rows.features();
    std::fill_n(out, rows.rows() * cols, 0.0);
    std::visit(
        [&](const auto& view) {
          for (std::size_t i = 0; i < rows.rows(); ++i)
            for_entries(view.row(i), [&](std::uint32_t j, double x) { out[i * cols + j] = x; });
        },
        rows.matrix());
  });
}

std::int32_t halfspace_dataset_entries(const halfspace_dataset* data, double* values, std::int32_t* columns,
                                       std::int64_t* starts, halfspace_error* error) {
  return guarded(error, [&] {
    const Dataset& rows = need(data, "data").data;
    std::int64_t* const start = &need(starts, "starts");
    std::size_t k = 0;
    start[0] = 0;
    std::visit(
        [&](const auto& view) {
          for (std::size_t i = 0; i < rows.rows(); ++i) {
            for_entries(view.row(i), [&](std::uint32_t j, double x) {
              values[k] = x;
              columns[k++] = static_cast<std::int32_t>(j);
            });
            start[i + 1] = static_cast<std::int64_t>(k);
          }
        },
        rows.matrix());
  });
}

std::int32_t halfspace_dataset_view(const halfspace_dataset* data, halfspace_array* values,
                                    halfspace_array* columns, halfspace_array* starts,
                                    halfspace_error* error) {
  return guarded(error, [&] {
    const Dataset& rows = need(data, "data").data;
    need(values, "values") = need(columns, "columns") = need(starts, "starts") =
        halfspace_array{nullptr, -1, 0, 1, 0, 0};
    std::visit([&](const auto& view) { put_view(view, *values, *columns, *starts); }, rows.matrix());
  });
}

void halfspace_dataset_free(halfspace_dataset* data) { delete data; }
