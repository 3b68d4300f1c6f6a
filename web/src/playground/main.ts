// SPDX-License-Identifier: BSD-3-Clause
// The playground: points and plans go to the program behind the page, its answer is drawn. No number is made here.
import { count, h, num, sentence } from "../dom";
import { themeButton } from "../theme";
import { Board, type Tool, type View } from "./board";
import { ask, EngineError, Latest } from "./engine";
import { csv, save, savePng, svgFile } from "./export";
import type { Lesson } from "./lessons";
import { dataPanel, runPanel, told, words } from "./panels";
import { decode, drawable, encode, firstState, plainNames } from "./state";
import type { Names, Path, Plane, Point, RunAnswer, RunState, Start, State, Step, Walk } from "./types";
import { Card, dual, history, path, weightSpace } from "./views";

const isWalk = (run: RunAnswer["runs"][number] | undefined): run is Walk => run !== undefined && run.error === undefined;

class Playground {
  private state: State = decode(location.hash) ?? firstState();
  private answer: RunAnswer | null = null;
  private view: View = [-5, 5, -5, 5];
  private tool: Tool = "positive";
  private selected: number | null = null;
  private quiz: { right: number; asked: number } | null = null;
  private playing = 0;
  private saving = 0;
  private readonly past: Point[][] = [];
  private readonly engine = new Latest<RunAnswer>((a) => this.take(a), (e) => this.refuse(words(e)));
  private readonly pathEngine = new Latest<Path>((p) => { this.pathAnswer = p; this.drawPath(); }, () => { this.pathAnswer = null; this.drawPath(); });
  private pathAnswer: Path | null = null;

  private readonly verdict = h("p", { class: "verdict", id: "verdict", role: "status" });
  private readonly message = h("p", { class: "message", id: "message", role: "alert" });
  private readonly boards: Board[];
  private readonly readings = [0, 1].map((k) => h("div", { class: "step-reading", id: `reading-${k}` }));
  private readonly columns: HTMLElement[];
  private readonly slider = h("input", { type: "range", id: "timeline", min: 0, max: 1, value: 0, "aria-label": "Update" });
  private readonly where = h("output", { class: "where", id: "where" });
  private readonly play = h("button", { type: "button", id: "play" }, "Play");
  private readonly weights = [new Card("weights-0", "Weight space"), new Card("weights-1", "Weight space B")];
  private readonly duals = [new Card("dual-0", "Dual: \u03B1 of every row"), new Card("dual-1", "Dual B")];
  private readonly course = new Card("course", "How it went");
  private readonly path = new Card("path", "Path over C");
  private readonly data: ReturnType<typeof dataPanel>;
  private readonly panels: ReturnType<typeof runPanel>[];
  private readonly quizBox = h("input", { type: "checkbox", id: "quiz" });
  private readonly noMore = h("button", { type: "button", id: "no-more" }, "No more updates");
  private readonly speed = h("select", { id: "speed", "aria-label": "Speed of playing" }, ...[["900", "slow"], ["450", "normal"], ["150", "fast"]].map(([value, text]) => h("option", { value, selected: value === "450" }, text)));
  private readonly compare = h("input", { type: "checkbox", id: "compare" });

  constructor(private readonly start: Start, app: HTMLElement) {
    const actions = {
      add: (x: number, y: number, label: 1 | -1) => this.edit((p) => [...p, [x, y, label]], this.state.points.length),
      move: (row: number, x: number, y: number) => this.edit((p) => p.map((q, k) => (k === row ? [x, y, q[2]] : q)), row, `move ${row}`),
      flip: (row: number) => this.edit((p) => p.map((q, k) => (k === row ? [q[0], q[1], q[2] > 0 ? -1 : 1] : q)), row),
      remove: (row: number) => this.edit((p) => p.filter((_, k) => k !== row), null),
      select: (row: number | null) => { this.selected = row; this.draw(); },
      guess: (row: number | null) => this.guess(row),
    };
    this.boards = [0, 1].map((k) => new Board(actions, `Board${k === 0 ? "" : " of algorithm B"}. Arrows move the cross or the chosen point, plus and minus add points, n and p choose one, f flips, Delete deletes.`));
    this.columns = [0, 1].map((k) => h("section", { class: "card board-card", "aria-labelledby": `board-${k}-title` }, h("h2", { id: `board-${k}-title` }, "Plane"), this.boards[k].element, this.readings[k]));
    this.data = dataPanel(start, {
      state: () => this.state,
      replace: (points, names, said) => this.replace(points, names, said),
      change: (row, point) => this.edit((p) => p.map((q, k) => (k === row ? point : q)), row),
      add: (point) => this.edit((p) => [...p, point], this.state.points.length),
      remove: actions.remove,
      fail: (error) => this.say(words(error), true),
      lesson: (lesson) => this.teach(lesson),
    });
    const runActions = { change: (index: number, run: RunState) => this.plan(index, run), second: () => undefined };
    this.panels = [0, 1].map((k) => runPanel(start, k, runActions));
    this.compare.addEventListener("change", () => this.second(this.compare.checked));
    this.build(app);
    this.fit();
    this.refresh();
    if (start.file !== null && !decode(location.hash)) void this.data.openFile();
  }

  private build(app: HTMLElement): void {
    const tools: [Tool, string][] = [["positive", "\u25A0 draw +1"], ["negative", "\u25CF draw \u22121"], ["flip", "\u21C4 flip"], ["delete", "\u2715 delete"]];
    const toolBar = h("fieldset", { class: "tools" }, h("legend", {}, "Tool"), ...tools.map(([tool, text]) => {
      const radio = h("input", { type: "radio", name: "tool", value: tool, id: `tool-${tool}`, checked: tool === this.tool });
      radio.addEventListener("change", () => { this.tool = tool; this.draw(); });
      return h("label", { class: `tool ${tool}` }, radio, h("span", {}, text));
    }));
    this.quizBox.addEventListener("change", () => this.ask(this.quizBox.checked));
    this.noMore.addEventListener("click", () => this.guess(null));
    this.noMore.hidden = true;
    const button = (id: string, text: string, label: string, act: () => void) => {
      const b = h("button", { type: "button", id, "aria-label": label, title: label }, text);
      b.addEventListener("click", act);
      return b;
    };
    this.play.addEventListener("click", () => this.togglePlay());
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const timeline = h("div", { class: "timeline", role: "group", "aria-label": "Timeline" },
      button("first", "|\u25C0", "to the start", () => this.go(0)), button("back", "\u25C0", "one update back", () => this.go(this.at - 1)), this.play,
      button("forward", "\u25B6", "one update on", () => this.go(this.at + 1)), button("last", "\u25B6|", "to the end", () => this.go(this.last)), this.slider, this.where, this.speed);
    const exports = h("div", { class: "exports", role: "group", "aria-label": "Save and share" },
      button("undo", "Undo", "undo the last change of points", () => this.undo()),
      button("copy", "Copy link", "copy the address of this state", () => void this.copy()),
      button("save-csv", "CSV", "save the points as CSV", () => save(csv(this.state.points), "text/csv", "points.csv")),
      button("save-trace", "Trace", "save the updates as JSON lines", () => void this.saveTrace()),
      button("save-svg", "SVG", "save the picture", () => save(svgFile(this.boards[0].picture), "image/svg+xml", "plane.svg")),
      button("save-png", "PNG", "save the picture as PNG", () => savePng(this.boards[0].picture, "plane.png", () => this.say("the picture could not be made", true))),
      themeButton());
    app.append(
      h("a", { class: "skip", href: "#board-0-title" }, "To the board"),
      h("header", { class: "bar" }, h("h1", {}, "halfspace ", h("span", {}, "playground")), exports),
      h("div", { class: "answer" }, this.verdict),
      h("div", { class: "layout" },
        h("main", {}, h("div", { class: "over" }, toolBar, h("label", { class: "quiz", title: "say which row moves the plane next, before the step is made" }, this.quizBox, h("span", {}, "Quiz")), this.noMore, this.message), h("div", { class: "cards", id: "top-cards" }, this.columns[0], this.columns[1], this.weights[0].element), timeline,
          h("div", { class: "cards" }, this.weights[1].element, this.duals[0].element, this.duals[1].element), this.course.element, this.path.element),
        h("aside", { "aria-label": "Settings" }, this.data.element, this.panels[0].element,
          h("label", { class: "compare" }, this.compare, h("span", {}, "Compare with a second algorithm")), this.panels[1].element,
          h("p", { class: "hint foot" }, `Every number here is computed by halfspace ${this.start.version} on this machine; the page only draws. Keys on the board: arrows, +, \u2212, n, p, f, Delete.`))));
    document.addEventListener("keydown", (e) => this.key(e));
  }

  private get walks(): Walk[] { return (this.answer?.runs ?? []).filter(isWalk); }
  private get last(): number { return Math.max(0, ...this.walks.map((w) => w.steps.length)); }
  private get at(): number { return this.state.step === null ? this.last : Math.min(this.state.step, this.last); }

  // Changes of points. The end of the walk stays the end; a place on the way starts again from the beginning's end.
  private edit(change: (points: Point[]) => Point[], selected: number | null, gesture = ""): void {
    const next = change(this.state.points);
    if (next.length > this.start.most_rows) return this.say(`at most ${this.start.most_rows} points`, true);
    if (!next.every(drawable)) return this.say("coordinates from \u221210\u2079 to 10\u2079", true);
    this.remember(gesture);
    this.state.points = next;
    this.selected = selected;
    this.state.step = null;
    this.answer = this.answer && next.length === this.answerRows ? this.answer : null;
    this.refresh();
  }
  private answerRows = 0;
  private lastEdit = 0;
  private gesture = "";
  // The moves of one drag are undone together.
  private remember(gesture: string): void {
    const now = performance.now();
    if (gesture === "" || gesture !== this.gesture || now - this.lastEdit > 1500) this.past.push(this.state.points);
    if (this.past.length > 200) this.past.shift();
    this.lastEdit = now;
    this.gesture = gesture;
  }
  private undo(): void {
    const points = this.past.pop();
    if (!points) return this.say("nothing to undo", false);
    this.state.points = points;
    this.selected = null;
    this.state.step = null;
    this.gesture = "";
    this.fit();
    this.refresh();
  }
  private replace(points: Point[], names: Names | null, said: string): void {
    this.past.push(this.state.points);
    this.gesture = "";
    this.state = { ...this.state, points, names: names ?? { ...plainNames }, step: null };
    this.selected = null;
    this.answer = null;
    this.fit();
    this.refresh();
    this.say(said, false);
  }
  // The square from -5 to 5 where the points fit in; their own range otherwise.
  private fit(): void {
    const xs = this.state.points.map((p) => p[0]), ys = this.state.points.map((p) => p[1]);
    const range = (v: number[]): [number, number] => {
      const low = Math.min(...v), high = Math.max(...v);
      const room = (high - low || Math.abs(high) || 1) * 0.08;
      return [low - room, high + room];
    };
    const largest = Math.max(0, ...xs.map(Math.abs), ...ys.map(Math.abs));
    if (largest <= 4.6 && (largest >= 1 || xs.length < 3)) this.view = [-5, 5, -5, 5];
    else this.view = [...range(xs), ...range(ys)] as View;
  }

  private teach(lesson: Lesson): void {
    this.replace(lesson.points.map((p): Point => [...p]), null, "");
    this.state.runs = lesson.runs.map((r) => ({ ...r, options: { ...r.options } }));
    this.state.step = lesson.step;
    this.refresh();
  }

  // A class says which row comes next before the step is made.
  private ask(on: boolean): void {
    this.quiz = on ? { right: 0, asked: 0 } : null;
    this.noMore.hidden = !on;
    this.selected = null;
    if (on) {
      if (this.playing) this.togglePlay();
      this.go(0);
      this.say("Which row causes the next update? Click it, or choose it with n and p and press Enter.", false);
    } else {
      this.say("", false);
      this.draw();
    }
  }
  private guess(row: number | null): void {
    const walk = this.walks[0];
    if (!this.quiz || !walk) return;
    const at = Math.min(this.at, walk.steps.length);
    const next: Step | undefined = walk.steps[at];
    const said = row === null ? "No more updates" : `Row ${row + 1}`;
    const right = next ? row !== null && next.row === row + 1 : row === null;
    this.quiz.asked += 1;
    this.quiz.right += right ? 1 : 0;
    const wrong = this.moment(walk).wrong;
    const why = right ? "" : row !== null && wrong.has(row + 1) ? ` Row ${row + 1} is wrong as well, but another one comes first.` : row !== null ? ` Row ${row + 1} is on its side.` : "";
    const truth = next ? `row ${next.row} has margin ${num(next.margin_before)} and moves the plane.` : "there are no more updates.";
    this.selected = null;
    if (next) this.go(at + 1);
    else this.draw();
    this.say(`${right ? "\u2713 Right" : `\u2715 ${said}: no`}: ${truth}${why} ${this.quiz.right} of ${this.quiz.asked}.`, false);
  }

  private plan(index: number, run: RunState): void {
    this.state.runs = this.state.runs.map((r, k) => (k === index ? run : r));
    this.state.step = null;
    this.refresh();
  }
  private second(on: boolean): void {
    const [a] = this.state.runs;
    this.state.runs = on ? [a, { algorithm: a.algorithm === "svm" ? "perceptron" : "svm", options: {}, from: "zero", seed: 1 }] : [a];
    this.state.step = null;
    this.refresh();
  }

  private refresh(): void {
    const two = this.state.runs.length === 2;
    this.compare.checked = two;
    this.panels[1].element.hidden = !two;
    this.state.runs.forEach((run, k) => this.panels[k].show(run, two));
    this.engine.ask({ ask: "run", points: this.state.points, runs: this.state.runs, view: this.view });
    this.pathAnswer = null;
    const along = this.state.runs.find((r) => ["svm", "nu-svm", "logistic"].includes(r.algorithm));
    if (along && this.state.points.length <= 400 && new Set(this.state.points.map((p) => p[2])).size === 2) this.pathEngine.ask({ ask: "path", points: this.state.points, run: along });
    else this.path.hide();
    this.draw();
    this.keep();
  }
  private refused = false;
  private refuse(why: string): void {
    this.refused = true;
    this.answer = null;
    this.say(why, true);
    this.draw();
    document.body.dataset.answered = String(Number(document.body.dataset.answered ?? 0) + 1);
  }
  private take(answer: RunAnswer): void {
    this.refused = false;
    this.answer = answer;
    this.answerRows = this.state.points.length;
    const refused = answer.runs.map((r, k) => (isWalk(r) ? "" : `${answer.runs.length > 1 ? `${"AB"[k]}: ` : ""}${told(r.error.message, r.error.hint)}`)).filter((t) => t !== "");
    this.say(refused.join(" "), true);
    this.draw();
    this.data.refresh();
    document.body.dataset.answered = String(Number(document.body.dataset.answered ?? 0) + 1);
  }

  private keep(): void {
    clearTimeout(this.saving);
    this.saving = window.setTimeout(() => window.history.replaceState(null, "", encode(this.state)), 250);
  }
  private async copy(): Promise<void> {
    window.history.replaceState(null, "", encode(this.state));
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("the link is copied", false);
    } catch {
      this.say("the link is in the address bar", false);
    }
  }
  private async saveTrace(): Promise<void> {
    try {
      const answer = await ask<{ lines: string; command: string }>({ ask: "trace", points: this.state.points, run: this.state.runs[0] });
      save(answer.lines, "application/jsonl", "trace.jsonl");
      this.say(`the same lines: ${answer.command}`, false);
    } catch (error) { this.say(words(error), true); }
  }
  private say(text: string, wrong: boolean): void {
    this.message.textContent = text;
    this.message.classList.toggle("wrong", wrong && text !== "");
  }

  private go(to: number): void {
    const at = Math.max(0, Math.min(this.last, to));
    this.state.step = at === this.last ? null : at;
    this.draw();
    this.keep();
  }
  private togglePlay(): void {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = 0;
    } else {
      if (this.at === this.last) this.go(0);
      this.playing = window.setInterval(() => {
        this.go(this.at + Math.max(1, Math.round(this.last / 150)));
        if (this.at === this.last) this.togglePlay();
      }, Number(this.speed.value));
    }
    this.play.textContent = this.playing ? "Pause" : "Play";
  }
  private key(e: KeyboardEvent): void {
    const inside = e.target instanceof Element && e.target.closest("input, select, textarea, button, summary, svg.board, .scroll");
    if (inside || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "ArrowRight") this.go(this.at + 1);
    else if (e.key === "ArrowLeft") this.go(this.at - 1);
    else return;
    e.preventDefault();
  }

  // What run k shows at this moment of the common timeline.
  private moment(walk: Walk): { plane: Plane | null; mean: Plane | null; before: Plane | null; step: Step | null; at: number; atEnd: boolean; wrong: Set<number> } {
    const at = Math.min(this.at, walk.steps.length);
    const atEnd = at === walk.steps.length && this.at >= walk.steps.length;
    const planes: Plane[] = [walk.start, ...walk.steps];
    const wrong = new Set<number>();
    if (atEnd && walk.model) walk.model.wrong.forEach((row) => wrong.add(row));
    else for (const plane of planes.slice(0, at + 1)) for (const row of plane.turned ?? []) if (!wrong.delete(row)) wrong.add(row);
    const final = walk.model?.plane ?? null;
    const plane = atEnd && walk.model ? final : planes[at];
    const walked = planes[at];
    const mean = atEnd && final !== null && walk.steps.length > 0 && (final.theta[0] !== walked.theta[0] || final.theta[1] !== walked.theta[1] || final.theta0 !== walked.theta0);
    const average = at > 0 && !atEnd ? walk.steps[at - 1].mean : undefined;
    return { plane, mean: average ? { theta: [average[0], average[1]], theta0: average[2] } : null, before: mean ? walked : at > 0 ? planes[at - 1] : null, step: at > 0 ? walk.steps[at - 1] : null, at, atEnd, wrong };
  }

  private draw(): void {
    this.drawVerdict();
    const two = this.state.runs.length === 2;
    const top = this.at;
    this.slider.max = String(Math.max(1, this.last));
    this.slider.value = String(top);
    this.slider.disabled = this.last === 0;
    this.where.textContent = this.last === 0 ? "no updates to step through" : `update ${num(top)} of ${num(this.last)}`;
    for (const k of [0, 1]) {
      this.columns[k].hidden = k >= this.state.runs.length;
      const run = this.answer?.runs[k];
      const walk = isWalk(run) ? run : null;
      if (k >= this.state.runs.length) { this.weights[k].hide(); this.duals[k].hide(); continue; }
      const now = walk ? this.moment(walk) : { plane: null, mean: null, before: null, step: null, at: 0, atEnd: true, wrong: new Set<number>() };
      const support = walk?.margin_lines && walk.alpha ? walk.alpha.values.map((a, row) => (a > 0 ? row : -1)).filter((row) => row >= 0) : [];
      this.columns[k].querySelector("h2")!.textContent = two ? `${"AB"[k]}: ${this.state.runs[k].algorithm}` : "Plane";
      const scene = { points: this.state.points, names: this.state.names, view: this.view, tool: this.tool, selected: this.selected, quiz: this.quiz !== null, walk, ...now, // A witness speaks of planes, not of the curve of a kernel.
        witness: walk?.model?.grid ? null : walk?.verdict.witness ?? this.answer?.verdict?.witness ?? null, support };
      this.boards[k].draw(scene);
      this.readings[k].replaceChildren(...(walk ? this.reading(walk, now) : [h("p", { class: "hint" }, this.state.points.length === 0 ? "Draw points of both classes." : "")]));
      if (!walk) { this.weights[k].hide(); this.duals[k].hide(); continue; }
      this.weights[k].title(two ? `Weight space ${"AB"[k]}` : "Weight space");
      this.duals[k].title(two ? `Dual ${"AB"[k]}: \u03B1 of every row` : "Dual: \u03B1 of every row");
      weightSpace(this.weights[k], walk, this.state.points, now.at, now.plane);
      dual(this.duals[k], walk, this.state.points, now.at, now.atEnd);
    }
    // Beside one board there is room for the weight space; two boards stand side by side.
    const topCards = document.getElementById("top-cards");
    if (topCards) {
      if (two) topCards.nextElementSibling!.nextElementSibling!.prepend(this.weights[0].element);
      else topCards.append(this.weights[0].element);
    }
    history(this.course, this.walks, top);
    this.drawPath();
  }

  private drawVerdict(): void {
    const v = this.answer?.verdict;
    this.verdict.className = `verdict ${v?.verdict ?? "unknown"}`;
    const sign = v?.verdict === "separable" ? "\u2713" : v?.verdict ? "\u2715" : "\u2026";
    const two = new Set(this.state.points.map((p) => p[2])).size === 2;
    const text = v ? sentence(v.sentence).replace(/-(?=\d)/g, "\u2212") : !two ? "Points of both classes are needed." : this.refused ? "No answer: the points or the plan were refused." : "";
    const more = v?.witness ? ` Shares: ${v.witness.rows.slice(0, 8).map((r) => `row ${r.row}: ${r.exact || num(r.share)}`).join(", ")}${v.witness.rows.length > 8 ? ", \u2026" : ""}.` : v?.margin ? ` A perceptron makes at most ${num(Math.floor(v.margin.mistakes))} mistakes.` : "";
    const least = !v?.least ? "" : v.least.exact
      ? ` The best plane gets ${num(v.least.upper)} wrong${v.least.rows.length <= 6 ? ` (${v.least.rows.length === 1 ? "row" : "rows"} ${v.least.rows.join(", ")})` : ""}: no plane gets fewer, proved.`
      : ` Every plane gets at least ${num(v.least.lower)} wrong, one gets ${num(v.least.upper)}.`;
    this.verdict.replaceChildren(h("span", { class: "sign", "aria-hidden": "true" }, sign), h("span", {}, h("strong", {}, text), h("span", { class: "more" }, v?.decided ? `${least}${more} Exact arithmetic.` : more)));
  }

  private reading(walk: Walk, now: ReturnType<Playground["moment"]>): HTMLElement[] {
    const vector = (p: Plane) => `(${num(p.theta[0])}, ${num(p.theta[1])})`;
    const lifted = walk.options.offset !== "none";
    const out: HTMLElement[] = [];
    if (now.plane) out.push(h("p", { class: "theta" }, `\u03B8 = ${vector(now.plane)}`, lifted ? `, \u03B8\u2080 = ${num(now.plane.theta0)}` : "", h("span", { class: "hint" }, `  ${num(now.wrong.size)} of ${count(this.state.points.length, "row")} wrong`)));
    else if (walk.model) out.push(h("p", { class: "theta" }, h("span", { class: "hint alone" }, `no plane: a curve; ${num(now.wrong.size)} of ${count(this.state.points.length, "row")} wrong`)));
    else out.push(h("p", { class: "hint" }, walk.reason));
    const step = now.step;
    if (step && !(now.atEnd && walk.algorithm === "averaged-perceptron")) {
      const p = this.state.points[step.row - 1];
      const before = [walk.start, ...walk.steps][now.at - 1];
      const rule = (u: Step) => [
        u.batch !== undefined ? ` The step is made of ${count(u.batch, "row")}; this is the first.` : "",
        u.loss !== undefined ? ` Its loss was ${num(u.loss)}; step \u03B7 = ${num(u.rate)}${u.shrink !== 1 ? `, \u03B8 first times ${num(u.shrink)}` : ""}.` : "",
        u.votes !== undefined ? ` This plane gets ${count(u.votes, "vote")}.` : "",
        u.mean && !now.atEnd ? " Dotted: the mean of all planes so far." : "",
      ].join("");
      out.push(h("p", {}, `Update ${step.k}, pass ${step.pass}: row ${step.row}${p ? ` at (${num(p[0])}, ${num(p[1])})` : ""} of class ${step.y > 0 ? "+1" : "\u22121"} had margin ${num(step.margin_before)}, now ${num(step.margin_after)}.${rule(step)} \u03B8 went from ${vector(before)} to ${vector(step)}${lifted ? `, \u03B8\u2080 from ${num(before.theta0)} to ${num(step.theta0)}` : ""}.`));
    } else if (walk.steps.length > 0 && now.at === 0) out.push(h("p", {}, `The start: \u03B8 = ${vector(walk.start)}. Every row on the plane counts as wrong.`));
    if (now.atEnd) {
      const end = walk.stop === "clean" ? "The last pass had no mistake." : walk.shortened ? `The first ${walk.steps.length} updates are shown.` : "";
      const parts = [end, walk.objective ? `Objective ${num(walk.objective.primal, 6)}, best at least ${num(walk.objective.dual, 6)}.` : "", walk.support_vectors !== undefined ? `${count(walk.support_vectors, "support vector")}.` : "", ...walk.proof.slice(0, 1).map((t) => `Proved: ${sentence(t)}.`)];
      const text = parts.filter((t) => t !== "").join(" ");
      if (text) out.push(h("p", { class: "hint" }, text));
      if (walk.model?.formula) out.push(h("p", { class: "hint" }, `Minimised: ${walk.model.formula}`));
    }
    out.push(h("p", { class: "command" }, h("code", {}, ...walk.command.split(/(?<= )/).map((word) => h("span", { class: "word" }, word)))));
    return out;
  }

  private drawPath(): void {
    const k = this.state.runs.findIndex((r) => ["svm", "nu-svm", "logistic"].includes(r.algorithm));
    if (!this.pathAnswer || k < 0) return this.path.hide();
    const option = this.pathAnswer.option;
    const info = this.start.algorithms.find((a) => a.name === this.state.runs[k].algorithm);
    const now = Number(this.state.runs[k].options[option] ?? info?.options.find((o) => o.name === option)?.fallback ?? 1);
    path(this.path, this.pathAnswer, this.state.points.length, now, (value) => this.plan(k, { ...this.state.runs[k], options: { ...this.state.runs[k].options, [option]: String(value) } }));
  }
}

async function begin(): Promise<void> {
  const app = document.getElementById("app")!;
  try {
    const start = await ask<Start>({ ask: "start" });
    new Playground(start, app);
  } catch (error) {
    app.append(h("main", { class: "plain" }, h("h1", {}, "halfspace playground"), h("p", {}, error instanceof EngineError ? words(error) : String(error))));
  }
}

void begin();
