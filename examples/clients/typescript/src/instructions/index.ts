/**
 * Instruction catalogs: which instruction files a user and a project have for agents, and reading one of them. The same as
 * `vestry instructions` does, on this machine's files, without a server. It needs Node.
 */
import { createHash } from "node:crypto";
import { type BigIntStats, type Dirent } from "node:fs";
import { lstat, opendir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { bytesOf, counted, folderAt, gitignoreOf, isMissing, type Kind, kindOf, opened, reasonOf, SKIPPED, split } from "./files.ts";
import { type Frontmatter, head } from "./frontmatter.ts";
import { type Patterns, patterns } from "./gitignore.ts";

export type { Frontmatter, Value } from "./frontmatter.ts";

/** Whose instructions. */
export type Level = "user" | "project";

/** Where to look, beside the project. */
export interface Places {
  /** The directory of the user level, null for none; `~/.claude`, if there is one, when left out. */
  home?: string | null;
  /** Whether what the `.gitignore` files of the project name is skipped. */
  gitignore?: boolean;
}

/** An instruction file, without its text. */
export interface InstructionEntry {
  level: Level;
  /** Its path below the directory of its level. */
  path: string;
  size: number;
  frontmatter: Frontmatter | null;
  /** Why the frontmatter cannot be read. */
  frontmatter_error?: { line: number; detail: string };
}

/** What is not listed, or holds what is not. */
export interface LeftOut {
  level: Level;
  path: string;
  reason: string;
}

/** The instruction files, user level first, then by the bytes of their paths; at most 200. */
export interface InstructionCatalog {
  entries: InstructionEntry[];
  /** How many more there are. */
  truncated?: number;
  left_out?: LeftOut[];
  left_out_truncated?: number;
}

/** An instruction file with its text; without, when `already_loaded`. */
export interface Instruction extends Omit<InstructionEntry, "size"> {
  digest: string;
  body?: string;
  already_loaded: boolean;
  /** There when the caller has something else. */
  changed?: true;
}

/** Why an instruction file is not read, in one sentence. */
export class InstructionError extends Error {
  override readonly name = "InstructionError";
}

const MOST = 200;
const HEAD = 64 << 10;
const LARGEST = 1 << 20;
const DEEPEST = 128;

/** Lists the instruction files of the user and of a directory. What cannot be read below is left out, and said. */
export async function scanInstructions(directory: string, places: Places = {}): Promise<InstructionCatalog> {
  const [files, leftOut] = [new Smallest<[Level, string]>(), new Smallest<[Level, string, string]>()];
  const roots = new Map<Level, string>();
  for (const level of ["user", "project"] as const) {
    const root = await rootOf(level, directory, places);
    if (root !== undefined) {
      roots.set(level, root);
      await walk({ level, root, files, leftOut }, "", level === "project" && places.gitignore ? [] : undefined);
    }
  }
  const entries: InstructionEntry[] = [];
  for (const [level, path] of files.sorted()) {
    try {
      entries.push(await entryOf(level, roots.get(level) ?? "", path));
    } catch (error) {
      leftOut.push([level, path, isMissing(error) ? "it is gone since it was found" : reasonOf(error)]);
    }
  }
  const left = leftOut.sorted().map(([level, path, reason]) => ({ level, path, reason }));
  return {
    entries,
    ...(files.more > 0 && { truncated: files.more }),
    ...(left.length > 0 && { left_out: left }),
    ...(leftOut.more > 0 && { left_out_truncated: leftOut.more }),
  };
}

/** Reads a file that the catalog lists, or would list after its first 200. `have` is the digest of what the caller has of it. */
export async function readInstruction(
  directory: string, path: string, options: Places & { level?: Level; have?: string } = {},
): Promise<Instruction> {
  const { level = "project", have } = options;
  const unlisted = (reason: string) => new InstructionError(`${path} is not listed at the ${level} level: ${reason}`);
  const root = await rootOf(level, directory, options);
  const [folder, name] = split(path);
  const folders = folder.split("/").slice(0, -1);
  const above = folders.map((_, at) => folders.slice(0, at + 1).join("/"));
  const isOdd = path.split("/").some((segment) => ["", ".", ".."].includes(segment) || segment.includes("\0"));
  const isClosed = above.some((folder) => !isEntered(level, ...split(folder)));
  if (root === undefined || isOdd || isClosed || folders.length > DEEPEST || !isFile(level, folder, name)) {
    throw unlisted("no file of this name is listed there");
  }
  let bytes: Uint8Array;
  try {
    const ignored: Ignored | undefined = level === "project" && options.gitignore ? [] : undefined;
    for (const folder of ["", ...above.map((folder) => `${folder}/`)]) {
      await enter(ignored, root, folder);
    }
    const isIgnored = (path: string, isFolder: boolean) => ignored !== undefined && names(ignored, path, isFolder);
    if (above.some((folder) => isIgnored(folder, true)) || isIgnored(path, false)) {
      throw unlisted("a .gitignore file names it");
    }
    const place = await counted(root, path);
    if (name === "AGENTS.md" && !isIgnored(`${folder}CLAUDE.md`, false) && (await hasClaude(root, folder))) {
      throw unlisted("the CLAUDE.md beside it is listed in its place");
    }
    bytes = await opened(root, place, (file) => bytesOf(file, LARGEST + 1));
  } catch (error) {
    throw error instanceof InstructionError ? error : unlisted(isMissing(error) ? "there is no such file" : `it is ${reasonOf(error)}`);
  }
  if (bytes.length > LARGEST) {
    throw new InstructionError(`${path} cannot be read: it has more than ${LARGEST} bytes; split it`);
  }
  const { bodyOffset, ...said } = head(bytes.subarray(0, HEAD), bytes.length <= HEAD);
  let body: string;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    body = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(bodyOffset));
  } catch {
    throw new InstructionError(`${path} cannot be read: it is no UTF-8 text; save it as UTF-8`);
  }
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const alike = { level, path, digest, ...said };
  if (have === digest) {
    return { ...alike, already_loaded: true };
  }
  return { ...alike, body, already_loaded: false, ...(have !== undefined && { changed: true as const }) };
}

/** The directory of a level, without links on the way; undefined where there is none. */
async function rootOf(level: Level, directory: string, { home }: Places): Promise<string | undefined> {
  if (level === "project") {
    return realpath(directory);
  }
  if (home !== undefined) {
    return home === null ? undefined : realpath(home);
  }
  try {
    return await realpath(join(homedir(), ".claude"));
  } catch {
    return undefined;
  }
}

/** Whether a file of this name in this directory (empty, or with `/` at its end) is an instruction file. */
function isFile(level: Level, folder: string, name: string): boolean {
  return level === "user" && folder !== "" ? name.endsWith(".md") : name === "CLAUDE.md" || name === "AGENTS.md";
}

/** Whether a directory is looked into. */
function isEntered(level: Level, folder: string, name: string): boolean {
  return (level === "project" || folder !== "" || name === "rules") && !SKIPPED.includes(name);
}

/** The patterns of the directories from the root to where the search is, each with the length of its directory's path. */
type Ignored = [number, Patterns][];

async function enter(ignored: Ignored | undefined, root: string, folder: string): Promise<boolean> {
  const text = ignored && (await gitignoreOf(root, folder));
  if (text !== undefined) {
    ignored?.push([folder.length, patterns(text)]);
  }
  return text !== undefined;
}

function names(ignored: Ignored, path: string, isFolder: boolean): boolean {
  const said = ignored.map(([length, named]) => named(path.slice(length), isFolder));
  return said.findLast((one) => one !== undefined) ?? false;
}

interface Search {
  level: Level;
  root: string;
  files: Smallest<[Level, string]>;
  leftOut: Smallest<[Level, string, string]>;
}

async function walk(search: Search, folder: string, ignored: Ignored | undefined, depth = 0): Promise<void> {
  const { level, root, files, leftOut } = search;
  const isIgnored = (name: string, isFolder: boolean) => ignored !== undefined && names(ignored, folder + name, isFolder);
  const take = async (name: string): Promise<boolean> => {
    try {
      await counted(root, folder + name);
    } catch (error) {
      leftOut.push([level, folder + name, reasonOf(error)]);
      return false;
    }
    files.push([level, folder + name]);
    return true;
  };
  const named = new Set<string>();
  try {
    const hasPatterns = await enter(ignored, root, folder);
    for await (const entry of await folderAt(root, folder, (place) => opendir(place, { encoding: "buffer" as BufferEncoding }))) {
      const [bytes, kind] = [entry.name as unknown as Uint8Array, await kindOfEntry(entry, join(root, folder))];
      const name = new TextDecoder().decode(bytes);
      const counts = kind === "folder" ? isEntered(level, folder, name) : isFile(level, folder, name);
      if (!counts || kind === undefined) {
        continue;
      }
      if (!Buffer.from(name).equals(bytes)) {
        leftOut.push([level, folder + name, "its name is no Unicode text; rename it"]);
      } else if (isIgnored(name, kind === "folder")) {
        continue;
      } else if (kind !== "folder") {
        await (name === "CLAUDE.md" || name === "AGENTS.md" ? named.add(name) : take(name));
      } else if (depth >= DEEPEST) {
        leftOut.push([level, folder + name, "it is too deep"]);
      } else {
        await walk(search, `${folder}${name}/`, ignored, depth + 1);
      }
    }
    if (hasPatterns) {
      ignored?.pop();
    }
  } catch (error) {
    if (!isMissing(error)) {
      leftOut.push([level, folder.slice(0, -1) || ".", reasonOf(error)]);
    }
  }
  const isHidden = named.has("CLAUDE.md") && (await take("CLAUDE.md"));
  if (named.has("AGENTS.md") && !isHidden) {
    await take("AGENTS.md");
  }
}

async function kindOfEntry(entry: Dirent, folder: string): Promise<Kind | undefined> {
  const kind = kindOf(entry as unknown as BigIntStats);
  // Some file systems do not say.
  const isSaid = kind !== "other" || entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice();
  return isSaid ? kind : lstat(join(folder, String(entry.name))).then(kindOf as never, () => undefined);
}

async function entryOf(level: Level, root: string, path: string): Promise<InstructionEntry> {
  return opened(root, await counted(root, path), async (file) => {
    const [{ size }, bytes] = [await file.stat(), await bytesOf(file, HEAD + 1)];
    const { bodyOffset: _, ...said } = head(bytes.subarray(0, HEAD), bytes.length <= HEAD);
    return { level, path, size, ...said };
  });
}

async function hasClaude(root: string, folder: string): Promise<boolean> {
  try {
    await counted(root, `${folder}CLAUDE.md`);
    return true;
  } catch {
    return false;
  }
}

/** The smallest 200 of what is put in, user level first, then by bytes, and how many others there were. */
class Smallest<T extends readonly [Level, ...string[]]> {
  more = 0;
  #kept: T[] = [];

  push(item: T): void {
    this.#kept.push(item);
    if (this.#kept.length >= 4 * MOST) {
      this.#cut();
    }
  }

  sorted(): T[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((a, b) => Number(a[0] !== "user") - Number(b[0] !== "user") || Buffer.compare(bytes(a), bytes(b)));
    this.more += Math.max(0, this.#kept.length - MOST);
    this.#kept.length = Math.min(this.#kept.length, MOST);
  }
}

function bytes(item: readonly string[]): Buffer {
  return Buffer.from(item.slice(1).join("\0"));
}
