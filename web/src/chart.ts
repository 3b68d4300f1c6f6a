// SPDX-License-Identifier: BSD-3-Clause
// Charts as all pages have them: numbers written as in the text, room above for the name of the axis.
import * as Plot from "@observablehq/plot";
import { num } from "./dom";

type Sized = Plot.PlotOptions & { width: number };

const plain = (scale: Plot.ScaleOptions | undefined): Plot.ScaleOptions | undefined =>
  scale && scale.tickFormat === undefined && scale.type !== "log" ? { ...scale, tickFormat: (x: unknown) => (typeof x === "number" ? num(x) : String(x)) } : scale;

export function chart(options: Sized): (SVGSVGElement | HTMLElement) & Plot.Plot {
  const named = Boolean((options.y as Plot.ScaleOptions | undefined)?.label);
  const size = options.width > 560 ? 13 : 12;
  const draw = (given: Sized) => Plot.plot({
    marginTop: named ? 34 : 14, marginBottom: 42, marginRight: 22, style: { fontSize: `${size}px` }, symbol: { type: "identity" } as never,
    ...given, x: plain(options.x as Plot.ScaleOptions), y: plain(options.y as Plot.ScaleOptions),
  });
  const drawn = draw(options);
  // Long numbers at the ticks: once more with room for them.
  const ticks = [...drawn.querySelectorAll("[aria-label='y-axis tick label'] text")].map((text) => text.textContent ?? "");
  const room = Math.ceil(12 + widest(ticks, size));
  // The last tick of the other axis is written to both sides of its place.
  const beyond = Math.max(0, ...[...drawn.querySelectorAll("[aria-label='x-axis tick label'] text")].map((text) => {
    const at = Number(/translate\(([-\d.]+)/.exec(text.getAttribute("transform") ?? "")?.[1] ?? 0);
    return at + widthOf(text.textContent ?? "", size) / 2 - options.width;
  }));
  const [left, right] = [options.marginLeft ?? 40, options.marginRight ?? 22];
  return room > left || beyond > 0 ? draw({ ...options, marginLeft: Math.max(room, left), marginRight: right + Math.ceil(beyond) }) : drawn;
}

const ruler = document.createElement("canvas").getContext("2d");
export function widthOf(text: string, size = 13): number {
  if (!ruler) return 0.62 * size * text.length;
  ruler.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

// As much of a name as there is room for, letter by letter as they are wide.
export function fitted(text: string, pixels: number, size = 13): string {
  if (widthOf(text, size) <= pixels) return text;
  const letters = Array.from(text);
  let low = 1, high = letters.length;
  const cut = (n: number) => `${letters.slice(0, n).join("")}\u2026`;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (widthOf(cut(middle), size) <= pixels) low = middle;
    else high = middle;
  }
  return cut(low);
}
export const widest = (texts: readonly string[], size = 13) => Math.max(0, ...texts.map((text) => widthOf(text, size)));

// Ticks of a logarithm: the powers of ten, every second or third one where they are many.
export function powersOfTen(low: number, high: number, wanted: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / wanted));
  return Array.from({ length: Math.max(0, Math.floor((last - first) / step) + 1) }, (_, k) => 10 ** (first + k * step));
}

// Ticks of a count: whole numbers only.
export function wholeTicks(most: number, wanted: number): number[] {
  const rough = Math.max(1, most / Math.max(1, wanted));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10));
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, k) => k * step);
}
