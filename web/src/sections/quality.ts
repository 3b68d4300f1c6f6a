// SPDX-License-Identifier: BSD-3-Clause
// How good: error and interval beside baselines, and the confusion matrix.
import * as Plot from "@observablehq/plot";
import { chart, fitted, widest } from "../chart";
import { between, figure, h, name, num, percent, scroller, section, table } from "../dom";
import type { Quality, Report } from "../types";

interface Line { name: string; short?: string; error: number; interval: [number, number] | null; rows: number; errors: number; p?: number | null; kind: number }

function lines(q: Quality, training: boolean): Line[] {
  const out: Line[] = [{ name: q.on === "test" ? "this model, test rows" : training ? "this model, training rows" : "this model", ...pick(q), kind: 0 }];
  if (q.data_error) out.push({ name: q.data_error.training ? "this model, training rows" : "this model, other rows", ...pick(q.data_error), kind: 1 });
  for (const b of q.baselines) out.push({ name: b.feature ? `${b.text} (${b.feature})` : b.text, short: b.feature ? `one column: ${b.feature}` : b.text, ...pick(b), p: b.p_value, kind: 2 });
  return out;
}
const pick = (f: { error: number; interval: [number, number] | null; rows: number; errors: number }) =>
  ({ error: f.error, interval: f.interval, rows: f.rows, errors: f.errors });

function confusion(q: Quality): HTMLElement {
  const { labels, counts, undecided } = q.confusion;
  const columns = labels.length + (undecided ? 1 : 0);
  const head = h("tr", {}, h("th", { scope: "col" }, "true \u2193 given \u2192"), ...labels.map((l) => h("th", { scope: "col" }, name(l))), undecided && h("th", { scope: "col" }, "undecided"));
  const body = h("tbody");
  counts.forEach((row, k) => {
    const total = row.slice(0, columns).reduce((a, b) => a + b, 0);
    if (k >= labels.length && total === 0) return;
    const cells = row.slice(0, columns).map((n, j) => {
      const share = total > 0 ? n / total : 0;
      const ink = k === j ? "--heat" : "--c1";
      // Never so dark that the text on it is hard to read.
      return h("td", { style: `background: color-mix(in srgb, var(${ink}) ${Math.round(8 + 27 * share)}%, var(--ground))` },
        h("span", {}, num(n)), h("span", { class: "share" }, percent(share)));
    });
    body.append(h("tr", {}, h("th", { scope: "row" }, k < labels.length ? name(labels[k]) : "other"), ...cells));
  });
  return scroller("scroll all", "Confusion matrix",
    h("table", { class: "confusion" }, h("caption", {}, "Rows: true class down, given class across"), h("thead", {}, head), body));
}

export function quality(report: Report): HTMLElement {
  const q = report.quality;
  const training = q.on === "data" && report.data.training;
  const all = lines(q, report.data.training);
  const draw = (width: number) => {
    const labels = all.map((l) => l.short ?? l.name);
    const left = Math.min(width * 0.45, 260, 18 + widest(labels));
    return chart({
      width, height: 56 + 34 * all.length, marginLeft: left, marginRight: 70,
      x: { label: "share wrong", grid: true, tickFormat: (x: number) => percent(x), domain: [0, Math.max(0.01, ...all.map((l) => l.interval?.[1] ?? l.error)) * 1.05], ticks: Math.max(3, width / 130) },
      y: { label: null, domain: all.map((_, k) => k), tickFormat: (k: number) => fitted(labels[k], left - 10), tickSize: 0 },
      marks: [
        Plot.ruleY(all.filter((l) => l.interval), { y: (l: Line) => all.indexOf(l), x1: (l: Line) => l.interval![0], x2: (l: Line) => l.interval![1], stroke: (l: Line) => (l.kind === 2 ? "var(--c1)" : "var(--c0)"), strokeWidth: 3, strokeLinecap: "round" }),
        Plot.dot(all, { x: "error", y: (_: Line, k: number) => k, r: 6, fill: (l: Line) => (l.kind === 2 ? "var(--c1)" : "var(--c0)"), symbol: (l: Line) => (l.kind === 2 ? "square" : "circle") }),
        Plot.text(all, { x: (l: Line) => l.interval?.[1] ?? l.error, y: (_: Line, k: number) => k, text: (l: Line) => percent(l.error), dx: 9, textAnchor: "start", fill: "currentColor" }),
        Plot.ruleX([0]),
      ],
    });
  };
  return section("quality", "How good is it?",
    h("p", { class: "lead" }, training
      ? "Judged on the rows it was trained on: on new rows it is likely to be worse. --test DATA judges it on rows it has not seen."
      : `Judged on ${num(q.rows)} rows of ${q.name}.`),
    q.unknown_labels > 0 && h("p", {}, `${num(q.unknown_labels)} rows have a label that the model does not know; they count as wrong.`),
    figure(draw, `Share of wrong rows with its exact 95 % interval (Clopper and Pearson). Squares: baselines.${training || q.data_error?.training ? " For rows of the training the interval says nothing about new ones." : ""}`,
      table("Errors", [
        { head: "classifier", cell: (l: Line) => l.name }, { head: "wrong", cell: (l) => `${num(l.errors)} of ${num(l.rows)}`, number: true },
        { head: "share", cell: (l) => percent(l.error, 2), number: true }, { head: "95 % interval", cell: (l) => between(l.interval, (x) => percent(x, 2)) },
        { head: "p, McNemar", cell: (l) => (l.p === undefined ? "" : num(l.p, 2)), number: true }], all), "Errors of the model and of baselines, with intervals"),
    q.baselines.some((b) => b.p_value !== undefined && b.p_value !== null && b.p_value > 0.05) &&
      h("p", {}, "At least one baseline is not shown to be worse: McNemar\u2019s exact test gives p above 0.05."),
    h("div", { class: "side-by-side" }, confusion(q),
    table("By class", [
      { head: "class", cell: (c) => name(c.label) }, { head: "rows", cell: (c) => num(c.rows), number: true },
      { head: "precision", cell: (c) => num(c.precision), number: true }, { head: "95 % interval", cell: (c) => between(c.precision_interval, (x) => num(x, 3)) },
      { head: "recall", cell: (c) => num(c.recall), number: true }, { head: "95 % interval", cell: (c) => between(c.recall_interval, (x) => num(x, 3)) },
      { head: "F1", cell: (c) => num(c.f1), number: true }], q.classes)));
}
