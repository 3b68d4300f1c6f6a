// SPDX-License-Identifier: BSD-3-Clause
// playground.mjs ORDER.json: uses the playground as a class would, in Chromium. With "pictures" it also takes some for the documentation.
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

async function open(context, address) {
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && fail(`console: ${message.text()}`));
  page.on("pageerror", (error) => fail(`script error: ${error.message}`));
  page.on("dialog", async (dialog) => { fail("a dialog opened"); await dialog.dismiss(); });
  page.on("request", (request) => request.url().startsWith(address.split("#")[0]) || request.url().startsWith("blob:") || request.url().startsWith("data:") || fail(`request: ${request.url().slice(0, 100)}`));
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
  await page.waitForTimeout(500);
  const address = page.url();
  check(address.includes("#1"), "the state is not in the address");
  const again = await open(context, address);
  check((await again.locator("#verdict").textContent()) === (await verdict(page)) && (await pointsOf(again)) === (await pointsOf(page)), "the link shows something else");
  await again.close();
}

async function phone(page) {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForTimeout(400);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(wider <= 0, `on a phone the page is ${wider} pixels too wide`);
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
  await keysDoEverything(page);
  await twoAlgorithms(page);
  await theLinkShowsTheSame(context, page);
  await phone(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-svg").click()]);
  await download.saveAs(join(order.folder, "plane.svg"));
  const svg = readFileSync(join(order.folder, "plane.svg"), "utf8");
  check(svg.startsWith("<svg") && !svg.includes("var(--") && svg.includes("rgb("), "the saved picture has no colours of its own");
  await page.close();
});
await browse({ colorScheme: "dark" }, async (context) => {
  const page = await open(context, order.iris);
  check((await pointsOf(page)) === 150, `iris has 150 rows, ${await pointsOf(page)} are shown`);
  await doing(page, () => page.locator("#file-positive").selectOption("setosa"));
  check((await verdict(page)).includes("A plane separates"), `setosa: ${await verdict(page)}`);
  await accessible(page, "dark");
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
