/** Templates of a worktree, which nothing leads out of. */
import { lstat, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { bytesOf, isMissing, opened, reasonOf, Uncounted } from "../instructions/files.ts";
import { checked, MAX_TEMPLATE, PromptError } from "./text.ts";

/** Reads a template below a directory; undefined when there is no such file. */
export async function readInside(directory: string, path: string): Promise<string | undefined> {
  const refused = (why: string) => new PromptError(`the template ${path} of the worktree is refused: ${why}`);
  const root = await rootOf(directory);
  let place: string;
  try {
    place = await realpath(join(root, path));
  } catch (error) {
    if (!isMissing(error)) {
      throw refused(`it ${reasonOf(error)}`);
    }
    if (await hasLinkToNothing(root, path)) {
      throw refused("it, or a directory above it, is a symbolic link to nothing");
    }
    return undefined;
  }
  const inside = relative(root, place).split(sep);
  if (place === root || inside[0] === "..") {
    throw refused("it leads out of the worktree; put the file itself into it");
  }
  // Some file systems know `.git` in any case.
  if (inside.some((name) => name.toLowerCase() === ".git")) {
    throw refused("it leads into `.git`, and what is there was not committed; put the file elsewhere");
  }
  let bytes: Uint8Array;
  try {
    bytes = await opened(root, inside.join("/"), (file) => bytesOf(file, MAX_TEMPLATE + 1));
  } catch (error) {
    throw refused(`it ${error instanceof Uncounted ? "is " : ""}${reasonOf(error)}`);
  }
  return checked(bytes, `the template ${path} of the worktree`);
}

async function rootOf(directory: string): Promise<string> {
  try {
    const root = await realpath(directory);
    if ((await stat(root)).isDirectory()) {
      return root;
    }
  } catch (error) {
    throw new PromptError(`the worktree ${directory} ${reasonOf(error)}; give another`);
  }
  throw new PromptError(`the worktree ${directory} is no directory; give another`);
}

/** Whether a part of a path is a link to nothing: something was meant to be there. */
async function hasLinkToNothing(root: string, path: string): Promise<boolean> {
  const is = (found: Promise<unknown>) => found.then(() => true, () => false);
  const segments = path.split("/");
  for (const end of segments.keys()) {
    const place = join(root, ...segments.slice(0, end + 1));
    if (await is(lstat(place)) && !(await is(stat(place)))) {
      return true;
    }
  }
  return false;
}
