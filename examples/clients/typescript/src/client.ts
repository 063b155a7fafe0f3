/** The client: taking turns, opening runs, and what an agent writes. */
import type { PromptRequest, PromptTemplate } from "./prompts/types.ts";
import { type Ask, asking, path, type Request } from "./requests.ts";
import { type Catalog, Turn } from "./turn.ts";
import type { Content, Context, Have, Journal, Opening, Proposal, Written } from "./types.ts";
import { VestryError } from "./types.ts";

/** What a turn asks for. */
export interface Terms {
  /** The turn; asked again it keeps its catalog. It gets a name when left out. */
  turn?: string;
  /** The most entries. */
  cap?: number;
  /** The agent's role. */
  role?: string;
  /** The most tokens that the block may take, estimated. */
  token_budget?: number;
  /** The conversation; recorded only. */
  session?: string;
  /** The data of the run, for skills that are templates. It is sent with each load, and kept nowhere. */
  context?: Context;
  /** What the conversation has from the turns before: the `have` of the last one's journal. */
  have?: Have;
}

/** What an opening asks for; the same turn asked again with the same role and context gives the same opening. */
export type OpeningTerms = Pick<Terms, "turn" | "role" | "session">;

/** What speaks for a proposal, and its content. */
export interface ProposalTerms extends Content {
  /** Why, for whoever decides. */
  rationale: string;
  /** The turn that it was learned in. */
  turn?: string;
  /** Up to 10 https links. */
  links?: string[];
  /** With one key it is done once, however often it is sent. Keep the key to repeat it after a restart. */
  idempotencyKey?: string;
}

/** A client of one server, for one agent. */
export class Client {
  readonly #ask: Ask;

  /** `token` is the agent's access token, or a function that gives the current one; `timeout` is in milliseconds. */
  constructor(server: string, token: string | (() => string | Promise<string>), timeout = 35_000) {
    this.#ask = asking(server.replace(/\/+$/, ""), typeof token === "string" ? () => token : token, timeout);
  }

  /** Takes the catalog of a turn. */
  turn({ context, have, ...asked }: Terms = {}): Promise<Turn> {
    return this.#take({ ...asked, turn: asked.turn ?? `t-${crypto.randomUUID()}` }, context, undefined, have);
  }

  /** Goes on with a turn that was kept, as after a restart: the same skills, the same revisions, a fresh offer. */
  resume(journal: Journal, context?: Context): Promise<Turn> {
    return this.#take(journal.terms, context, journal);
  }

  /** What a run begins with: the instruction of the role and the ambient skills, rendered with the data of the run. */
  opening(context: Context, terms: OpeningTerms = {}): Promise<Opening> {
    return this.#ask<Opening>({ method: "POST", path: path("openings"), body: { ...terms, context } }, "text", "parts");
  }

  /** The prompt template of a workflow's role, of the registry's and of a library's; `vestry-client/prompts` makes the prompt. */
  promptTemplate(request: PromptRequest): Promise<PromptTemplate> {
    return this.#ask<PromptTemplate>({ method: "POST", path: path("prompts", "resolve"), body: request }, "workflow", "role");
  }

  /** Puts content forward for `tenant:<id>` or `global`, for humans to decide. */
  propose(scope: string, name: string, { turn, links, idempotencyKey, ...rest }: ProposalTerms): Promise<Proposal> {
    const headers = { "idempotency-key": idempotencyKey ?? crypto.randomUUID() };
    const body = { scope, name, ...rest, evidence: { turn, links: links ?? [] } };
    return this.#ask<Proposal>({ method: "POST", path: path("proposals"), body, headers }, "id", "state", "digest");
  }

  /** Writes a skill of the caller's own: a new one, or instead of the revision with the digest `replaces`, `*` for any. */
  async writeOwnSkill(name: string, content: Content, replaces?: string): Promise<Written> {
    const { scopes } = await this.#ask<{ scopes: string[] }>({ method: "GET", path: path("me") }, "scopes");
    const own = scopes.find((scope) => scope.startsWith("actor:"));
    if (own === undefined) {
      throw new VestryError("no-own-scope", "The caller acts for no actor, so that it has no scope of its own.");
    }
    const tag = replaces === undefined || replaces === "*" ? "*" : `"${replaces}"`;
    const headers: Record<string, string> = { [replaces === undefined ? "if-none-match" : "if-match"]: tag };
    // Done twice, anything but `*` is refused the second time.
    const repeatable = replaces === "*";
    const request: Request = { method: "PUT", path: path("skills", own, name), body: content, headers, repeatable };
    return this.#ask<Written>(request, "scope", "digest");
  }

  async #take(terms: Journal["terms"], context?: Context, kept?: Journal, have?: Have): Promise<Turn> {
    const needed = ["scopes", "entries", "block", "etag", "offer", "expires_at"] as const;
    const catalog = await this.#ask<Catalog>({ method: "POST", path: path("catalog"), body: terms }, ...needed);
    return new Turn(this.#ask, terms, catalog, context, kept, kept?.have ?? have);
  }
}
