// SPDX-License-Identifier: BSD-3-Clause
// The plane with its points: draw, drag, flip, delete, by pointer and by keyboard; the plane of the moment over it.
import { contours, geoPath, geoTransform, polygonHull, scaleLinear } from "d3";
import { h, num } from "../dom";
import { across, classOf, clip, mark, outline, s } from "./draw";
import type { Corner, Label, Names, Plane, Point, Step, Walk, Witness } from "./types";

export type Tool = "positive" | "negative" | "flip" | "delete";
export type View = [number, number, number, number];

export interface Scene {
  points: Point[]; names: Names; view: View; tool: Tool; selected: number | null; quiz: boolean;
  walk: Walk | null; plane: Plane | null; mean: Plane | null; before: Plane | null; step: Step | null; atEnd: boolean; witness: Witness | null; support: number[]; wrong: Set<number>;
}
export interface BoardActions {
  add: (x: number, y: number, label: Label) => void;
  move: (row: number, x: number, y: number) => void;
  flip: (row: number) => void;
  remove: (row: number) => void;
  select: (row: number | null) => void;
  guess: (row: number | null) => void;
}

const pad = { left: 34, right: 10, top: 10, bottom: 28 };

// Two decimals on a board of this size, fewer on a larger one.
export const snap = (x: number, span: number) => {
  const unit = 10 ** Math.floor(Math.log10(span / 500));
  return Number((Math.round(x / unit) * unit).toPrecision(10));
};

export class Board {
  readonly element: HTMLElement;
  private readonly svg: SVGElement;
  private scene: Scene | null = null;
  private width = 0;
  private height = 0;
  private drag: { row: number; moved: boolean } | null = null;
  private cursor: Corner | null = null;

  constructor(private readonly actions: BoardActions, label: string) {
    this.svg = s("svg", { "data-controls": "", tabindex: 0, role: "application", "aria-label": label, class: "board" });
    this.element = h("div", { class: "chart board-holder" });
    this.element.append(this.svg);
    new ResizeObserver(() => this.scene && this.draw(this.scene)).observe(this.element);
    this.svg.addEventListener("pointerdown", (e) => this.down(e as PointerEvent));
    this.svg.addEventListener("pointermove", (e) => this.dragging(e as PointerEvent));
    this.svg.addEventListener("pointerup", () => this.up());
    this.svg.addEventListener("pointercancel", () => { this.drag = null; });
    this.svg.addEventListener("keydown", (e) => this.key(e as KeyboardEvent));
    this.svg.addEventListener("blur", () => { this.cursor = null; if (this.scene) this.draw(this.scene); });
  }

  get picture(): SVGElement { return this.svg; }

  private scales() {
    const [left, right, bottom, top] = this.scene!.view;
    return {
      x: scaleLinear([left, right], [pad.left, this.width - pad.right]),
      y: scaleLinear([bottom, top], [this.height - pad.bottom, pad.top]),
    };
  }
  private place(e: PointerEvent): Corner {
    const box = this.svg.getBoundingClientRect();
    const { x, y } = this.scales();
    const [left, right, bottom, top] = this.scene!.view;
    return [snap(x.invert(((e.clientX - box.left) * this.width) / box.width), right - left), snap(y.invert(((e.clientY - box.top) * this.height) / box.height), top - bottom)];
  }
  private inside([px, py]: Corner): boolean {
    const [left, right, bottom, top] = this.scene!.view;
    return px >= left && px <= right && py >= bottom && py <= top;
  }

  private down(e: PointerEvent): void {
    if (!this.scene || e.button !== 0) return;
    const target = (e.target as Element).closest("[data-row]");
    const tool = this.scene.tool;
    this.svg.focus({ preventScroll: true });
    if (target) {
      const row = Number(target.getAttribute("data-row"));
      if (this.scene.quiz) return this.actions.guess(row);
      if (tool === "flip") return this.actions.flip(row);
      if (tool === "delete") return this.actions.remove(row);
      this.drag = { row, moved: false };
      this.svg.setPointerCapture(e.pointerId);
      this.actions.select(row);
    } else if (!this.scene.quiz && (tool === "positive" || tool === "negative")) {
      const at = this.place(e);
      if (this.inside(at)) this.actions.add(at[0], at[1], tool === "positive" ? 1 : -1);
    }
    e.preventDefault();
  }
  private dragging(e: PointerEvent): void {
    if (!this.drag || !this.scene) return;
    const at = this.place(e);
    if (!this.inside(at)) return;
    this.drag.moved = true;
    this.actions.move(this.drag.row, at[0], at[1]);
  }
  private up(): void {
    this.drag = null;
  }

  // Arrows move the chosen point, or the cross when none is chosen; n and p choose, + and - add, f flips, Delete deletes.
  private key(e: KeyboardEvent): void {
    const scene = this.scene;
    if (!scene || e.ctrlKey || e.metaKey || e.altKey) return;
    const [left, right, bottom, top] = scene.view;
    const size = (e.shiftKey ? 10 : 1) * (right - left) / 100, high = (e.shiftKey ? 10 : 1) * (top - bottom) / 100;
    const way: Record<string, Corner> = { ArrowLeft: [-size, 0], ArrowRight: [size, 0], ArrowUp: [0, high], ArrowDown: [0, -high] };
    const count = scene.points.length;
    const chosen = scene.selected;
    let used = true;
    if (scene.quiz && !["n", "p", "Enter", "Escape"].includes(e.key)) return;
    if (e.key === "Enter" && scene.quiz && chosen !== null) {
      this.actions.guess(chosen);
    } else if (way[e.key]) {
      const [dx, dy] = way[e.key];
      const from: Corner = chosen !== null ? [scene.points[chosen][0], scene.points[chosen][1]] : this.cursor ?? [(left + right) / 2, (bottom + top) / 2];
      const to: Corner = [snap(Math.min(right, Math.max(left, from[0] + dx)), right - left), snap(Math.min(top, Math.max(bottom, from[1] + dy)), top - bottom)];
      if (chosen !== null) this.actions.move(chosen, to[0], to[1]);
      else { this.cursor = to; this.draw(scene); }
    } else if ((e.key === "n" || e.key === "p") && count > 0) {
      this.cursor = null;
      this.actions.select(chosen === null ? (e.key === "n" ? 0 : count - 1) : (chosen + (e.key === "n" ? 1 : count - 1)) % count);
    } else if (e.key === "+" || e.key === "=" || e.key === "-") {
      const at = this.cursor ?? [snap((left + right) / 2, right - left), snap((bottom + top) / 2, top - bottom)];
      this.actions.add(at[0], at[1], e.key === "-" ? -1 : 1);
    } else if (e.key === "f" && chosen !== null) {
      this.actions.flip(chosen);
    } else if ((e.key === "Delete" || e.key === "Backspace") && chosen !== null) {
      this.actions.remove(chosen);
    } else if (e.key === "Escape") {
      this.cursor = null;
      this.actions.select(null);
    } else used = false;
    if (used) { e.preventDefault(); e.stopPropagation(); }
  }

  draw(scene: Scene): void {
    this.scene = scene;
    this.width = Math.max(240, Math.floor(this.element.clientWidth));
    // Board, figures and timeline fit on the screen of a projector together.
    this.height = Math.round(Math.min(this.width * 0.86, 620, Math.max(300, window.innerHeight - 362)));
    const { width, height } = this;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("width", String(width));
    this.svg.setAttribute("height", String(height));
    const { x, y } = this.scales();
    const clipName = `clip-${width}-${height}`;
    const inner = s("g", { "clip-path": `url(#${clipName})` });
    const frame = { x: pad.left, y: pad.top, width: width - pad.left - pad.right, height: height - pad.top - pad.bottom };
    const root: (Node | null)[] = [
      s("defs", {}, s("clipPath", { id: clipName }, s("rect", frame)),
        s("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 6, markerHeight: 6, orient: "auto-start-reverse" }, s("path", { d: "M0,0L10,5L0,10z", class: "arrow" }))),
      s("rect", { ...frame, class: "ground" }),
    ];
    const model = scene.walk?.model;
    if (scene.plane && !(scene.atEnd && model?.grid)) this.halfPlanes(inner, scene.plane, x, y);
    else if (model?.grid) this.curved(inner, scene.walk!, x, y);
    this.gridLines(inner, root, x, y);
    if (scene.witness) this.hulls(inner, scene, x, y);
    if (scene.before) this.line(inner, scene.before, "plane before", x, y);
    if (scene.mean) this.line(inner, scene.mean, "plane mean", x, y);
    if (scene.plane && !(scene.atEnd && model?.grid)) {
      this.line(inner, scene.plane, "plane", x, y);
      if (scene.atEnd && scene.walk?.margin_lines) for (const m of [1, -1]) this.line(inner, { ...scene.plane, theta0: scene.plane.theta0 - m }, "plane margin", x, y);
      this.normal(inner, scene.plane, x, y);
    }
    this.points(inner, scene, x, y);
    if (scene.witness && !scene.witness.turned) {
      const [px, py] = scene.witness.point;
      inner.append(s("g", { class: "meet", transform: `translate(${x(px)},${y(py)})` }, s("circle", { r: 11 }), s("path", { d: "M-6,-6L6,6M-6,6L6,-6" })));
    }
    if (this.cursor) inner.append(s("path", { class: "cursor", d: `M${x(this.cursor[0])},${pad.top}V${height - pad.bottom}M${pad.left},${y(this.cursor[1])}H${width - pad.right}` }));
    root.push(inner, s("text", { x: width - pad.right - 4, y: height - pad.bottom - 7, class: "axis-name", "text-anchor": "end" }, scene.names.x),
      s("text", { x: pad.left + 6, y: pad.top + 15, class: "axis-name" }, scene.names.y));
    this.svg.replaceChildren(...root.filter((n): n is Node => n !== null));
  }

  private gridLines(inner: SVGElement, root: (Node | null)[], x: ReturnType<typeof scaleLinear<number, number>>, y: ReturnType<typeof scaleLinear<number, number>>): void {
    const [left, right, bottom, top] = this.scene!.view;
    const lines = s("g", { class: "grid-lines" });
    const words = s("g", { class: "ticks" });
    for (const t of x.ticks(7)) {
      lines.append(s("line", { x1: x(t), x2: x(t), y1: pad.top, y2: this.height - pad.bottom, class: t === 0 ? "zero" : undefined }));
      words.append(s("text", { x: x(t), y: this.height - pad.bottom + 17, "text-anchor": "middle" }, num(t)));
    }
    for (const t of y.ticks(7)) {
      lines.append(s("line", { y1: y(t), y2: y(t), x1: pad.left, x2: this.width - pad.right, class: t === 0 ? "zero" : undefined }));
      words.append(s("text", { x: pad.left - 6, y: y(t) + 4, "text-anchor": "end" }, num(t)));
    }
    if (left < 0 && right > 0 && bottom < 0 && top > 0) lines.append(s("circle", { cx: x(0), cy: y(0), r: 2.5 }));
    inner.append(lines);
    root.push(words);
  }

  private halfPlanes(inner: SVGElement, plane: Plane, x: (v: number) => number, y: (v: number) => number): void {
    const [left, right, bottom, top] = this.scene!.view;
    const box: Corner[] = [[left, bottom], [right, bottom], [right, top], [left, top]];
    const [a, b] = plane.theta;
    if (a === 0 && b === 0) return;
    const seen = (corners: Corner[]) => outline(corners.map(([p, q]): Corner => [x(p), y(q)]));
    inner.append(s("path", { d: seen(clip(box, a, b, plane.theta0)), class: "half s1" }), s("path", { d: seen(clip(box, -a, -b, -plane.theta0)), class: "half s0" }));
  }

  private line(inner: SVGElement, plane: { theta: [number, number]; theta0: number }, kind: string, x: (v: number) => number, y: (v: number) => number): void {
    const ends = across(this.scene!.view, plane.theta[0], plane.theta[1], plane.theta0);
    if (ends) inner.append(s("line", { class: kind, x1: x(ends[0][0]), y1: y(ends[0][1]), x2: x(ends[1][0]), y2: y(ends[1][1]) }));
  }

  // The normal theta from the middle of the line that is seen, towards +1; its length on paper says nothing.
  private normal(inner: SVGElement, plane: Plane, x: (v: number) => number, y: (v: number) => number): void {
    const [a, b] = plane.theta;
    const ends = across(this.scene!.view, a, b, plane.theta0);
    if (!ends || (a === 0 && b === 0)) return;
    const dx = x(a) - x(0), dy = y(b) - y(0);
    const length = Math.hypot(dx, dy);
    const from = (t: number): Corner => [ends[0][0] + t * (ends[1][0] - ends[0][0]), ends[0][1] + t * (ends[1][1] - ends[0][1])];
    // Where it hides no point: its end is what is far from all of them.
    const room = (t: number) => {
      const [px, py] = from(t);
      const ex = x(px) + (52 * dx) / length, ey = y(py) + (52 * dy) / length;
      const inside = ex > pad.left + 8 && ex < this.width - pad.right - 8 && ey > pad.top + 8 && ey < this.height - pad.bottom - 8;
      return inside ? Math.min(40, ...this.scene!.points.slice(0, 400).map((p) => Math.hypot(x(p[0]) - ex, y(p[1]) - ey))) : -1;
    };
    const best = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74].reduce((chosen, t) => (room(t) > room(chosen) + 4 ? t : chosen), 0.5);
    const [cx, cy] = from(best);
    const tx = x(cx) + (46 * dx) / length, ty = y(cy) + (46 * dy) / length;
    inner.append(s("line", { class: "normal", x1: x(cx), y1: y(cy), x2: tx, y2: ty, "marker-end": "url(#arrow)" }),
      s("text", { class: "normal-name", x: tx + (12 * dx) / length, y: ty + (12 * dy) / length + 5, "text-anchor": "middle" }, "\u03B8"));
  }

  private curved(inner: SVGElement, walk: Walk, x: (v: number) => number, y: (v: number) => number): void {
    const grid = walk.model!.grid!;
    const [left, right, bottom, top] = grid.view;
    const n = grid.side;
    // Values sit in the middle of cells for d3, and on the corners of the grid here.
    const project = geoTransform({ point(px, py) { this.stream.point(x(left + ((px - 0.5) / (n - 1)) * (right - left)), y(bottom + ((py - 0.5) / (n - 1)) * (top - bottom))); } });
    const path = geoPath(project);
    const level = contours().size([n, n]);
    const at = (t: number) => path(level.contour(grid.scores.map((f) => f ?? 0), t)) ?? "";
    const [vl, vr, vb, vt] = this.scene!.view;
    inner.append(s("rect", { x: x(vl), y: y(vt), width: x(vr) - x(vl), height: y(vb) - y(vt), class: "half s0" }), s("path", { d: at(0), class: "half s1" }), s("path", { d: at(0), class: "plane curve" }));
    if (walk.margin_lines) for (const t of [1, -1]) inner.append(s("path", { d: at(t), class: "plane margin curve" }));
  }

  // The rows of the witness and their hulls: mixtures of either class that are the same point.
  private hulls(inner: SVGElement, scene: Scene, x: (v: number) => number, y: (v: number) => number): void {
    const witness = scene.witness!;
    const corner = (row: number): Corner => [x(scene.points[row - 1][0]), y(scene.points[row - 1][1])];
    const rows = witness.rows.filter((r) => r.row <= scene.points.length);
    const sets: [string, Corner[]][] = witness.turned
      ? [["hull turned", rows.map((r): Corner => [x(r.y * scene.points[r.row - 1][0]), y(r.y * scene.points[r.row - 1][1])])]]
      : ([1, -1] as Label[]).map((label): [string, Corner[]] => [`hull k${classOf(label)}`, rows.filter((r) => r.y === label).map((r) => corner(r.row))]);
    for (const [kind, corners] of sets) {
      const hull = corners.length > 2 ? polygonHull(corners) ?? corners : corners;
      inner.append(s("path", { class: kind, d: outline(hull) }));
      if (witness.turned) for (const [cx, cy] of corners) inner.append(s("circle", { class: "ghost", cx, cy, r: 4 }));
    }
    if (witness.turned) inner.append(s("g", { class: "meet", transform: `translate(${x(0)},${y(0)})` }, s("circle", { r: 11 }), s("path", { d: "M-6,-6L6,6M-6,6L6,-6" })));
  }

  // Beside each point where it hides neither another point nor another number; left out where there is no such place.
  private rowNumbers(scene: Scene, x: (v: number) => number, y: (v: number) => number): SVGElement {
    const group = s("g", { class: "row-numbers" });
    const centres = scene.points.map((p): Corner => [x(p[0]), y(p[1])]);
    const taken: [number, number, number, number][] = centres.map(([cx, cy]) => [cx - 8, cy - 8, cx + 8, cy + 8]);
    const free = (box: [number, number, number, number]) => box[0] > pad.left && box[2] < this.width - pad.right && box[1] > pad.top && box[3] < this.height - pad.bottom &&
      !taken.some((t) => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3]);
    centres.forEach(([cx, cy], row) => {
      const text = String(row + 1), wide = 7.4 * text.length;
      const places: Corner[] = [[cx + 10, cy - 8], [cx - 10 - wide, cy - 8], [cx + 10, cy + 17], [cx - 10 - wide, cy + 17], [cx - wide / 2, cy - 15], [cx - wide / 2, cy + 24]];
      const at = places.find(([px, py]) => free([px, py - 10, px + wide, py + 1]));
      if (!at) return;
      taken.push([at[0], at[1] - 10, at[0] + wide, at[1] + 1]);
      group.append(s("text", { x: at[0], y: at[1], class: "row-number" }, text));
    });
    return group;
  }

  private points(inner: SVGElement, scene: Scene, x: (v: number) => number, y: (v: number) => number): void {
    const many = scene.points.length > 150;
    const inWitness = new Set(scene.witness?.rows.map((r) => r.row - 1));
    const support = new Set(scene.support);
    const group = s("g", { class: "points" });
    scene.points.forEach((p, row) => {
      const wrong = scene.wrong.has(row + 1);
      const marks = s("g", { class: `point k${classOf(p[2])}${wrong ? " wrong" : ""}${row === scene.selected ? " selected" : ""}`, transform: `translate(${x(p[0])},${y(p[1])})`, "data-row": row });
      if (!many) marks.append(s("circle", { r: 16, class: "hit" }));
      if (scene.step?.row === row + 1) marks.append(s("circle", { r: many ? 10 : 14, class: "acting" }));
      if (support.has(row)) marks.append(s("circle", { r: many ? 8 : 11, class: "ring" }));
      if (inWitness.has(row)) marks.append(s("circle", { r: many ? 8 : 11, class: "ring in-witness" }));
      marks.append(s("path", { d: mark(p[2], many ? 42 : 110), class: "mark" }));
      group.append(marks);
    });
    inner.append(group);
    if (scene.points.length <= 30) inner.append(this.rowNumbers(scene, x, y));
  }
}
