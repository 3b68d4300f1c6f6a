// SPDX-License-Identifier: BSD-3-Clause
// Builds dist/report.html and dist/playground.html: each one file with its script and style inside. `node build.mjs FOLDER`
// puts them elsewhere.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "dist");

const bundle = async (entry) => {
  const result = await esbuild.build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    target: ["es2020"],
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
  });
  return { text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs) };
};

// The licences of the packages whose code is in the page, which they ask to be kept with it.
const licences = (inputs) => {
  const packages = new Set();
  for (const input of inputs) {
    const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) packages.add(found[1]);
  }
  const byText = new Map();
  for (const name of [...packages].sort()) {
    const folder = join(here, "node_modules", name);
    const version = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
    const file = readdirSync(folder).sort().find((f) => /^licen[cs]e/i.test(f));
    if (!file) throw new Error(`${name} has no licence file`);
    const text = readFileSync(join(folder, file), "utf8").replace(/\r/g, "").trim();
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  return [...byText].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n* * *\n\n").replace(/-(?=-)/g, "- ").replaceAll("%%", "% %");
};

mkdirSync(folder, { recursive: true });
const build = async (name, entry, sheet) => {
  // Nothing inside the element may end it.
  const { text: code, inputs } = await bundle(entry);
  const script = code.replaceAll("</script", "<\\/script");
  const { text: style } = await bundle(sheet);
  if (style.includes("</")) throw new Error("the style sheet would end its element");
  const hash = createHash("sha256").update(script, "utf8").digest("base64");
  const pieces = { "%%STYLE%%": style, "%%SCRIPT%%": script, "%%HASH%%": `sha256-${hash}`, "%%LICENCES%%": licences(inputs) };
  const page = readFileSync(join(here, `src/${name}`), "utf8").replace(/%%(STYLE|SCRIPT|HASH|LICENCES)%%/g, (marker) => pieces[marker]);
  writeFileSync(join(folder, name), page);
  console.log(`${name}: ${Buffer.byteLength(page)} bytes`);
};
await build("report.html", "src/main.ts", "src/style.css");
await build("playground.html", "src/playground/main.ts", "src/playground/playground.css");
