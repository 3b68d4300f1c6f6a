// SPDX-License-Identifier: BSD-3-Clause
// Charts as all pages have them: numbers written as in the text, room above for the name of the axis.
import * as Plot from "@observablehq/plot";
import { num } from "./dom";

type Sized = Plot.PlotOptions & { width: number };

const plain = (scale: Plot.ScaleOptions | undefined): Plot.ScaleOptions | undefined =>
  scale && scale.tickFormat === undefined && scale.type !== "log" ? { ...scale, tickFormat: (x: unknown) => (typeof x === "number" ? num(x) : String(x)) } : scale;

export function chart(options: Sized): (SVGSVGElement | HTMLElement) & Plot.Plot {
  const named = Boolean((options.y as Plot.ScaleOptions | undefined)?.label);
  return Plot.plot({
    marginTop: named ? 34 : 14, marginBottom: 42, marginRight: 22, style: { fontSize: options.width > 560 ? "13px" : "12px" }, symbol: { type: "identity" } as never,
    ...options, x: plain(options.x as Plot.ScaleOptions), y: plain(options.y as Plot.ScaleOptions),
  });
}

// Ticks of a count: whole numbers only.
export function wholeTicks(most: number, wanted: number): number[] {
  const rough = Math.max(1, most / Math.max(1, wanted));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10));
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, k) => k * step);
}
