// SPDX-License-Identifier: BSD-3-Clause
// Puts the object into the page: escaped text in marked places, nothing else.
#include "report/page.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"
#include "halfspace/report/report.hpp"
#include "report/plot/pictures.hpp"
#include "report/plot/svg.hpp"

namespace halfspace {
namespace {

using PageJson = nlohmann::ordered_json;

// Inside a script element nothing may look like markup; U+2028 and U+2029 end lines in old readers.
std::string script_text(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (json.substr(at, 2) == "\xE2\x80" && at + 2 < json.size() &&
               (json[at + 2] == '\xA8' || json[at + 2] == '\xA9')) {
      out += json[at + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string share_figure(const PageJson& value) {
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : "not known";
}

// The main figures, a line each, for readers without scripts.
std::string figures_text(const PageJson& report) {
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    out += fmt::format("{:<24}{}\n", name, value);
  };
  const PageJson& quality = report.at("quality");
  line("rows judged", fmt::format("{} of {}", quality.at("rows").get<std::uint64_t>(),
                                  quality.at("name").get<std::string>()));
  line("wrong",
       fmt::format("{} ({})", quality.at("errors").get<std::uint64_t>(), share_figure(quality.at("error"))));
  if (quality.at("interval").is_array())
    line("95 % interval",
         fmt::format("{} to {}", share_figure(quality["interval"][0]), share_figure(quality["interval"][1])));
  if (quality.at("auc").is_number()) line("area under the curve", share_figure(quality["auc"]));
  if (quality.at("log_loss").is_number()) line("log-loss", share_figure(quality["log_loss"]));
  for (const PageJson& one : quality.at("classes"))
    line("recall of " + one.at("label").get<std::string>(),
         fmt::format("{} ({} rows), precision {}", share_figure(one.at("recall")), one.at("rows").dump(),
                     share_figure(one.at("precision"))));
  if (report.contains("weights")) {
    out += "\nweights, largest first\n";
    for (const PageJson& plane : report["weights"].at("planes")) {
      out += fmt::format("  {}\n", plane.at("class").get<std::string>());
      for (std::size_t k = 0; k < std::min<std::size_t>(10, plane.at("weights").size()); ++k) {
        const PageJson& one = plane["weights"][k];
        out += fmt::format("    {:<36} {:>12} {:>12} per deviation\n", one.at("name").get<std::string>(),
                           share_figure(one.at("weight")), share_figure(one.at("per_deviation")));
      }
    }
  }
  if (report.contains("reproduce")) {
    out += "\n";
    for (const char* key : {"train", "verify", "report"})
      if (report["reproduce"].contains(key)) out += report["reproduce"][key].get<std::string>() + "\n";
  }
  return out;
}

std::string static_picture(const PageJson& report) {
  if (!report.contains("margins")) return {};
  const PageJson& margins = report["margins"];
  std::vector<report::MarginBin> bins;
  for (const PageJson& bin : margins.at("bins")) {
    if (!bin.at("low").is_number() || !bin.at("high").is_number()) return {};
    bins.push_back(
        {bin["low"].get<double>(), bin["high"].get<double>(), bin.at("rows").get<std::vector<double>>()});
  }
  return report::margins_picture(bins, margins.at("classes").get<std::vector<std::string>>(),
                                 margins.at("support_margin").get<bool>());
}

}  // namespace

std::string report_page(std::string_view json) {
  std::array<std::pair<std::string_view, std::string>, 7> places;
  try {
    const PageJson report = PageJson::parse(json);
    if (report.at("schema") != "halfspace.report/1")
      throw InputError({}, "another schema", "an object with the schema halfspace.report/1");
    const auto sentence = [&](std::size_t k) {
      return report::escaped(report.at("verdict").at(k).get<std::string>());
    };
    places = {{{"%%HALFSPACE_TITLE%%", report::escaped(report.at("title").get<std::string>())},
               {"%%HALFSPACE_FIRST%%", sentence(0)},
               {"%%HALFSPACE_SECOND%%", sentence(1)},
               {"%%HALFSPACE_THIRD%%", sentence(2)},
               {"%%HALFSPACE_FIGURES%%", report::escaped(figures_text(report))},
               {"%%HALFSPACE_PICTURE%%", static_picture(report)},
               {"%%HALFSPACE_DATA%%", script_text(json)}}};
  } catch (const PageJson::exception& wrong) {
    throw InputError({}, "no report",
                     fmt::format("an object with the schema halfspace.report/1: {}", wrong.what()));
  }
  // From one marker to the next, so that text put in is never looked at again.
  const std::string_view page = report::built_page();
  std::string out;
  out.reserve(page.size() + json.size() + 65536);
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t marker = std::min(page.find("%%HALFSPACE_", at), page.size());
    out += page.substr(at, marker - at);
    at = marker;
    if (at == page.size()) break;
    bool found = false;
    for (const auto& [name, text] : places) {
      if (page.substr(at, name.size()) != name) continue;
      out += text;
      at += name.size();
      found = true;
      break;
    }
    if (!found) out += page[at++];
  }
  return out;
}

}  // namespace halfspace
