/** A user's own library: a directory of templates, one a file. Links in it are followed, since it is the user's own. */
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { bytesOf, reasonOf, Uncounted } from "../instructions/files.ts";
import { checked, isBlank, MAX_TEMPLATE, PromptError } from "./text.ts";

/** A file of a library, at its fences. */
export interface LibraryFile {
  file: string;
  frontmatter: string | undefined;
  template: string;
}

/** The most files of a library. */
const MAX_FILES = 200;
/** The first lines of a template, blank ones apart, in which a selector is looked for that was meant as frontmatter. */
const HEAD = 10;
const SELECTOR = /^["']?(workflows|repos|fields?)["']?[ \t]*:/m;
const LIKE_SELECTOR = /^["']?(workflows?|repos?|repository|repositories|fields?)["']?[ \t]*:/;
const LIKE_RULE = /^[-+\u2010-\u2015\u2212\ufe58\ufe63\uff0d]{2,}$/;

/** The files of a library: what each is for, as it is written, and what it says. The server reads what it is for. */
export async function filesOf(directory: string): Promise<LibraryFile[]> {
  const files: LibraryFile[] = [];
  for (const file of await namesOf(directory)) {
    let bytes: Uint8Array;
    try {
      bytes = await bytesAt(join(directory, file));
    } catch (error) {
      throw refused(file, `: it ${error instanceof Uncounted ? "is " : ""}${reasonOf(error)}`);
    }
    const text = checked(bytes, `the file ${file} of your library`);
    files.push({ file, ...split(text, file) });
  }
  return files;
}

function refused(file: string, why: string): PromptError {
  return new PromptError(`the file ${file} of your library is refused${why}`);
}

async function namesOf(directory: string): Promise<string[]> {
  const of = `the library ${directory}`;
  let names: Buffer[];
  try {
    names = await readdir(directory, { encoding: "buffer" });
  } catch (error) {
    throw new PromptError(`${of} ${reasonOf(error)}`);
  }
  const odd = names.find((name) => !Buffer.from(name.toString()).equals(name));
  if (odd !== undefined) {
    throw new PromptError(`${of} has a file whose name is no text, ${odd.toString()}; rename it`);
  }
  const templates = names.sort(Buffer.compare).map(String).filter((name) => name.endsWith(".md") && !name.startsWith("."));
  if (templates.length > MAX_FILES) {
    throw new PromptError(`${of} has more than ${MAX_FILES} templates; move some away`);
  }
  return templates;
}

/** What a regular file has, without waiting for others. */
async function bytesAt(place: string): Promise<Uint8Array> {
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    if (!(await file.stat()).isFile()) {
      throw new Uncounted("no regular file");
    }
    return await bytesOf(file, MAX_TEMPLATE + 1);
  } finally {
    await file.close();
  }
}

/** A file at its fences. What looks like a fence is meant as one: to take it for text would take its restrictions away. */
function split(text: string, file: string): Omit<LibraryFile, "file"> {
  const lines = text.split(/(?<=\n)/);
  const first = lines.find((line) => line.trim() !== "") ?? "";
  let below = 0;
  let frontmatter: string | undefined;
  if (first.trimStart().startsWith("---")) {
    const isFence = (line: string) => /^---[ \t]*\r?\n?$/.test(line);
    const end = lines.findIndex((line, at) => at > 0 && (line.startsWith("---") || /^\.\.\.[ \t]*\r?\n?$/.test(line)));
    if (!isFence(lines[0] ?? "") || end < 0 || !isFence(lines[end] ?? "")) {
      const line = isFence(lines[0] ?? "") && end > 0 ? end + 1 : 1;
      throw refused(file, `, line ${line}: its frontmatter is not fenced by two lines \`---\``);
    }
    frontmatter = lines.slice(1, end).join("");
    below = end + 1;
  }
  const template = lines.slice(below).join("");
  if (isBlank(template)) {
    throw refused(file, ": its template is blank");
  }
  const misplaced = SELECTOR.test(frontmatter ?? "") ? undefined : misplacedIn(lines.slice(below));
  if (misplaced !== undefined) {
    const why = "this looks like frontmatter and stands where none is read; begin the file with `---` on its first line";
    throw refused(file, `, line ${below + misplaced + 1}: ${why}`);
  }
  return { frontmatter, template };
}

/**
 * The line of a template, from 0, that was meant as a selector: what is for one repository only must not be for every one because
 * a fence was written wrongly. It is the first line or the second, or there is something like a fence beside it.
 */
function misplacedIn(lines: string[]): number | undefined {
  const head = lines.map((line, at) => ({ line: line.trim(), at })).filter(({ line }) => line !== "").slice(0, HEAD);
  const place = head.findIndex(({ line }) => LIKE_SELECTOR.test(line));
  return place >= 0 && (place < 2 || head.some(({ line }) => LIKE_RULE.test(line))) ? head[place]?.at : undefined;
}
