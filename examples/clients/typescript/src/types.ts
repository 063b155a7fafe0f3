/** What the server answers, what a loop keeps, and the one error. */

/** Whose shapes: Anthropic's Messages API, OpenAI's Chat Completions API, or the Model Context Protocol. */
export type Sdk = "anthropic" | "openai" | "mcp";

/** The data of a run, for skills that are templates. */
export type Context = Readonly<Record<string, unknown>>;

/** What was asked for did not happen. `code` is stable: compare that. */
export class VestryError extends Error {
  override readonly name = "VestryError";
  /** The server's problem code; `no-answer`, `not-vestry`, `turn-forgotten` and `no-own-scope` are the client's. */
  readonly code: string;
  /** One sentence that says what to do, and the field that it is about. */
  readonly detail: string;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The rule that refused, if one did. */
  readonly rule: string | undefined;

  constructor(code: string, detail: string, status = 0, rule?: string) {
    super(`${detail} (${code})`);
    this.code = code;
    this.detail = detail;
    this.status = status;
    this.rule = rule;
  }
}

/** An offered skill. */
export interface Entry {
  name: string;
  description: string;
  scope: string;
  revision: number;
  digest: string;
  /** The scopes that it overrides. */
  shadows?: string[];
  sealed: boolean;
  templated: boolean;
}

/** A bundled file; `text` or `base64` is there when it was loaded. */
export interface File {
  path: string;
  size: number;
  digest: string;
  text?: string;
  base64?: string;
}

/** A loaded skill; `body` and `block` are absent when `already_loaded`. `block` is for a user-role message. */
export interface Loaded {
  name: string;
  scope: string;
  revision: number;
  digest: string;
  rendered_digest: string;
  body?: string;
  block?: string;
  files: File[];
  already_loaded: boolean;
  /** There when the conversation has another text of this skill, which this replaces. */
  changed?: boolean;
  /** What a host that keeps its conversation as nodes puts beside the skill; an older server has none. */
  context_node?: ContextNode;
}

/** What a host that keeps its conversation as nodes puts beside a loaded skill. */
export interface ContextNode {
  skill_name: string;
  /** Its URI. */
  skill_path: string;
  /** The digest of the body as it is handed out. */
  skill_hash: string;
  loaded_by_tool_call_id: string | null;
  synthetic: boolean;
  source_node_type: string;
  /** The same for the same skill with the same text. */
  source_node_id: string;
}

/** What a run begins with; `text` is for a user-role message, `parts` has the pins of each part. */
export interface Opening {
  turn: string;
  parts: Record<string, unknown>[];
  text: string;
  rendered_digest: string;
}

/** The content of a skill: `skill_md`, or `description` and `body` and what goes with them. */
export interface Content {
  skill_md?: string;
  description?: string;
  body?: string;
  templated?: boolean;
  mode?: "triggered" | "ambient";
  frontmatter?: Record<string, unknown>;
  files?: Record<string, string>[];
  message?: string;
}

/** What a proposal is after it was made. */
export interface Proposal {
  id: string;
  state: string;
  scope: string;
  name: string;
  digest: string;
  unchanged: boolean;
}

/** What a publication came to: `revision`, or the `id` of the proposal where the tenant reviews what its agents write. */
export interface Written {
  scope: string;
  digest: string;
  unchanged: boolean;
  revision?: number;
  id?: string;
}

/** A turn as a loop keeps it. It has no secret, and nothing of the run's data: a load needs the agent's token as well. */
export interface Journal {
  terms: { turn: string } & Record<string, unknown>;
  etag: string;
  offer: string;
  expires_at: string;
  have: Have;
}

/** The skills that are in a conversation, by their URIs, with the digests of their texts. */
export type Have = Record<string, string>;
