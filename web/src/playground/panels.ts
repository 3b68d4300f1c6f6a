// SPDX-License-Identifier: BSD-3-Clause
// Where data come from and what is trained: the controls beside the board.
import { h, name, num } from "../dom";
import { ask, EngineError } from "./engine";
import { glyph } from "./draw";
import { lessons, type Lesson } from "./lessons";
import type { AlgorithmInfo, Label, Names, Picked, Point, RunState, Start, State } from "./types";

export interface DataActions {
  state: () => State;
  replace: (points: Point[], names: Names | null, said: string) => void;
  change: (row: number, point: Point) => void;
  add: (point: Point) => void;
  remove: (row: number) => void;
  fail: (error: unknown) => void;
  lesson: (lesson: Lesson) => void;
}

const labelled = (text: string, control: HTMLElement) => h("label", { class: "field" }, h("span", {}, text), control);
const options = (values: readonly string[], chosen: string) => values.map((v) => h("option", { value: v, selected: v === chosen }, v));
const kinds: [string, string][] = [["blobs", "two blobs"], ["xor", "XOR"], ["nearly", "nearly separable"], ["outlier", "an outlier"], ["ring", "ring"]];

// Boards of a lecture; choosing one replaces points and plans.
function lessonPicker(actions: DataActions): HTMLElement {
  const pick = h("select", { id: "lesson" }, h("option", { value: "" }, "choose a lesson \u2026"), ...lessons.map((l, k) => h("option", { value: k }, l.title)));
  const look = h("p", { class: "hint", id: "lesson-look", "aria-live": "polite" });
  pick.addEventListener("change", () => {
    const lesson = pick.value === "" ? null : lessons[Number(pick.value)];
    look.textContent = lesson?.look ?? "";
    if (lesson) actions.lesson(lesson);
  });
  return h("div", {}, labelled("Lessons", pick), look);
}

function generator(actions: DataActions): HTMLElement {
  const kind = h("select", { id: "make-kind" }, ...kinds.map(([value, text]) => h("option", { value }, text)));
  const rows = h("input", { type: "number", id: "make-rows", min: 2, max: 1000, value: 40 });
  const seed = h("input", { type: "number", id: "make-seed", min: 0, value: 1 });
  const make = h("button", { type: "button", id: "make" }, "Make points");
  make.addEventListener("click", async () => {
    try {
      const made = await ask<{ points: Point[] }>({ ask: "make", kind: kind.value, rows: Number(rows.value), seed: Number(seed.value) });
      actions.replace(made.points, null, `${made.points.length} points made`);
    } catch (error) { actions.fail(error); }
  });
  return h("div", { class: "fields" }, labelled("Kind", kind), labelled("Points", rows), labelled("Seed", seed), make);
}

// Two columns of a table, from the file the program was started with or from pasted text.
function columns(actions: DataActions, question: () => object, id: string): { element: HTMLElement; load: (again?: boolean) => Promise<void> } {
  const x = h("select", { id: `${id}-x` }), y = h("select", { id: `${id}-y` }), positive = h("select", { id: `${id}-positive` });
  const scale = h("select", { id: `${id}-scale` }, ...options(["none", "standard", "minmax"], "none"));
  const told = h("p", { class: "hint" });
  const axes = h("select", { id: `${id}-axes` }, h("option", { value: "columns" }, "two columns"), h("option", { value: "principal" }, "principal directions"));
  const across = labelled("Across", x), up = labelled("Up", y);
  const fields = h("div", { class: "fields" }, labelled("Axes", axes), labelled("Class +1", positive), across, up, labelled("Scale", scale));
  fields.hidden = true;
  // Another table has other columns: only a change of the controls asks with what they say.
  const load = async (again = false) => {
    try {
      const picked = await ask<Picked>({ ...question(), ...(fields.hidden || !again ? {} : { x: x.value, y: y.value, positive: positive.value }), axes: again ? axes.value : "columns", scale: scale.value });
      axes.value = picked.axes;
      const projected = picked.axes === "principal";
      across.hidden = up.hidden = projected;
      if (!projected) x.replaceChildren(...options(picked.columns, picked.x));
      if (!projected) y.replaceChildren(...options(picked.columns, picked.y));
      axes.disabled = picked.column_count < 3;
      positive.replaceChildren(...options(picked.classes, picked.positive));
      fields.hidden = false;
      told.textContent = picked.shown < picked.rows ? `${num(picked.shown)} of ${num(picked.rows)} rows are shown and trained on, evenly spaced.` : `All ${num(picked.rows)} rows.`;
      if (projected) told.textContent += ` A projection of ${num(picked.column_count)} columns onto the two directions in which the rows spread most: points that lie apart may fall together.`;
      const scaled = picked.scale === "none" ? "" : ` (${picked.scale})`;
      actions.replace(picked.points, { x: picked.x + scaled, y: picked.y + scaled, positive: picked.positive, negative: picked.negative }, `${picked.shown} rows`);
    } catch (error) { actions.fail(error); }
  };
  for (const control of [axes, x, y, positive, scale]) control.addEventListener("change", () => { if (!fields.hidden) void load(true); });
  return { element: h("div", {}, fields, told), load };
}

export function dataPanel(start: Start, actions: DataActions): { element: HTMLElement; refresh: () => void; openFile: () => Promise<void> } {
  const text = h("textarea", { id: "paste-text", rows: 5, spellcheck: "false", "aria-label": "A table as CSV", placeholder: "x1,x2,label\n2,2,1\n2,-1,-1" });
  const pasted = columns(actions, () => ({ ask: "paste", text: text.value }), "paste");
  const load = h("button", { type: "button", id: "paste" }, "Use this table");
  load.addEventListener("click", () => void pasted.load());
  const file = columns(actions, () => ({ ask: "columns" }), "file");
  const fileButton = h("button", { type: "button", id: "file" }, "Show its points");
  fileButton.addEventListener("click", () => void file.load());
  const clear = h("button", { type: "button", id: "clear" }, "Delete all points");
  clear.addEventListener("click", () => actions.replace([], null, "all points deleted"));

  const body = h("tbody");
  const list = h("details", { class: "behind", id: "point-list" }, h("summary", {}, "Points as numbers"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Points as numbers" },
      h("table", { class: "points-table" }, h("thead", {}, h("tr", {}, ...["row", "across", "up", "class", ""].map((t) => t ? h("th", { scope: "col" }, t) : h("td")))), body)));
  const addX = h("input", { type: "number", step: "any", "aria-label": "across, of a new point", value: 0 });
  const addY = h("input", { type: "number", step: "any", "aria-label": "up, of a new point", value: 0 });
  const addClass = h("select", { "aria-label": "class of a new point" }, h("option", { value: "1" }, `${glyph(1)} +1`), h("option", { value: "-1" }, `${glyph(-1)} \u22121`));
  const addButton = h("button", { type: "button", id: "add-point" }, "Add");
  addButton.addEventListener("click", () => {
    if (addX.value !== "" && addY.value !== "") actions.add([Number(addX.value), Number(addY.value), Number(addClass.value) as Label]);
  });
  list.append(h("div", { class: "fields add-row" }, addX, addY, addClass, addButton));

  const cell = (row: number, j: 0 | 1) => {
    const input = h("input", { type: "number", step: "any", value: actions.state().points[row][j], "aria-label": `${j === 0 ? "across" : "up"}, row ${row + 1}` });
    input.addEventListener("change", () => {
      const point = actions.state().points[row];
      if (point && input.value !== "") actions.change(row, j === 0 ? [Number(input.value), point[1], point[2]] : [point[0], Number(input.value), point[2]]);
      input.value = String(actions.state().points[row]?.[j] ?? "");
    });
    return h("td", {}, input);
  };
  const refresh = () => {
    if (!list.open) return body.replaceChildren();
    if (body.contains(document.activeElement) && body.children.length === actions.state().points.length) return;
    body.replaceChildren(...actions.state().points.slice(0, 300).map((point, row) => {
      const flip = h("button", { type: "button", "aria-label": `flip row ${row + 1}` }, glyph(point[2]));
      flip.addEventListener("click", () => { actions.change(row, [point[0], point[1], -point[2] as Label]); refresh(); });
      const remove = h("button", { type: "button", "aria-label": `delete row ${row + 1}` }, "\u2715");
      remove.addEventListener("click", () => { actions.remove(row); refresh(); });
      return h("tr", {}, h("th", { scope: "row" }, row + 1), cell(row, 0), cell(row, 1), h("td", {}, flip), h("td", {}, remove));
    }));
  };
  list.addEventListener("toggle", refresh);

  const element = h("section", { class: "side", id: "data", "aria-labelledby": "data-title" }, h("h2", { id: "data-title" }, "Points"),
    lessonPicker(actions), generator(actions),
    start.file !== null && h("div", { class: "file" }, h("h3", {}, "From ", name(start.file.split("/").pop() ?? start.file)), fileButton, file.element),
    h("details", { class: "behind" }, h("summary", {}, "Paste a table (CSV)"), text, load, pasted.element),
    list, clear);
  return { element, refresh, openFile: file.load };
}

// What people change first; the rest waits behind a fold.
const shown = new Set(["passes", "order", "offset", "C", "nu", "lambda", "kernel", "variant", "loss", "rate", "batch", "tie", "kink"]);
const withC = (option: string) => option === "C" || option === "nu" || option === "lambda";

export interface RunActions { change: (index: number, run: RunState) => void; second: (on: boolean) => void }

export function runPanel(start: Start, index: number, actions: RunActions): { element: HTMLElement; show: (run: RunState, two: boolean) => void } {
  let current: RunState = { algorithm: "perceptron", options: {}, from: "zero", seed: 1 };
  const heading = h("h2", { id: `run-${index}-title` }, "Algorithm");
  const pick = h("select", { id: `algorithm-${index}`, "aria-label": "Algorithm" }, ...start.algorithms.map((a) => h("option", { value: a.name }, a.name)));
  const summary = h("p", { class: "hint" });
  const first = h("div", { class: "fields" }), rest = h("div", { class: "fields" });
  const more = h("details", { class: "behind" }, h("summary", {}, "More options"), rest);
  const element = h("section", { class: "side", "aria-labelledby": `run-${index}-title` }, heading, pick, summary, first, more);
  pick.addEventListener("change", () => {
    const info = start.algorithms.find((a) => a.name === pick.value)!;
    // What both have keeps its value, where the other takes it.
    const kept = Object.entries(current.options).filter(([option, value]) => info.options.some((o) => o.name === option && (o.choices.length === 0 || o.choices.includes(value))));
    actions.change(index, { ...current, algorithm: pick.value, options: Object.fromEntries(kept), from: info.starts ? current.from : "zero" });
  });

  const set = (option: string, value: string, fallback: string) => {
    const next = { ...current.options };
    if (value === fallback || value === "") delete next[option];
    else next[option] = value;
    actions.change(index, { ...current, options: next });
  };
  const control = (o: AlgorithmInfo["options"][number]): HTMLElement => {
    const id = `option-${index}-${o.name}`;
    const value = current.options[o.name] ?? o.fallback;
    let input: HTMLElement;
    if (o.flag) {
      input = h("input", { type: "checkbox", id, checked: value === "true" });
      input.addEventListener("change", () => set(o.name, (input as HTMLInputElement).checked ? "true" : "false", o.fallback));
    } else if (o.choices.length > 0) {
      input = h("select", { id }, ...options(o.choices, value));
      input.addEventListener("change", () => set(o.name, (input as HTMLSelectElement).value, o.fallback));
    } else {
      const known: Record<string, string[]> = { kernel: ["linear", "rbf:0.5", "rbf:2", "poly:2,1,1", "poly:3,1,1"], passes: ["until-clean", "1", "10", "100"], rate: ["1/(k+1)", "1/(k+1):updates", "constant:1", "constant:0.1", "inverse:1,0.1"], batch: ["1", "all"] };
      input = h("input", { type: "text", id, value, list: known[o.name] ? `${id}-known` : undefined, autocomplete: "off", inputmode: withC(o.name) ? "decimal" : undefined });
      input.addEventListener("change", () => set(o.name, (input as HTMLInputElement).value.trim(), o.fallback));
      if (known[o.name]) return h("div", { class: "field-with-list" }, Object.assign(labelled(o.name, input), { title: o.help }), h("datalist", { id: `${id}-known` }, ...known[o.name].map((v) => h("option", { value: v }))));
    }
    return Object.assign(labelled(o.name, input), { title: o.help });
  };

  const show = (run: RunState, two: boolean) => {
    const again = run.algorithm !== current.algorithm || first.children.length === 0 || JSON.stringify(run.options) !== JSON.stringify(current.options) || run.from !== current.from || run.seed !== current.seed;
    current = run;
    heading.textContent = two ? `Algorithm ${index === 0 ? "A" : "B"}` : "Algorithm";
    pick.value = run.algorithm;
    const info = start.algorithms.find((a) => a.name === run.algorithm);
    if (!info || !again) return;
    summary.textContent = info.summary;
    const focused = document.activeElement instanceof HTMLElement && element.contains(document.activeElement) ? document.activeElement.id : "";
    const seed = h("input", { type: "number", id: `seed-${index}`, min: 0, value: run.seed });
    seed.addEventListener("change", () => actions.change(index, { ...current, seed: Number(seed.value) || 1 }));
    first.replaceChildren(...info.options.filter((o) => shown.has(o.name)).map(control));
    if (info.starts) {
      const from = h("input", { type: "text", id: `from-${index}`, value: run.from, autocomplete: "off" });
      from.addEventListener("change", () => actions.change(index, { ...current, from: from.value.trim() || "zero" }));
      first.append(Object.assign(labelled("start at", from), { title: "zero, or weights with commas: 1,-2 or 1,-2,0.5 with theta0 as the last" }));
    }
    const others = info.options.filter((o) => !shown.has(o.name) && o.name !== "cache" && o.name !== "no-certificate" && o.name !== "multiclass" && o.name !== "class-weight");
    rest.replaceChildren(...others.map(control), labelled("seed", seed));
    if (focused) document.getElementById(focused)?.focus();
  };
  return { element, show };
}

export const words = (error: unknown) => (error instanceof EngineError ? told(error.message, error.hint) : String(error));
// What was wrong, with its remedy once; that it was a request needs no word.
export const told = (message: string, hint: string) => `${message.replace(/^request: error: /, "")}${hint && !message.includes(hint) ? ` (${hint})` : ""}`;
