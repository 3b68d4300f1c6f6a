// SPDX-License-Identifier: BSD-3-Clause
// The object that the page shows: halfspace.report/1, described in docs/report.md.
export type Num = number | null;
export type Pair = [number, number] | null;

export interface ClassRows { label: string; rows: number }
export interface Check { code: string; severity: "warning" | "note" | "passed" | "skipped"; text: string; advice: string }
export interface ErrorFigures { rows: number; errors: number; error: number; interval: Pair }
export interface Baseline extends ErrorFigures {
  name: string; text: string; feature?: string; p_value?: Num; difference?: Num; difference_interval?: Pair;
}
export interface ClassFigures {
  label: string; rows: number; precision: number; precision_interval: Pair; recall: number; recall_interval: Pair; f1: number;
}
export interface Quality extends ErrorFigures {
  on: "test" | "data"; name: string; weighted: boolean; accuracy: number; balanced_error: number;
  unknown_labels: number; zero_scores: number; auc: Num; auc_interval: Pair; average_precision: Num;
  hinge_loss: Num; log_loss: Num; brier: Num; classes: ClassFigures[];
  confusion: { labels: string[]; counts: number[][]; undecided: boolean };
  data_error?: ErrorFigures & { training: boolean };
  baselines: Baseline[];
}
export interface Claim {
  kind: "duality-gap" | "mistake-bound" | "separator" | "none"; text: string; plane: string;
  primal?: Num; dual?: Num; gap?: Num; relative_gap?: Num;
}
export interface Solved {
  claims: Claim[]; training: boolean;
  progress: [iteration: number, gap: number][] | null;
  checked: { holds: boolean; lines: string[]; gaps: { primal: Num; dual: Num; relative_gap: Num }[] } | null;
}
export type PicturePoint = [row: number, positive: number, x: Num, y: Num, witness: number];
export interface SeparationPicture {
  kind: "columns" | "plane" | "directions"; x: string; y: string; line?: [number, number, number];
  points: PicturePoint[]; meet?: [number, number]; sampled: boolean;
}
export interface SeparationAnswer {
  name: string; decided: boolean; verdict?: "separable" | "touching" | "overlapping"; method?: string;
  margin?: { lower: number; upper: number; radius: number; mistakes: Num };
  plane?: { weights: { name: string; weight: number }[]; offset: number; nonzero: number } | null;
  witness?: {
    rows: { row: number; label: string; positive: boolean; share: number; exact: string }[];
    count: number; point: { name: string; value: Num }[]; coordinates: number;
  };
  picture?: SeparationPicture | null;
  least_errors?: { upper: number; lower: number; exact: boolean; count: number; rows: number[] } | null;
}
export interface Weight {
  feature: number; name: string; weight: number; per_deviation: number; mean: number; deviation: number; low: number; high: number;
}
export interface WeightPlane { class: string; offset: number; norm: number; zeros: number; left_out: number; weights: Weight[] }
export interface Calibrator { slope?: number; shift?: number; scores?: number[]; probabilities?: number[] }
export interface Nomogram {
  probability: "none" | "logistic" | "softmax" | "one-vs-rest" | "platt" | "isotonic"; classes: [string, string];
  calibrator: Calibrator | null;
  features: { name: string; low: number; high: number; mean: number; whole: boolean }[];
  left_out: number;
  planes: { class: string; weights: number[]; offset: number; base: number; unit: number; rest: number }[];
  rows: { row: number; label: string; values: number[]; scores: number[] }[];
}
export interface Thresholds {
  of: string; against: string; positive: number; negative: number; all_points: number;
  points: { threshold: Num; true_positive: number; false_positive: number; hull: boolean }[];
  at_zero: { true_positive: number; false_positive: number };
  fewest_errors: { threshold: Num; errors: number };
}
export interface Calibration {
  of: string; error: number; brier: Num; log_loss: Num; histogram: number[];
  bins: { low: number; high: number; rows: number; predicted: number; observed: number; interval: Pair }[];
}
export interface Margins {
  rows: number; wrong: number; least: number; median: number; greatest: number; norm?: number;
  support_margin: boolean; inside?: number; slack?: number; classes: string[];
  bins: { low: number; high: number; rows: number[] }[];
  support: { count: number; rows: { row: number; label: string; plane: string; alpha: number; margin: number }[] } | null;
  sampled: boolean; points: [row: number, label: number, margin: number][];
}
export interface HardRow {
  row: number; label: string; given: string; right: boolean; margin: number; suspicious: boolean; probability?: Num;
  towards?: string; average?: number; rest?: number; others?: number; score?: number;
  contributions?: { name: string; value: number; contribution: number }[];
}
export interface Perceptron {
  planes: { plane: string; mistakes: number; radius: Num; margin_lower: Num; margin_upper: Num; bound: Num }[];
  best_bound?: Num;
  walk: { updates: number; rows: number; every: number; points: number[][] } | null;
}
export type Line = [a: number, b: number, c: number];
export type FlatPoint = [row: number, label: number, x: Num, y: Num];
export type PlanePoint = [row: number, label: number, x: Num, y: Num, margin: Num];
export interface Plane { x: string; y: string; others: number; classes: string[]; lines: Line[]; margin: boolean; rows: number; points: PlanePoint[] }
export interface ReplayUpdate {
  k: number; step: number; pass: number; row: number; y: number; margin_before: Num; margin_after: Num; loss: Num; rate: number; keep: number; norm: Num;
  before: Line; after: Line; theta0_before: number; theta0: number; batch?: number; theta_before?: Num[]; theta?: Num[]; mean?: Line; votes?: number;
}
export interface Replay {
  projected: boolean; algorithm: string; x: string; y: string; others: number; classes: [string, string]; updates: number; rows: number; shown: ReplayUpdate[]; points: FlatPoint[];
}
export interface Path {
  algorithm: string; option: string; metric: string; judged_on: string; chosen: Num;
  points: { value: number; training: Num; judged: Num; low: Num; high: Num; norm: Num; margin: Num; support_vectors: Num; gap: Num }[];
  picture: { x: string; y: string; others: number; classes: [string, string]; lines: Line[]; points: FlatPoint[] } | null;
}
export interface Curve { algorithm: string; bayes_error: Num; points: { rows: number; training: number; test: number; low: Num; high: Num }[] }
export interface Report {
  schema: string; version: string; title: string; verdict: string[]; notes: string[];
  model: {
    algorithm: string; kind: string; classes: string[]; features: number; planes: number;
    options: [string, string][]; facts: [string, string][]; preparation: string[];
  };
  data: {
    name: string; rows: number; features: number; nonzeros: number; storage: string; weighted: boolean; distinct_rows: number;
    low: Num; high: Num; training: boolean; classes: ClassRows[]; checks: Check[];
  };
  quality: Quality;
  plane?: Plane;
  solved?: Solved;
  separability?: { asked: boolean; answers: SeparationAnswer[] };
  weights?: { features: number; planes_left_out: number; planes: WeightPlane[] };
  nomogram?: Nomogram;
  thresholds?: Thresholds;
  calibration?: Calibration;
  margins?: Margins;
  rows?: { on: "test" | "data"; typical: number; suspicious: number; hardest: HardRow[] };
  path?: Path;
  curve?: Curve;
  perceptron?: Perceptron;
  replay?: Replay;
  reproduce: {
    version: string; trained_by: string; seed: string; train?: string; verify: string; report: string; playground: string;
    fingerprints: { what: string; fingerprint: string }[];
  };
}
