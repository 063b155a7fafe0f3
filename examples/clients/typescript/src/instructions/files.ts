/**
 * Files below one root, which nothing leads out of. Node cannot open a file below an open directory: a swap between a look
 * and the opening is found by looking again at what was opened.
 */
import { constants, type BigIntStats } from "node:fs";
import { type FileHandle, lstat, open, readFile, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** Directories that are looked into nowhere. */
export const SKIPPED: readonly string[] =
  [".git", "node_modules", ".venv", "venv", "dist", "build", "target", ".next", ".cache", "__pycache__"];

/** Why a file does not count, as the rest of a sentence. */
export class Uncounted extends Error {}

/** What a directory's entry is. */
export type Kind = "file" | "folder" | "link" | "other";

/** What `lstat` or an entry of a directory says. */
export function kindOf(entry: Pick<BigIntStats, "isFile" | "isDirectory" | "isSymbolicLink">): Kind {
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other";
}

/** Whether an error is that there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** The place of the file that counts: itself, or what it is a link to, inside of the root and of no skipped directory. */
export async function counted(root: string, path: string, kind: Kind): Promise<string> {
  const place = join(root, path);
  if (kind === "file") {
    return place;
  }
  if (kind !== "link") {
    throw new Uncounted("neither a file nor a directory");
  }
  let target: string;
  try {
    target = await realpath(place);
  } catch (error) {
    throw new Uncounted(isMissing(error) ? "a symbolic link to nothing" : `a symbolic link that cannot be followed: ${String(error)}`);
  }
  const inside = relative(root, target).split(sep);
  if (inside[0] === ".." || target === root) {
    throw new Uncounted(target === root ? "a symbolic link to what is no file" : "a symbolic link that leads out of the directory");
  }
  if (inside.some((segment) => SKIPPED.includes(segment))) {
    throw new Uncounted("a symbolic link into a directory that is skipped");
  }
  if (!(await lstat(target)).isFile()) {
    throw new Uncounted("a symbolic link to what is no file");
  }
  return target;
}

/** Opens a regular file at a place without links, without waiting, and makes sure that it is still that place's. */
export async function opened<T>(place: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const [is, now] = [await file.stat({ bigint: true }), await lstat(place, { bigint: true })];
    const isThere = is.dev === now.dev && is.ino === now.ino && (await realpath(place)) === place;
    if (!is.isFile() || !isThere) {
      throw new Uncounted("it is no regular file any more");
    }
    return await use(file);
  } finally {
    await file.close();
  }
}

/** At most so many bytes from the beginning. */
export async function bytesOf(file: FileHandle, most: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await file.read(bytes, length, most - length, length);
    if (bytesRead === 0) {
      break;
    }
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** The text of a `.gitignore` that is a regular file; undefined when there is none. */
export async function gitignoreOf(folder: string): Promise<string | undefined> {
  try {
    const place = join(folder, ".gitignore");
    return (await lstat(place)).isFile() ? await readFile(place, "utf8") : undefined;
  } catch (error) {
    if (isMissing(error)) {
      return undefined;
    }
    throw error;
  }
}
