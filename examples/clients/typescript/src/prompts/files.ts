/** Templates of a worktree, which nothing leads out of. */
import { lstat, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { bytesOf, isMissing, opened } from "../instructions/files.ts";
import { isBlank } from "./render.ts";

/** The most bytes of a template. */
const MAX_TEMPLATE = 1 << 20;
/** What nobody sees: control, format, private-use and unassigned characters but tabs, line breaks and joiners. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/u;

/** Why there is no prompt, in one sentence. */
export class PromptError extends Error {
  override readonly name = "PromptError";
}

/** The text of a template. */
export function checked(bytes: Uint8Array, what: string): string {
  const refused = (why: string) => new PromptError(`${what} is refused: ${why}`);
  if (bytes.length > MAX_TEMPLATE) {
    throw refused(`it has more than ${MAX_TEMPLATE} bytes`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused("it is no UTF-8 text");
  }
  if (isBlank(text)) {
    throw refused("it is blank");
  }
  if (HIDDEN.test(text.replace(/^\ufeff/, "").replace(/[\t\r\n\u200c\u200d]/g, ""))) {
    throw refused("it has characters that nobody sees");
  }
  return text;
}

/** Reads a template below a directory; undefined when there is no such file. */
export async function readInside(directory: string, path: string): Promise<string | undefined> {
  const what = `the template ${path} of the worktree`;
  const root = await realpath(directory);
  let place: string;
  try {
    place = await realpath(join(root, path));
  } catch (error) {
    if (isMissing(error) && !(await isThere(join(root, path)))) {
      return undefined;
    }
    throw new PromptError(`${what} is refused: it is a symbolic link to nothing, or cannot be followed`);
  }
  if (place === root || relative(root, place).split(sep)[0] === "..") {
    throw new PromptError(`${what} is refused: it leads out of the worktree`);
  }
  let bytes: Uint8Array;
  try {
    bytes = await opened(place, (file) => bytesOf(file, MAX_TEMPLATE + 1));
  } catch (error) {
    throw new PromptError(`${what} is refused: ${error instanceof Error ? error.message : "it cannot be opened"}`);
  }
  return checked(bytes, what);
}

async function isThere(place: string): Promise<boolean> {
  return lstat(place).then(() => true, () => false);
}
