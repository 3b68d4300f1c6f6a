// SPDX-License-Identifier: BSD-3-Clause
// Elements, numbers and tables. Text from the data goes through text nodes only.
export type Child = Node | string | number | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | number | boolean | undefined> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

const minus = (text: string) => text.replace(/-/g, "\u2212");

// Four digits, as a person would write them.
export function num(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "\u2013";
  if (x === 0) return "0";
  if (Number.isInteger(x) && Math.abs(x) < 1e9) return minus(x.toLocaleString("en-US").replace(/,/g, "\u2009"));
  const size = Math.abs(x);
  if (size >= 1e-4 && size < 1e6) return minus(String(Number(x.toPrecision(digits))));
  const [mantissa, exponent] = x.toExponential(Math.max(0, digits - 1)).split("e");
  return minus(`${Number(mantissa)}`) + powerOfTen(Number(exponent));
}

// A share of which only all of it is 1.
export const share = (x: number | null | undefined) => (x !== null && x !== undefined && x < 1 && x > 0.99995 ? "> 0.9999" : num(x));

const raised = "\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079";
const powerOfTen = (exponent: number) =>
  `\u00D710${exponent < 0 ? "\u207B" : ""}${[...String(Math.abs(exponent))].map((digit) => raised[Number(digit)]).join("")}`;
// 4.1e-05 in a sentence of the report as a person writes it.
export const sentence = (text: string) =>
  text.replace(/(\d)e([+-]\d{2,3})\b/g, (_, digit: string, exponent: string) => digit + powerOfTen(Number(exponent)));

export function percent(x: number | null | undefined, digits = 1): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "\u2013";
  const value = 100 * x;
  const places = value !== 0 && Math.abs(value) < 0.1 ? 3 : digits;
  return minus(`${Number(value.toFixed(places))}\u2009%`);
}

export function between(pair: [number, number] | null | undefined, how: (x: number) => string = num): string {
  return pair ? `${how(pair[0])} to ${how(pair[1])}` : "no interval";
}

export function probability(p: number | null | undefined): string {
  if (p === null || p === undefined) return "\u2013";
  return p < 1e-4 && p > 0 ? "< 0.0001" : p > 0.9999 && p < 1 ? "> 0.9999" : p.toFixed(4);
}

export const count = (n: number, noun: string) => `${num(n)} ${noun}${n === 1 ? "" : "s"}`;

// A name from the data, kept apart from the direction of the text around it.
export const name = (text: string) => h("bdi", {}, text);

export interface Column<T> { head: string; cell: (row: T) => Child; number?: boolean }

export function table<T>(caption: string, columns: Column<T>[], rows: readonly T[]): HTMLElement {
  const head = h("tr", {}, ...columns.map((c) => h("th", { scope: "col", class: c.number ? "number" : undefined }, c.head)));
  const body = h("tbody");
  for (const row of rows) {
    body.append(h("tr", {}, ...columns.map((c) => h("td", { class: c.number ? "number" : undefined }, c.cell(row)))));
  }
  return scroller("scroll", caption, h("table", {}, h("caption", {}, caption), h("thead", {}, head), body));
}

// What is wide scrolls by itself, also by keyboard, and shows that there is more beyond its edge.
export function scroller(kind: string, label: string, ...content: Child[]): HTMLElement {
  const box = h("div", { class: kind, tabindex: 0, role: "region", "aria-label": label }, ...content);
  const look = () => {
    box.toggleAttribute("data-left", box.scrollLeft > 4);
    box.toggleAttribute("data-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 4);
  };
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
  return box;
}

// A command line; words are broken only where one alone is too long.
export const command = (text: string) =>
  h("pre", { tabindex: 0 }, ...text.split(/(?<= )/).map((word) => h("span", { class: "word" }, word)));

export const behind = (summary: string, ...content: Child[]) =>
  h("details", { class: "behind" }, h("summary", {}, summary), ...content);

export const leastWidth = 160;

// A chart that is drawn again when its width changes, with its caption and the table behind it.
export function figure(draw: (width: number) => Element, caption: Child | Child[], tableBehind: HTMLElement | null, label: string): HTMLElement {
  const holder = h("div", { class: "chart" });
  const element = h("figure", {}, holder, h("figcaption", {}, ...(Array.isArray(caption) ? caption : [caption])),
    tableBehind && behind("Table behind the chart", tableBehind));
  let drawn = 0;
  const redraw = () => {
    const width = Math.floor(holder.clientWidth);
    // A place that is hidden, or not laid out yet, has no room for axes.
    if (width < leastWidth || width === drawn) return;
    drawn = width;
    paint(holder, draw(width), label);
  };
  new ResizeObserver(redraw).observe(holder);
  return element;
}

// Puts a drawing into its holder, named for readers who do not see it.
export function paint(holder: Element, drawing: Element, label: string): void {
  const svg = drawing instanceof SVGSVGElement ? drawing : drawing.querySelector("svg");
  if (svg && !svg.hasAttribute("data-controls")) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    // Plot names its groups for nobody: what is inside an image is not read out.
    svg.querySelectorAll("g[aria-label]").forEach((g) => g.removeAttribute("aria-label"));
  }
  holder.replaceChildren(drawing);
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...children);
}

export const shapes = ["circle", "square", "triangle", "diamond", "times", "plus"] as const;
export const glyphs = ["\u25CF", "\u25A0", "\u25B2", "\u25C6", "\u2715", "\u271A"];
export const classColour = (k: number) => `var(--c${k % 6})`;

export function legend(labels: readonly string[], glyph = true): HTMLElement {
  return h("ul", { class: "legend" }, ...labels.map((label, k) =>
    h("li", {}, h("span", { class: `key k${k % 6}`, "aria-hidden": "true" }, glyph ? glyphs[k % 6] : "\u25A0"), " ", name(label))));
}
