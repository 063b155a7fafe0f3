/** A turn: its catalog, its offer, and which skills are in the conversation. */
import { type Ask, path } from "./requests.ts";
import { argument, callOf, definition, NAME, resultOf, type ToolDefinitions, type ToolResults } from "./tool.ts";
import { type Context, type Entry, type File, type Have, type Journal, type Loaded, type Sdk, VestryError } from "./types.ts";

/** Milliseconds before its end that an offer is not used any more. */
const MARGIN = 30_000;
/** Refusals that the model is told as the result of its call; everything else is the loop's to know. */
const FOR_THE_MODEL = [
  "skill-not-offered", "skill-recalled", "file-not-found", "body-unreadable", "template-failed", "invalid-context",
];

type Result<S extends Sdk> = Promise<ToolResults[S] | undefined>;

/** What every answer to a catalog request has. */
interface Signed {
  etag: string;
  offer: string;
  expires_at: string;
}

/** A catalog with its offer. */
export interface Catalog extends Signed {
  scopes: string[];
  entries: Entry[];
  block: string;
  omitted_names?: string[];
}

/** A turn. `Client.turn` takes one, and `Client.resume` goes on with one. */
export class Turn {
  /** The turn. */
  readonly name: string;
  /** The catalog as the model reads it, for the system prompt; empty when nothing is offered. */
  readonly block: string;
  /** The agent's scopes, narrowest first. */
  readonly scopes: readonly string[];
  /** What is offered, in order. */
  readonly entries: readonly Entry[];
  /** Up to fifty names that are visible, but beyond the cap. */
  readonly omittedNames: readonly string[];
  readonly #ask: Ask;
  readonly #terms: Journal["terms"];
  readonly #context: Context | undefined;
  readonly #etag: string;
  readonly #have: Map<string, string>;
  #signed: Signed;
  #ends = 0;

  constructor(ask: Ask, terms: Journal["terms"], catalog: Catalog, context?: Context, kept?: Journal, have: Have = {}) {
    this.name = terms.turn;
    this.block = catalog.block;
    this.scopes = catalog.scopes;
    this.entries = catalog.entries;
    this.omittedNames = catalog.omitted_names ?? [];
    this.#ask = ask;
    this.#terms = terms;
    this.#context = context;
    this.#etag = kept?.etag ?? catalog.etag;
    this.#have = new Map(Object.entries(have));
    this.#signed = this.#taken(catalog);
  }

  /** The `skill` tool as this SDK takes it; for `openai` in the form of Chat Completions. */
  toolDefinition<S extends Sdk>(sdk: S): ToolDefinitions[S] {
    return definition(sdk);
  }

  /** Says that these skills (names or URIs), or all, have left the conversation, as by compaction: the next call gets them again. */
  forget(...skills: string[]): void {
    const isOne = (path: string) => skills.some((skill) => path === skill || path.endsWith(`/${skill}/SKILL.md`));
    [...this.#have.keys()].filter((path) => skills.length === 0 || isOne(path)).forEach((path) => this.#have.delete(path));
  }

  /** What to keep, as JSON, to go on with `Client.resume` after a restart. */
  journal(): Journal {
    const { offer, expires_at } = this.#signed;
    return { terms: { ...this.#terms }, etag: this.#etag, offer, expires_at, have: Object.fromEntries(this.#have) };
  }

  /**
   * Answers a call of the `skill` tool in the shape that it came in; undefined when it is a call of another tool. What the
   * model can do something about is a result that is an error; everything else is thrown.
   */
  handle(toolCall: { id: string; name: string; input: unknown }): Result<"anthropic">;
  handle(toolCall: { id: string; function: { name: string; arguments: string } }): Result<"openai">;
  handle(toolCall: { name: string; arguments?: unknown }): Result<"mcp">;
  async handle(toolCall: object): Result<Sdk> {
    const call = callOf(toolCall);
    if (call.name !== NAME) {
      return undefined;
    }
    const [name, file] = [argument(call, "name"), argument(call, "file")];
    if (name === undefined) {
      return resultOf(call, 'Call `skill` with the name of an offered skill, as {"name": "..."}.', true);
    }
    try {
      return resultOf(call, await (file ? this.#file(name, file) : this.#skill(name, call.id)));
    } catch (error) {
      if (!(error instanceof VestryError) || !FOR_THE_MODEL.includes(error.code)) {
        throw error;
      }
      if (error.code === "skill-recalled") {
        this.forget(name);
      }
      return resultOf(call, error.detail, true);
    }
  }

  /** Loads an offered skill. `have` lists the digests of what is in the conversation; then it comes without its body. */
  load(name: string, have: readonly string[] = [], toolCall?: string): Promise<Loaded> {
    const isTemplate = this.entries.some((entry) => entry.name === name && entry.templated);
    // What is undefined is left out of JSON.
    const body = { name, have, tool_call: toolCall, context: isTemplate ? this.#context : undefined };
    return this.#under<Loaded>(path("load"), body, "rendered_digest", "files", "already_loaded");
  }

  /** Loads a file of an offered skill. */
  loadFile(name: string, file: string): Promise<File> {
    return this.#under<File>(path("load", "file"), { name, path: file }, "path", "size");
  }

  /** What the model is told about a skill. */
  async #skill(name: string, toolCall: string): Promise<string> {
    const skill = await this.load(name, [...this.#have.values()], toolCall || undefined);
    // Older servers say nothing of nodes: then the scope has to do.
    const path = skill.context_node?.skill_path ?? `${skill.scope}/${name}/SKILL.md`;
    const before = [...this.#have].filter(([other]) => other.endsWith(`/${name}/SKILL.md`));
    this.forget(name);
    this.#have.set(path, skill.rendered_digest);
    if (skill.already_loaded) {
      return `The skill "${name}" is in this conversation already, unchanged: follow it.`;
    }
    const files = skill.files.map((file) => file.path).join(", ");
    const isOther = skill.changed || before.some(([other, digest]) => other !== path || digest !== skill.rendered_digest);
    const replaces = isOther ? `The skill "${name}" has changed: this replaces what this conversation has of it; follow this.\n` : "";
    return `${replaces}${skill.block ?? ""}${files && `\nFiles of this skill, which \`skill\` reads with \`file\`: ${files}`}`;
  }

  /** What the model is told about a file. */
  async #file(name: string, file: string): Promise<string> {
    const loaded = await this.loadFile(name, file);
    return loaded.text ?? `${file} has ${loaded.size} bytes that are no text.`;
  }

  /** Sends a request under the offer; once under a fresh one, when the offer has ended or is about to. */
  async #under<T>(path: string, body: object, ...needed: (keyof T & string)[]): Promise<T> {
    const isFresh = performance.now() >= this.#ends && (await this.#renew());
    try {
      return await this.#ask<T>({ method: "POST", path, body: { ...body, offer: this.#signed.offer } }, ...needed);
    } catch (error) {
      if (isFresh || !(error instanceof VestryError) || error.code !== "offer-expired") {
        throw error;
      }
    }
    await this.#renew();
    return this.#ask<T>({ method: "POST", path, body: { ...body, offer: this.#signed.offer } }, ...needed);
  }

  /** Asks the same turn again: the same catalog, freshly signed. */
  async #renew(): Promise<true> {
    const request = { method: "POST" as const, path: path("catalog"), body: { ...this.#terms, have: this.#etag } };
    this.#signed = this.#taken(await this.#ask<Signed>(request, "etag", "offer", "expires_at"));
    return true;
  }

  /** A fresh offer, which has to be for the same catalog. */
  #taken(signed: Signed): Signed {
    if (signed.etag !== this.#etag) {
      const detail = `The turn ${this.name} is not kept any more: take a new one, under another name.`;
      throw new VestryError("turn-forgotten", detail);
    }
    const left = Date.parse(signed.expires_at) - Date.now() - MARGIN;
    // Where the clocks differ so much that a fresh offer seems to have ended, the server says when it has.
    this.#ends = left > 0 ? performance.now() + left : Infinity;
    return { etag: signed.etag, offer: signed.offer, expires_at: signed.expires_at };
  }
}
