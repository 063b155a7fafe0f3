/**
 * Frontmatter, as a strict small part of YAML: flat keys with texts and lists of texts. What is beyond it is an error with its
 * line, never a guess.
 */

/** What frontmatter says. */
export type Frontmatter = Record<string, Value>;
/** A text; a boolean, null or a whole number where that is what it says without quotes; or a list of these. */
export type Value = Scalar | Scalar[];
type Scalar = string | number | boolean | null;

/** What the beginning of a file says, and the byte at which the text below it begins. */
export interface Head {
  frontmatter: Frontmatter | null;
  frontmatter_error?: { line: number; detail: string };
  bodyOffset: number;
}

class Refused extends Error {
  readonly line: number;
  constructor(line: number, detail: string) {
    super(detail);
    this.line = line;
  }
}

/** What nobody sees: control and format characters but tabs, line breaks and joiners. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}]/u;
const SEEN = /[\t\n\u200c\u200d]/g;

/** Reads the head of a file, which may be whole or cut anywhere. */
export function head(bytes: Uint8Array, isWhole: boolean): Head {
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let bodyOffset = mark;
  try {
    const lines: string[] = [];
    for (let number = 1, start = mark; start < bytes.length; number++) {
      const found = bytes.indexOf(10, start);
      const end = found < 0 ? bytes.length : found + 1;
      const line = decoded(bytes.subarray(start, end), number, !isWhole && found < 0)?.replace(/[\r\n]+$/, "");
      const isFence = line !== undefined && /^---[ \t]*$/.test(line);
      if (number === 1 && !isFence) {
        return { frontmatter: null, bodyOffset };
      }
      if (number > 1 && isFence) {
        bodyOffset = end;
        return { frontmatter: read(lines), bodyOffset };
      }
      if (number > 1 && line !== undefined && (line.startsWith("---") || /^\.\.\.[ \t]*$/.test(line))) {
        throw new Refused(number, "the fence is not exactly `---` on a line of its own");
      }
      lines.push(line ?? "");
      start = end;
    }
    if (lines.length === 0) {
      return { frontmatter: null, bodyOffset };
    }
    const where = isWhole ? "" : " in the first 65536 bytes";
    throw new Refused(1, `the frontmatter that begins here is not closed${where}; write \`---\` on a line of its own after it`);
  } catch (error) {
    if (!(error instanceof Refused)) {
      throw error;
    }
    return { frontmatter: null, frontmatter_error: { line: error.line, detail: error.message }, bodyOffset };
  }
}

function decoded(bytes: Uint8Array, line: number, isCut: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    if (isCut || line === 1) {
      return undefined;
    }
    throw new Refused(line, "this is no UTF-8 text; save the file as UTF-8");
  }
}

/** Reads the lines of frontmatter; the first is the fence. */
function read(lines: string[]): Frontmatter {
  const found = new Map<string, Value>();
  let list: { key: string; indent: number | undefined } | undefined;
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (index === 0 || /^\s*(#.*)?$/.test(line)) {
      continue;
    }
    const item = /^( *)-(?:[ \t]+(.*))?$/.exec(line);
    if (item && list && (list.indent === undefined || item[1]?.length === list.indent)) {
      list.indent = item[1]?.length;
      const items = found.get(list.key);
      found.set(list.key, [...(Array.isArray(items) ? items : []), scalar(item[2] ?? "", number)]);
      continue;
    }
    const entry = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[A-Za-z0-9_][\w ./-]*?)[ \t]*:(?:[ \t]+(.*))?$/.exec(line);
    if (!entry) {
      throw new Refused(number, "this is more than `key: text` and lists of texts; write it flatter, or use `vestry instructions`");
    }
    const key = String(/^["']/.test(entry[1] ?? "") ? scalar(entry[1] ?? "", number) : entry[1]);
    if (key === "" || found.has(key)) {
      throw new Refused(number, `the key \`${key}\` is empty or there twice; keep one`);
    }
    const text = (entry[2] ?? "").trim();
    list = text === "" || text.startsWith("#") ? { key, indent: undefined } : undefined;
    found.set(key, text.startsWith("[") ? flow(text, number) : scalar(text, number));
  }
  return Object.fromEntries(found);
}

/** Every text that may stand in a line, with what is left of the line. */
const QUOTED = /^("(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|'(?:[^']|'')*')(.*)$/;

function scalar(written: string, line: number): Scalar {
  const text = written.trim();
  const quoted = QUOTED.exec(text);
  if (quoted) {
    if (!/^[ \t]*$|^[ \t]+#/.test(quoted[2] ?? "")) {
      throw new Refused(line, "there is something after the quote; close it at the end of the text");
    }
    return shown(unquoted(quoted[1] ?? ""), line);
  }
  const plain = text.replace(/(^|[ \t]+)#.*$/, "");
  if (/^["'[\]{},&*!|>%@`]|^[-?:](\s|$)|:(\s|$)/.test(plain)) {
    throw new Refused(line, "put a text with special characters in quotes; nothing else but lists of texts is read here");
  }
  return typed(shown(plain, line));
}

/** `[a, "b"]` on one line. */
function flow(text: string, line: number): Scalar[] {
  const items: Scalar[] = [];
  let rest = text.slice(1).trimStart();
  while (!rest.startsWith("]")) {
    const quoted = QUOTED.exec(rest);
    const plain = /^([^\s"'[\]{},#&*!|>%@`][^[\]{},]*)(.*)$/.exec(rest);
    if (quoted) {
      items.push(shown(unquoted(quoted[1] ?? ""), line));
    } else if (plain) {
      items.push(scalar(plain[1] ?? "", line));
    } else {
      throw new Refused(line, "close the `[` on its line, and write nothing but texts in it");
    }
    const next = /^[ \t]*(,?)[ \t]*(.*)$/.exec((quoted ?? plain)?.[2] ?? "");
    rest = next?.[2] ?? "";
    if (!next?.[1] && !rest.startsWith("]")) {
      throw new Refused(line, "close the `[` on its line, and write `,` between texts");
    }
  }
  if (!/^\][ \t]*$|^\][ \t]+#/.test(rest)) {
    throw new Refused(line, "there is something after the `]`");
  }
  return items;
}

function unquoted(quoted: string): string {
  return quoted.startsWith("'") ? quoted.slice(1, -1).replaceAll("''", "'") : String(JSON.parse(quoted.replaceAll("\t", "\\t")));
}

function shown(text: string, line: number): string {
  if (HIDDEN.test(text.replace(SEEN, ""))) {
    throw new Refused(line, "the value has a character that does not show; remove it");
  }
  return text;
}

function typed(text: string): Scalar {
  const words: Record<string, Scalar> = { "": null, "~": null, null: null, true: true, false: false };
  if (Object.hasOwn(words, text)) {
    return words[text] ?? null;
  }
  return /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}
