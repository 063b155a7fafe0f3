/**
 * Files below one root, which nothing leads out of: each directory is opened below the one before it, never through a link. Node
 * opens a file below an open directory by the directory's name in `/proc/self/fd`. Where there is none, as on macOS, a swap between
 * a look and the opening is found by looking again at what was opened.
 */
import { constants, existsSync, type BigIntStats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** The directory in which open files have names; undefined where there is none. */
const OPEN_FILES = existsSync("/proc/self/fd") ? "/proc/self/fd" : undefined;
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

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

/** Why a file is not read, as the rest of a sentence; without the place, which may be that of an open directory. */
export function reasonOf(error: unknown): string {
  const said = error instanceof Error ? error.message.replace(/, \w+ '.*'$/s, "") : String(error);
  return error instanceof Uncounted ? said : `cannot be read: ${said}`;
}

/** The path of the file that counts: itself, or what it is a link to, inside of the root and of no skipped directory. */
export async function counted(root: string, path: string): Promise<string> {
  const [folder, name] = split(path);
  const kind = kindOf(await folderAt(root, folder, (above) => lstat(join(above, name))));
  if (kind === "file") {
    return path;
  }
  if (kind !== "link") {
    throw new Uncounted("neither a file nor a directory");
  }
  let target: string;
  try {
    target = await realpath(join(root, path));
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
  return inside.join("/");
}

/** The directory of a path, with `/` at its end unless empty, and the name in it. */
export function split(path: string): [string, string] {
  const at = path.lastIndexOf("/") + 1;
  return [path.slice(0, at), path.slice(at)];
}

/** Uses the directory of a path below a root, by a name that leads to it, whatever is put in its place meanwhile. */
export async function folderAt<T>(root: string, path: string, use: (folder: string) => Promise<T>): Promise<T> {
  if (OPEN_FILES === undefined) {
    const place = join(root, path, ".").replace(/(?<=.)\/$/, "");
    if ((await realpath(place)) !== place) {
      throw new Uncounted("reached by a symbolic link");
    }
    return use(place);
  }
  let handle = await open(root, FOLDER);
  try {
    for (const name of path.split("/").filter((name) => name !== "")) {
      const [above, below] = [handle, await open(join(OPEN_FILES, String(handle.fd), name), FOLDER | constants.O_NOFOLLOW)];
      handle = below;
      await above.close();
    }
    return await use(join(OPEN_FILES, String(handle.fd)));
  } finally {
    await handle.close();
  }
}

/** Opens the regular file of a path without links, without waiting. */
export async function opened<T>(root: string, path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const [folder, name] = split(path);
  const file = await folderAt(root, folder, (above) => open(join(above, name), FILE));
  try {
    if (!(await file.stat()).isFile() || (OPEN_FILES === undefined && !(await isStill(file, join(root, path))))) {
      throw new Uncounted("no regular file");
    }
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Whether an open file is that of a place without links. */
async function isStill(file: FileHandle, place: string): Promise<boolean> {
  const [is, now] = [await file.stat({ bigint: true }), await lstat(place, { bigint: true })];
  return is.dev === now.dev && is.ino === now.ino && (await realpath(place)) === place;
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

/** The text of the `.gitignore` of a directory; undefined when there is none that is a regular file. */
export async function gitignoreOf(root: string, folder: string): Promise<string | undefined> {
  try {
    const bytes = await opened(root, `${folder}.gitignore`, (file) => bytesOf(file, 1 << 20));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof Uncounted || isMissing(error) || (error instanceof Error && "code" in error && error.code === "ELOOP")) {
      return undefined;
    }
    throw error;
  }
}
