// SPDX-License-Identifier: BSD-3-Clause
// Rows and planes over two columns: boxes, half planes, and pictures that are drawn again.
import * as Plot from "@observablehq/plot";
import { chart } from "./chart";
import { h, leastWidth, paint } from "./dom";
import type { FlatPoint, Line } from "./types";

export interface Box { x1: number; x2: number; y1: number; y2: number }

export function boxOf(points: FlatPoint[], origin: boolean): Box {
  const xs = points.map((p) => p[2] ?? 0).concat(origin ? [0] : []), ys = points.map((p) => p[3] ?? 0).concat(origin ? [0] : []);
  const widen = (low: number, high: number): [number, number] => {
    const room = high > low ? 0.1 * (high - low) : 1;
    return [low - room, high + room];
  };
  const [x1, x2] = widen(Math.min(...xs), Math.max(...xs)), [y1, y2] = widen(Math.min(...ys), Math.max(...ys));
  return { x1, x2, y1, y2 };
}

// The part of a convex region where a x + b y + c > 0, corner after corner.
export function clipped(region: [number, number][], [a, b, c]: Line): [number, number][] {
  const f = ([x, y]: [number, number]) => a * x + b * y + c;
  const out: [number, number][] = [];
  region.forEach((p, k) => {
    const q = region[(k + 1) % region.length];
    const fp = f(p), fq = f(q);
    if (fp > 0) out.push(p);
    if (fp > 0 !== fq > 0) {
      const t = fp / (fp - fq);
      out.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
    }
  });
  return out;
}
export const cornersOf = (box: Box): [number, number][] => [[box.x1, box.y1], [box.x2, box.y1], [box.x2, box.y2], [box.x1, box.y2]];

// Where the line crosses the box.
export function cutOf(box: Box, [a, b, c]: Line): [number, number][] {
  const near = (v: number, low: number, high: number) => v >= low - 1e-9 * (high - low) && v <= high + 1e-9 * (high - low);
  const ends: [number, number][] = [];
  if (b !== 0) for (const x of [box.x1, box.x2]) if (near(-(a * x + c) / b, box.y1, box.y2)) ends.push([x, -(a * x + c) / b]);
  if (a !== 0) for (const y of [box.y1, box.y2]) if (near(-(b * y + c) / a, box.x1, box.x2)) ends.push([-(b * y + c) / a, y]);
  return ends.length < 2 ? [] : [ends[0], ends.reduce((far, p) => (Math.hypot(p[0] - ends[0][0], p[1] - ends[0][1]) > Math.hypot(far[0] - ends[0][0], far[1] - ends[0][1]) ? p : far))];
}

export const tinted = (region: [number, number][], k: number) => Plot.line(region, { fill: `var(--c${k % 6})`, fillOpacity: 0.12, curve: "linear-closed" });
export const sides = (box: Box, [a, b, c]: Line) => [tinted(clipped(cornersOf(box), [a, b, c]), 1), tinted(clipped(cornersOf(box), [-a, -b, -c]), 0)];
export const stroke = (box: Box, line: Line, options: Record<string, unknown>) => Plot.line(cutOf(box, line), { stroke: "currentColor", strokeWidth: 2.5, ...options });
export const dots = (points: FlatPoint[], opacity: number) => Plot.dot(points, {
  x: (p: FlatPoint) => p[2], y: (p: FlatPoint) => p[3], r: 4, fill: (p: FlatPoint) => `var(--c${p[1] % 6})`, symbol: (p: FlatPoint) => (p[1] === 1 ? "square" : p[1] === 0 ? "circle" : "times"), fillOpacity: opacity, tip: true,
  channels: { row: { value: (p: FlatPoint) => p[0], label: "row" } },
});

const heightOf = (width: number) => Math.min(440, Math.max(260, width * 0.62));
const margins = { left: 52, right: 20, top: 20, bottom: 42 };

// The same scale in both directions where the columns allow it, so that right angles look right.
export function squared(box: Box, width: number): Box {
  const across = width - margins.left - margins.right, up = heightOf(width) - margins.top - margins.bottom;
  const x = (box.x2 - box.x1) / across, y = (box.y2 - box.y1) / up;
  if (x > 4 * y || y > 4 * x) return box;
  const scale = Math.max(x, y);
  const dx = (scale * across - (box.x2 - box.x1)) / 2, dy = (scale * up - (box.y2 - box.y1)) / 2;
  return { x1: box.x1 - dx, x2: box.x2 + dx, y1: box.y1 - dy, y2: box.y2 + dy };
}

export function frame(width: number, box: Box, x: string, y: string, marks: Plot.Markish[]): Element {
  return chart({
    width, height: heightOf(width), marginLeft: margins.left, marginRight: margins.right, marginTop: margins.top, clip: true,
    x: { label: x, domain: [box.x1, box.x2], ticks: Math.max(3, width / 110) }, y: { label: y, domain: [box.y1, box.y2], ticks: 5 }, marks,
  });
}

// A picture that is drawn again when its width or what it shows changes.
export function stage(draw: (width: number) => Element, label: () => string): { holder: HTMLElement; again: () => void } {
  const holder = h("div", { class: "chart" });
  let width = 0;
  const again = () => width > 0 && paint(holder, draw(width), label());
  new ResizeObserver(() => {
    const now = Math.floor(holder.clientWidth);
    if (now < leastWidth || now === width) return;
    width = now;
    again();
  }).observe(holder);
  return { holder, again };
}
