// SPDX-License-Identifier: BSD-3-Clause
// Certificates as JSON text, out and in. Read as if their author wanted to deceive: every key is known, is there once and
// has its type, and numbers are finite.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "certify/separation/exact_number.hpp"
#include "halfspace/certify/certificate.hpp"
#include "model/file/strict_json.hpp"

namespace halfspace {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

struct Writer {
  Json operator()(const std::monostate&) const { return nullptr; }
  Json operator()(const Separator& s) const {
    // The plane itself is the model; it is not written twice.
    return {{"kind", "separator"}, {"margin", number_or_null(s.margin)}};
  }
  Json operator()(const MistakeBound& b) const {
    return {{"kind", "mistake-bound"},
            {"mistakes", b.mistakes},
            {"radius", number_or_null(b.radius)},
            {"margin_lower", number_or_null(b.margin_lower)},
            {"margin_upper", number_or_null(b.margin_upper)},
            {"offset", b.lifted ? "lifted" : "none"}};
  }
  Json operator()(const DualityGap& g) const {
    return {{"kind", "duality-gap"},
            {"primal", number_or_null(g.primal)},
            {"dual", number_or_null(g.dual)},
            {"gap", number_or_null(g.gap())},
            {"relative_gap", number_or_null(g.relative())}};
  }
  Json operator()(const ErrorBounds& b) const {
    Json rows = Json::array();
    for (const std::uint32_t i : b.errors) rows.push_back(std::uint64_t{i} + 1);
    return {{"kind", "error-bounds"},
            {"upper", b.upper},
            {"lower", b.lower},
            {"rows", std::move(rows)},
            {"proof", b.proof}};
  }
};

// What number_or_null wrote.
double number(detail::Fields& fields, std::string_view key, bool may_be_null) {
  const detail::Json& value = fields.get(key);
  if (may_be_null && value.is_null()) return std::numeric_limits<double>::infinity();
  if (!value.is_number()) fields.refuse(fmt::format("'{}' is not a number", key));
  return value.get<double>();  // the parser has refused what does not fit into a double
}

DualityGap read_gap(detail::Fields& fields) {
  DualityGap out{number(fields, "primal", false), number(fields, "dual", false)};
  // These two follow from the others, and nothing else may be said about them.
  if (number(fields, "gap", false) != out.gap()) fields.refuse("'gap' is not primal - dual");
  if (number(fields, "relative_gap", false) != out.relative())
    fields.refuse("'relative_gap' is not (primal - dual) / max(1, |primal|)");
  return out;
}

MistakeBound read_bound(detail::Fields& fields) {
  MistakeBound out;
  out.mistakes = fields.count("mistakes");
  out.radius = number(fields, "radius", true);
  out.margin_lower = number(fields, "margin_lower", true);
  out.margin_upper = number(fields, "margin_upper", true);
  const std::string& offset = fields.text("offset");
  if (offset != "lifted" && offset != "none") fields.refuse("'offset' is neither lifted nor none");
  out.lifted = offset == "lifted";
  return out;
}

ErrorBounds read_errors(detail::Fields& fields) {
  ErrorBounds out;
  for (const auto& [key, bound] : {std::pair{"upper", &out.upper}, std::pair{"lower", &out.lower}}) {
    *bound = fields.text(key);
    if (!detail::is_exact_number(*bound)) fields.refuse(fmt::format("'{}' is not a number", key));
  }
  for (const detail::Json& item : fields.list("rows")) {
    const std::uint64_t row = item.is_number_unsigned() ? item.get<std::uint64_t>() : 0;
    if (row == 0 || row > UINT32_MAX || (!out.errors.empty() && row - 1 <= out.errors.back()))
      fields.refuse_entry("rows", out.errors.size(),
                          "'rows' has an entry that is no row, or is not ascending");
    out.errors.push_back(static_cast<std::uint32_t>(row - 1));
  }
  out.proof = fields.text("proof");
  return out;
}

Certificate read_certificate(const detail::Json& item, const detail::JsonText& text,
                             std::size_t number_of_item) {
  if (item.is_null()) return std::monostate();
  detail::Fields fields(item, text, "certificate", {std::to_string(number_of_item)});
  const std::string& kind = fields.text("kind");
  Certificate out;
  if (kind == "duality-gap") {
    out = read_gap(fields);
  } else if (kind == "mistake-bound") {
    out = read_bound(fields);
  } else if (kind == "error-bounds") {
    out = read_errors(fields);
  } else if (kind == "separator") {
    out = Separator{.theta = {}, .margin = number(fields, "margin", true)};
  } else {
    fields.refuse(fmt::format("unknown kind '{}'", printable(kind)));
  }
  fields.no_others();
  return out;
}

}  // namespace

std::string to_json(const std::vector<Certificate>& certificates) {
  if (certificates.empty()) return {};
  Json out = Json::array();
  for (const Certificate& c : certificates) out.push_back(std::visit(Writer{}, c));
  return out.dump();
}

std::vector<Certificate> certificates_from_json(std::string_view text, const Place& place) {
  std::vector<Certificate> out;
  if (text.empty()) return out;
  const detail::JsonText source(text, place);
  const detail::Json json = detail::parse_strict(source, "certificate", {.depth = 3});
  if (!json.is_array()) throw InputError(source.at(0), "certificate: not a list");
  out.reserve(json.size());
  for (const detail::Json& item : json) out.push_back(read_certificate(item, source, out.size()));
  return out;
}

}  // namespace halfspace
