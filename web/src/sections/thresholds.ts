// SPDX-License-Identifier: BSD-3-Clause
// ROC, precision and recall, and a threshold with the costs of both kinds of mistake.
import * as Plot from "@observablehq/plot";
import { chart } from "../chart";
import { h, behind, between, leastWidth, name, num, paint, percent, scroller, section, share, table } from "../dom";
import type { Report, Thresholds } from "../types";

interface At { threshold: number | null; tp: number; fp: number; tpr: number; fpr: number; precision: number; hull: boolean }

function pointsOf(t: Thresholds): At[] {
  return t.points.map((p) => ({
    threshold: p.threshold, tp: p.true_positive, fp: p.false_positive, tpr: p.true_positive / t.positive, fpr: p.false_positive / t.negative,
    precision: p.true_positive + p.false_positive > 0 ? p.true_positive / (p.true_positive + p.false_positive) : 1, hull: p.hull,
  }));
}

export function thresholds(report: Report): HTMLElement | null {
  const t = report.thresholds;
  if (!t) return null;
  const points = pointsOf(t);
  // The model's own threshold: the last point whose scores are all above 0.
  const own = Math.max(0, points.findIndex((p) => p.threshold !== null && p.threshold <= 0) === -1 ? points.length - 1 : points.findIndex((p) => p.threshold !== null && p.threshold <= 0) - 1);
  let at = own;
  const fpCost = h("input", { type: "number", id: "cost-fp", min: 0, step: "any", value: 1 });
  const fnCost = h("input", { type: "number", id: "cost-fn", min: 0, step: "any", value: 1 });
  const slider = h("input", { type: "range", id: "threshold", min: 0, max: points.length - 1, step: 1, value: own });
  const output = h("div", { "aria-live": "polite" });
  const roc = h("div", { class: "chart" }), pr = h("div", { class: "chart" }), costs = h("div", { class: "chart" });
  const cost = (p: At) => Math.max(0, Number(fpCost.value)) * p.fp + Math.max(0, Number(fnCost.value)) * (t.positive - p.tp);

  // Costs more than twice those of saying always the same are cut off.
  const ceiling = (all: number[]) => Math.min(Math.max(...all), 2 * Math.max(cost(points[at]), Math.min(Math.max(0, Number(fpCost.value)) * t.negative, Math.max(0, Number(fnCost.value)) * t.positive))) || 1;

  const square = (holder: HTMLElement, marks: Plot.Markish[], x: string, y: string, label: string) => {
    const width = Math.floor(holder.clientWidth);
    if (width < leastWidth) return;
    paint(holder, chart({
      width, height: Math.min(width, 380), marginLeft: 48, x: { label: x, domain: [0, 1], ticks: 5 }, y: { label: y, domain: [0, 1], grid: true, ticks: 5 },
      marks: [...marks],
    }), label);
  };
  const show = () => {
    const p = points[at];
    slider.setAttribute("aria-valuetext", p.threshold === null ? "above every score" : `score ${num(p.threshold)}`);
    const here = (x: number, y: number) => [Plot.dot([[x, y]], { r: 7, fill: "var(--ground)", stroke: "currentColor", strokeWidth: 2.5 }), Plot.dot([[x, y]], { r: 2.5, fill: "currentColor" })];
    square(roc, [Plot.line([[0, 0], [1, 1]], { stroke: "var(--faint)", strokeDasharray: "3 4" }), Plot.line(points.filter((q) => q.hull), { x: "fpr", y: "tpr", stroke: "var(--c1)", strokeDasharray: "5 4" }), Plot.line(points, { x: "fpr", y: "tpr", stroke: "var(--c0)", strokeWidth: 2.5 }), ...here(p.fpr, p.tpr)],
      "false positive rate", "true positive rate", "ROC curve");
    square(pr, [Plot.ruleY([t.positive / (t.positive + t.negative)], { stroke: "var(--faint)", strokeDasharray: "3 4" }), Plot.line(points.length > 1 ? [{ ...points[1], tpr: 0 }, ...points.slice(1)] : [], { x: "tpr", y: "precision", stroke: "var(--c0)", strokeWidth: 2.5, curve: "step-before" }), ...here(p.tpr, p.precision)],
      "recall", "precision", "Precision and recall");
    const width = Math.floor(costs.clientWidth);
    // Of rows that are rarely positive the dearest thresholds would press all others to the ground.
    const finite = points.map((q, k) => ({ k, threshold: q.threshold, cost: cost(q) })).filter((q) => q.threshold !== null) as { k: number; threshold: number; cost: number }[];
    if (width >= leastWidth) {
      paint(costs, chart({
        width, height: 200, marginLeft: 56, x: { label: "threshold on the score" }, y: { label: "cost", grid: true, ticks: 4, domain: [0, ceiling(finite.map((q) => q.cost))] }, clip: true,
        marks: [Plot.line(finite, { x: "threshold", y: "cost", stroke: "var(--c0)", strokeWidth: 2, curve: "step-before" }), finite.some((q) => q.threshold <= 0) && finite.some((q) => q.threshold >= 0) ? Plot.ruleX([0], { stroke: "var(--faint)", strokeDasharray: "3 4" }) : null, p.threshold === null ? null : Plot.ruleX([p.threshold], { stroke: "currentColor", strokeWidth: 2 })],
      }), "Cost over the threshold");
    }
    const fn = t.positive - p.tp, tn = t.negative - p.fp;
    const cell = (n: number, total: number, good: boolean) => h("td", { style: `background: color-mix(in srgb, var(${good ? "--heat" : "--c1"}) ${Math.round(8 + (27 * n) / Math.max(1, total))}%, var(--ground))` }, num(n));
    output.replaceChildren(
      h("p", {}, p.threshold === null ? "Nothing is called " : `A score of ${num(p.threshold)} or more is called `, h("strong", {}, name(t.of)), at === own ? " \u2013 this is what the model itself does." : "."),
      scroller("scroll all", "Rows by class at this threshold", h("table", { class: "confusion" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "true \u2193 called \u2192"), h("th", { scope: "col" }, name(t.against)), h("th", { scope: "col" }, name(t.of)))),
        h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, name(t.against)), cell(tn, t.negative, true), cell(p.fp, t.negative, false)), h("tr", {}, h("th", { scope: "row" }, name(t.of)), cell(fn, t.positive, false), cell(p.tp, t.positive, true))))),
      h("p", { class: "reading values" }, h("span", {}, "cost ", h("strong", {}, num(cost(p)))), h("span", {}, "recall ", h("strong", {}, percent(p.tpr))), h("span", {}, "precision ", h("strong", {}, percent(p.precision))), h("span", {}, "wrong ", h("strong", {}, percent((fn + p.fp) / (t.positive + t.negative))))));
  };
  const choose = (k: number) => {
    at = k;
    slider.value = String(k);
    show();
  };
  slider.addEventListener("input", () => choose(Number(slider.value)));
  fpCost.addEventListener("input", show);
  fnCost.addEventListener("input", show);
  const cheapest = h("button", { type: "button" }, "Go to the cheapest threshold");
  cheapest.addEventListener("click", () => choose(points.reduce((best, p, k) => (cost(p) < cost(points[best]) ? k : best), 0)));
  const reset = h("button", { type: "button" }, "Back to the model\u2019s own");
  reset.addEventListener("click", () => choose(own));
  let width = 0;
  new ResizeObserver(() => {
    if (roc.clientWidth === width) return;
    width = roc.clientWidth;
    show();
  }).observe(roc);
  const thin = t.all_points > points.length ? ` ${num(points.length)} of ${num(t.all_points)} thresholds are kept, the best ones for every pair of costs among them.` : "";
  return section("thresholds", "Where to draw the line",
    h("p", { class: "lead" }, "The model says ", name(t.of), " when its score is above zero. Another threshold trades one kind of mistake for the other; with the cost of each, one is cheapest. Chosen on these rows, it is likely to cost more on others."),
    h("div", { class: "panel" },
      h("div", { class: "controls" },
        h("label", { for: "cost-fp" }, h("span", {}, "A ", name(t.against), " row called ", name(t.of), " costs")), fpCost,
        h("label", { for: "cost-fn" }, h("span", {}, "A ", name(t.of), " row called ", name(t.against), " costs")), fnCost, cheapest, reset),
      h("label", { for: "threshold", class: "onscreen" }, "Threshold, from high (careful) to low (eager)"), h("div", { class: "onscreen" }, slider), output),
    h("div", { class: "columns" },
      h("figure", {}, roc, h("figcaption", {}, `ROC curve. Area ${share(report.quality.auc)}${report.quality.auc_interval ? `, 95 % interval ${between(report.quality.auc_interval, share)}` : ""}. Dashed in colour: its hull, where the cheapest thresholds lie.`)),
      h("figure", {}, pr, h("figcaption", {}, `Precision over recall. Average precision ${share(report.quality.average_precision)}; dashed: what guessing gives.`))),
    h("figure", {}, costs, h("figcaption", {}, `Cost of all mistakes over the threshold, cut off at twice that of always the same answer.${thin}`), behind("Table behind the charts", table("Thresholds", [
      { head: "threshold", cell: (p: At) => (p.threshold === null ? "above all" : num(p.threshold, 6)), number: true }, { head: "true positives", cell: (p) => num(p.tp), number: true }, { head: "false positives", cell: (p) => num(p.fp), number: true },
      { head: "recall", cell: (p) => num(p.tpr), number: true }, { head: "precision", cell: (p) => num(p.precision), number: true }, { head: "hull", cell: (p) => (p.hull ? "yes" : "") }], points))));
}
