// run_module.mjs FOLDER: every NAME.mjs there on the rows of NAME.json; prints one JSON object of what they say.
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join, resolve } from "node:path";

const folder = resolve(process.argv[2]);
const said = {};
for (const file of readdirSync(folder).filter((name) => name.endsWith(".mjs"))) {
  const name = file.slice(0, -4);
  const model = await import(pathToFileURL(join(folder, file)).href);
  const rows = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  said[name] = {
    classes: model.classes,
    features: model.features ?? null,
    labels: rows.map((x) => model.label(x)),
    scores: rows.map((x) => model.scores(x)),
    probabilities: model.probabilities ? rows.map((x) => model.probabilities(x)) : null,
  };
  let refused = false;
  try {
    model.label([1, 2, 3].slice(0, rows[0].length === 1 ? 2 : 1));
  } catch (error) {
    refused = error instanceof RangeError;
  }
  if (!refused) throw new Error(`${name} takes rows of any length`);
}
process.stdout.write(JSON.stringify(said));
