// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/report/trace_line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

namespace halfspace {
namespace {

constexpr std::size_t most_rows_shown = 100;

std::vector<double> listed(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

// The rows of a batch that have a loss or moved theta, a hundred of them at most.
nlohmann::ordered_json rows_shown_in(const Update& update) {
  auto out = nlohmann::ordered_json::array();
  for (const MovingRow& row : update.rows.first(std::min(update.rows.size(), most_rows_shown)))
    out.push_back({{"row", row.row + 1},
                   {"y", row.y},
                   {"margin_before", row.margin_before},
                   {"margin_after", row.margin_after},
                   {"loss", row.loss},
                   {"amount", row.amount}});
  return out;
}

}  // namespace

bool takes_batches(const Algorithm& algorithm) {
  for (const auto& [name, value] : algorithm.values())
    if (name == "batch") return value != "1";
  return false;
}

std::string trace_line(const Update& update, const TraceLine& how) {
  nlohmann::ordered_json value;
  value["k"] = update.number;
  value["step"] = update.step;
  value["pass"] = update.pass;
  value["row"] = update.row + 1;
  value["y"] = update.y;
  value["margin_before"] = update.margin_before;
  value["margin_after"] = update.margin_after;
  value["loss"] = update.rows.front().loss;
  value["rate"] = update.rate;
  value["shrink"] = update.keep;
  value["amount"] = update.rows.front().amount;
  value["theta0"] = update.theta0;
  value["norm"] = update.norm;
  if (update.counted) value["alpha"] = update.alpha;
  if (update.voted) value["votes"] = update.votes;
  if (how.batched) {
    value["batch"] = update.rows.size();
    value["rows"] = rows_shown_in(update);
  }
  if (how.cosine) {
    value["cosine"] = how.cosine->value;
    value["cosine_bound"] = how.cosine->bound;
  }
  if (how.theta && !update.theta.empty()) {
    value["theta_before"] = listed(update.theta_before);
    value["theta0_before"] = update.theta0_before;
    value["theta"] = listed(update.theta);
    if (update.averaged) {
      value["mean"] = listed(update.mean);
      value["mean0"] = update.mean0;
    }
  }
  return value.dump();
}

}  // namespace halfspace
