// SPDX-License-Identifier: BSD-3-Clause
// Two columns of the data and what the model makes of them: half spaces, plane, margin, support vectors.
import * as Plot from "@observablehq/plot";
import { behind, count, h, legend, name, num, section, shapes, table } from "../dom";
import { type Box, boxOf, clipped, cornersOf, frame, sides, squared, stage, stroke, tinted } from "../flat";
import type { FlatPoint, Line, Plane, PlanePoint, Report } from "../types";

// Where each class has the greatest score.
const regions = (box: Box, lines: Line[]) => lines.map(([a, b, c], k) =>
  tinted(lines.reduce((region, [p, q, r], other) => (other === k || region.length < 3 ? region : clipped(region, [a - p, b - q, c - r])), cornersOf(box)), k));

const within = (p: PlanePoint) => p[4] !== null && p[4] < 1 + 1e-4;

function draw(it: Plane, width: number): Element {
  const box = squared(boxOf(it.points as unknown as FlatPoint[], false), width);
  const [a, b, c] = it.lines[0];
  const two = it.lines.length === 1;
  const level = (at: number) => stroke(box, [a, b, c - at], { strokeWidth: 1.5, strokeDasharray: "6 5" });
  const place = { x: (p: PlanePoint) => p[2], y: (p: PlanePoint) => p[3] };
  return frame(width, box, it.x, it.y, [
    ...(two ? sides(box, it.lines[0]) : regions(box, it.lines)),
    Plot.dot(it.points, {
      ...place, r: 4, stroke: (p: PlanePoint) => `var(--c${p[1] % 6})`, strokeWidth: 1.5, symbol: (p: PlanePoint) => shapes[p[1] % 6], tip: true,
      fill: (p: PlanePoint) => ((p[4] ?? 1) > 0 ? `var(--c${p[1] % 6})` : "var(--ground)"), channels: { row: { value: (p: PlanePoint) => p[0], label: "row" } },
    }),
    two ? stroke(box, it.lines[0], {}) : null, ...(it.margin ? [level(1), level(-1)] : []),
    it.margin ? Plot.dot(it.points.filter(within), { ...place, r: 8, stroke: "currentColor", strokeWidth: 1.3 }) : null,
  ]);
}

const signed = (x: number, after: string) => `${x < 0 ? " \u2212 " : " + "}${num(Math.abs(x))}${after}`;

export function plane(report: Report): HTMLElement | null {
  const it = report.plane;
  if (!it) return null;
  const { holder } = stage((width) => draw(it, width), () => `Rows over ${it.x} and ${it.y}, with what the model makes of the plane`);
  const [a, b, c] = it.lines[0];
  const length = Math.hypot(a, b);
  const hollow = it.points.some((p) => (p[4] ?? 1) <= 0) ? " Hollow: wrong." : "";
  const none = it.lines.every(([p, q]) => p === 0 && q === 0);
  const words = none ? "No plane: the weights are zero, and all rows have the same score." : it.lines.length > 1 ? "Each class has the part where its score is the greatest." : it.margin ? "Solid: the plane; dashed: its margin; circled: the rows on the margin or beyond it, which hold it." : "Solid: the plane, with a half space on either side.";
  const least = [...it.points].sort((p, q) => (p[4] ?? 0) - (q[4] ?? 0)).slice(0, 50);
  return section("plane", it.lines.length > 1 ? "The planes among the rows" : "The plane among the rows",
    legend(it.classes),
    h("figure", {}, holder, h("figcaption", {}, words, hollow, it.others > 0 && ` Two of ${num(it.others + 2)} columns; drawn where the other ${num(it.others)} are at their mean, so that a row may lie on another side than it seems.`,
      it.points.length < it.rows && ` ${num(it.points.length)} of ${num(it.rows)} rows are drawn.`)),
    it.lines.length === 1 && it.others === 0 && !none && h("div", { class: "panel" }, h("p", {}, `f(x) = ${num(a)} `, name(it.x), signed(b, " "), name(it.y), signed(c, ""),
      `; |\u03B8| = ${num(length)}, so the plane is ${num(Math.abs(c) / length)} from the origin`, it.margin && ` and the margin is 1/|\u03B8| = ${num(1 / length)}`, ".")),
    behind("Table behind the picture", table(`${count(least.length, "row")} with the least margin`, [
      { head: "row", cell: (p) => num(p[0]), number: true }, { head: "class", cell: (p) => name(it.classes[p[1]] ?? "other") }, { head: it.x, cell: (p) => num(p[2]), number: true }, { head: it.y, cell: (p) => num(p[3]), number: true }, { head: "margin", cell: (p) => num(p[4]), number: true }], least)));
}
