// SPDX-License-Identifier: BSD-3-Clause
// The weights in both units.
import * as Plot from "@observablehq/plot";
import { chart, fitted, widest } from "../chart";
import { figure, h, name, num, section, table } from "../dom";
import type { Report, Weight, WeightPlane } from "../types";

const most = 20;

function planeBox(plane: WeightPlane, several: boolean, positive: string, negative: string): HTMLElement {
  const shown = plane.weights.slice(0, most);
  const draw = (width: number) => {
    const left = Math.min(width * 0.42, 240, 18 + widest(shown.map((w) => w.name)));
    // Room for the figures beside the longest bars.
    const room = 1 / (1 - Math.min(0.6, 50 / ((width - left - 16) / 2)));
    const reach = room * Math.max(...shown.map((w) => Math.abs(w.per_deviation)), 1e-300);
    return chart({
      width, height: 60 + 22 * shown.length, marginLeft: left, marginRight: 16,
      x: { label: width > 420 ? "change of the score for one standard deviation more" : "score, for one deviation more", grid: true, ticks: Math.max(3, (width - left) / 80), domain: [-reach, reach] },
      y: { label: null, domain: shown.map((_, k) => k), tickFormat: (k: number) => fitted(shown[k].name, left - 10), tickSize: 0 },
      marks: [
        Plot.barX(shown, { x: "per_deviation", y: (_: Weight, k: number) => k, fill: (w: Weight) => (w.weight > 0 ? "var(--c1)" : "var(--c0)"), insetTop: 3, insetBottom: 3, tip: { format: { y: false, fill: false, x: false } }, channels: { feature: "name", weight: "weight", "per deviation": "per_deviation" } }),
        Plot.text(shown, { x: "per_deviation", y: (_: Weight, k: number) => k, text: (w: Weight) => num(w.per_deviation, 3), dx: 5, textAnchor: "start", filter: (w: Weight) => w.per_deviation >= 0, fill: "currentColor" }),
        Plot.text(shown, { x: "per_deviation", y: (_: Weight, k: number) => k, text: (w: Weight) => num(w.per_deviation, 3), dx: -5, textAnchor: "end", filter: (w: Weight) => w.per_deviation < 0, fill: "currentColor" }),
        Plot.ruleX([0]),
      ],
    });
  };
  return h("div", {},
    several && h("h3", {}, "Plane of ", name(plane.class)),
    plane.weights.length === 0 ? h("p", {}, "All weights are zero: every row has the score of the offset.") :
      figure(draw, [several ? "Right: speaks for the class. Left: against it." : h("span", {}, "Right: speaks for ", name(positive), ". Left: for ", name(negative), "."),
        plane.left_out + plane.weights.length > shown.length && ` The ${shown.length} largest of ${num(plane.left_out + plane.weights.length)} weights.`],
        table("Weights", [
          { head: "feature", cell: (w) => name(w.name) }, { head: "weight, per unit", cell: (w) => num(w.weight, 6), number: true }, { head: "per standard deviation", cell: (w) => num(w.per_deviation), number: true },
          { head: "mean", cell: (w) => num(w.mean), number: true }, { head: "deviation", cell: (w) => num(w.deviation), number: true }, { head: "least", cell: (w) => num(w.low), number: true }, { head: "greatest", cell: (w) => num(w.high), number: true }], plane.weights),
        `Weights of ${plane.class}`),
    h("p", { class: "formula" }, "f(x) = ", ...plane.weights.slice(0, 4).flatMap((w, k) => [k > 0 || w.weight < 0 ? (w.weight < 0 ? " \u2212 " : " + ") : "", num(Math.abs(w.weight)), "\u2009", name(w.name)]),
      plane.weights.length + plane.left_out - plane.zeros > 4 && " + \u2026", plane.offset !== 0 && (plane.offset < 0 ? " \u2212 " : " + "), plane.offset !== 0 && num(Math.abs(plane.offset)), plane.weights.length === 0 && plane.offset === 0 && "0"));
}

export function weights(report: Report): HTMLElement | null {
  const w = report.weights;
  if (!w) {
    if (report.model.kind === "linear") return section("weights", "What it looks at", h("p", {}, "The weights are those of features made of the rows (", report.model.preparation.join("; "), "), so they have no meaning column by column."));
    return null;
  }
  const classes = report.model.classes;
  return section("weights", "What it looks at",
    h("p", { class: "lead" }, "A weight says how the score moves when its column grows by one unit. Columns have different units, so the chart shows the move for one standard deviation of the column; the table has both."),
    ...report.model.preparation.map((text) => h("p", {}, `${text[0].toUpperCase()}${text.slice(1)}.`)),
    h("div", { class: w.planes.length > 1 ? "columns" : "" }, ...w.planes.map((p) => planeBox(p, w.planes.length > 1, classes[classes.length - 1], classes[0]))),
    w.planes_left_out > 0 && h("p", {}, `${num(w.planes_left_out)} more planes are not shown.`));
}
