// SPDX-License-Identifier: BSD-3-Clause
// browser.mjs ORDER.json: opens reports in Chromium and looks for what must not be there: errors, requests, problems of
// access, controls that no key reaches. With "pictures" it also takes some for the documentation.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

const order = JSON.parse(readFileSync(process.argv[2], "utf8"));
const require = createRequire(join(order.modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
let profiles = 0;
let failures = 0;
const fail = (page, what) => {
  failures += 1;
  console.log(`${page}: ${what}`);
};
const check = (page, holds, what) => holds || fail(page, what);

// Everything bounded: a browser that hangs is closed by its own time limits.
async function browse(options, work) {
  const context = await chromium.launchPersistentContext(`${order.profile}-${profiles++}`, { executablePath: order.chromium, headless: true, args: flags, timeout: 60000, viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(20000);
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

async function open(context, file) {
  const name = basename(file, ".html");
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && fail(name, `console: ${message.text()}`));
  page.on("pageerror", (error) => fail(name, `script error: ${error.message}`));
  page.on("dialog", async (dialog) => {
    fail(name, "a dialog opened");
    await dialog.dismiss();
  });
  page.on("request", (request) => request.url() !== `file://${file}` && fail(name, `request: ${request.url().slice(0, 100)}`));
  await page.goto(`file://${file}`);
  return { name, page };
}
// Until every chart that has a place is drawn. Asked again and again: the page's policy forbids to leave code in it.
async function settled(page) {
  for (let k = 0; k < 100; ++k) {
    const drawn = await page.evaluate(() => {
      const charts = [...document.querySelectorAll(".chart")];
      return charts.length > 0 && charts.every((c) => !c.checkVisibility() || c.firstElementChild);
    });
    if (drawn) return;
    await page.waitForTimeout(100);
  }
  throw new Error("the charts were not drawn within ten seconds");
}

async function accessible(page, name, how) {
  const results = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
  for (const one of results.violations) {
    if (one.impact === "serious" || one.impact === "critical") fail(name, `axe, ${how}: ${one.id}: ${one.help}: ${one.nodes[0].html.slice(0, 160)}: ${one.nodes[0].failureSummary.slice(0, 300)}`);
  }
}

async function everyControlHasItsTurn(page, name) {
  const wanted = await page.evaluate(() => {
    const controls = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")].filter((e) => e.checkVisibility());
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
  check(name, seen.size === wanted, `keys reach ${seen.size} of ${wanted} controls`);
}

// 1e-5 for what the page writes with a raised exponent, a true minus and thin blanks.
const raised = "\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079";
const plainNumbers = (text) => text.replaceAll("\u2212", "-").replaceAll("\u2009", "").replace(/\u00D710([\u207B\u2070\u00B9\u00B2\u00B3\u2074-\u2079]+)/g, (_, e) => `e${[...e].map((c) => raised.indexOf(c)).map((d) => (d < 0 ? "-" : d)).join("")}`);

// A row of the data, chosen in the nomogram, has the score that the program gave it, and its points add up to it.
async function nomogramAddsUp(page, name) {
  if ((await page.locator("#nomogram").count()) === 0) return;
  const report = JSON.parse(await page.locator("#report-data").textContent());
  const n = report.nomogram;
  const plane = n.planes.length - 1;
  for (const k of [0, Math.floor(n.rows.length / 2), n.rows.length - 1]) {
    await page.locator("#nomogram-row").selectOption(String(k));
    const words = await page.locator("#nomogram small").textContent();
    const parts = plainNumbers(words).replace(/([-+]) (?=[\d.])/g, "$1").match(/[-+]?\d[\d.]*(?:e-?\d+)?/g).map(Number);
    const score = n.rows[k].scores[plane];
    const said = parts[parts.length - 1];
    const rest = n.left_out > 0 ? parts[3] : 0;
    const sum = parts[0] + parts[1] * parts[2] + rest;
    const size = Math.abs(parts[0]) + Math.abs(parts[1] * parts[2]) + Math.abs(rest) + 1e-9;
    check(name, Math.abs(said - score) <= 1e-3 * Math.abs(score) + 1e-9, `nomogram: row ${n.rows[k].row} has score ${score}, the page says ${said}`);
    check(name, Math.abs(sum - score) <= 2e-4 * size, `nomogram: the points of row ${n.rows[k].row} come to ${sum}, not ${score}: ${words}`);
  }
  const before = await page.locator("#nomogram .reading").textContent();
  const handle = page.locator("#nomogram [role=slider]").first();
  await handle.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  check(name, before !== (await page.locator("#nomogram .reading").textContent()), "nomogram: keys do not move the handle");
}

async function cheapestThreshold(page, name) {
  if ((await page.locator("#thresholds").count()) === 0) return;
  const report = JSON.parse(await page.locator("#report-data").textContent());
  const cost = async () => Number((await page.locator("#thresholds .values strong").first().textContent()).replaceAll("\u2009", ""));
  await page.locator("#cost-fn").fill("10");
  const before = await cost();
  await page.getByRole("button", { name: "Go to the cheapest threshold" }).click();
  const t = report.thresholds;
  const best = Math.min(...t.points.map((p) => p.false_positive + 10 * (t.positive - p.true_positive)));
  check(name, (await cost()) === best && best <= before, `threshold: the cheapest costs ${best}, the page says ${await cost()}`);
}

// The page follows a calibrator as the library does.
async function calibratedProbabilities(page, name) {
  const wanted = order.probabilities?.[name];
  if (!wanted) return;
  const report = JSON.parse(await page.locator("#report-data").textContent());
  check(name, ["platt", "isotonic"].includes(report.nomogram.probability), `the rule of the probabilities is ${report.nomogram.probability}`);
  for (const [k, row] of report.nomogram.rows.entries()) {
    if (k % 37 !== 0) continue;
    await page.locator("#nomogram-row").selectOption(String(k));
    const said = await page.locator("#nomogram .values span", { hasText: "probability" }).locator("strong").textContent();
    const p = wanted[row.row - 1];
    const right = said.startsWith("<") ? p < 1e-4 : said.startsWith(">") ? p > 0.9999 : Math.abs(Number(said) - p) <= 6e-5;
    check(name, right, `row ${row.row}: the page says the probability ${said}, predict says ${p}`);
  }
}

// Many rows are sampled where single ones are drawn, and the page says so.
async function sampledRows(page, name) {
  const report = JSON.parse(await page.locator("#report-data").textContent());
  if (report.data.rows <= 2000) return;
  check(name, report.margins.sampled && report.margins.points.length === 2000, "single rows are not sampled");
  check(name, (await page.locator("#margins").textContent()).replaceAll("\u2009", "").includes(`2000 of ${report.data.rows} rows`), "it is not said that rows are sampled");
}

// Forwards and backwards through the updates: what the page says is what the object has.
async function replayMoves(page, name) {
  if ((await page.locator("#replay").count()) === 0) return;
  const { replay } = JSON.parse(await page.locator("#report-data").textContent());
  const said = async () => (await page.locator("#replay .reading strong").textContent()).replaceAll("\u2009", "");
  check(name, (await said()) === `Update ${replay.shown[0].k}`, `replay begins with ${await said()}`);
  await page.locator("#replay-next").click();
  const second = replay.shown[Math.min(1, replay.shown.length - 1)];
  check(name, (await said()) === `Update ${second.k}`, `replay: next is ${await said()}`);
  check(name, (await page.locator("#replay .reading").textContent()).includes(`row ${second.row} `) || second.row >= 1000, "replay: the row is not said");
  await page.locator("#replay-last").click();
  check(name, (await said()) === `Update ${replay.shown[replay.shown.length - 1].k}`, `replay: last is ${await said()}`);
  await page.locator("#replay-back").click();
  check(name, (await said()) === `Update ${replay.shown[Math.max(0, replay.shown.length - 2)].k}`, `replay: back is ${await said()}`);
  await page.locator("#replay-at").focus();
  await page.keyboard.press("Home");
  check(name, (await said()) === `Update ${replay.shown[0].k}`, "replay: the slider does not follow the keys");
}

// Two columns are drawn with the plane, and what is said of it is so.
async function planeIsDrawn(page, name) {
  const { plane } = JSON.parse(await page.locator("#report-data").textContent());
  check(name, (await page.locator("#plane").count()) === (plane ? 1 : 0), "two columns, and no picture of the plane");
  if (!plane) return;
  const drawn = await page.locator("#plane .chart svg [aria-label='dot'], #plane .chart svg g:has(> path)").count();
  check(name, drawn > 0, "no rows are drawn with the plane");
  const [a, b] = plane.lines[0];
  if (plane.margin) check(name, (await page.locator("#plane .panel").textContent()).includes(`1/|\u03B8| = ${Number((1 / Math.hypot(a, b)).toPrecision(4))}`), `the margin is not said: ${await page.locator("#plane .panel").textContent()}`);
  if (plane.lines.every(([p, q]) => p === 0 && q === 0)) check(name, (await page.locator("#plane").textContent()).includes("No plane: the weights are zero"), "a plane of zero weights is not said");
}

// The slider along C says the figures of its point.
async function pathMoves(page, name) {
  if ((await page.locator("#path").count()) === 0) return;
  const { path } = JSON.parse(await page.locator("#report-data").textContent());
  await page.locator("#path-at").focus();
  for (const [key, point] of [["End", path.points[path.points.length - 1]], ["Home", path.points[0]]]) {
    await page.keyboard.press(key);
    const said = Number(plainNumbers(await page.locator("#path .values strong").first().textContent()));
    check(name, Math.abs(said - point.value) <= 1e-3 * point.value, `path: ${key} says ${said}, not ${point.value}`);
  }
}

// Names and numbers of charts stay within their figure: long names are cut, ticks lie within the axis.
async function nothingSticksOut(page, name, width) {
  const found = await page.evaluate(() => [...document.querySelectorAll("figure .chart svg text")].filter((e) => e.checkVisibility()).flatMap((text) => {
    const box = text.getBoundingClientRect(), figure = text.closest("figure").getBoundingClientRect();
    return box.width > 0 && (box.left < figure.left - 4 || box.right > figure.right + 4) ? [`${text.textContent} at ${Math.round(box.left - figure.left)} of ${Math.round(figure.width)}`] : [];
  }));
  check(name, found.length === 0, `at ${width} pixels text sticks out of its chart: ${found.slice(0, 3).join("; ")}`);
}

async function look(context, file) {
  const { name, page } = await open(context, file);
  await settled(page);
  check(name, (await page.locator("main section").count()) >= 6, "too few sections");
  check(name, !(await page.locator("body").innerText()).includes("NaN") && !(await page.locator("body").innerText()).includes("undefined"), "it says NaN or undefined");
  await nomogramAddsUp(page, name);
  await cheapestThreshold(page, name);
  await replayMoves(page, name);
  await pathMoves(page, name);
  await planeIsDrawn(page, name);
  await sampledRows(page, name);
  await calibratedProbabilities(page, name);
  const openAll = (open) => page.evaluate((o) => document.querySelectorAll("details").forEach((d) => { d.open = o; }), open);
  await accessible(page, name, "light");
  // Thousands of cells of tables, all made the same way: looked at on two pages, one of them with hostile names.
  if (file === order.pages[0] || name === "evil") {
    await openAll(true);
    await settled(page);
    await accessible(page, name, "everything open");
  }
  await page.locator("button.theme").click();
  await page.locator("button.theme").click();
  check(name, (await page.evaluate(() => document.documentElement.dataset.theme)) === "dark", "the button does not make it dark");
  await accessible(page, name, "dark");
  await page.reload();
  await settled(page);
  await everyControlHasItsTurn(page, name);
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 740 });
    await page.waitForTimeout(400);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(name, wider <= 0, `on a phone of ${width} pixels the page is ${wider} too wide`);
    await nothingSticksOut(page, name, width);
  }
  if (order.pages.indexOf(file) < 3) await accessible(page, name, "on a phone");
  for (const width of [390, 768, 1000, 1120, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(200);
    if (width > 390) await nothingSticksOut(page, name, width);
    const tall = await page.evaluate(() => Math.max(0, ...[...document.querySelectorAll(".hard > summary, div.hard")].map((e) => e.getBoundingClientRect().height)));
    check(name, tall < (name === "evil" ? 400 : 130), `at ${width} pixels a hard row is squeezed to a height of ${Math.round(tall)}`);
  }
  await page.setViewportSize({ width: 794, height: 1100 });
  await page.emulateMedia({ media: "print" });
  await page.waitForTimeout(400);
  check(name, !(await page.locator("button.theme").isVisible()), "the button is printed");
  check(name, (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(255, 255, 255)", "it is not printed on white");
  await page.close();
}

const started = Date.now();
await browse({}, async (context) => {
  for (const file of order.pages) await look(context, file);
});
await browse({ javaScriptEnabled: false }, async (context) => {
  for (const file of order.pages) {
    const { name, page } = await open(context, file);
    const text = await page.locator("body").innerText();
    check(name, text.includes("It gets") && text.includes("rows judged") && text.includes("recall of"), "without scripts the text is missing");
    check(name, (await page.locator("noscript svg title, main.plain svg title").count()) > 0, "without scripts the picture is missing");
    await page.close();
  }
});
if (order.pictures) {
  const take = async (options, file, picture, work) => browse(options, async (context) => {
    const { page } = await open(context, file);
    await settled(page);
    await page.waitForTimeout(400);
    await work(page, join(order.pictures, picture));
  });
  const byName = (name) => order.pages.find((p) => basename(p, ".html") === name);
  const top = (page, path) => page.screenshot({ path });
  // Five reports, each in light, dark, on a phone and printed: a screen of the section that is named.
  const ways = { light: { viewport: { width: 1000, height: 700 } }, dark: { viewport: { width: 1000, height: 700 }, colorScheme: "dark" }, phone: { viewport: { width: 390, height: 760 } }, print: { viewport: { width: 794, height: 1000 } } };
  const gallery = {
    cancer: { light: "quality", dark: "thresholds", phone: "nomogram", print: "path" }, iris: { light: "verdict", dark: "quality", phone: "separability", print: "weights" },
    voted: { light: "verdict", dark: "perceptron", phone: "replay", print: "rows" }, xor: { light: "separability", dark: "quality", phone: "separability", print: "verdict" }, sms: { light: "weights", dark: "margins", phone: "quality", print: "thresholds" },
  };
  for (const [report, sections] of Object.entries(gallery)) {
    for (const [way, id] of Object.entries(sections)) {
      await take(ways[way], byName(report), `gallery-${report}-${way}.png`, async (page, path) => {
        if (way === "print") await page.emulateMedia({ media: "print" });
        if (id === "replay") for (let k = 0; k < 40; ++k) await page.locator("#replay-next").click();
        await page.waitForTimeout(300);
        await page.evaluate((to) => document.getElementById(to).scrollIntoView({ block: "start", behavior: "instant" }), id === "verdict" ? "app" : id);
        await page.waitForTimeout(400);
        await page.screenshot({ path });
      });
    }
  }
  const part = (selector) => (page, path) => page.locator(selector).screenshot({ path });
  await take({ viewport: { width: 1180, height: 820 } }, byName("cancer"), "report.png", top);
  await take({ viewport: { width: 1180, height: 820 }, colorScheme: "dark" }, byName("iris"), "report-dark.png", part("#separability"));
  await take({ viewport: { width: 390, height: 800 } }, byName("svm"), "report-phone.png", top);
  await take({}, byName("cancer"), "report-nomogram.png", part("#nomogram"));
  await take({ viewport: { width: 1180, height: 900 } }, byName("steps"), "report-replay.png", async (page, path) => {
    await page.locator("#replay-next").click();
    await page.locator("#replay").screenshot({ path });
  });
  await take({ viewport: { width: 1180, height: 900 }, colorScheme: "dark" }, byName("along"), "report-path.png", part("#path"));
  await take({ viewport: { width: 1180, height: 900 } }, byName("along"), "report-plane.png", part("#plane"));
  await take({ viewport: { width: 1180, height: 900 } }, byName("setosa"), "report-bound.png", part("#perceptron"));
  await take({ viewport: { width: 1180, height: 900 }, colorScheme: "dark" }, byName("voted"), "report-mnist.png", async (page, path) => {
    await page.locator("#replay-last").click();
    await page.locator("#replay").screenshot({ path });
  });
  await take({ viewport: { width: 794, height: 1100 } }, byName("cancer"), "report-print.png", async (page, path) => {
    await page.emulateMedia({ media: "print" });
    await page.waitForTimeout(400);
    await page.screenshot({ path });
  });
}
console.log(`${order.pages.length} pages opened in ${Math.round((Date.now() - started) / 1000)} s, ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
