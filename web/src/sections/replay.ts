// SPDX-License-Identifier: BSD-3-Clause
// Planes that move: the walk of an online learner update by update, and the machines along C.
import * as Plot from "@observablehq/plot";
import { chart } from "../chart";
import { behind, count, h, legend, num, percent, section, table } from "../dom";
import { type Box, boxOf, cutOf, dots, frame, sides, squared, stage, stroke } from "../flat";
import type { FlatPoint, Line, Report, ReplayUpdate } from "../types";

// A sheet that the plane does not cut shows one side only.
const missed = (box: Box, line: Line) => (cutOf(box, line).length < 2 ? "the plane itself lies outside of the picture" : null);

const vector = (theta: (number | null)[] | undefined, theta0: number) =>
  theta ? `(${theta.map((w) => num(w)).join(", ")}${theta0 !== 0 ? `; ${num(theta0)}` : ""})` : "";

function words(report: Report, u: ReplayUpdate, seen: string | null): HTMLElement {
  const r = report.replay!;
  const bound = report.perceptron?.best_bound;
  const items: (string | null)[] = [
    `pass ${num(u.pass)}, row ${num(u.row)} with y = ${u.y > 0 ? "+1" : "\u22121"}${u.batch ? `, the first of ${u.batch} rows of the batch` : ""}`,
    `its margin goes from ${num(u.margin_before)} to ${num(u.margin_after)}${u.loss ? `, its loss was ${num(u.loss)}` : ""}`,
    u.theta && u.theta_before ? `\u03B8 from ${vector(u.theta_before, u.theta0_before)} to ${vector(u.theta, u.theta0)}` : `|\u03B8| = ${num(u.norm)}, \u03B8\u2080 from ${num(u.theta0_before)} to ${num(u.theta0)}`,
    u.rate !== 1 || u.keep !== 1 ? `step \u03B7 = ${num(u.rate)}, \u03B8 shrunk by ${num(u.keep)}` : null,
    u.votes !== undefined ? `this plane gets ${count(u.votes, "vote")}` : null,
    u.mean ? "dotted: the mean of all planes so far" : null,
    bound && r.algorithm.endsWith("perceptron") ? `${num(u.k)} of at most ${num(Math.floor(bound))} mistakes` : null,
    seen,
  ];
  return h("div", { class: "reading" }, h("p", {}, h("strong", {}, `Update ${num(u.k)}`), ` of ${num(r.updates)}`), h("ul", {}, ...items.filter((text): text is string => text !== null).map((text) => h("li", {}, text))));
}

export function replay(report: Report): HTMLElement | null {
  const r = report.replay;
  if (!r) return null;
  const rows = boxOf(r.points, true);
  const byRow = new Map(r.points.map((p) => [p[0], p]));
  const last = r.shown.length - 1;
  let at = 0, timer = 0;
  const { holder, again } = stage((width) => {
    const box = squared(rows, width);
    const u = r.shown[at];
    const row = byRow.get(u.row);
    return frame(width, box, r.x, r.y, [
      ...sides(box, u.after), dots(r.points, 0.75),
      stroke(box, u.before, { stroke: "var(--faint)", strokeWidth: 2, strokeDasharray: "6 5" }), stroke(box, u.after, {}),
      u.mean ? stroke(box, u.mean, { stroke: "var(--c2)", strokeDasharray: "2 5", strokeWidth: 3 }) : null,
      row ? Plot.dot([row], { x: (p: FlatPoint) => p[2], y: (p: FlatPoint) => p[3], r: 10, stroke: "currentColor", strokeWidth: 2.5 }) : null,
    ]);
  }, () => `Update ${r.shown[at].k}: the plane before and after row ${r.shown[at].row}`);
  const reading = h("div", { class: "panel", "aria-live": "polite" });
  const slider = h("input", { type: "range", id: "replay-at", min: 0, max: last, step: 1, value: 0, "aria-label": "Update" });
  const play = h("button", { type: "button", id: "replay-play" }, "Play");
  const stop = () => {
    window.clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  };
  const go = (to: number) => {
    at = Math.max(0, Math.min(last, to));
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `update ${r.shown[at].k}`);
    reading.replaceChildren(words(report, r.shown[at], missed(rows, r.shown[at].after)));
    again();
  };
  const button = (id: string, text: string, to: () => number) => {
    const element = h("button", { type: "button", id }, text);
    element.addEventListener("click", () => {
      stop();
      go(to());
    });
    return element;
  };
  slider.addEventListener("input", () => {
    stop();
    go(Number(slider.value));
  });
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (at === last) go(0);
    play.textContent = "Pause";
    timer = window.setInterval(() => {
      go(at + 1);
      if (at === last) stop();
    }, Math.max(120, Math.min(900, 20000 / (last + 1))));
  });
  go(0);
  return section("replay", "The walk, update by update",
    h("p", { class: "lead" }, `${r.algorithm === "trace" ? "The updates of a trace that was given." : `Every update of the ${r.algorithm}, made again with the options and the seed of the model.`} Dashed: the plane before; solid: after; circled: the row that moved it.`),
    legend(r.classes),
    h("figure", {}, holder, h("figcaption", {}, r.projected ? "Seen from two directions: across, along the normal of the last plane; upwards, at right angles to it, where the rows spread most. Every plane is drawn where it cuts this sheet, which goes through the mean of the rows, so that a row may lie on another side than it seems." : r.others > 0 ? `Seen on two columns: the plane is drawn where the other ${num(r.others)} columns are at their mean, so that a row may lie on another side than it seems.` : "Both columns of the data.",
      r.points.length < r.rows && ` ${num(r.points.length)} of ${num(r.rows)} rows are drawn.`,
      r.shown.length < r.updates && ` The first ${num(r.shown.length)} of ${num(r.updates)} updates can be replayed.`)),
    h("div", { class: "controls onscreen" }, button("replay-first", "First", () => 0), button("replay-back", "Back", () => at - 1), play, button("replay-next", "Next", () => at + 1), button("replay-last", "Last", () => last)),
    h("div", { class: "onscreen" }, slider), reading,
    behind("Table behind the picture", table("Updates", [
      { head: "k", cell: (u) => num(u.k), number: true }, { head: "pass", cell: (u) => num(u.pass), number: true }, { head: "row", cell: (u) => num(u.row), number: true }, { head: "y", cell: (u) => num(u.y), number: true },
      { head: "margin before", cell: (u) => num(u.margin_before), number: true }, { head: "after", cell: (u) => num(u.margin_after), number: true }, { head: "\u03B7", cell: (u) => num(u.rate), number: true }, { head: "shrunk by", cell: (u) => num(u.keep), number: true },
      { head: "\u03B8", cell: (u) => vector(u.theta, u.theta0) || `|\u03B8| = ${num(u.norm)}` }, { head: "votes", cell: (u) => (u.votes === undefined ? "" : num(u.votes)), number: true }], r.shown)));
}

export function path(report: Report): HTMLElement | null {
  const p = report.path;
  if (!p) return null;
  const picture = p.picture;
  const log = p.points[0].value > 0;
  const nearest = p.chosen === null ? p.points.length - 1 : p.points.reduce((best, point, k) => (Math.abs(Math.log(point.value / p.chosen!)) < Math.abs(Math.log(p.points[best].value / p.chosen!)) ? k : best), 0);
  let at = nearest;
  const show = p.metric === "error" ? percent : num;
  const curve = stage((width) => chart({
    width, height: 300, marginLeft: 56,
    x: { label: p.option, type: log ? "log" : "linear", ticks: Math.max(3, width / 120), tickFormat: (x: number) => (!log || Math.abs(Math.log10(x) % 1) < 1e-9 ? num(x) : "") }, y: { label: p.metric, grid: true, nice: true, zero: true, tickFormat: (y: number) => show(y) },
    marks: [
      p.points.some((q) => q.low !== null) ? Plot.areaY(p.points, { x: "value", y1: "low", y2: "high", fill: "var(--c1)", fillOpacity: 0.15 }) : null,
      p.chosen !== null ? Plot.ruleX([p.chosen], { stroke: "currentColor", strokeDasharray: "3 3" }) : null,
      p.chosen !== null ? Plot.text([`chosen: ${num(p.chosen)}`], { x: () => p.chosen!, frameAnchor: "top", dy: -4, lineAnchor: "bottom", fontWeight: 600, stroke: "var(--ground)", fill: "currentColor" }) : null,
      Plot.line(p.points, { x: "value", y: "training", stroke: "var(--c0)", strokeWidth: 2.5 }), Plot.dot(p.points, { x: "value", y: "training", fill: "var(--c0)", r: 4 }),
      Plot.line(p.points, { x: "value", y: "judged", stroke: "var(--c1)", strokeWidth: 2.5, strokeDasharray: "7 4" }), Plot.dot(p.points, { x: "value", y: "judged", fill: "var(--c1)", symbol: () => "square", r: 4 }),
      Plot.dot([p.points[at]], { x: "value", y: "judged", r: 9, stroke: "currentColor", strokeWidth: 2 }),
    ],
  }), () => `${p.metric} along ${p.option}`);
  const rows = picture ? boxOf(picture.points, false) : null;
  const flat = picture && rows ? stage((width) => {
    const box = squared(rows, width);
    const line = picture.lines[at];
    const margin = picture.others === 0 && p.points[at].margin !== null;
    return frame(width, box, picture.x, picture.y, [...sides(box, line), dots(picture.points, 0.75), stroke(box, line, {}),
      margin ? stroke(box, [line[0], line[1], line[2] - 1], { strokeWidth: 1.5, strokeDasharray: "6 5" }) : null, margin ? stroke(box, [line[0], line[1], line[2] + 1], { strokeWidth: 1.5, strokeDasharray: "6 5" }) : null,
      margin ? Plot.dot(picture.points.filter((q) => (q[1] === 1 ? 1 : -1) * (line[0] * (q[2] ?? 0) + line[1] * (q[3] ?? 0) + line[2]) < 1 + 1e-4), { x: (q: FlatPoint) => q[2], y: (q: FlatPoint) => q[3], r: 7.5, stroke: "currentColor", strokeWidth: 1.3 }) : null]);
  }, () => `The plane at ${p.option} = ${p.points[at].value}`) : null;
  const reading = h("p", { class: "values", "aria-live": "polite" });
  const slider = h("input", { type: "range", id: "path-at", min: 0, max: p.points.length - 1, step: 1, value: at, "aria-label": p.option });
  const go = (to: number) => {
    at = to;
    const q = p.points[at];
    slider.setAttribute("aria-valuetext", `${p.option} = ${q.value}`);
    const item = (label: string, value: string | null) => (value === null ? null : h("span", {}, `${label} `, h("strong", {}, value)));
    reading.replaceChildren(...[item(p.option, num(q.value)), item(p.judged_on, q.judged === null ? null : show(q.judged)), item("training rows", q.training === null ? null : show(q.training)), item("|\u03B8|", q.norm === null ? null : num(q.norm)), item("margin", q.margin === null ? null : num(q.margin)), item("support vectors", q.support_vectors === null ? null : num(q.support_vectors))].filter((e): e is HTMLSpanElement => e !== null));
    curve.again();
    flat?.again();
  };
  slider.addEventListener("input", () => go(Number(slider.value)));
  go(at);
  return section("path", `Along ${p.option}`,
    h("p", { class: "lead" }, `${p.algorithm} at every value of ${p.option}, judged on ${p.judged_on}. Small values: a short \u03B8 and a wide margin; large ones: a close fit to the training rows.`),
    h("ul", { class: "legend" }, p.points.some((q) => q.training !== null) && h("li", {}, h("span", { class: "key k0" }, "\u25CF\u2501"), " training rows"), h("li", {}, h("span", { class: "key k1" }, "\u25A0\u254C"), ` ${p.judged_on}`)),
    h("div", { class: flat ? "columns" : "" }, h("figure", {}, curve.holder, h("figcaption", {}, `The ${p.metric} over ${p.option}${p.points.some((q) => q.low !== null) ? "; the band is one standard error" : ""}.`)),
      flat && h("figure", {}, legend(picture!.classes), flat.holder, h("figcaption", {}, picture!.others > 0 ? `The plane where the other ${num(picture!.others)} columns are at their mean.` : "Solid: the plane; dashed: the margin; circled: the rows within it."))),
    h("div", { class: "panel" }, h("div", { class: "onscreen" }, slider), reading),
    behind("Table behind the chart", table(`Along ${p.option}`, [
      { head: p.option, cell: (q) => num(q.value), number: true }, { head: "training", cell: (q) => num(q.training), number: true }, { head: p.judged_on, cell: (q) => num(q.judged), number: true }, { head: "|\u03B8|", cell: (q) => num(q.norm), number: true }, { head: "margin", cell: (q) => num(q.margin), number: true },
      { head: "support vectors", cell: (q) => num(q.support_vectors), number: true }, { head: "relative gap", cell: (q) => num(q.gap, 2), number: true }], p.points)));
}

export function learningCurve(report: Report): HTMLElement | null {
  const c = report.curve;
  if (!c) return null;
  // Wide intervals of few repeats do not press the curves to the ground.
  const top = Math.max(0.01, 1.6 * Math.max(...c.points.map((q) => Math.max(q.training, q.test)), c.bayes_error ?? 0));
  const { holder } = stage((width) => chart({
    width, height: 320, marginLeft: 56,
    x: { label: "training rows", type: "log", inset: 6, ticks: Math.max(3, width / 120), tickFormat: (x: number) => num(x) }, y: { label: "error", grid: true, domain: [0, top], tickFormat: (y: number) => percent(y) }, clip: true,
    marks: [
      Plot.areaY(c.points.filter((q) => q.low !== null), { x: "rows", y1: (q: { low: number }) => Math.min(q.low, top), y2: (q: { high: number }) => Math.min(q.high, top), fill: "var(--c1)", fillOpacity: 0.15 }),
      c.bayes_error !== null ? Plot.ruleY([c.bayes_error], { stroke: "currentColor", strokeDasharray: "2 4" }) : null,
      Plot.line(c.points, { x: "rows", y: "training", stroke: "var(--c0)", strokeWidth: 2.5 }), Plot.dot(c.points, { x: "rows", y: "training", fill: "var(--c0)", r: 4 }),
      Plot.line(c.points, { x: "rows", y: "test", stroke: "var(--c1)", strokeWidth: 2.5, strokeDasharray: "7 4" }), Plot.dot(c.points, { x: "rows", y: "test", fill: "var(--c1)", symbol: () => "square", r: 4 }),
    ],
  }), () => "Training and test error over the number of training rows");
  return section("curve", "Would more rows help?",
    h("p", { class: "lead" }, `${c.algorithm} trained on parts of the data. Where the two curves have met, more rows will not help; where they are far apart, they will.`),
    h("ul", { class: "legend" }, h("li", {}, h("span", { class: "key k0" }, "\u25CF\u2501"), " training rows"), h("li", {}, h("span", { class: "key k1" }, "\u25A0\u254C"), " test rows, with the 95\u2009% interval"), c.bayes_error !== null && h("li", {}, `dotted: Bayes error ${percent(c.bayes_error)}`)),
    h("figure", {}, holder, behind("Table behind the chart", table("Errors over the number of rows", [
      { head: "rows", cell: (q) => num(q.rows), number: true }, { head: "training", cell: (q) => percent(q.training), number: true }, { head: "test", cell: (q) => percent(q.test), number: true },
      { head: "interval", cell: (q) => (q.low === null ? "\u2013" : `${percent(q.low)} to ${percent(q.high)}`) }], c.points))));
}
