// handlebars.js with the helpers of Vestry, written a second time. `directory` is the one that holds node_modules/handlebars 4.7.
import { createRequire } from "node:module";
const truthy = (v) => !(v === null || v === undefined || v === false || v === 0 || v === "" || (Array.isArray(v) && v.length === 0));
const text = (v) => (v === null || v === undefined ? "" : String(v));
const args = (a) => Array.prototype.slice.call(a, 0, -1);
const sorted = (v) =>
  Array.isArray(v) ? v.map(sorted) : v && typeof v === "object" ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])])) : v;
// As written, in no zone; what is no date stays as it is.
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const date = (given, format) => {
  const [, y, m, d, rest] = /^(\d{4})-(\d\d)-(\d\d)([^]*)$/.exec(given) ?? [];
  const day = new Date(0);
  if (y !== undefined) day.setUTCFullYear(+y, +m - 1, +d);
  if (y === undefined || day.getUTCMonth() !== +m - 1 || day.getUTCDate() !== +d) return given;
  const clock = /^[T ]((?:[01]\d|2[0-3]):[0-5]\d)/.exec(rest)?.[1];
  if (rest !== "" && clock === undefined) return given;
  switch (format) {
    case "time": return clock ?? given;
    case "datetime": return `${y}-${m}-${d}${clock === undefined ? "" : " " + clock}`;
    case "weekday": return DAYS[day.getUTCDay()];
    case "long": return `${+d} ${MONTHS[+m - 1]} ${y}`;
    case "year": return y;
    default: return `${y}-${m}-${d}`;
  }
};
export const engine = (directory) => {
  const hbs = createRequire(directory + "/")("handlebars").create();
  for (const name of ["log"]) hbs.unregisterHelper(name);
  hbs.registerHelper({
    eq: (a, b) => a === b,
    ne: (a, b) => a !== b,
    and() { return args(arguments).every(truthy); },
    or() { return args(arguments).some(truthy); },
    not: (a) => !truthy(a),
    len: (v) => (v === null ? 0 : typeof v === "string" ? [...v].length : Array.isArray(v) ? v.length : Object.keys(v).length),
    default: (a, b) => (a === null ? b : a),
    join: (list, by) => (list === null ? "" : list.map(text).join(text(by))),
    upper: (v) => text(v).toUpperCase(),
    lower: (v) => text(v).toLowerCase(),
    truncate: (v, n) => { const c = [...text(v)]; return c.length > n ? c.slice(0, n - 1).join("") + "…" : text(v); },
    indent: (v, n) => text(v).replace(/(^|[\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029])(?=[^\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029])/g, (m) => m + " ".repeat(n)),
    date: (v, format) => date(text(v), format),
    json: (v) => JSON.stringify(sorted(v)).replace(/[\u0085\u2028\u2029]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")),
  });
  return hbs;
};
