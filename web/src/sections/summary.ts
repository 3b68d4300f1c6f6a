// SPDX-License-Identifier: BSD-3-Clause
// The verdict with its figures, and the data card.
import * as Plot from "@observablehq/plot";
import { chart, fitted, wholeTicks, widest } from "../chart";
import { between, classColour, count, figure, h, name, num, percent, section, sentence, share, table, type Child } from "../dom";
import type { Check, Report } from "../types";

const tile = (label: string, value: Child, more: Child) =>
  h("div", { class: "tile" }, h("dt", {}, label), h("dd", {}, h("span", { class: "value" }, value), h("span", { class: "more" }, more)));

function gapTile(report: Report): HTMLElement | null {
  const gaps = report.solved?.claims.filter((c) => c.kind === "duality-gap" && c.relative_gap != null) ?? [];
  if (gaps.length === 0) return null;
  const worst = Math.max(...gaps.map((c) => c.relative_gap ?? 0));
  const checked = report.solved?.checked;
  return tile("From the best objective, at most", num(worst, 2), checked ? (checked.holds ? "\u2713 recomputed here" : "\u2717 the check failed") : "as the model says");
}

function separableTile(report: Report): HTMLElement | null {
  const answers = report.separability?.answers ?? [];
  if (answers.length === 0) return null;
  const yes = answers.filter((a) => a.verdict === "separable").length;
  const open = answers.filter((a) => !a.decided).length;
  if (answers.length > 1) return tile("Separable by a plane", `${yes} of ${answers.length}`, open ? `${open} not decided` : "classes against the rest");
  const one = answers[0];
  if (!one.decided) return tile("Separable by a plane", "open", "not decided quickly");
  if (yes) return tile("Separable by a plane", "yes", one.margin ? `margin ${num(one.margin.lower)}` : "proved");
  const least = one.least_errors;
  return tile("Separable by a plane", "no", `${count(one.witness?.count ?? 0, "row")} prove it${least ? least.exact ? `; every plane gets ${num(least.upper)} wrong or more` : `; every plane gets at least ${num(least.lower)} wrong` : ""}`);
}

export function verdict(report: Report): HTMLElement {
  const q = report.quality;
  const where = q.on === "test" ? "test rows" : report.data.training ? "training rows" : "rows";
  const best = q.baselines.reduce((a, b) => (b.error < a ? b.error : a), Infinity);
  return section("verdict", "Verdict",
    h("ul", { class: "sentences" }, ...report.verdict.map((text) => h("li", {}, sentence(text)))),
    report.notes.length > 0 && h("ul", { class: "notes" }, ...report.notes.map((note) => h("li", {}, note))),
    h("dl", { class: "tiles" },
      tile(`Wrong, of ${num(q.rows)} ${where}`, percent(q.error), q.interval && !(q.on === "data" && report.data.training) ? `95 % interval ${between(q.interval, percent)}` : `${num(q.errors)} rows; on new ones it is likely to be worse`),
      Number.isFinite(best) && tile("Best baseline is wrong on", percent(best), q.baselines.find((b) => b.error === best)?.text),
      q.auc !== null && tile("Area under the ROC curve", share(q.auc), q.auc_interval ? between(q.auc_interval, share) : null),
      q.log_loss !== null && tile("Log-loss", num(q.log_loss), q.brier !== null ? `Brier score ${num(q.brier)}` : null),
      gapTile(report), separableTile(report)));
}

const signs: Record<Check["severity"], [string, string]> = {
  warning: ["\u25B2", "Warning"], note: ["\u25CF", "Note"], passed: ["\u2713", "Passed"], skipped: ["\u2013", "Not checked"],
};
const checkItem = (c: Check) => h("li", { class: c.severity },
  h("span", { class: "sign", role: "img", "aria-label": signs[c.severity][1] }, signs[c.severity][0]),
  h("span", {}, h("code", {}, c.code), " ", sentence(c.text), c.advice && h("span", { class: "advice" }, c.advice)));

export function dataCard(report: Report): HTMLElement {
  const d = report.data;
  const found = d.checks.filter((c) => c.severity !== "passed");
  const passed = d.checks.filter((c) => c.severity === "passed");
  const shown = d.classes.slice(0, 30);
  const total = d.classes.reduce((sum, c) => sum + c.rows, 0);
  const left = (width: number) => Math.min(width * 0.4, 220, 18 + widest(shown.map((c) => c.label)));
  const bars = (width: number) => chart({
    width, height: 52 + 26 * shown.length, marginBottom: 38, marginLeft: left(width), marginRight: 64,
    x: { label: "rows", grid: true, ticks: wholeTicks(Math.max(...shown.map((c) => c.rows)), width > 560 ? 6 : 4) }, y: { label: null, domain: shown.map((_, k) => k), tickFormat: (k: number) => fitted(shown[k].label, left(width) - 12) },
    marks: [
      Plot.barX(shown, { x: "rows", y: (_: unknown, k: number) => k, fill: (_: unknown, k: number) => classColour(k), insetTop: 3, insetBottom: 3 }),
      Plot.text(shown, { x: "rows", y: (_: unknown, k: number) => k, text: (c: { rows: number }) => percent(c.rows / total), dx: 6, textAnchor: "start", fill: "currentColor" }),
      Plot.ruleX([0]),
    ],
  });
  return section("data", "The data",
    h("p", { class: "lead" }, h("code", {}, d.name), d.training
      ? " \u2013 the rows that the model was trained on, by their fingerprint."
      : " \u2013 not the rows that the model was trained on (their fingerprint differs)."),
    h("dl", { class: "tiles" },
      tile("Rows", num(d.rows), d.weighted ? "with weights" : `${num(d.distinct_rows)} distinct`),
      tile("Features", num(d.features), `${num(d.nonzeros)} values that are not zero`),
      tile("Values", `${num(d.low)} to ${num(d.high)}`, `stored as ${d.storage}`)),
    figure(bars, d.classes.length > shown.length ? `The first ${shown.length} of ${d.classes.length} classes.` : "Rows by class.",
      table("Rows by class", [
        { head: "class", cell: (c) => name(c.label) }, { head: "rows", cell: (c) => num(c.rows), number: true },
        { head: "share", cell: (c) => percent(c.rows / total), number: true }], d.classes), "Rows by class"),
    h("h3", {}, found.length > 0 ? "What the doctor found" : "The doctor found nothing odd"),
    found.length > 0 && h("ul", { class: "checks" }, ...found.map(checkItem)),
    passed.length > 0 && h("details", { class: "behind" }, h("summary", {}, `${count(passed.length, "check")} passed`),
      h("ul", { class: "checks" }, ...passed.map(checkItem))));
}
