// SPDX-License-Identifier: BSD-3-Clause
// What the engine answers (docs/playground.md), and what the page keeps.
export type Label = 1 | -1;
export type Point = [number, number, Label];
export type Corner = [number, number];

export interface OptionInfo { name: string; unit: string; help: string; fallback: string; choices: string[]; flag: boolean }
export interface AlgorithmInfo { name: string; summary: string; starts: boolean; options: OptionInfo[] }
export interface Start { version: string; algorithms: AlgorithmInfo[]; file: string | null; most_rows: number; most_steps: number }

export interface Witness { turned: boolean; rows: { row: number; y: Label; share: number; exact: string }[]; point: [number, number] }
export interface Verdict {
  decided: boolean; offset: string; sentence: string; verdict?: "separable" | "touching" | "overlapping"; method?: string;
  margin?: { lower: number; upper: number; radius: number; mistakes: number };
  plane?: [number, number, number]; support?: number[]; witness?: Witness;
  least?: { upper: number; lower: number; exact: boolean; rows: number[] };
}
export interface Plane { theta: [number, number]; theta0: number; region?: number; errors?: number; turned?: number[] }
export interface Step extends Plane {
  k: number; pass: number; row: number; y: Label; margin_before: number; margin_after: number; norm: number;
  errors: number; region: number; cosine?: number; cosine_bound?: number;
  loss?: number; rate?: number; shrink?: number; votes?: number; mean?: [number, number, number]; batch?: number;
}
export interface Grid { side: number; view: [number, number, number, number]; scores: number[] }
export interface Walk {
  error?: undefined;
  algorithm: string; command: string; options: Record<string, string>; stop: string; reason: string;
  model?: { scores: number[]; errors: number; wrong: number[]; plane?: Plane & { norm: number; distance: number }; grid?: Grid; formula?: string };
  alpha?: { what: "updates" | "dual"; values: number[] };
  margin_lines: boolean; start: Plane & { errors: number; region: number }; steps: Step[];
  weights: { half_width: number; regions: { theta0: number; corners: Corner[] }[] };
  mistakes?: number; shortened: boolean; support_vectors?: number;
  objective?: { primal: number; dual: number; relative_gap: number };
  proof: string[]; notes: string[]; verdict: Verdict;
}
export interface Refused { error: { message: string; hint: string } }
export interface RunAnswer { verdict: Verdict | null; runs: (Walk | Refused)[] }
export interface PathPoint {
  value: number; finished: boolean; norm?: number | null; margin?: number | null; support_vectors?: number | null;
  error?: number | null; relative_gap?: number | null; plane?: [number, number, number]; refusal?: string;
}
export interface Path { option: string; points: PathPoint[] }
export interface Picked {
  points: Point[]; columns: string[]; column_count: number; classes: string[]; x: string; y: string; positive: string; negative: string;
  scale: string; axes: "columns" | "principal"; rows: number; shown: number;
}

export interface RunState { algorithm: string; options: Record<string, string>; from: string; seed: number }
export interface Names { x: string; y: string; positive: string; negative: string }
export interface State { points: Point[]; runs: RunState[]; step: number | null; names: Names }
