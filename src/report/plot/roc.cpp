// SPDX-License-Identifier: BSD-3-Clause
// The ROC curve with its hull, and the margins of a model's rows as a picture of their own.
#include <fmt/format.h>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/ranking.hpp"
#include "halfspace/report/plot.hpp"
#include "report/plot/pictures.hpp"
#include "report/plot/svg.hpp"
#include "report/sections/sections.hpp"

namespace halfspace {

std::string plot_roc(const Model& model, const Dataset& data, const Run& given) {
  if (model.planes() != 1)
    throw UsageError(fmt::format("an ROC curve is of two classes; the model has {}", model.classes.size()));
  const Run run = begin_run(given);
  const report::Judged judged = report::judge(model, data, run.threads);
  std::vector<std::uint8_t> positive(judged.truth.size());
  for (std::size_t i = 0; i < positive.size(); ++i) positive[i] = judged.truth[i] == 1 ? 1 : 0;
  const Ranking ranking = rank_scores(judged.scores, positive, judged.weights);
  if (!ranking.both_classes())
    throw InputError({.file = data.name()}, "rows of one class only", "rows of both classes");
  const std::vector<CurvePoint> points = thinned(curve_points(ranking), report::most_points);
  const double area = area_under_curve(ranking).value_or(0);
  report::Drawing drawing(460, 460, "ROC curve",
                          fmt::format("True positive rate over false positive rate for {}; area {:.4g}.",
                                      report::name_of_class(model, 1), area));
  const report::Frame frame{{64, 24}, 372, 372, 0, 1, 0, 1};
  frame.axes(drawing, "false positive rate", "true positive rate", 5, 5);
  std::vector<report::Point> curve, hull;
  for (const CurvePoint& p : points) {
    curve.push_back(frame.at(p.false_positive_rate, p.true_positive_rate));
    if (p.hull) hull.push_back(curve.back());
  }
  drawing.line(frame.at(0, 0), frame.at(1, 1), report::Ink::Faint, 1, "3 4");
  drawing.path(hull, report::Ink::Class1, 1.5, "6 4");
  drawing.path(curve, report::Ink::Class0, 2.5);
  drawing.text(frame.at(0.96, 0.14), fmt::format("area {:.4g}", area), "end", report::Ink::Text, 14, true);
  std::string of = report::name_of_class(model, 1);
  if (of.size() > 30) of = of.substr(0, 27) + "...";
  drawing.text(frame.at(0.96, 0.07), "positive: " + of, "end", report::Ink::Faint, 12);
  return drawing.svg();
}

std::string plot_margins(const Model& model, const Dataset& data, const Run& given) {
  const Run run = begin_run(given);
  const report::Judged judged = report::judge(model, data, run.threads);
  const ReportInput input{.model = model, .data = data};
  const report::Context context{input, run, judged, judged, "", false};
  const report::Json margins = report::margins_section(context);
  if (margins.is_null()) throw InputError({.file = data.name()}, "no row of a class that the model knows");
  std::vector<report::MarginBin> bins;
  for (const report::Json& bin : margins["bins"])
    bins.push_back(
        {bin["low"].get<double>(), bin["high"].get<double>(), bin["rows"].get<std::vector<double>>()});
  return report::margins_picture(bins, margins["classes"].get<std::vector<std::string>>(),
                                 margins["support_margin"].get<bool>());
}

}  // namespace halfspace
