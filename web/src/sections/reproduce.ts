// SPDX-License-Identifier: BSD-3-Clause
// The model in full, and the commands that make all of this again.
import { behind, command, h, name, section, table } from "../dom";
import type { Report } from "../types";

export function reproduce(report: Report): HTMLElement {
  const r = report.reproduce;
  const pairs = (caption: string, list: [string, string][]) => table(caption, [
    { head: "name", cell: (p: [string, string]) => name(p[0]) }, { head: "value", cell: (p) => name(p[1]) }], list);
  return section("reproduce", "Do it again",
    h("p", { class: "lead" }, `The same seed gives the same bits, whatever the number of threads. Trained by halfspace ${r.trained_by || "(another program)"}${r.seed ? `, seed ${r.seed}` : ""}; this page by ${r.version}.`),
    r.train && command(r.train), command(r.verify), command(r.report),
    h("p", {}, "To move rows and watch algorithms step by step, two columns at a time:"), command(r.playground),
    table("Fingerprints of the data", [
      { head: "data", cell: (f) => f.what }, { head: "fingerprint", cell: (f) => h("code", {}, f.fingerprint || "\u2013") }], r.fingerprints),
    report.model.options.length > 0 && behind("Options of the training", pairs("Options", report.model.options)),
    report.model.facts.length > 0 && behind("What the model says of its training", pairs("Facts", report.model.facts)),
    h("p", {}, "Everything on this page comes from one object, which halfspace report MODEL DATA --json prints."));
}
