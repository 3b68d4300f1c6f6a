// SPDX-License-Identifier: BSD-3-Clause
// SVG elements, points and half planes.
import { symbol, symbolCircle, symbolSquare } from "d3";
import type { Corner, Label } from "./types";

const space = "http://www.w3.org/2000/svg";
export function s(tag: string, attributes: Record<string, string | number | undefined> = {}, ...children: (Node | string | null)[]): SVGElement {
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, String(value));
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

// Class -1 is a circle, class +1 a square, as in the report.
export const classOf = (y: Label) => (y > 0 ? 1 : 0);
export const glyph = (y: Label) => (y > 0 ? "\u25A0" : "\u25CF");
export const mark = (y: Label, size = 110) => symbol(y > 0 ? symbolSquare : symbolCircle, size)() ?? "";

// The part of a polygon where a x + b y + c >= 0.
export function clip(polygon: Corner[], a: number, b: number, c: number): Corner[] {
  const out: Corner[] = [];
  for (let k = 0; k < polygon.length; ++k) {
    const here = polygon[k], next = polygon[(k + 1) % polygon.length];
    const m = a * here[0] + b * here[1] + c, n = a * next[0] + b * next[1] + c;
    if (m >= 0) out.push(here);
    if ((m > 0 && n < 0) || (m < 0 && n > 0)) {
      const t = m / (m - n);
      out.push([here[0] + t * (next[0] - here[0]), here[1] + t * (next[1] - here[1])]);
    }
  }
  return out;
}

// Where the line a x + b y + c = 0 crosses a box; nothing where it misses it.
export function across(box: [number, number, number, number], a: number, b: number, c: number): [Corner, Corner] | null {
  const [left, right, bottom, top] = box;
  const found: Corner[] = [];
  const add = (x: number, y: number) => {
    const e = 1e-9 * (right - left + top - bottom);
    if (x >= left - e && x <= right + e && y >= bottom - e && y <= top + e && !found.some((f) => Math.abs(f[0] - x) < e && Math.abs(f[1] - y) < e)) found.push([x, y]);
  };
  if (b !== 0) [left, right].forEach((x) => add(x, -(a * x + c) / b));
  if (a !== 0) [bottom, top].forEach((y) => add(-(b * y + c) / a, y));
  return found.length >= 2 ? [found[0], found[1]] : null;
}

export const outline = (corners: Corner[]) => (corners.length ? `M${corners.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join("L")}Z` : "");
