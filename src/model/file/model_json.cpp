// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/model_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "halfspace/core/version.hpp"
#include "halfspace/data/read.hpp"
#include "model/file/strict_json.hpp"

namespace halfspace::detail {
namespace {

// 1: the checksum left out the names of the tensors. Such a file may have been changed without a trace: it is refused.
constexpr std::string_view format_version = "2";
constexpr std::string_view first_reader =
    "0.1.0";  // the oldest program that reads this version of the format
constexpr std::uint64_t feature_limit = most_features;

constexpr std::string_view kind_words[] = {"number", "category", "words"};
constexpr std::string_view missing_rules[] = {"error", "mean", "median", "drop", "indicator"};
constexpr std::string_view one_hot_rules[] = {"full", "reference"};
constexpr std::string_view decimal_rules[] = {"point", "comma"};

std::string dump(const Json& json) {
  try {
    return json.dump();
  } catch (const Json::exception&) {
    throw InputError({}, "a text of the model is not UTF-8", "class and column names must be text");
  }
}

Json facts_to_json(const Facts& facts) {
  Json list = Json::array();
  for (const auto& [key, value] : facts) list.push_back(Json::array({key, value}));
  return list;
}

Facts read_facts(Fields& fields, std::string_view key) {
  Facts facts;
  for (const Json& item : fields.list(key)) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_string() || !item[1].is_string()) {
      fields.refuse_entry(key, facts.size(),
                          fmt::format("'{}' has an entry that is not a pair of texts", key));
    }
    facts.emplace_back(item[0].get<std::string>(), item[1].get<std::string>());
  }
  return facts;
}

template <std::size_t Count>
std::size_t read_word(Fields& fields, std::string_view key, const std::string_view (&words)[Count]) {
  const std::string& text = fields.text(key);
  const auto* const found = std::find(std::begin(words), std::end(words), text);
  if (found == std::end(words)) fields.refuse(fmt::format("'{}' is '{}'", key, printable(text)));
  return static_cast<std::size_t>(found - std::begin(words));
}

void check_version(Fields& fields) {
  const std::string& found = fields.text("version");
  if (found == format_version) return;
  if (found == "1")
    fields.refuse(
        fmt::format("format version 1, whose checksum does not cover the names of the tensors; this is "
                    "halfspace {}, which reads version {}",
                    version(), format_version),
        "train the model again");
  const Json* const reader = fields.find("reader");
  const std::string needed =
      reader != nullptr && reader->is_string()
          ? fmt::format("halfspace {} or newer reads it", printable(reader->get<std::string>()))
          : "a newer halfspace is needed";
  fields.refuse(fmt::format("format version {}; this is halfspace {}, which reads version {}",
                            printable(found), version(), format_version),
                needed);
}

// More than two classes are sorted as sort_classes() does; of two, the caller may have chosen the positive
// one.
void check_classes(const Fields& fields, const std::vector<std::string>& classes) {
  if (classes.size() < 2) fields.refuse(fmt::format("{} classes", classes.size()), "at least 2 are expected");
  if (classes.size() > UINT32_MAX - 1) fields.refuse("too many classes");
  std::set<std::string_view> seen;
  for (const std::string& name : classes) {
    if (name.empty()) fields.refuse("a class without a name");
    if (!seen.insert(name).second)
      fields.refuse(fmt::format("the class '{}' appears twice", printable(name)));
  }
  if (classes.size() == 2) return;
  std::vector<std::string> sorted = classes;
  std::vector<std::uint32_t> no_labels;
  sort_classes(sorted, no_labels);
  if (sorted != classes) fields.refuse("the classes are not in order");
}

KernelFunction read_function(Fields& fields, std::string_view key = "kernel") {
  KernelFunction kernel;
  const std::string& text = fields.text(key);
  try {
    kernel = OptionType<KernelFunction>::parse("kernel", text, {});
  } catch (const UsageError&) {
    fields.refuse(fmt::format("'{}' is '{}'", key, printable(text)));
  }
  const bool needs_gamma = kernel.kind != KernelKind::Linear && kernel.kind != KernelKind::Precomputed;
  if (needs_gamma && kernel.gamma == 0) fields.refuse(fmt::format("'{}' has no gamma", key));
  return kernel;
}

KernelModel read_kernel(Fields& fields, std::size_t features) {
  KernelModel model{.features = features};
  model.kernel = read_function(fields);
  model.pairs = fields.flag("pairs");
  return model;
}

decltype(Model::form) read_form(Fields& fields, std::size_t classes) {
  constexpr std::string_view form_words[] = {"linear", "lookup", "voted", "kernel"};
  const std::size_t form = read_word(fields, "form", form_words);
  const std::uint64_t features = fields.count("features", feature_limit);
  if (form == 3) return read_kernel(fields, features);
  if (form != 1) {
    const std::uint64_t planes = fields.count("planes");
    const std::size_t expected = classes == 2 ? 1 : classes;
    if (planes != expected) {
      fields.refuse(fmt::format("{} planes for {} classes", planes, classes),
                    fmt::format("{} expected", expected));
    }
    if (form == 0) return LinearModel{.features = features, .planes = planes};
    VotedModel voted{.features = features, .planes = planes};
    if (fields.find("kernel") != nullptr) voted.kernel = read_function(fields);
    return voted;
  }
  const std::uint64_t feature = fields.count("feature", UINT32_MAX);
  if (feature >= features) fields.refuse(fmt::format("'feature' is {} of {} features", feature, features));
  const std::uint64_t fallback = fields.count("fallback", UINT32_MAX);
  if (fallback >= classes) fields.refuse(fmt::format("'fallback' is class {} of {}", fallback, classes));
  return LookupModel{.features = features,
                     .feature = static_cast<std::uint32_t>(feature),
                     .fallback = static_cast<std::uint32_t>(fallback)};
}

// How the rows are turned into those that the form sees; the tensors come later.
void read_preparation(Fields& fields, Model& model) {
  if (fields.find("map") != nullptr) {
    auto map = std::make_shared<FeatureMap>();
    map->kind = static_cast<MapKind>(read_word(fields, "map", map_words));
    map->kernel = read_function(fields, "map_kernel");
    map->inputs = fields.count("map_inputs", feature_limit);
    map->outputs = model.features();
    const bool fourier = map->kind == MapKind::Fourier;
    if (map->outputs == 0 || map->inputs == 0 || (fourier && map->outputs % 2 != 0))
      fields.refuse(fmt::format("{} features of the kind '{}'", map->outputs, fields.text("map")));
    if (fourier && map->kernel.kind != KernelKind::Rbf) fields.refuse("'map_kernel' is not rbf");
    if (!map->kernel.semidefinite()) fields.refuse("'map_kernel' has no features");
    model.map = std::move(map);
  }
  if (fields.find("scaling") == nullptr) return;
  model.scaling.kind = static_cast<ScaleKind>(read_word(fields, "scaling", scale_words));
  if (model.scaling.kind != ScaleKind::Standard && model.scaling.kind != ScaleKind::MinMax)
    fields.refuse(fmt::format("'scaling' is '{}'", printable(fields.text("scaling"))));
  if (model.unit_rows) fields.refuse("columns and rows are both scaled");
}

double read_fill(const Fields& fields, const Json& text) {
  double value = 0;
  if (text.is_string()) {
    const auto& digits = text.get_ref<const std::string&>();
    const char* const last = digits.data() + digits.size();
    const auto [end, code] = std::from_chars(digits.data(), last, value);
    if (code == std::errc() && end == last && std::isfinite(value)) return value;
  }
  fields.refuse("'fill' is not a finite number");
}

Column read_column(Fields& fields, std::uint64_t first_feature, bool reference) {
  Column column;
  column.name = fields.text("name");
  column.kind = static_cast<ColumnKind>(read_word(fields, "kind", kind_words));
  column.first_feature = static_cast<std::uint32_t>(first_feature);
  if (column.kind != ColumnKind::Words) {
    if (const Json* const fill = fields.find("fill")) column.fill = read_fill(fields, *fill);
    if (column.kind == ColumnKind::Category && column.fill.value_or(0) != 0)
      fields.refuse("'fill' of a category is not 0");
    if (fields.find("missing_feature") != nullptr) column.missing_feature = fields.flag("missing_feature");
    if (column.missing_feature && !column.fill)
      fields.refuse("a feature for missing values, which are refused");
    column.reference = reference && column.kind == ColumnKind::Category;
  }
  if (column.kind == ColumnKind::Words && fields.find("hash_bits") != nullptr) {
    column.hash_bits = static_cast<std::uint32_t>(fields.count("hash_bits", 31));
    if (column.hash_bits == 0) fields.refuse("'hash_bits' is 0");
  } else if (column.kind != ColumnKind::Number) {
    column.categories = fields.texts("categories");
    const auto& values = column.categories;
    const auto wrong = std::adjacent_find(values.begin(), values.end(), std::greater_equal<>());
    if (wrong != values.end()) fields.refuse("'categories' are not in order, each once");
  }
  fields.no_others();
  return column;
}

std::uint64_t width(const Column& column) {
  if (column.hash_bits > 0) return std::uint64_t{1} << column.hash_bits;
  return std::uint64_t{column.value_features()} + (column.missing_feature ? 1 : 0);
}

}  // namespace

namespace {
std::size_t form_features(const Model& model) {
  return model.map != nullptr ? model.map->outputs : model.features();
}
}  // namespace

std::string fields_to_json(const Model& model) {
  Json json = {{"version", format_version},          {"reader", first_reader},
               {"features", form_features(model)},   {"classes", model.classes},
               {"unit_rows", model.unit_rows},       {"tie", OptionType<Tie>::print(model.tie)},
               {"algorithm", model.algorithm},       {"options", facts_to_json(model.options)},
               {"facts", facts_to_json(model.facts)}};
  if (const auto* lookup = std::get_if<LookupModel>(&model.form)) {
    json["form"] = "lookup";
    json["feature"] = lookup->feature;
    json["fallback"] = lookup->fallback;
  } else if (const auto* kernel = std::get_if<KernelModel>(&model.form)) {
    json["form"] = "kernel";
    json["kernel"] = OptionType<KernelFunction>::print(kernel->kernel);
    json["pairs"] = kernel->pairs;
  } else {
    json["form"] = std::holds_alternative<VotedModel>(model.form) ? "voted" : "linear";
    json["planes"] = model.planes();
    if (const auto* voted = std::get_if<VotedModel>(&model.form);
        voted != nullptr && voted->kernel.kind != KernelKind::Linear)
      json["kernel"] = OptionType<KernelFunction>::print(voted->kernel);
  }
  if (model.scaling.kind != ScaleKind::None)
    json["scaling"] = OptionType<ScaleKind>::print(model.scaling.kind);
  if (model.map != nullptr) {
    json["map"] = OptionType<MapKind>::print(model.map->kind);
    json["map_kernel"] = OptionType<KernelFunction>::print(model.map->kernel);
    json["map_inputs"] = model.map->inputs;
  }
  return dump(json);
}

Model fields_from_json(std::string_view text, const Place& place) {
  const JsonText source(text, place, true);
  const Json json = parse_strict(source, "model fields", {.depth = 3});
  Fields fields(json, source, "model fields");
  check_version(fields);
  (void)fields.text("reader");
  Model model;
  model.classes = fields.texts("classes");
  check_classes(fields, model.classes);
  model.form = read_form(fields, model.classes.size());
  model.unit_rows = fields.flag("unit_rows");
  model.tie = static_cast<Tie>(read_word(fields, "tie", tie_words));
  model.algorithm = fields.text("algorithm");
  model.options = read_facts(fields, "options");
  model.facts = read_facts(fields, "facts");
  read_preparation(fields, model);
  fields.no_others();
  return model;
}

std::string encoding_to_json(const Encoding& encoding) {
  Json columns = Json::array();
  for (const Column& column : encoding.columns) {
    Json json = {{"name", column.name}, {"kind", kind_words[static_cast<std::size_t>(column.kind)]}};
    if (column.fill && column.kind != ColumnKind::Words) json["fill"] = fmt::format("{}", *column.fill);
    if (column.missing_feature) json["missing_feature"] = true;
    if (column.hash_bits > 0) {
      json["hash_bits"] = column.hash_bits;
    } else if (column.kind != ColumnKind::Number) {
      json["categories"] = column.categories;
    }
    columns.push_back(std::move(json));
  }
  Json json = {{"columns", std::move(columns)},
               {"label_column", encoding.label_column},
               {"weight_column", encoding.weight_column},
               {"header", encoding.header},
               {"delimiter", std::string(1, encoding.delimiter)}};
  if (!encoding.ignored.empty()) json["ignored"] = encoding.ignored;
  if (encoding.missing != Missing::Error)
    json["missing"] = missing_rules[static_cast<std::size_t>(encoding.missing)];
  if (!encoding.missing_words.empty()) json["missing_words"] = encoding.missing_words;
  if (encoding.one_hot != OneHot::Full)
    json["one_hot"] = one_hot_rules[static_cast<std::size_t>(encoding.one_hot)];
  if (encoding.decimal == DecimalMark::Comma) json["decimal"] = "comma";
  return dump(json);
}

std::shared_ptr<const Encoding> encoding_from_json(std::string_view text, const Place& place) {
  const JsonText source(text, place);
  const Json json = parse_strict(source, "encoding", {.depth = 4});
  Fields fields(json, source, "encoding");
  auto encoding = std::make_shared<Encoding>();
  encoding->label_column = fields.text("label_column");
  encoding->weight_column = fields.text("weight_column");
  encoding->header = fields.flag("header");
  const std::string& delimiter = fields.text("delimiter");
  if (delimiter.size() != 1 || delimiter[0] == '"' || delimiter[0] == '\n' || delimiter[0] == '\r') {
    fields.refuse("'delimiter' is not one character that can part cells");
  }
  encoding->delimiter = delimiter[0];
  if (fields.find("ignored") != nullptr) encoding->ignored = fields.texts("ignored");
  if (fields.find("missing") != nullptr)
    encoding->missing = static_cast<Missing>(read_word(fields, "missing", missing_rules));
  if (fields.find("missing_words") != nullptr) encoding->missing_words = fields.texts("missing_words");
  if (fields.find("one_hot") != nullptr)
    encoding->one_hot = static_cast<OneHot>(read_word(fields, "one_hot", one_hot_rules));
  if (fields.find("decimal") != nullptr)
    encoding->decimal = static_cast<DecimalMark>(read_word(fields, "decimal", decimal_rules));
  std::uint64_t first_feature = 0;
  for (Fields& column : fields.objects("columns", "encoding column")) {
    encoding->columns.push_back(read_column(column, first_feature, encoding->one_hot == OneHot::Reference));
    first_feature += width(encoding->columns.back());
    if (first_feature > most_features) fields.refuse(fmt::format("more than {} features", most_features));
  }
  fields.no_others();
  return encoding;
}

}  // namespace halfspace::detail
