// SPDX-License-Identifier: BSD-3-Clause
// The state of the page, kept in the part of the address that is never sent: a link to it shows the same again.
import type { Label, Names, Point, RunState, State } from "./types";

export const plainNames: Names = { x: "x1", y: "x2", positive: "+1", negative: "\u22121" };

export function firstState(): State {
  return {
    points: [[1.2, 3.4, 1], [-1.4, -1, -1], [2.4, -3, -1], [3.2, 2.2, 1], [1.6, 1.2, 1], [0.6, -2.2, -1], [-2.6, 1.2, -1], [2.6, 0.4, 1], [-0.6, 1.4, -1], [4, -0.8, 1]],
    runs: [{ algorithm: "perceptron", options: { passes: "until-clean" }, from: "zero", seed: 1 }],
    step: null,
    names: { ...plainNames },
  };
}

const toBase64 = (text: string) => {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
};
const fromBase64 = (text: string) =>
  new TextDecoder().decode(Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0)));

export const encode = (state: State) =>
  `#1${toBase64(JSON.stringify([state.points.flat(), state.runs.map((r) => [r.algorithm, r.options, r.from, r.seed]), state.step, [state.names.x, state.names.y, state.names.positive, state.names.negative]]))}`;

// What the engine takes, and what can be drawn: other links, and numbers that are typed in, do not get so far.
export const mostPoints = 2000;
export const drawable = ([x, y]: Point) => Math.abs(x) <= 1e9 && Math.abs(y) <= 1e9;
const short = (name: unknown) => Array.from(String(name)).slice(0, 80).join("");

// Nothing when the text is not one of ours: then the page starts as usual.
export function decode(hash: string): State | null {
  if (!hash.startsWith("#1")) return null;
  try {
    const [flat, runs, step, names] = JSON.parse(fromBase64(hash.slice(2))) as [number[], [string, Record<string, string>, string, number][], number | null, string[]];
    const points: Point[] = [];
    for (let k = 0; k + 2 < flat.length; k += 3) points.push([Number(flat[k]), Number(flat[k + 1]), (flat[k + 2] === 1 ? 1 : -1) as Label]);
    if (points.length > mostPoints || !points.every(drawable)) return null;
    const kept: RunState[] = runs.slice(0, 2).map(([algorithm, options, from, seed]) => ({
      algorithm: String(algorithm), options: Object.fromEntries(Object.entries(options).map(([k, v]) => [k, String(v)])), from: String(from), seed: Number(seed) || 1,
    }));
    if (kept.length === 0) return null;
    return { points, runs: kept, step: typeof step === "number" ? Math.max(0, Math.floor(step)) : null, names: { x: short(names[0]), y: short(names[1]), positive: short(names[2]), negative: short(names[3]) } };
  } catch {
    return null;
  }
}
