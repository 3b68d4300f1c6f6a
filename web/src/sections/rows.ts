// SPDX-License-Identifier: BSD-3-Clause
// Calibration, margins of all rows, and the hardest rows with what speaks for and against.
import * as Plot from "@observablehq/plot";
import { chart, fitted, wholeTicks, widest } from "../chart";
import { between, classColour, count, figure, h, legend, name, num, percent, probability, section, shapes, table } from "../dom";
import type { HardRow, Report } from "../types";

export function calibration(report: Report): HTMLElement | null {
  const c = report.calibration;
  if (!c) return null;
  const reliability = (width: number) => chart({
    width, height: Math.min(width, 400), marginLeft: 52, x: { label: "predicted probability", domain: [0, 1], ticks: 5 }, y: { label: "share for which it came true", domain: [0, 1], grid: true, ticks: 5 },
    marks: [
      Plot.line([[0, 0], [1, 1]], { stroke: "var(--faint)", strokeDasharray: "3 4" }),
      Plot.ruleX(c.bins.filter((b) => b.interval), { x: "predicted", y1: (b: { interval: number[] }) => b.interval[0], y2: (b: { interval: number[] }) => b.interval[1], stroke: "var(--c0)", strokeWidth: 2 }),
      Plot.line(c.bins, { x: "predicted", y: "observed", stroke: "var(--c0)", strokeOpacity: 0.5 }),
      Plot.dot(c.bins, { x: "predicted", y: "observed", r: 5, fill: "var(--c0)", stroke: "var(--ground)" }),
    ],
  });
  const histogram = (width: number) => chart({
    width, height: Math.min(width, 240), marginLeft: 52, x: { label: "predicted probability", domain: [0, 1], ticks: 5 }, y: { label: "rows", grid: true, ticks: wholeTicks(Math.max(...c.histogram), 3) },
    marks: [Plot.rectY(c.histogram, { x1: (_: number, k: number) => k / c.histogram.length, x2: (_: number, k: number) => (k + 1) / c.histogram.length, y: (n: number) => n, fill: "var(--c0)", inset: 0.5 }), Plot.ruleY([0])],
  });
  return section("calibration", "Are the probabilities right?",
    h("p", { class: "lead" }, "Of the rows that get a probability near 0.8, eight in ten should be what it says. Bins hold equally many rows; bars are exact 95 % intervals, and a bin whose bar misses the diagonal is off."),
    h("div", { class: "columns" },
      figure(reliability, [`Predicted against observed, for `, name(c.of), `. Mean distance ${num(c.error, 3)} (expected calibration error).`], table("Bins", [
        { head: "from", cell: (b) => num(b.low), number: true }, { head: "to", cell: (b) => num(b.high), number: true }, { head: "rows", cell: (b) => num(b.rows), number: true }, { head: "predicted", cell: (b) => num(b.predicted), number: true },
        { head: "observed", cell: (b) => num(b.observed), number: true }, { head: "95 % interval", cell: (b) => between(b.interval, (x) => num(x, 3)) }], c.bins), "Reliability curve"),
      figure(histogram, "How often each probability is given.", table("Probabilities given", [
        { head: "from", cell: (b) => num(b.low), number: true }, { head: "rows", cell: (b) => num(b.rows), number: true }], c.histogram.map((rows, k) => ({ low: k / c.histogram.length, rows }))), "Histogram of the probabilities")));
}

export function margins(report: Report): HTMLElement | null {
  const m = report.margins;
  if (!m) return null;
  const flat = m.bins.flatMap((b) => b.rows.map((rows, k) => ({ low: b.low, high: b.high, rows, k }))).filter((b) => b.rows > 0);
  const low = m.bins[0].low, high = m.bins[m.bins.length - 1].high;
  const rules = [low <= 0 && high >= 0 ? Plot.ruleX([0], { stroke: "currentColor", strokeWidth: 1.5 }) : null, m.support_margin && low < 1 && high > 1 ? Plot.ruleX([1], { stroke: "currentColor", strokeDasharray: "5 4" }) : null];
  const histogram = (width: number) => chart({
    width, height: 260, marginLeft: 52, x: { label: "margin", ticks: Math.max(4, width / 90), domain: [low, high] }, y: { label: "rows", grid: true, ticks: wholeTicks(Math.max(...m.bins.map((b) => b.rows.reduce((a, c) => a + c, 0))), 5) },
    marks: [Plot.rectY(flat, Plot.stackY({ x1: "low", x2: "high", y: "rows", fill: (b: { k: number }) => classColour(b.k), z: "k", order: "z", insetLeft: 0.5, insetRight: 0.5 })), ...rules, Plot.ruleY([0])],
  });
  const shown = m.points.map(([row, k, margin]) => ({ row, k, margin: Math.max(low, Math.min(high, margin)), true: margin, up: k + 0.7 * (((row * 0.6180339887498949) % 1) - 0.5) }));
  const left = (width: number) => Math.min(width * 0.3, 18 + widest(m.classes.slice(0, 12)));
  const strip = (width: number) => chart({
    width, height: 58 + 56 * m.classes.length, marginLeft: left(width), x: { label: "margin", domain: [low, high], ticks: Math.max(4, width / 90), grid: true },
    y: { label: null, domain: [m.classes.length - 0.4, -0.6], ticks: m.classes.map((_, k) => k), tickFormat: (k: number) => fitted(m.classes[k] ?? "", left(width) - 12), tickSize: 0 },
    marks: [...rules, Plot.dot(shown, { x: "margin", y: "up", r: 3, fill: (p: { k: number }) => classColour(p.k), fillOpacity: 0.65, symbol: (p: { k: number }) => shapes[p.k % 6], tip: { format: { x: false, y: false, fill: false, symbol: false } }, channels: { row: "row", margin: "true" } })],
  });
  const s = m.support;
  return section("margins", "How sure is it of every row?",
    h("p", { class: "lead" }, "The margin is the score signed by the true class: above zero the row is right, and the larger the surer. ", report.model.planes > 1 && "With more classes: how far the score of the true class lies above the best other. ", m.norm ? `Divided by ${num(m.norm)}, the length of the normal, it is the distance from the plane.` : null),
    h("p", {}, `${num(m.wrong)} of ${num(m.rows)} rows are on the wrong side; the least margin is ${num(m.least)}, the median ${num(m.median)}.`, m.support_margin && ` ${num(m.inside)} rows have a margin below 1; their slacks add up to ${num(m.slack)}.`),
    legend(m.classes.slice(0, 12)),
    figure(histogram, ["Rows by margin, classes stacked.", m.greatest > high || m.least < low ? " The first and the last bar take in what lies beyond." : ""], table("Rows by margin", [
      { head: "from", cell: (b) => num(b.low), number: true }, { head: "to", cell: (b) => num(b.high), number: true }, ...m.classes.slice(0, 12).map((label, k) => ({ head: label, cell: (b: { rows: number[] }) => num(b.rows[k]), number: true }))], m.bins), "Histogram of the margins"),
    m.classes.length <= 12 && figure(strip, m.sampled ? `${num(m.points.length)} of ${num(m.rows)} rows, evenly taken. Point at one for its number.` : "Every row; point at one for its number.", table("Rows with the least margins of those drawn", [
      { head: "row", cell: (p) => num(p[0]), number: true }, { head: "class", cell: (p) => name(m.classes[p[1]]) }, { head: "margin", cell: (p) => num(p[2]), number: true }], [...m.points].sort((a, b) => a[2] - b[2]).slice(0, 100)), "Margins row by row"),
    s && h("h3", {}, "Rows that hold the plane"),
    s && h("p", {}, `${count(s.count, "row")} ${s.count === 1 ? "has an" : "have an"} \u03B1 that is not zero${report.perceptron ? " (how often the row was mistaken)" : ""}: the ${report.model.algorithm === "perceptron" || !report.perceptron ? "plane" : "last plane of the walk"} is the sum of these rows, each times its label and its \u03B1. The largest:`),
    s && table("Rows by dual value", [
      { head: "row", cell: (r) => num(r.row), number: true }, { head: "class", cell: (r) => name(r.label) }, ...(report.model.planes > 1 ? [{ head: "plane", cell: (r: { plane: string }) => name(r.plane) }] : []),
      { head: "\u03B1", cell: (r) => num(r.alpha), number: true }, { head: "margin", cell: (r) => num(r.margin), number: true }], s.rows));
}

function hardRow(r: HardRow, inTheWay: boolean, columns: string): HTMLElement {
  const facts = h("span", { class: "facts", style: `--columns: ${columns}` }, h("strong", {}, `row ${num(r.row)}`), h("span", {}, "is ", name(r.label)), h("span", {}, "answer ", name(r.given), r.right ? " \u2713" : " \u2717"), h("span", {}, `margin ${num(r.margin, 3)}`),
    r.probability != null && h("span", {}, `P(its class) = ${probability(r.probability)}`), r.suspicious && h("span", {}, h("span", { class: "badge bad" }, "\u25B2 suspicious")), inTheWay && h("span", {}, h("span", { class: "badge bad" }, "\u2717 in the way of a plane")));
  if (!r.contributions || r.score === undefined) return h("div", { class: "hard" }, facts);
  const head = h("summary", {}, facts);
  const parts = [{ name: "a row of means", contribution: r.average ?? 0, value: null as number | null }, ...r.contributions, ...(r.others ? [{ name: `${r.others} others`, contribution: r.rest ?? 0, value: null }] : [])];
  let sum = 0;
  const steps = parts.map((p, k) => ({ k, from: sum, to: (sum += p.contribution), ...p }));
  const label = (k: number, room: number) => {
    if (k === steps.length) return "score";
    const value = steps[k].value === null ? "" : ` = ${num(steps[k].value, 3)}`;
    return fitted(steps[k].name, room - widest([value])) + value;
  };
  const draw = (width: number) => chart({
    width, height: 60 + 22 * (steps.length + 1), marginLeft: Math.min(width * 0.46, 260), marginRight: 52,
    x: { label: `towards ${r.towards} \u2192`, grid: true, ticks: Math.max(3, width / 120), nice: true }, y: { label: null, domain: [...steps.map((p) => p.k), steps.length], tickFormat: (k: number) => label(k, Math.min(width * 0.46, 260) - 10), tickSize: 0 },
    marks: [
      Plot.barX(steps, { x1: "from", x2: "to", y: "k", fill: (p: { contribution: number; k: number }) => (p.k === 0 ? "var(--c5)" : p.contribution > 0 ? "var(--c1)" : "var(--c0)"), insetTop: 4, insetBottom: 4 }),
      Plot.text(steps, { x: (p: { from: number; to: number }) => Math.max(p.from, p.to), y: "k", text: (p: { contribution: number }) => (p.contribution > 0 ? "+" : "") + num(p.contribution, 3), dx: 5, textAnchor: "start", fill: "currentColor" }),
      Plot.barX([r.score as number], { x: (f: number) => f, y: () => steps.length, fill: "currentColor", insetTop: 4, insetBottom: 4 }),
      Plot.text([r.score as number], { x: (f: number) => Math.max(0, f), y: () => steps.length, text: (f: number) => num(f, 4), dx: 5, textAnchor: "start", fill: "currentColor", fontWeight: 600 }),
      Plot.ruleX([0]),
    ],
  });
  return h("details", { class: "hard" }, head, figure(draw, ["What moves the score from that of a row of means, largest first; the bars add up to the score."], table("Contributions", [
    { head: "feature", cell: (p) => name(p.name) }, { head: "value", cell: (p) => (p.value === null ? "" : num(p.value)), number: true }, { head: "contribution", cell: (p) => num(p.contribution, 6), number: true }], parts), `Contributions to the score of row ${r.row}`));
}

export function rows(report: Report): HTMLElement | null {
  const r = report.rows;
  if (!r) return null;
  const wrong = r.hardest.filter((x) => !x.right).length;
  const answers = report.separability?.answers ?? [];
  const least = r.on === "data" && answers.length === 1 ? answers[0].least_errors ?? null : null;
  const dropped = least && least.exact && least.count > 0 && least.count <= 0.1 * report.data.rows ? least : null;
  // Names get the room that is left: what no row has takes none.
  const flagged = r.hardest.some((row) => row.suspicious || (dropped !== null && dropped.rows.includes(row.row)));
  const columns = `6.2rem minmax(0, 1fr) minmax(0, 1.35fr) 7.6rem${r.hardest.some((row) => row.probability != null) ? " 10.8rem" : ""}${flagged ? " minmax(0, 10.5rem)" : ""}`;
  return section("rows", "The hardest rows",
    h("p", { class: "lead" }, `The ${r.hardest.length} rows with the least margins${r.on === "test" ? " of the test rows" : ""}; ${wrong === r.hardest.length ? "all of them are" : `${wrong} of them are`} wrong. ${r.suspicious > 0
      ? `${count(r.suspicious, "row")} ${r.suspicious === 1 ? "is" : "are"} suspicious: wrong, and the model is as sure as it is of a typical row that it gets right (margin below ${num(-r.typical, 3)}). Look at the labels of these first.`
      : "None is suspicious: where it is wrong, the model is less sure than of a typical row that it gets right."}`),
    dropped !== null && h("p", {}, dropped.count === 1 ? `Without row ${dropped.rows[0]} a plane would separate the classes (proved).` : `${num(dropped.count)} rows stand in the way of a plane that separates the classes, and no fewer (proved): rows ${dropped.rows.slice(0, 12).join(", ")}${dropped.count > 12 ? ", \u2026" : ""}. Where labels may be wrong, look at these as well.`),
    ...r.hardest.map((row) => hardRow(row, dropped !== null && dropped.rows.includes(row.row), columns)),
    r.hardest.length === 0 && h("p", {}, "There are none."), percentNote(report));
}
const percentNote = (report: Report) => (report.quality.zero_scores > 0 ? h("p", {}, `${count(report.quality.zero_scores, "row")} (${percent(report.quality.zero_scores / report.quality.rows)}) have a score of exactly zero, which counts as wrong for both classes.`) : null);
