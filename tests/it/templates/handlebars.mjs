// Renders templates with handlebars.js and compares the bytes. Standard input: a line of JSON for each, {source, context, text}.
// Run by the test `handlebars_js_writes_the_same`; the first argument is the directory that holds node_modules/handlebars 4.7.
import { createInterface } from "node:readline";
import { engine } from "./engine.mjs";
const hbs = engine(process.argv[2]);
let count = 0, different = 0;
const compiled = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { source, context, text: wanted } = JSON.parse(line);
  count += 1;
  let got;
  try {
    if (!compiled.has(source)) {
      if (compiled.size > 500) compiled.clear();
      compiled.set(source, hbs.compile(source, { strict: true, noEscape: true }));
    }
    got = compiled.get(source)(context);
  } catch (error) {
    got = { error: String(error.message) };
  }
  if (got !== wanted) {
    different += 1;
    if (different <= 20) console.log(JSON.stringify({ source, context, handlebars_js: got, vestry: wanted }));
  }
}
console.log(`${count} compared, ${different} different`);
process.exit(different === 0 ? 0 : 1);
