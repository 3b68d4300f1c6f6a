// SPDX-License-Identifier: BSD-3-Clause
// The other pictures of the same walk: the space of weights, the dual values, how it went, and the path over C.
import * as Plot from "@observablehq/plot";
import { scaleLinear } from "d3";
import { chart, wholeTicks } from "../chart";
import { count, h, num, paint, table } from "../dom";
import { across, glyph, outline, s } from "./draw";
import type { Corner, Path, Plane, Point, Step, Walk } from "./types";

// A picture under a heading, with what it says in words and the numbers behind it.
export class Card {
  readonly element: HTMLElement;
  readonly holder = h("div", { class: "chart" });
  readonly controls = h("div", { class: "card-controls" });
  private readonly words = h("p", { class: "card-words" });
  private readonly numbers = h("div");
  private readonly details = h("details", { class: "behind" }, h("summary", {}, "Table behind the picture"), this.numbers);
  private drawing: ((width: number) => Element) | null = null;
  private makeTable: (() => HTMLElement) | null = null;
  private label = "";

  constructor(readonly id: string, title: string) {
    this.element = h("section", { class: "card", id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), this.holder, this.controls, this.words, this.details);
    new ResizeObserver(() => this.redraw()).observe(this.holder);
    this.details.addEventListener("toggle", () => this.fill());
  }
  show(label: string, words: string, drawing: (width: number) => Element, makeTable: () => HTMLElement): void {
    this.element.hidden = false;
    this.label = label;
    this.words.textContent = words;
    this.drawing = drawing;
    this.makeTable = makeTable;
    this.redraw();
    this.fill();
  }
  title(text: string): void {
    this.element.querySelector("h2")!.textContent = text;
  }
  hide(): void {
    this.element.hidden = true;
    this.drawing = null;
  }
  private redraw(): void {
    const width = Math.floor(this.holder.clientWidth);
    if (this.drawing && width > 0) paint(this.holder, this.drawing(width), this.label);
  }
  private fill(): void {
    if (this.details.open && this.makeTable) this.numbers.replaceChildren(this.makeTable());
    else this.numbers.replaceChildren();
  }
}

const vector = (p: Plane) => `(${num(p.theta[0])}, ${num(p.theta[1])})`;

export function weightSpace(card: Card, walk: Walk, points: Point[], at: number, plane: Plane | null): void {
  if (!plane) return card.hide();
  const steps: Plane[] = [walk.start, ...walk.steps.slice(0, at)];
  const w = walk.weights.half_width;
  const offset = walk.options.offset !== "none";
  const region = plane.region === undefined ? [] : walk.weights.regions[plane.region].corners;
  const picture = (width: number) => {
    const size = Math.min(width, 460, Math.max(300, window.innerHeight - 362));
    const x = scaleLinear([-w, w], [30, size - 8]), y = scaleLinear([-w, w], [size - 26, 8]);
    const svg = s("svg", { viewBox: `0 0 ${size} ${size}`, width: size, height: size, class: "weights" });
    const seen = (corners: Corner[]) => outline(corners.map(([p, q]): Corner => [x(p), y(q)]));
    svg.append(s("path", { class: "ground", d: seen([[-w, -w], [w, -w], [w, w], [-w, w]]) }), s("path", { class: "cone", d: seen(region) }));
    const lines = s("g");
    points.slice(0, 120).forEach((p, row) => {
      const ends = across([-w, w, -w, w], p[0], p[1], plane.theta0);
      if (!ends) return;
      const acting = at > 0 && walk.steps[at - 1]?.row === row + 1;
      const one = s("line", { class: `row-line k${p[2] > 0 ? 1 : 0}${acting ? " acting" : ""}`, x1: x(ends[0][0]), y1: y(ends[0][1]), x2: x(ends[1][0]), y2: y(ends[1][1]) });
      lines.append(one);
      if (points.length <= 40) {  // small teeth on the side where the row is right
        const length = Math.hypot(p[0], p[1]) || 1;
        for (const t of [0.12, 0.88]) {
          const cx = ends[0][0] + t * (ends[1][0] - ends[0][0]), cy = ends[0][1] + t * (ends[1][1] - ends[0][1]);
          lines.append(s("line", { class: `tooth k${p[2] > 0 ? 1 : 0}`, x1: x(cx), y1: y(cy), x2: x(cx) + (9 * p[2] * p[0]) / length, y2: y(cy) - (9 * p[2] * p[1]) / length }));
        }
      }
    });
    svg.append(lines);
    const ticks = s("g", { class: "ticks" });
    for (const t of x.ticks(5)) ticks.append(s("text", { x: x(t), y: size - 8, "text-anchor": "middle" }, num(t)), s("text", { x: 25, y: y(t) + 4, "text-anchor": "end" }, num(t)));
    svg.append(ticks, s("text", { class: "axis-name", x: size - 12, y: size - 32, "text-anchor": "end" }, "\u03B8\u2081"), s("text", { class: "axis-name", x: 36, y: 22 }, "\u03B8\u2082"));
    svg.append(s("circle", { class: "origin", cx: x(0), cy: y(0), r: 3 }));
    const walked = steps.slice(-400);
    if (walked.length > 1) svg.append(s("path", { class: "walk", d: `M${walked.map((p) => `${x(p.theta[0]).toFixed(1)},${y(p.theta[1]).toFixed(1)}`).join("L")}` }));
    if (walked.length <= 60) for (const p of walked) svg.append(s("circle", { class: "was", cx: x(p.theta[0]), cy: y(p.theta[1]), r: 3 }));
    svg.append(s("circle", { class: "now", cx: x(plane.theta[0]), cy: y(plane.theta[1]), r: 6 }));
    return svg;
  };
  const slice = offset ? ` Seen at \u03B8\u2080 = ${num(plane.theta0)}, the third coordinate.` : "";
  const words = region.length > 0
    ? `Every point here is a plane. Each row allows the side of its line with the teeth; the shaded part pleases all rows. \u03B8 is ${vector(plane)}.${slice}`
    : `Every point here is a plane. Each row allows the side of its line with the teeth; no point${offset ? " of this slice" : ""} pleases all rows. \u03B8 is ${vector(plane)}.${slice}`;
  card.show(`Weight space: theta at ${vector(plane)}`, words, picture, () =>
    table("theta after every update", [
      { head: "update", cell: (r: [number, Plane]) => num(r[0]), number: true },
      { head: "\u03B8\u2081", cell: (r) => num(r[1].theta[0], 6), number: true },
      { head: "\u03B8\u2082", cell: (r) => num(r[1].theta[1], 6), number: true },
      { head: "\u03B8\u2080", cell: (r) => num(r[1].theta0, 6), number: true },
    ], steps.map((p, k): [number, Plane] => [k, p]).slice(-200)));
}

export function dual(card: Card, walk: Walk, points: Point[], at: number, atEnd: boolean): void {
  let values: number[] | null = null;
  let what = walk.alpha?.what ?? "updates";
  if (walk.alpha && (atEnd || walk.alpha.what === "dual")) values = walk.alpha.values;
  else if (walk.steps.length > 0 && walk.algorithm.endsWith("perceptron")) {
    values = points.map(() => 0);  // how often each row stands among the updates so far
    for (const step of walk.steps.slice(0, at)) values[step.row - 1] += 1;
    what = "updates";
  }
  if (!values) return card.hide();
  const rows = values.map((alpha, k) => ({ row: k + 1, alpha, y: points[k]?.[2] ?? 1 }));
  const acting = at > 0 ? walk.steps[at - 1]?.row : undefined;
  const used = rows.filter((r) => r.alpha > 0).length;
  const upper = what === "dual" && walk.algorithm === "svm" ? Number(walk.options.C) : null;
  const words = what === "updates"
    ? `\u03B8 is the sum of \u03B1 y x over the rows, and \u03B1 counts the updates of each row: ${used} of ${count(rows.length, "row")} had one.`
    : `Dual values of the rows: ${used} of ${count(rows.length, "row")} are support vectors, the others could go without changing the plane.`;
  card.show("Dual values per row", words, (width) =>
    chart({
      width, height: 230, marginLeft: 48,
      x: { label: "row", type: "linear", domain: [0.5, rows.length + 0.5], ticks: rows.length <= 24 && width > 480 ? rows.map((r) => r.row) : wholeTicks(rows.length, 8).filter((t) => t > 0) },
      y: { label: "\u03B1", grid: true, ...(used === 0 ? { domain: [0, 1] } : { zero: true, nice: true }), ticks: what === "updates" ? wholeTicks(Math.max(1, ...rows.map((r) => r.alpha)), 5) : 5 },
      symbol: { domain: [-1, 1], range: ["circle", "square"] },
      marks: [
        acting ? Plot.ruleX([acting], { stroke: "var(--rule)", strokeWidth: 10 }) : null,
        upper !== null && rows.some((r) => r.alpha > 0.7 * upper) ? Plot.ruleY([upper], { stroke: "var(--faint)", strokeDasharray: "4,4" }) : null,
        Plot.ruleX(used === 0 ? [] : rows, { x: "row", y1: 0, y2: "alpha", stroke: (r) => (r.y > 0 ? "var(--c1)" : "var(--c0)"), strokeWidth: rows.length > 120 ? 1 : 3 }),
        Plot.dot(rows, { x: "row", y: "alpha", symbol: "y", r: rows.length > 120 ? 2 : 4.5, fill: (r) => (r.y > 0 ? "var(--c1)" : "var(--c0)") }),
        Plot.ruleY([0], { stroke: "var(--faint)" }),
      ],
    }), () => table("alpha of every row", [
    { head: "row", cell: (r: (typeof rows)[number]) => num(r.row), number: true },
    { head: "class", cell: (r) => glyph(r.y), number: false },
    { head: "\u03B1", cell: (r) => num(r.alpha, 6), number: true },
  ], rows));
}

export function history(card: Card, walks: Walk[], at: number): void {
  const stepped = walks.filter((w) => w.steps.length > 0);
  if (stepped.length === 0) return card.hide();
  const name = (w: Walk) => (stepped.length > 1 && stepped[0].algorithm === stepped[1].algorithm ? `${w === stepped[0] ? "A" : "B"} ${w.algorithm}` : w.algorithm);
  const errors = stepped.flatMap((w) => [{ k: 0, errors: w.start.errors ?? 0, run: name(w) }, ...w.steps.map((p) => ({ k: p.k, errors: p.errors, run: name(w) }))]);
  const cosines = stepped.flatMap((w) => w.steps.filter((p) => p.cosine !== undefined).map((p) => ({ k: p.k, cosine: p.cosine!, bound: p.cosine_bound === undefined ? null : Math.min(1, p.cosine_bound), run: name(w) })));
  const bounded = cosines.filter((c) => c.bound !== null);
  const dash = (run: string) => (run === name(stepped[0]) ? "none" : "7,4");
  const bound = stepped.find((w) => w.algorithm.endsWith("perceptron"))?.verdict.margin?.mistakes;
  const words = stepped.map((w) => `${name(w)}: ${w.shortened ? "more than " : ""}${count(w.steps.length, "update")}`).join("; ") +
    (bound ? `. Novikoff's bound (R/\u03B3)\u00B2 allows a perceptron ${num(bound)}.` : ".");
  const lines = (width: number) => {
    const both = h("div", { class: "pair" });
    const last = Math.max(1, ...errors.map((e) => e.k));
    const end = last + Math.max(0.25, 0.02 * last);  // what the last update left stands a little longer
    const common = { width: cosines.length > 0 && width > 620 ? Math.floor(width / 2 - 8) : width, height: 220, marginLeft: 44, x: { label: "update", domain: [0, end], ticks: wholeTicks(last, 6) } };
    const longer = <T extends { k: number }>(data: T[], to: number | null) => (to === null || data.length === 0 ? data : [...data, { ...data[data.length - 1], k: to }]);
    const now = Plot.ruleX([Math.min(at, last)], { stroke: "var(--faint)" });
    const styled = (data: typeof errors | typeof cosines, y: string, stroke: string) => stepped.map((w) => Plot.line(longer((data as { run: string; k: number }[]).filter((d) => d.run === name(w)), y === "errors" ? end : null), { x: "k", y, stroke, strokeWidth: 2, strokeDasharray: dash(name(w)), curve: y === "errors" ? "step-after" : "linear" }));
    const svgOf = (options: Parameters<typeof chart>[0], label: string) => {
      const svg = chart(options);
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", label);
      svg.querySelectorAll("g[aria-label]").forEach((g) => g.removeAttribute("aria-label"));
      return svg;
    };
    both.append(svgOf({ ...common, y: { label: "rows on the wrong side", grid: true, zero: true, nice: true, ticks: wholeTicks(Math.max(...errors.map((e) => e.errors)), 5) }, marks: [now, ...styled(errors, "errors", "var(--c0)")] }, "Rows on the wrong side after every update"));
    if (cosines.length > 0) both.append(svgOf({ ...common, y: { label: bounded.length > 0 ? "cosine to the widest plane (line), at least (dots)" : "cosine to the widest plane", grid: true, domain: [Math.min(0, ...cosines.map((c) => c.cosine)), 1] }, marks: [now, ...styled(cosines, "cosine", "var(--c2)"), Plot.dot(bounded.filter((_, k) => k % Math.ceil(bounded.length / 60) === 0), { x: "k", y: "bound", fill: "var(--c3)", r: 2.2 })] }, "Cosine to the widest plane after every update"));
    both.setAttribute("data-controls", "");
    return both;
  };
  card.show("How it went", words, lines, () =>
    table("every update", [
      { head: "algorithm", cell: (r: [string, Step]) => r[0] },
      { head: "update", cell: (r) => num(r[1].k), number: true },
      { head: "row", cell: (r) => num(r[1].row), number: true },
      { head: "margin before", cell: (r) => num(r[1].margin_before), number: true },
      { head: "after", cell: (r) => num(r[1].margin_after), number: true },
      { head: "wrong", cell: (r) => num(r[1].errors), number: true },
      { head: "cosine", cell: (r) => num(r[1].cosine), number: true },
    ], stepped.flatMap((w) => w.steps.slice(0, 300).map((p): [string, Step] => [name(w), p]))));
}

// Along C (or nu, lambda): margin, support vectors and errors; the slider chooses the value that is trained with.
export function path(card: Card, answer: Path, rows: number, now: number, choose: (value: number) => void): void {
  const done = answer.points.filter((p) => p.finished);
  if (done.length < 2) return card.hide();
  let nearest = 0;
  done.forEach((p, k) => { if (Math.abs(Math.log(p.value / now)) < Math.abs(Math.log(done[nearest].value / now))) nearest = k; });
  // Made once: whoever moves it by keys keeps it under the fingers.
  const slider = (card.controls.querySelector("input") ?? card.controls.appendChild(h("input", { type: "range" }))) as HTMLInputElement;
  slider.max = String(done.length - 1);
  slider.value = String(nearest);
  slider.setAttribute("aria-label", `${answer.option} along the path`);
  slider.setAttribute("aria-valuetext", `${answer.option} ${num(done[nearest].value)}`);
  slider.onchange = () => choose(done[Number(slider.value)].value);
  const p = done[nearest];
  const words = `At ${answer.option} = ${num(p.value)}: ${p.margin ? `margin ${num(p.margin)}, ` : ""}${p.support_vectors !== null && p.support_vectors !== undefined ? `${count(p.support_vectors, "support vector")}, ` : ""}${num(Math.round((p.error ?? 0) * rows))} of ${rows} wrong${p.relative_gap !== null && p.relative_gap !== undefined ? `; proved to be within ${num(p.relative_gap, 2)} of the best objective` : ""}. The slider trains at another value.`;
  const series = done.flatMap((q) => [
    ...(q.support_vectors !== null && q.support_vectors !== undefined ? [{ value: q.value, count: q.support_vectors, what: "support vectors" }] : []),
    { value: q.value, count: Math.round((q.error ?? 0) * rows), what: "wrong rows" },
  ]);
  card.title(`Path over ${answer.option}`);
  const x = { label: answer.option, type: answer.option === "nu" ? ("linear" as const) : ("log" as const), tickFormat: (t: number) => (answer.option === "nu" || Number.isInteger(Math.log10(t)) ? String(Number(t.toPrecision(3))) : "") };
  card.show(`Path over ${answer.option}`, words, (width) => {
    const wide = width > 620;
    const common = { width: wide ? Math.floor(width / 2 - 8) : width, height: 220, marginLeft: 44, x };
    const rule = Plot.ruleX([p.value], { stroke: "var(--faint)" });
    const holder = h("div", { class: "pair", "data-controls": "" });
    const finish = (svg: Element, label: string) => {
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", label);
      svg.querySelectorAll("g[aria-label]").forEach((g) => g.removeAttribute("aria-label"));
      return svg;
    };
    if (done.some((q) => q.margin)) holder.append(finish(chart({ ...common, y: { label: "margin 1/|\u03B8|", grid: true, zero: true, nice: true }, marks: [rule, Plot.lineY(done, { x: "value", y: "margin", stroke: "var(--c2)", strokeWidth: 2, marker: "dot" })] }), "Margin along the path"));
    holder.append(finish(chart({ ...common, y: { label: "support vectors (squares), wrong rows (circles)", grid: true, zero: true, nice: true }, symbol: { domain: ["support vectors", "wrong rows"], range: ["square", "circle"] }, marks: [rule, Plot.lineY(series, { x: "value", y: "count", z: "what", stroke: (d) => (d.what === "wrong rows" ? "var(--c0)" : "var(--c1)") }), Plot.dot(series, { x: "value", y: "count", symbol: "what", fill: (d) => (d.what === "wrong rows" ? "var(--c0)" : "var(--c1)"), r: 3.5 })] }), "Support vectors and wrong rows along the path"));
    return holder;
  }, () => table("the path", [
    { head: answer.option, cell: (q: (typeof done)[number]) => num(q.value), number: true },
    { head: "|\u03B8|", cell: (q) => num(q.norm), number: true },
    { head: "margin", cell: (q) => num(q.margin), number: true },
    { head: "support vectors", cell: (q) => num(q.support_vectors), number: true },
    { head: "error", cell: (q) => num(q.error), number: true },
    { head: "gap", cell: (q) => num(q.relative_gap, 2), number: true },
  ], done));
}
