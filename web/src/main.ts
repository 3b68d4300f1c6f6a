// SPDX-License-Identifier: BSD-3-Clause
// Reads the object in the page and puts its sections together.
import { count, h, name } from "./dom";
import { nomogram } from "./sections/nomogram";
import { plane } from "./sections/plane";
import { perceptron, separability, solved } from "./sections/proofs";
import { quality } from "./sections/quality";
import { learningCurve, path, replay } from "./sections/replay";
import { reproduce } from "./sections/reproduce";
import { calibration, margins, rows } from "./sections/rows";
import { dataCard, verdict } from "./sections/summary";
import { thresholds } from "./sections/thresholds";
import { weights } from "./sections/weights";
import { themeButton } from "./theme";
import type { Report } from "./types";

const makers: ((report: Report) => HTMLElement | null)[] = [
  verdict, dataCard, quality, plane, solved, separability, weights, nomogram, thresholds, calibration, margins, rows, path, learningCurve, perceptron, replay, reproduce,
];

function start(): void {
  const report = JSON.parse(document.getElementById("report-data")!.textContent ?? "") as Report;
  const sections = makers.map((make) => make(report)).filter((element): element is HTMLElement => element !== null);
  const links = sections.map((element) => h("a", { href: `#${element.id}` }, element.querySelector("h2")!.textContent));
  const classes = report.model.classes.length;
  const app = document.getElementById("app")!;
  app.append(
    h("a", { class: "skip", href: "#verdict" }, "To the verdict"),
    h("div", { class: "frame" },
      h("header", { class: "top" },
        h("div", {}, h("h1", {}, name(report.title)), h("p", { class: "by" }, `${report.model.algorithm || "model"}, ${count(report.model.features, "feature")}, ${classes} classes \u2013 halfspace ${report.version}`)),
        themeButton()),
      h("nav", { class: "contents", "aria-label": "Sections" }, h("ul", {}, ...links.map((link) => h("li", {}, link)))),
      h("main", {}, ...sections,
        h("footer", {}, "One file, no network: this page asks nothing of any server."))));
  follow(sections, links);
}

// Marks the section that is being read in the list of contents.
function follow(sections: HTMLElement[], links: HTMLElement[]): void {
  const seen = new Set<Element>();
  const observer = new IntersectionObserver((changes) => {
    for (const change of changes) {
      if (change.isIntersecting) seen.add(change.target);
      else seen.delete(change.target);
    }
    const first = sections.findIndex((element) => seen.has(element));
    links.forEach((link, k) => {
      if (k === first) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  }, { rootMargin: "-10% 0px -60% 0px" });
  sections.forEach((element) => observer.observe(element));
}

start();
