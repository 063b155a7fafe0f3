// Parses a context and renders a template over it with handlebars.js, for as long as it is told. Run by the bench `--templates`; the first
// argument is the directory that holds node_modules/handlebars 4.7. The first line of standard input is {source, context, text}, every
// other one a number of milliseconds; each is answered with a line.
import { createInterface } from "node:readline";
import { engine } from "../it/templates/engine.mjs";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { source, context, text } = JSON.parse((await lines.next()).value);
const template = engine(process.argv[2]).compile(source, { strict: true, noEscape: true });
const parsed = JSON.parse(context);
const calls = {
  parse: () => JSON.parse(context),
  render: () => template(parsed),
  both: () => template(JSON.parse(context)),
};
console.log(calls.both() === text ? "same" : "different");
const BATCH = 50;
// The median of how long one call takes, in microseconds, of batches that go on for this long.
let sink = 0;
const typical = (call, milliseconds) => {
  const times = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end || times.length < 3) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < BATCH; i += 1) sink += call() === "" ? 1 : 0;
    times.push(Number(process.hrtime.bigint() - begin) / 1e3 / BATCH);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
};
// The compiler of the engine has seen all of it before anything counts.
for (const call of Object.values(calls)) typical(call, 500);
for await (const line of { [Symbol.asyncIterator]: () => lines }) {
  const each = Number(line) / 3;
  console.log(JSON.stringify(Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, typical(call, each)]))));
}
