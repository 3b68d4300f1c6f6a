// SPDX-License-Identifier: BSD-3-Clause
// playground.mjs ORDER.json: uses the playground as a class would, in Chromium. With "pictures" it also takes some for the documentation.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const order = JSON.parse(readFileSync(process.argv[2], "utf8"));
const require = createRequire(join(order.modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
let failures = 0;
let profiles = 0;
const fail = (what) => {
  failures += 1;
  console.log(`FAILED: ${what}`);
};
const check = (holds, what) => holds || fail(what);

async function browse(options, work) {
  const context = await chromium.launchPersistentContext(join(order.folder, `profile-${profiles++}`), { executablePath: order.chromium, headless: true, args: flags, timeout: 120000, viewport: { width: 1400, height: 950 }, reducedMotion: "reduce", acceptDownloads: true, ...options });
  context.setDefaultTimeout(60000);
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

function watch(page, address) {
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && fail(`console: ${message.text()}`));
  page.on("pageerror", (error) => fail(`script error: ${error.message}`));
  page.on("dialog", async (dialog) => { fail("a dialog opened"); await dialog.dismiss(); });
  page.on("request", (request) => request.url().startsWith(address.split("#")[0]) || request.url().startsWith("blob:") || request.url().startsWith("data:") || fail(`request: ${request.url().slice(0, 100)}`));
}
async function open(context, address) {
  const page = await context.newPage();
  watch(page, address);
  await page.goto(address);
  await answered(page, 0);
  return page;
}
const answers = (page) => page.evaluate(() => Number(document.body.dataset.answered ?? 0));
// Until the engine has answered once more than `before`, and nothing has come for a while. The page's policy forbids to leave code in it.
async function answered(page, before) {
  for (let k = 0; k < 400; ++k) {
    if ((await answers(page)) > before) return page.waitForTimeout(150);
    await page.waitForTimeout(50);
  }
  throw new Error("no answer within twenty seconds");
}
async function doing(page, work) {
  const before = await answers(page);
  await work();
  await answered(page, before);
}
const verdict = (page) => page.locator("#verdict").textContent();
// Where a point of the plane is on the screen, by the ticks of the board: -5 to 5 both ways.
async function place(page, x, y) {
  const box = await page.locator("svg.board").first().boundingBox();
  const scale = box.width / (await page.evaluate(() => Number(document.querySelector("svg.board").getAttribute("width"))));
  const w = box.width / scale, h = box.height / scale;
  return [box.x + scale * (34 + ((x + 5) / 10) * (w - 44)), box.y + scale * (h - 28 - ((y + 5) / 10) * (h - 38))];
}
const drawPoint = async (page, x, y) => { const [px, py] = await place(page, x, y); await doing(page, () => page.mouse.click(px, py)); };
const pointsOf = async (page) => (await page.locator("svg.board").first().locator(".point").count());

async function accessible(page, how) {
  const results = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
  for (const one of results.violations)
    if (one.impact === "serious" || one.impact === "critical") fail(`axe, ${how}: ${one.id}: ${one.help}: ${one.nodes[0].html.slice(0, 160)}: ${one.nodes[0].failureSummary.slice(0, 300)}`);
}

// Saves the points and the trace; the caller compares the trace with the program's.
async function saveBoth(page, number, words) {
  const take = async (button, file) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(button).click()]);
    await download.saveAs(join(order.folder, file));
  };
  await take("#save-csv", `saved-${number}.csv`);
  await take("#save-trace", `saved-${number}.jsonl`);
  writeFileSync(join(order.folder, `saved-${number}.json`), JSON.stringify(words));
}

async function xorBecomesSeparable(page) {
  await doing(page, () => page.locator("#clear").click()).catch(() => fail("no answer after deleting"));
  await page.locator("#tool-positive").check({ force: true });
  await drawPoint(page, -2, -2);
  await drawPoint(page, 2, 2);
  await page.locator("#tool-negative").check({ force: true });
  await drawPoint(page, -2, 2);
  await drawPoint(page, 2, -2);
  check((await pointsOf(page)) === 4, `four points are drawn: ${await pointsOf(page)}`);
  const said = await verdict(page);
  check(said.includes("No plane separates the classes") && said.includes("mix to the same point (0, 0)"), `XOR: ${said}`);
  check(said.includes("The best plane gets 1 wrong") && said.includes("no plane gets fewer, proved"), `the least number of errors of XOR: ${said}`);
  check((await page.locator("svg.board .meet").count()) >= 1 && (await page.locator("svg.board .hull").count()) >= 2, "the witness is not drawn");
  const from = await place(page, 2, -2), to = await place(page, -3.5, 3.5);
  const before = await answers(page);
  await page.mouse.move(...from);
  await page.mouse.down();
  for (let k = 1; k <= 8; ++k) await page.mouse.move(from[0] + ((to[0] - from[0]) * k) / 8, from[1] + ((to[1] - from[1]) * k) / 8);
  await page.mouse.up();
  await answered(page, before);
  await page.waitForTimeout(300);
  check((await verdict(page)).includes("A plane separates the classes"), `dragged: ${await verdict(page)}`);
  check((await page.locator("svg.board .meet").count()) === 0, "the witness is still drawn");
  await doing(page, () => page.locator("#undo").click());
  check((await verdict(page)).includes("No plane"), "undo does not bring XOR back");
}

async function lectureSteps(page) {
  await page.locator("summary", { hasText: "Paste a table" }).click();
  await page.locator("#paste-text").fill("x1,x2,label\n2,2,1\n2,-1,-1\n");
  await doing(page, () => page.locator("#paste").click());
  await doing(page, () => page.locator("#option-0-offset").selectOption("none"));
  const reading = () => page.locator("#reading-0").textContent();
  await page.locator("#first").click();
  check((await reading()).includes("\u03B8 = (0, 0)"), `the start: ${await reading()}`);
  await page.locator("#forward").click();
  check((await reading()).includes("\u03B8 = (2, 2)"), `the first update: ${await reading()}`);
  check((await page.locator("#where").textContent()) === "update 1 of 2", "the timeline says another place");
  await page.locator("#forward").click();
  check((await reading()).includes("\u03B8 = (0, 3)"), `the second update: ${await reading()}`);
  await page.locator("#back").click();
  check((await reading()).includes("\u03B8 = (2, 2)"), `one back: ${await reading()}`);
  await page.locator("#timeline").focus();
  await page.keyboard.press("End");
  check((await reading()).includes("\u03B8 = (0, 3)"), `the end by key: ${await reading()}`);
  check((await page.locator("#weights-0 .cone").count()) === 1 && (await page.locator("#weights-0").textContent()).includes("pleases all rows"), "no cone in the weight space");
  await saveBoth(page, 1, ["--offset", "none", "--passes", "until-clean"]);
}

// What is saved here, replayed in a report of the model that the program trains on the saved points: the same numbers.
async function theReportReplaysIt(context) {
  const file = (name) => join(order.folder, name);
  const run = (...words) => execFileSync(order.program, [...words, "--quiet"], { stdio: ["ignore", "ignore", "inherit"], timeout: 60000 });
  run("train", file("saved-1.csv"), "--algorithm", "perceptron", "--offset", "none", "--passes", "until-clean", "-o", file("saved.model"));
  run("report", file("saved.model"), file("saved-1.csv"), "--trace", file("saved-1.jsonl"), "-o", file("replayed.html"));
  const trace = readFileSync(file("saved-1.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const page = await context.newPage();
  watch(page, `file://${file("replayed.html")}`);
  await page.goto(`file://${file("replayed.html")}`);
  const seen = JSON.parse(await page.locator("#report-data").textContent()).replay.shown;
  check(seen.length === trace.length && trace.length === 2, `${trace.length} updates were saved, ${seen.length} are replayed`);
  const figures = (u) => JSON.stringify([u.k, u.pass, u.row, u.y, u.margin_before, u.margin_after, u.theta_before, u.theta, u.theta0]);
  trace.forEach((line, k) => check(figures(line) === figures(seen[k]), `the report replays ${figures(seen[k])}, the playground saved ${figures(line)}`));
  for (const line of trace) {
    const said = await page.locator("#replay .reading").textContent();
    check(said.includes(`Update ${line.k}`) && said.includes(`to (${line.theta.join(", ")})`) && said.includes(`row ${line.row} `), `the report says ${said} of ${figures(line)}`);
    await page.locator("#replay-next").click();
  }
  await page.close();
}

// Another table has other columns; what is refused is said once, with its remedy, and the page goes on.
async function pastesAndRefusals(page) {
  const paste = async (text) => { await page.evaluate((t) => { document.querySelector("#paste-text").value = t; }, text); await page.locator("#paste").click(); };
  const message = () => page.locator("#message").textContent();
  await doing(page, () => paste("length,width,kind\n1,2,a\n3,4,b\n2,2,a\n"));
  check((await pointsOf(page)) === 3 && (await page.locator("svg.board").first().textContent()).includes("width"), `a second table: ${await message()}`);
  await paste('"a,b\n1,2');
  await page.locator("#message", { hasText: "never closed" }).waitFor({ timeout: 20000 });
  check((await message()).split("a quote inside a cell").length === 2, `the remedy is said twice: ${await message()}`);
  await paste(`x1,x2,label\n${"1".repeat(1100000)},2.5,1\n`);
  await page.locator("#message", { hasText: "a megabyte" }).waitFor({ timeout: 20000 });
  await doing(page, () => page.locator("#clear").click());
  await page.locator("#tool-positive").check({ force: true });
  await drawPoint(page, 1, 1);
  check((await verdict(page)).includes("Points of both classes are needed"), `one class: ${await verdict(page)}`);
}

// Numbers beyond what can be drawn are not taken.
async function numbersTypedIn(page) {
  await page.locator("summary", { hasText: "Points as numbers" }).click();
  const before = await pointsOf(page);
  const first = page.locator("#point-list .points-table input").first();
  await first.fill("1e308");
  await page.keyboard.press("Tab");
  await page.locator("#message", { hasText: "coordinates" }).waitFor({ timeout: 20000 });
  check((await pointsOf(page)) === before && (await first.inputValue()) !== "1e308", "a number out of range changes the points");
  await page.locator("summary", { hasText: "Points as numbers" }).click();
}

async function lessonsAndQuiz(page) {
  const lessons = (await page.locator("#lesson option").count()) - 1;
  check(lessons >= 8, `${lessons} lessons`);
  for (let k = lessons - 1; k >= 0; --k) {
    await doing(page, () => page.locator("#lesson").selectOption(String(k)));
    const title = await page.locator(`#lesson option[value="${k}"]`).textContent();
    check((await pointsOf(page)) >= 2 && (await page.locator("#lesson-look").textContent()).length > 30, `lesson ${title}: no points or no words`);
    check((await page.locator("#message").textContent()) === "", `lesson ${title}: ${await page.locator("#message").textContent()}`);
    if (title === "Rows far away") check(/The best plane gets \d+ wrong/.test(await verdict(page)), `the least number of errors is missing: ${await verdict(page)}`);
  }
  // Steps say what their rule is made of, and the mean of an averaged walk is drawn beside the plane.
  const lesson = async (title) => doing(page, () => page.locator("#lesson").selectOption({ label: title }));
  await lesson("Stochastic steps and Pegasos");
  check((await page.locator("#reading-0").textContent()).includes("step \u03B7 = 1"), `SGD: ${await page.locator("#reading-0").textContent()}`);
  check((await page.locator("#reading-1").textContent()).includes("\u03B8 first times 0"), `Pegasos: ${await page.locator("#reading-1").textContent()}`);
  await lesson("Gradient steps");
  check((await page.locator("#reading-0").textContent()).includes("made of 6 rows"), `a batch: ${await page.locator("#reading-0").textContent()}`);
  await lesson("The mean is calmer");
  await page.locator("#back").click();
  check((await page.locator("svg.board").nth(1).locator(".plane.mean").count()) === 1 && (await page.locator("svg.board").first().locator(".plane.mean").count()) === 0, "the running mean is not drawn");
  await lesson("XOR");
  check((await page.locator("#reading-0").textContent()).includes("4 of 4 rows wrong"), `rows on the plane: ${await page.locator("#reading-0").textContent()}`);
  await lesson("Worked example");
  // The first lesson, which is on the board now: rows (2, 2) and (2, -1); which one is next?
  await page.locator("#quiz").check();
  const said = () => page.locator("#message").textContent();
  const click = async (x, y) => page.mouse.click(...(await place(page, x, y)));
  await click(2, 2);
  check((await said()).includes("Right") && (await said()).includes("1 of 1") && (await page.locator("#where").textContent()) === "update 1 of 2", `a right guess: ${await said()}`);
  await click(2, 2);
  check((await said()).includes("Row 1: no: row 2 has margin") && (await said()).includes("1 of 2"), `a wrong guess: ${await said()}`);
  await page.locator("#no-more").click();
  check((await said()).includes("Right: there are no more updates") && (await said()).includes("2 of 3"), `the end: ${await said()}`);
  check((await pointsOf(page)) === 2, "a guess draws points");
  await page.locator("#first").click();
  await page.locator("svg.board").first().focus();
  for (const key of ["n", "Enter"]) await page.keyboard.press(key);
  check((await said()).includes("3 of 4"), `a guess by keys: ${await said()}`);
  await page.locator("#quiz").uncheck();
}

async function keysDoEverything(page) {
  await doing(page, () => page.locator("#clear").click());
  await page.locator("svg.board").first().focus();
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  await press("Escape", "ArrowRight", "ArrowUp");
  await doing(page, () => press("+"));
  await press("Escape", "Shift+ArrowLeft", "Shift+ArrowDown");
  await doing(page, () => press("-"));
  check((await pointsOf(page)) === 2, "keys do not draw");
  check((await verdict(page)).includes("separates the classes"), `by keys: ${await verdict(page)}`);
  await press("n");
  await doing(page, () => press("f"));
  check((await verdict(page)).includes("both classes are needed") || (await page.locator("svg.board .k0").count()) !== 1, "f does not flip");
  await doing(page, () => press("Delete"));
  check((await pointsOf(page)) === 1, "Delete does not delete");
}

async function everyControlHasItsTurn(page) {
  const wanted = await page.evaluate(() => {
    const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter((e) => e.checkVisibility() && !e.disabled && !(e.type === "radio" && !e.checked));
    controls.forEach((e, k) => { e.dataset.turn = String(k); });
    document.body.focus();
    return controls.length;
  });
  const seen = new Set();
  for (let k = 0; k < wanted + 5; ++k) {
    await page.keyboard.press("Tab");
    const turn = await page.evaluate(() => document.activeElement?.dataset?.turn ?? "");
    if (turn !== "") seen.add(turn);
  }
  check(seen.size === wanted, `keys reach ${seen.size} of ${wanted} controls`);
}

async function twoAlgorithms(page) {
  await page.locator("#make-kind").selectOption("nearly");
  await doing(page, () => page.locator("#make").click());
  await doing(page, () => page.locator("#option-0-passes").fill("5").then(() => page.keyboard.press("Tab")));
  await saveBoth(page, 2, ["--offset", "none", "--passes", "5"]);
  await doing(page, () => page.locator("#compare").check());
  check((await page.locator("svg.board").count()) === 2 && (await page.locator("svg.board").nth(1).isVisible()), "no second board");
  check((await page.locator("#reading-1").textContent()).includes("support vector"), `the second algorithm: ${await page.locator("#reading-1").textContent()}`);
  check(await page.locator("#dual-1").isVisible(), "no dual values of the second algorithm");
  await doing(page, () => page.locator("#algorithm-1").selectOption("averaged-perceptron"));
  await page.locator("#first").click();
  await page.locator("#forward").click();
  check((await page.locator("#reading-0").textContent()).includes("Update 1,") && (await page.locator("#reading-1").textContent()).includes("Update 1,"), "the timeline does not move both");
  await doing(page, () => page.locator("#compare").uncheck());
  await doing(page, () => page.locator("#algorithm-0").selectOption("svm"));
  await doing(page, () => page.locator("#option-0-offset").selectOption("free"));
  await doing(page, () => page.locator("#option-0-kernel").fill("rbf:0.5").then(() => page.keyboard.press("Tab")));
  check((await page.locator("svg.board .curve").count()) >= 1, "no curve of a kernel machine");
  await doing(page, () => page.locator("#option-0-C").fill("-1").then(() => page.keyboard.press("Tab")));
  check((await page.locator("#message").textContent()).includes("C"), "a wrong C is not told");
  await doing(page, () => page.locator("#option-0-C").fill("1").then(() => page.keyboard.press("Tab")));
}

async function theLinkShowsTheSame(context, page) {
  await doing(page, () => page.locator("#algorithm-0").selectOption("perceptron"));
  await doing(page, () => page.locator("#option-0-kernel").fill("linear").then(() => page.keyboard.press("Tab")));
  await doing(page, () => page.locator("#option-0-passes").fill("5").then(() => page.keyboard.press("Tab")));
  await page.locator("#first").click();
  await page.locator("#forward").click();
  check((await page.locator("#where").textContent()).startsWith("update 1 of"), `no steps before the link: ${await page.locator("#where").textContent()}`);
  await page.locator("#copy").click();  // writes the address at once
  await page.locator("#message", { hasText: "the link is" }).waitFor({ timeout: 20000 });
  const address = page.url();
  check(address.includes("#1"), "the state is not in the address");
  const again = await open(context, address);
  check((await again.locator("#verdict").textContent()) === (await verdict(page)) && (await pointsOf(again)) === (await pointsOf(page)), "the link shows something else");
  for (const part of ["#where", "#reading-0"]) check((await again.locator(part).textContent()) === (await page.locator(part).textContent()), `the link shows another ${part}: ${await again.locator(part).textContent()}`);
  check((await again.locator("#option-0-passes").inputValue()) === "5", "the link forgets an option");
  await again.close();
}

// Links that somebody else has made: what is in them is text and numbers, and the page goes on.
async function hostileLinks(context) {
  const evil = '"><img src=x onerror=alert(9)>';
  const walk = ["perceptron", {}, "zero", 1];
  for (const [what, state] of Object.entries({
    names: [[1, 1, 1, 0, 1, -1], [[evil, { [evil]: evil, ["__proto__"]: "x", constructor: "y" }, evil, 1e300]], 1e99, [evil, evil, "\u202E", evil]],
    "too many points": [Array(7500).fill(1), [walk], 0, ["", "", "", ""]],
    "far away": [[1e308, 1e308, 1, -1e308, 0, -1], [["svm", { kernel: "rbf:1e400" }, "zero", 1]], -5, ["x".repeat(20000), "", "", ""]],
    "one place": [[3, 3, 1, 3, 3, -1], [walk, walk], 7, ["a", "b", "c", "d"]],
    nothing: [[], [[null, null, null, null]], null, []], "no list": { a: 1 }, "lists of lists": [[["x"]], [[]], [], null],
  })) {
    const page = await open(context, `${order.plain}#1${Buffer.from(JSON.stringify(state)).toString("base64url")}`).catch((error) => { fail(`a link with ${what}: ${error.message}`); return null; });
    if (!page) continue;
    check((await page.locator("img").count()) === 0 && (await page.locator("svg.board").count()) >= 1, `a link with ${what} breaks the page`);
    // The page still answers.
    await page.locator("#make-kind").selectOption("blobs");
    await doing(page, () => page.locator("#make").click()).catch(() => fail(`after a link with ${what} the page does not answer`));
    await page.close();
  }
}

async function phone(page) {
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 740 });
    await page.waitForTimeout(400);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(wider <= 0, `on a phone of ${width} pixels the page is ${wider} too wide`);
  }
  const [board, data] = [await page.locator("svg.board").first().boundingBox(), await page.locator("#data").boundingBox()];
  check(board.y < data.y, "on a phone the board comes after the settings");
  await accessible(page, "on a phone");
  await page.setViewportSize({ width: 1400, height: 950 });
}

const started = Date.now();
await browse({}, async (context) => {
  const page = await open(context, order.plain);
  await accessible(page, "light");
  await everyControlHasItsTurn(page);
  await xorBecomesSeparable(page);
  await accessible(page, "with a witness");
  await lectureSteps(page);
  await theReportReplaysIt(context);
  await numbersTypedIn(page);
  await pastesAndRefusals(page);
  await lessonsAndQuiz(page);
  await keysDoEverything(page);
  await twoAlgorithms(page);
  await theLinkShowsTheSame(context, page);
  await hostileLinks(context);
  await phone(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-svg").click()]);
  await download.saveAs(join(order.folder, "plane.svg"));
  const svg = readFileSync(join(order.folder, "plane.svg"), "utf8");
  const [png] = await Promise.all([page.waitForEvent("download"), page.locator("#save-png").click()]);
  await png.saveAs(join(order.folder, "plane.png"));
  check(readFileSync(join(order.folder, "plane.png")).subarray(1, 4).toString() === "PNG", "the saved picture is no PNG");
  check((svg.match(/<path/g) ?? []).length >= 10, "the saved picture has no points");
  check(svg.startsWith("<svg") && !svg.includes("var(--") && svg.includes("rgb("), "the saved picture has no colours of its own");
  await page.close();
});
await browse({ colorScheme: "dark" }, async (context) => {
  const page = await open(context, order.iris);
  check((await pointsOf(page)) === 150, `iris has 150 rows, ${await pointsOf(page)} are shown`);
  await doing(page, () => page.locator("#file-positive").selectOption("setosa"));
  // The verdict is an answer of its own, which may come after the others.
  await page.locator("#verdict", { hasText: "A plane separates" }).waitFor({ timeout: 20000 }).catch(async () => check(false, `setosa: ${await verdict(page)}`));
  await accessible(page, "dark");
  await doing(page, () => page.locator("#file-axes").selectOption("principal"));
  check((await page.locator("#data").textContent()).includes("A projection of 4 columns") && (await pointsOf(page)) === 150, "the projection is not said as such");
  await doing(page, () => page.locator("#file-axes").selectOption("columns"));
  await doing(page, () => page.locator("#compare").check());
  await everyControlHasItsTurn(page);
  await accessible(page, "dark, two algorithms");
  await page.close();
  const hostile = await open(context, order.evil);
  check((await hostile.locator("#file-x option").count()) === 5, "hostile names are not five columns");
  check((await hostile.locator("img, script[src]").count()) === 0, "names became elements");
  await hostile.close();
});
if (order.pictures) {
  const take = (options, address, picture, work) => browse(options, async (context) => {
    const page = await open(context, address);
    if (work) await work(page);
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(order.pictures, picture) });
  });
  const size = { viewport: { width: 1400, height: 900 } };
  await take(size, order.plain, "playground.png", async (page) => { await page.locator("#back").click(); });
  await take({ ...size, colorScheme: "dark" }, order.plain, "playground-dark.png", async (page) => {
    await page.locator("#make-kind").selectOption("xor");
    await page.locator("#make-rows").fill("24");
    await doing(page, () => page.locator("#make").click());
    await doing(page, () => page.locator("#compare").check());
    await doing(page, () => page.locator("#option-1-kernel").fill("rbf:0.5").then(() => page.keyboard.press("Tab")));
    await doing(page, () => page.locator("#option-0-passes").fill("3").then(() => page.keyboard.press("Tab")));
  });
}
console.log(`the playground was used for ${Math.round((Date.now() - started) / 1000)} s, ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
