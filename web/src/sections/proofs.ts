// SPDX-License-Identifier: BSD-3-Clause
// Is it solved, can a plane separate the classes, and what the perceptron's mistakes prove.
import * as Plot from "@observablehq/plot";
import { polygonHull } from "d3";
import { chart, powersOfTen, wholeTicks } from "../chart";
import { behind, command, count, figure, h, legend, name, num, section, sentence, table } from "../dom";
import type { Report, SeparationAnswer, SeparationPicture } from "../types";

export function solved(report: Report): HTMLElement | null {
  const s = report.solved;
  if (!s) return null;
  const gaps = s.claims.filter((c) => c.kind === "duality-gap" && c.primal != null && c.dual != null);
  const badge = s.checked
    ? h("span", { class: `badge ${s.checked.holds ? "good" : "bad"}` }, s.checked.holds ? "\u2713 verified" : "\u2717 not verified")
    : h("span", { class: "badge plain" }, "not checked here");
  return section("solved", "Is it solved?",
    gaps.length > 0
      ? h("p", { class: "lead" }, "The dual value is a floor that no plane can get below, so the best objective lies between the two values: the model is at most the gap away from it.")
      : h("p", { class: "lead" }, "What the model proves about itself."),
    h("p", {}, badge, " ", s.checked
      ? s.checked.holds ? "Recomputed from the model and the data by a checker that shares no code with the solver, rounding counted against it." : "The checker does not find what the model claims."
      : s.training ? "The model says so of itself; the command below checks it." : "The model says so of the rows it was trained on, which these are not."),
    gaps.length > 0
      ? table("Objective and the bound below it", [
        { head: "plane", cell: (c) => (c.plane ? name(c.plane) : "all") }, { head: "objective, at most", cell: (c) => num(c.primal, 9), number: true },
        { head: "best one, at least", cell: (c) => num(c.dual, 9), number: true }, { head: "gap", cell: (c) => num(c.gap, 2), number: true },
        { head: "relative", cell: (c) => num(c.relative_gap, 2), number: true }], gaps)
      : h("ul", {}, ...s.claims.slice(0, 12).map((c) => h("li", {}, sentence(c.plane ? [c.plane, ": ", c.text].join("") : c.text)))),
    s.progress && gapFigure(s.progress),
    s.checked && behind("What the checker found", h("ul", {}, ...s.checked.lines.map((line) => h("li", {}, sentence(line))))),
    h("p", {}, "Check it yourself:"), command(report.reproduce.verify));
}

// How the gap closed, training once more.
function gapFigure(progress: [number, number][]): HTMLElement {
  const least = 1e-16;
  const points = progress.map(([k, gap]) => ({ k, gap: Math.max(gap, least) }));
  const draw = (width: number) => chart({
    width, height: 240, marginLeft: 60,
    x: { label: "iteration", domain: [Math.min(0, points[0].k), Math.max(1, points[points.length - 1].k)], ticks: wholeTicks(points[points.length - 1].k, width > 560 ? 10 : 5) },
    y: { label: "relative gap", type: "log", grid: true, tickFormat: (y: number) => num(y, 2), ticks: powersOfTen(Math.min(...points.map((p) => p.gap)), Math.max(...points.map((p) => p.gap)), 7) },
    marks: [Plot.line(points, { x: "k", y: "gap", stroke: "var(--c0)", strokeWidth: 2.5 }), Plot.dot(points, { x: "k", y: "gap", fill: "var(--c0)", r: 4, tip: true })],
  });
  return figure(draw, "The gap at every iteration, from training once more with the same options.", table("Gap at every iteration", [
    { head: "iteration", cell: (p) => num(p[0]), number: true }, { head: "relative gap", cell: (p) => num(p[1], 3), number: true }], progress), "Relative gap at every iteration of the solver");
}

function drawSeparation(picture: SeparationPicture, margin: number | undefined, width: number): Element {
  const points = picture.points.filter((p) => p[2] !== null && p[3] !== null).map((p) => ({ row: p[0], side: p[1], x: p[2] as number, y: p[3] as number, witness: p[4] === 1 }));
  const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
  const pad = (low: number, high: number): [number, number] => {
    const wide = high - low || 1;
    return [low - 0.06 * wide, high + 0.06 * wide];
  };
  const reach = picture.kind === "plane" ? Math.max(margin ?? 0, 0) : 0;
  const [x1, x2] = pad(Math.min(...xs, -reach), Math.max(...xs, reach)), [y1, y2] = pad(Math.min(...ys), Math.max(...ys));
  const marks: Plot.Markish[] = [];
  if (picture.kind === "plane") {
    marks.push(Plot.rect([0], { x1, x2: 0, y1, y2, fill: "var(--s0)" }), Plot.rect([0], { x1: 0, x2, y1, y2, fill: "var(--s1)" }));
    if (margin) marks.push(Plot.ruleX([-margin, margin], { stroke: "currentColor", strokeDasharray: "4 4" }));
    marks.push(Plot.ruleX([0], { stroke: "currentColor", strokeWidth: 2 }));
  }
  if (picture.line) {
    const [a, b, c] = picture.line;
    const along = (shift: number) => Math.abs(b) > Math.abs(a) * 1e-9
      ? [[x1, (shift - c - a * x1) / b], [x2, (shift - c - a * x2) / b]] : [[(shift - c) / a, y1], [(shift - c) / a, y2]];
    marks.push(Plot.line(along(0), { stroke: "currentColor", strokeWidth: 2, clip: true }));
    if (margin) for (const shift of [-margin, margin]) marks.push(Plot.line(along(shift), { stroke: "currentColor", strokeDasharray: "4 4", clip: true }));
  }
  if (picture.meet) {
    for (const side of [0, 1]) {
      const corners = points.filter((p) => p.witness && p.side === side).map((p) => [p.x, p.y] as [number, number]);
      const hull = corners.length > 2 ? polygonHull(corners) ?? corners : corners;
      marks.push(Plot.line([...hull, hull[0]], { stroke: `var(--c${side})`, strokeWidth: 2, fill: `var(--c${side})`, fillOpacity: 0.15 }));
    }
  }
  const quiet = points.filter((p) => !p.witness), loud = points.filter((p) => p.witness);
  const dots = (list: typeof points, r: number, opacity: number) => Plot.dot(list, {
    x: "x", y: "y", r, fill: (p: { side: number }) => `var(--c${p.side})`, symbol: (p: { side: number }) => (p.side ? "square" : "circle"), fillOpacity: opacity, tip: true,
    channels: { row: { value: "row", label: "row" } },
  });
  marks.push(dots(quiet, 3.5, picture.meet ? 0.35 : 0.75), dots(loud, 6, 1));
  if (picture.meet) marks.push(Plot.dot([picture.meet], { symbol: "star", r: 9, fill: "currentColor", stroke: "var(--ground)", strokeWidth: 1.5 }));
  return chart({
    width, height: Math.min(420, Math.max(260, width * 0.62)), marginLeft: 52,
    x: { label: picture.x, domain: [x1, x2], ticks: Math.max(3, width / 110) }, y: { label: picture.kind === "columns" ? picture.y : "where the rows spread most", domain: [y1, y2], ticks: 5 }, marks,
  });
}

function answer(a: SeparationAnswer, labels: [string, string], single: boolean): HTMLElement {
  const words = !a.decided ? "not decided" : a.verdict === "separable" ? "\u2713 separable" : a.verdict === "touching" ? "\u2717 touching" : "\u2717 overlapping";
  const box = h("div", {}, h("h3", {}, name(a.name), " ", h("span", { class: `badge ${a.verdict === "separable" ? "good" : a.decided ? "bad" : "plain"}` }, words)));
  if (!a.decided) {
    box.append(h("p", {}, "It could not be decided quickly; halfspace separable takes the time it needs."));
    return box;
  }
  if (a.verdict === "separable") {
    box.append(h("p", {}, a.margin
      ? `A plane separates them. The widest margin is at least ${num(a.margin.lower, 6)} and at most ${num(a.margin.upper / a.margin.lower - 1, 2)} of that larger; both ends are proved in exact arithmetic.`
      : "A plane separates them; proved in exact arithmetic."));
  } else if (a.witness) {
    box.append(h("p", {}, a.verdict === "touching"
      ? `No plane separates them strictly: their hulls touch. ${count(a.witness.count, "row")} show it.`
      : `No plane separates them. ${count(a.witness.count, "row")} prove it: a mean of those of one class, weighted as in the table, is a mean of those of the other. The two hulls share that point (\u2605).`));
  }
  if (a.least_errors) {
    const e = a.least_errors;
    const listed = `${e.rows.slice(0, 12).map((row) => num(row)).join(", ")}${e.count > 12 ? ", \u2026" : ""}`;
    box.append(h("p", {}, e.exact
      ? `The fewest errors: ${count(e.upper, "row")}. One plane gets only ${e.count === 1 ? `row ${listed}` : `rows ${listed}`} wrong, and it is proved that none gets fewer.`
      : `The fewest errors: at least ${num(e.lower)} (proved); a plane with ${num(e.upper)} was found. halfspace train --algorithm fewest-errors goes on searching.`));
  }
  if (a.picture) {
    const caption = a.picture.kind === "columns" ? "The rows in the two columns of the data; large: those of the proof."
      : a.picture.kind === "plane" ? "Rows seen along the plane: across, their distance from it (dashed: the margin); upwards, the direction in the plane in which they spread most." : "The rows of the proof, projected onto the two directions in which they spread most. Hulls that meet in all dimensions meet here too.";
    box.append(legend(labels), figure((width) => drawSeparation(a.picture!, a.margin?.lower, width), [caption, a.picture.sampled && " A sample of the rows is drawn."],
      a.witness ? witnessTable(a) : planeTable(a), `${a.name}: ${words}`));
  } else {
    const tableOf = a.witness ? witnessTable(a) : planeTable(a);
    if (tableOf) box.append(behind("The proof as a table", tableOf));
  }
  if (a.witness && single) {
    box.append(behind("The point in both hulls", table("Coordinates of the point", [
      { head: "feature", cell: (c) => name(c.name) }, { head: "value", cell: (c) => num(c.value, 6), number: true }], a.witness.point),
      a.witness.coordinates > a.witness.point.length && h("p", {}, `The first ${a.witness.point.length} of ${num(a.witness.coordinates)} coordinates.`)));
  }
  return box;
}
const witnessTable = (a: SeparationAnswer) => table("Rows whose weighted means are one point", [
  { head: "row", cell: (r) => num(r.row), number: true }, { head: "class", cell: (r) => name(r.label) },
  { head: "weight in its class", cell: (r) => num(r.share, 5), number: true }, { head: "exact, of all", cell: (r) => r.exact || "\u2013" }], a.witness!.rows);
const planeTable = (a: SeparationAnswer) => a.plane ? table("The plane, its normal of length 1", [
  { head: "feature", cell: (w) => name(w.name) }, { head: "weight", cell: (w) => num(w.weight, 6), number: true }],
  [...a.plane.weights, { name: a.plane.nonzero > a.plane.weights.length ? `and ${a.plane.nonzero - a.plane.weights.length} more; offset` : "offset", weight: a.plane.offset }]) : null;

export function separability(report: Report): HTMLElement | null {
  const s = report.separability;
  if (!s) return null;
  const two = report.data.classes.length === 2;
  const labels: [string, string] = two ? [report.data.classes[0].label, report.data.classes[1].label] : ["the rest", "the class"];
  return section("separability", "Can a plane separate the classes?",
    !s.asked && h("p", {}, "The data are large, so it was not asked here. halfspace separable DATA decides it with a proof."),
    h("div", { class: s.answers.length > 1 ? "columns" : "" }, ...s.answers.map((a) => answer(a, labels, s.answers.length === 1))));
}

export function perceptron(report: Report): HTMLElement | null {
  const p = report.perceptron;
  if (!p) return null;
  const one = p.planes.length === 1 ? p.planes[0] : null;
  const walk = p.walk;
  const box = section("perceptron", "The perceptron\u2019s mistakes",
    h("p", { class: "lead" }, "After k mistakes the plane has length at most R\u221Ak, and at least k times the best margin. Both can be true only for k up to (R/margin)\u00B2: Novikoff\u2019s bound."),
    table("Mistakes and bounds", [
      { head: "plane", cell: (x) => name(x.plane) }, { head: "mistakes", cell: (x) => num(x.mistakes), number: true }, { head: "R, longest row", cell: (x) => num(x.radius), number: true },
      { head: "margin, at least", cell: (x) => (x.margin_lower ? num(x.margin_lower) : "none proved"), number: true }, { head: "at most", cell: (x) => num(x.margin_upper), number: true },
      { head: "bound of its own plane", cell: (x) => (x.bound === null ? "none" : num(x.bound)), number: true }], p.planes),
    p.best_bound != null && one && h("p", { class: "formula" }, `${num(one.mistakes)} mistakes \u2264 (R/margin)\u00B2 = ${num(p.best_bound)} with the widest margin there is.`));
  if (walk && one && walk.points.length > 0 && one.radius !== null) {
    const R = one.radius;
    const gamma = p.best_bound ? R / Math.sqrt(p.best_bound) : 0;
    const points = [{ k: 0, length: 0, row: 0 }, ...walk.points.map((u) => ({ k: u[0], length: Math.hypot(u[5], u[6]), row: u[2] }))];
    const last = points[points.length - 1].k;
    const grid = Array.from({ length: 101 }, (_, i) => last * (i / 100) ** 2);
    const draw = (width: number) => chart({
      width, height: 330, marginLeft: 52, marginRight: 20, x: { label: "mistakes k", ticks: wholeTicks(last, width > 560 ? 10 : 5) }, y: { label: "length of \u03B8", grid: true, nice: true },
      marks: [
        Plot.areaY(grid, { x: (k: number) => k, y1: (k: number) => gamma * k, y2: (k: number) => R * Math.sqrt(k), fill: "var(--c0)", fillOpacity: 0.1 }),
        Plot.line(grid, { x: (k: number) => k, y: (k: number) => R * Math.sqrt(k), stroke: "var(--c1)", strokeWidth: 2 }),
        gamma > 0 ? Plot.line(grid, { x: (k: number) => k, y: (k: number) => gamma * k, stroke: "var(--c2)", strokeWidth: 2, strokeDasharray: "6 4" }) : null,
        Plot.line(points, { x: "k", y: "length", stroke: "currentColor", strokeWidth: 1.5, curve: "step-after" }),
        last <= 60 ? Plot.dot(points.slice(1), { x: "k", y: "length", fill: "currentColor", r: 4, tip: true, channels: { row: "row" } }) : null,
      ],
    });
    box.append(
      h("ul", { class: "legend" }, h("li", {}, h("span", { class: "key k1" }, "\u2501"), " R\u221Ak, above"), h("li", {}, h("span", {}, "\u2501"), " length of the plane"), gamma > 0 ? h("li", {}, h("span", { class: "key k2" }, "\u254C"), " k \u00B7 margin, below") : h("li", {}, "no margin is proved, so nothing bounds it from below")),
      figure(draw, `The walk, made again with the options and the seed of the model: ${count(walk.updates, "update")}.`, table("Updates", [
        { head: "k", cell: (u) => num(u[0]), number: true }, { head: "pass", cell: (u) => num(u[1]), number: true }, { head: "row", cell: (u) => num(u[2]), number: true }, { head: "y", cell: (u) => num(u[3]), number: true },
        { head: "margin before", cell: (u) => num(u[4]), number: true }, { head: "|\u03B8|", cell: (u) => num(u[5]), number: true }, { head: "\u03B8\u2080", cell: (u) => num(u[6]), number: true }], walk.points), "Length of the plane after every mistake, between its bounds"));
  }
  return box;
}
