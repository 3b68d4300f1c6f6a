// SPDX-License-Identifier: BSD-3-Clause
// Boards to begin a lecture with: points, a plan, and what to look for.
import type { Point, RunState } from "./types";

export interface Lesson { title: string; look: string; points: Point[]; runs: RunState[]; step: number | null }

const plan = (algorithm: string, options: Record<string, string> = {}, from = "zero"): RunState => ({ algorithm, options, from, seed: 1 });
const clean = { offset: "none", passes: "until-clean" };
const corners: Point[] = [[-2, -2, 1], [2, 2, 1], [-2, 2, -1], [2, -2, -1]];
const apart: Point[] = [[1, 1, 1], [2, 0.5, 1], [3, 2, 1], [-1, 0, -1], [0, -2, -1], [-2, 1, -1]];
const farAway: Point[] = [[1, 1, 1], [2, 0.5, 1], [3, 2, 1], [1.5, 2, 1], [2.5, 1.2, 1], [-1, 0, -1], [0, -2, -1], [-2, 1, -1], [-1, -1.5, -1], [-2, -0.5, -1], [4.4, 1.4, -1], [4.7, 0.9, -1], [4.9, 1.6, -1]];
const five: Point[] = [[2, 2, 1], [2, -1, -1], [-3, 0, 1], [-3, -3, -1], [-2, -1, -1]];
const narrow: Point[] = [[1, 3, 1], [2, 3.2, 1], [-3, 2.6, 1], [1.4, 2.7, -1], [-2, 2.3, -1], [3, 2.4, -1]];
const ring: Point[] = [[0, 0.4, 1], [0.6, -0.5, 1], [-0.7, 0.1, 1], [0.2, -0.9, 1], [2.6, 0.3, -1], [1.7, 2, -1], [-0.2, 2.7, -1], [-2.1, 1.6, -1], [-2.6, -0.6, -1], [-1.2, -2.4, -1], [0.8, -2.5, -1], [2.2, -1.5, -1]];

export const lessons: Lesson[] = [
  { title: "Worked example", look: "Two rows, no offset. Step on: θ is (2, 2), then (0, 3), and there are no more mistakes.", points: [[2, 2, 1], [2, -1, -1]], runs: [plan("perceptron", clean)], step: 0 },
  { title: "An update that spoils another row", look: "Step on and watch how many rows are wrong: an update helps its own row and may turn others over.", points: five, runs: [plan("perceptron", clean)], step: 1 },
  { title: "It depends on the start", look: "The same rows from θ = 0 and from θ = (−3, 2): both end clean, with different planes.", points: apart, runs: [plan("perceptron", clean), plan("perceptron", clean, "-3,2")], step: null },
  { title: "A narrow margin", look: "The classes are apart, by little: many updates, never more than (R/margin)² of them. Drag a row away from the gap and count again.", points: narrow, runs: [plan("perceptron", { passes: "until-clean", "max-passes": "5000" })], step: null },
  { title: "XOR", look: "No plane separates these rows: the two segments share a point, and the perceptron never stops. Drag one row across.", points: corners, runs: [plan("perceptron", { passes: "3" })], step: null },
  { title: "XOR with a kernel", look: "The same rows with products (1 + x · z)² in place of x · z: now a curve separates them.", points: corners, runs: [plan("perceptron", { passes: "3" }), plan("perceptron", { kernel: "poly:2,1,1", offset: "none", passes: "until-clean" })], step: null },
  { title: "Gradient steps", look: "All rows a step, on the hinge loss (A) and on the logistic loss (B), η = 0.5: step on together. The hinge stops pushing at m = 1, the logistic loss never quite.", points: apart, runs: [plan("sgd", { loss: "hinge", batch: "all", rate: "constant:0.5", offset: "none", passes: "20" }), plan("sgd", { loss: "logistic", batch: "all", rate: "constant:0.5", offset: "none", passes: "20" })], step: 1 },
  { title: "Stochastic steps and Pegasos", look: "One row a step, while its margin is at most 1. A: η = 1/(k+1), k counting the updates. B: Pegasos, η = 1/(λ t), and θ is shrunk at every step, also by rows that are right.", points: five, runs: [plan("sgd", { rate: "1/(k+1):updates", tie: "update", order: "cyclic", offset: "none", passes: "3" }), plan("pegasos", { lambda: "0.5", tie: "update", order: "cyclic", offset: "none", passes: "3" })], step: 1 },
  { title: "The widest margin", look: "Rows with a ring hold the plane. Drag one of the others: nothing changes as long as it stays outside of the margin.", points: apart, runs: [plan("svm", { C: "100" })], step: null },
  { title: "Small and large C", look: "Beside each other: C = 0.1 has a wide margin with rows inside and one of them wrong, C = 100 gets all rows right.", points: [...apart, [-0.4, -0.9, 1]], runs: [plan("svm", { C: "0.1" }), plan("svm", { C: "100" })], step: null },
  { title: "Rows far away", look: "Three rows of −1 lie far on the wrong side, as wrong labels do. The hinge loss grows with the distance: its plane turns towards them and has four errors, where two are the least number.", points: farAway, runs: [plan("svm", { C: "1" }), plan("fewest-errors")], step: null },
  { title: "The mean is calmer", look: "The perceptron's last plane beside the mean of all its planes, five passes over rows that overlap.", points: [[1.4, 0.2, 1], [2.2, 1.6, 1], [0.3, 1.2, 1], [3, -0.4, 1], [-0.6, 0.3, 1], [-1.4, -0.4, -1], [-2.4, 0.8, -1], [-0.2, -1.5, -1], [-3, -1.2, -1], [0.7, 0.1, -1]], runs: [plan("perceptron", { passes: "5" }), plan("averaged-perceptron", { passes: "5" })], step: null },
  { title: "A ring", look: "One class around the other: no plane will do, a Gaussian kernel does.", points: ring, runs: [plan("svm"), plan("svm", { kernel: "rbf:0.5" })], step: null },
];
