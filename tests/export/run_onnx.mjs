// run_onnx.mjs FOLDER: every NAME.onnx there by ONNX Runtime on the rows of NAME.rows.json; prints one JSON object of what they say.
// It lies beside node_modules, where it finds the package.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";

const folder = process.argv[2];
const said = {};
const lists = (tensor) => {
  const width = tensor.dims[1];
  return Array.from({ length: tensor.dims[0] }, (_, i) => Array.from(tensor.data.slice(i * width, (i + 1) * width)));
};
for (const file of readdirSync(folder).filter((name) => name.endsWith(".onnx"))) {
  const name = file.slice(0, -5);
  const rows = JSON.parse(readFileSync(join(folder, `${name}.rows.json`), "utf8"));
  const session = await InferenceSession.create(join(folder, file), { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const ask = async (some) =>
    session.run({ x: new Tensor("float64", Float64Array.from(some.flat()), [some.length, some[0].length]) });
  const all = await ask(rows);
  const alone = await ask([rows[0]]);
  said[name] = {
    labels: Array.from(all.label.data),
    dims: all.label.dims,
    scores: lists(all.score),
    alone: lists(alone.score)[0],
    probabilities: all.probability ? lists(all.probability) : null,
  };
}
process.stdout.write(JSON.stringify(said));
