// SPDX-License-Identifier: BSD-3-Clause
// The nomogram: every feature has a scale of points, and the points add up to the score. Handles move by mouse, touch and keys.
import { fitted } from "../chart";
import { h, leastWidth, name, num, probability, section } from "../dom";
import type { Calibrator, Nomogram, Report } from "../types";

const ns = "http://www.w3.org/2000/svg";
function s(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const element = document.createElementNS(ns, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

// Round numbers between two ends, about `wanted` of them.
function roundNumbers(low: number, high: number, wanted: number): number[] {
  const rough = (high - low) / Math.max(1, wanted);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const out: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push(Number((k * step).toPrecision(12)));
  return out;
}

export function scoresOf(n: Nomogram, values: number[], rest: number[]): number[] {
  return n.planes.map((p, k) => p.weights.reduce((sum, w, j) => sum + w * values[j], p.offset) + rest[k]);
}
// What a calibrator has learned, as the library applies it: never on the other side of 1/2 than the label.
function calibrated(c: Calibrator, scores: number[]): number[] {
  const sigmoid = (t: number) => 1 / (1 + Math.exp(-t));
  const free = (f: number) => {
    if (c.scores === undefined || c.probabilities === undefined) return sigmoid((c.slope ?? 0) * f + (c.shift ?? 0));
    const after = c.scores.findIndex((s) => s > f), p = c.probabilities;
    if (after === 0) return p[0];
    if (after < 0) return p[p.length - 1];
    const share = (f - c.scores[after - 1]) / (c.scores[after] - c.scores[after - 1]);
    return p[after - 1] + share * (p[after] - p[after - 1]);
  };
  if (scores.length === 1) return [scores[0] > 0 ? Math.max(free(scores[0]), 0.5) : scores[0] < 0 ? Math.min(free(scores[0]), 0.5) : 0.5];
  const most = Math.max(...scores);
  const shares = scores.map((f) => (c.scores ? free(f) : Math.exp((c.slope ?? 0) * (f - most))));
  const total = shares.reduce((a, b) => a + b, 0);
  return shares.map((x) => x / total);
}
export function probabilities(n: Nomogram, scores: number[]): number[] | null {
  const sigmoid = (f: number) => 1 / (1 + Math.exp(-f));
  if (n.probability === "none") return null;
  if (n.probability === "logistic") return [sigmoid(scores[0])];
  if (n.probability === "platt" || n.probability === "isotonic") return calibrated(n.calibrator!, scores);
  const shares = n.probability === "softmax" ? scores.map((f) => Math.exp(f - Math.max(...scores))) : scores.map(sigmoid);
  const total = shares.reduce((a, b) => a + b, 0);
  return shares.map((x) => x / total);
}

class Picture {
  values: number[];
  rest: number[];
  plane: number;
  readonly holder = h("div", { class: "chart" });
  readonly reading = h("div", { class: "reading", "aria-live": "polite" });
  private readonly handles: { place: () => void }[] = [];
  private drawn = 0;

  constructor(private readonly n: Nomogram) {
    this.values = n.features.map((f) => f.mean);
    this.rest = n.planes.map((p) => p.rest);
    this.plane = n.planes.length - 1;
    new ResizeObserver(() => {
      const width = Math.floor(this.holder.clientWidth);
      if (width >= leastWidth && width !== this.drawn) this.draw(width);
    }).observe(this.holder);
  }

  redraw() { if (this.drawn > 0) this.draw(this.drawn); }
  points(j: number, value: number): number {
    const p = this.n.planes[this.plane], f = this.n.features[j], w = p.weights[j];
    return (w * value - Math.min(w * f.low, w * f.high)) / p.unit;
  }

  private draw(width: number) {
    this.drawn = width;
    this.handles.length = 0;
    const narrow = width < 560, left = narrow ? 12 : Math.min(230, width * 0.3), right = 16, step = narrow ? 62 : 46, top = 44;
    const height = top + step * this.n.features.length + 6;
    const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "data-controls": "", role: "group", "aria-label": "Nomogram: a slider for every feature" });
    const x = (points: number) => left + (points / 100) * (width - left - right);
    svg.append(s("text", { x: left, y: 12, "font-size": 12, fill: "var(--faint)" }, "points"));
    for (let p = 0; p <= 100; p += narrow ? 20 : 10) {
      svg.append(s("line", { x1: x(p), x2: x(p), y1: 32, y2: height - 8, stroke: "var(--rule)" }), s("text", { x: x(p), y: 26, "font-size": 12.5, "text-anchor": "middle", fill: "var(--faint)" }, String(p)));
    }
    this.n.features.forEach((_, j) => this.scale(svg, j, top + step * j + (narrow ? 36 : 16), left, narrow, x));
    this.holder.replaceChildren(svg);
    this.read();
  }

  private scale(svg: SVGElement, j: number, y: number, left: number, narrow: boolean, x: (points: number) => number) {
    const f = this.n.features[j], w = this.n.planes[this.plane].weights[j];
    const label = s("text", narrow ? { x: left, y: y - 14, "font-size": 13, fill: "currentColor" } : { x: left - 14, y: y + 4, "font-size": 13, "text-anchor": "end", fill: "currentColor" }, fitted(f.name, narrow ? x(100) - left : left - 18));
    label.append(s("title", {}, f.name));
    const a = x(this.points(j, f.low)), b = x(this.points(j, f.high));
    svg.append(label, s("line", { x1: a, x2: b, y1: y, y2: y, stroke: "currentColor", "stroke-width": 1.5 }));
    const room = Math.abs(b - a);
    let lastAt = -Infinity;
    const marks = room < 46 ? [] : roundNumbers(f.low, f.high, Math.max(1, room / 62)).sort((p, q) => x(this.points(j, p)) - x(this.points(j, q)));
    for (const value of marks) {
      const at = x(this.points(j, value)), text = num(value);
      svg.append(s("line", { x1: at, x2: at, y1: y - 4, y2: y + 4, stroke: "currentColor" }));
      if (at - lastAt < 7 * text.length + 6) continue;
      lastAt = at;
      svg.append(s("text", { x: at, y: y + 18, "font-size": 12, "text-anchor": "middle", fill: "var(--faint)" }, text));
    }
    if (marks.length === 0) {
      svg.append(s("text", { x: Math.max(a, b) + 12, y: y + 4, "font-size": 12, fill: "var(--faint)" }, w === 0 ? "no weight" : `${num(f.low, 3)} to ${num(f.high, 3)}`));
    }
    this.handle(svg, j, y, x);
  }

  private handle(svg: SVGElement, j: number, y: number, x: (points: number) => number) {
    const f = this.n.features[j];
    const handle = s("g", { class: "handle", tabindex: 0, role: "slider", "aria-label": f.name, "aria-valuemin": f.low, "aria-valuemax": f.high });
    handle.append(s("circle", { r: 16, fill: "transparent" }), s("circle", { r: 7.5, fill: "var(--c0)", stroke: "var(--ground)", "stroke-width": 2 }));
    const place = () => {
      const value = this.values[j];
      handle.setAttribute("transform", `translate(${x(Math.max(0, Math.min(100, this.points(j, value))))} ${y})`);
      handle.setAttribute("aria-valuenow", String(Number(value.toPrecision(6))));
      handle.setAttribute("aria-valuetext", `${num(value)}, ${num(this.points(j, value), 3)} points`);
    };
    const set = (value: number) => {
      const kept = Math.max(f.low, Math.min(f.high, value));
      this.values[j] = f.whole ? Math.round(kept) : kept;
      place();
      this.read();
    };
    handle.addEventListener("keydown", (event) => {
      const unit = f.whole ? Math.max(1, Math.round((f.high - f.low) / 50)) : (f.high - f.low) / 50;
      const moves: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 };
      const key = (event as KeyboardEvent).key;
      if (key === "Home") set(f.low);
      else if (key === "End") set(f.high);
      else if (key in moves) set(this.values[j] + moves[key] * unit);
      else return;
      event.preventDefault();
    });
    handle.addEventListener("pointerdown", (event) => {
      const down = event as PointerEvent;
      handle.setPointerCapture(down.pointerId);
      const a = x(this.points(j, f.low)), b = x(this.points(j, f.high));
      const move = (e: Event) => {
        const at = (e as PointerEvent).clientX - svg.getBoundingClientRect().left;
        if (a !== b) set(f.low + ((at - a) / (b - a)) * (f.high - f.low));
      };
      handle.addEventListener("pointermove", move);
      const end = () => handle.removeEventListener("pointermove", move);
      handle.addEventListener("pointerup", end, { once: true });
      handle.addEventListener("pointercancel", end, { once: true });
    });
    svg.append(handle);
    this.handles.push({ place });
    place();
  }

  read() {
    const n = this.n, p = n.planes[this.plane];
    const total = n.features.reduce((sum, _, j) => sum + this.points(j, this.values[j]), 0);
    const scores = scoresOf(n, this.values, this.rest);
    const chances = probabilities(n, scores);
    const score = scores[this.plane];
    const best = n.planes.length === 1 ? (score > 0 ? n.classes[1] : n.classes[0]) : n.planes[scores.indexOf(Math.max(...scores))].class;
    this.reading.replaceChildren(
      h("p", { class: "values" }, h("span", {}, "points ", h("strong", {}, num(total, 4))), h("span", {}, "score ", h("strong", {}, num(score, 4))),
        chances && h("span", {}, "probability of ", name(p.class), " ", h("strong", {}, probability(chances[n.planes.length === 1 ? 0 : this.plane]))), h("span", {}, "answer ", h("strong", {}, name(best)))),
      h("p", {}, h("small", {}, `score = ${num(p.base, 5)} + ${num(p.unit, 5)} \u00D7 ${num(total, 5)} points${n.left_out > 0 ? ` ${this.rest[this.plane] < 0 ? "\u2212" : "+"} ${num(Math.abs(this.rest[this.plane]), 5)} from the ${num(n.left_out)} features not shown` : ""} = ${num(score, 5)}`)));
  }
}

export function nomogram(report: Report): HTMLElement | null {
  const n = report.nomogram;
  if (!n) return null;
  const picture = new Picture(n);
  const rows = h("select", { id: "nomogram-row" }, h("option", { value: "" }, "the mean row"), ...n.rows.map((r, k) => h("option", { value: k }, `row ${r.row} \u2013 ${r.label}`)));
  rows.addEventListener("change", () => {
    const row = rows.value === "" ? null : n.rows[Number(rows.value)];
    picture.values = row ? [...row.values] : n.features.map((f) => f.mean);
    picture.rest = n.planes.map((p, k) => (row ? row.scores[k] - p.weights.reduce((sum, w, j) => sum + w * row.values[j], p.offset) : p.rest));
    picture.redraw();
  });
  const controls = h("div", { class: "controls" }, h("label", { for: "nomogram-row" }, "Start from"), rows);
  if (n.planes.length > 1) {
    const planes = h("select", { id: "nomogram-plane" }, ...n.planes.map((p, k) => h("option", { value: k, selected: k === picture.plane }, p.class)));
    planes.addEventListener("change", () => {
      picture.plane = Number(planes.value);
      picture.redraw();
    });
    controls.append(h("label", { for: "nomogram-plane" }, "Points for"), planes);
  }
  const back = h("button", { type: "button" }, "Back to the row");
  back.addEventListener("click", () => rows.dispatchEvent(new Event("change")));
  controls.append(back);
  return section("nomogram", "Add it up yourself",
    h("p", { class: "lead" }, "A nomogram: every value is worth some points, and the points add up to the score exactly. Move the handles (arrow keys work), or start from a row of the data."),
    controls, h("div", { class: "panel" }, picture.reading), picture.holder,
    n.left_out > 0 && h("p", {}, `The ${n.features.length} features that can move the score most are shown; the other ${num(n.left_out)} stay as they are in the row you start from.`));
}
