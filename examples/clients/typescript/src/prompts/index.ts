/**
 * Prompts for roles of workflows, as `vestry prompt resolve` makes them: the launch's input, the registry and the user's own
 * library, a file of the repository, the default that comes with Vestry, the workflow's own. The result replaces the worker's
 * user prompt, never its guardrails or output schema. It needs Node.
 */
import { createHash } from "node:crypto";
import type { Client } from "../client.ts";
import { readInside } from "./files.ts";
import { filesOf } from "./library.ts";
import { render } from "./render.ts";
import { isBlank, PromptError, trimmed, wellFormed } from "./text.ts";

export { PromptError } from "./text.ts";

/** What a worker asks for. */
export interface Launch {
  workflow: string;
  /** The role: review, plan, code, design, fix, or another. */
  role: string;
  /** The workflow's primary role, which templates without `fields` are for; the role itself when left out. */
  primaryRole?: string;
  /** The repository, as a URL, in the short form of SSH or as host/owner/name. */
  repository?: string;
  /** The key of `.conductor/<key>.md` and of the default that comes with Vestry; the role when left out. */
  key?: string;
  /** The inputs of the launch, of which `<role>PromptTemplate` and `<role>PromptTemplateSource` are read. */
  inputs?: Readonly<Record<string, unknown>>;
  /** The data of the run, in its order. */
  context?: Readonly<Record<string, string | null>>;
  /** The prompt that the workflow has itself. */
  inlinePrompt?: string;
  /** The worktree; the current directory when left out. */
  worktree?: string;
  /** The directory of the user's own library; none when left out. */
  library?: string;
  /** The turn or launch that it is for, for reports on recalls. */
  turn?: string;
  /** The environment, which may switch templates of the repository off; that of the process when left out. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/** A prompt, and what is recorded with the launch. */
export interface Prompt {
  workflow: string;
  role: string;
  replaces: "user-prompt";
  requestedSource: string | null;
  resolvedSource: string;
  templateKey: string | null;
  templateSha256: string;
  renderedSha256: string;
  template: string;
  prompt: string;
  unknownPlaceholders: string[];
  appendedContext: string[];
  /** The inputs to keep with the launch, so that it gets the same template when it is run again. */
  inputs: Record<string, string>;
}

interface Found {
  source: string;
  template: string;
  /** Whether it is the workflow's own prompt, which stays as it is. */
  isVerbatim?: true;
  /** The label that it is kept with. */
  kept?: string;
}

const SWITCHES = ["VESTRY_REPO_TEMPLATES", "CODING_AGENT_REPO_TEMPLATES"];

/** Resolves and renders the prompt of a role. */
export async function resolvePrompt(client: Client, launch: Launch): Promise<Prompt> {
  const role = roleOf(launch.role);
  if (launch.inputs !== undefined && "resolvedSource" in launch.inputs) {
    throw new PromptError("this is the record of a prompt, and not the inputs of a launch; give its `inputs`");
  }
  const [input, source] = [`${role}PromptTemplate`, `${role}PromptTemplateSource`].map((name) => textOf(launch.inputs, name));
  const requested = source === undefined || source.trim() === "" ? null : source;
  if (requested !== null && ([...requested].length > 512 || /\p{Cc}/u.test(requested))) {
    throw new PromptError("a source is one line of 1 to 512 characters");
  }
  const key = launch.key === undefined ? keyOf(role, false) : keyOf(launch.key, true);
  for (const name of ["workflow", "primaryRole", "repository", "turn", "inlinePrompt"] as const) {
    wellFormed(launch[name] ?? "", `\`${name}\` of the launch`);
  }
  const inline = launch.inlinePrompt === undefined || isBlank(launch.inlinePrompt) ? undefined : launch.inlinePrompt;
  const isOff = SWITCHES.map((name) => (launch.environment ?? process.env)[name])
    .some((value) => value !== undefined && ["", "0", "false", "no", "off"].includes(value.trim().toLowerCase()));
  const worktree = launch.worktree ?? ".";
  const found = (await explicit(input, requested, worktree, isOff)) ?? (await chosen(client, launch, role, key, worktree, isOff, inline));
  const { text, unknown, appended } = found.isVerbatim
    ? { text: found.template, unknown: [], appended: [] }
    : render(found.template, launch.context ?? {}, inline);
  const inputs: Record<string, string> = {};
  if (found.kept !== undefined) {
    inputs[`${role}PromptTemplate`] = found.template.startsWith("@") ? `@${found.template}` : found.template;
    inputs[`${role}PromptTemplateSource`] = found.kept;
  }
  return {
    workflow: launch.workflow, role, replaces: "user-prompt", requestedSource: requested, resolvedSource: found.source,
    templateKey: key ?? null, templateSha256: sha256(found.template), renderedSha256: sha256(text), template: found.template,
    prompt: text, unknownPlaceholders: unknown, appendedContext: appended, inputs,
  };
}

async function explicit(
  input: string | undefined, requested: string | null, worktree: string, isOff: boolean,
): Promise<Found | undefined> {
  if (input === undefined || isBlank(input)) {
    return undefined;
  }
  if (!input.startsWith("@") || input.startsWith("@@")) {
    const template = input.startsWith("@") ? input.slice(1) : input;
    return { source: "input:inline", template, kept: requested ?? "input:inline" };
  }
  const path = trimmed(input.slice(1));
  // What `..` leads to depends on links, and on whether what is before it is there.
  const isOdd = path.replace(/^(\.\/)+/, "").split("/").some((segment) => ["", ".", ".."].includes(segment));
  if (isOdd || path.startsWith("~") || /[\p{Cc}\\]/u.test(path)) {
    const how = "write `@relative/path.md`, without `..`, or `@@` for a text that begins with `@`";
    throw new PromptError(`the input begins with \`@\`, and what follows is no path in the worktree; ${how}`);
  }
  if (isOff) {
    throw new PromptError(`the input names ${path}, and templates of the repository are switched off (VESTRY_REPO_TEMPLATES)`);
  }
  const template = await readInside(worktree, path);
  if (template === undefined) {
    throw new PromptError(`the input names ${path}, which is not in the worktree; put it there, or give the text itself`);
  }
  return { source: `repo:@${path}`, template, kept: requested ?? `repo:@${path}` };
}

async function chosen(
  client: Client, launch: Launch, role: string, key: string | undefined, worktree: string, isOff: boolean, inline: string | undefined,
): Promise<Found> {
  const files = launch.library === undefined ? [] : await filesOf(launch.library);
  const { selected, bundled } = await client.promptTemplate({
    workflow: launch.workflow, role, primary_role: launch.primaryRole, repository: launch.repository, key, turn: launch.turn,
    library: files.map(({ file, frontmatter }) => ({ file, frontmatter })),
  });
  if (selected !== undefined) {
    const template = selected.template ?? files.find(({ file }) => file === selected.file)?.template;
    if (template === undefined) {
      throw new PromptError(`the server chose ${selected.source}, which is not in the library; is it a Vestry server?`);
    }
    return { source: selected.source, template, kept: selected.source };
  }
  const committed = key === undefined || isOff ? undefined : await readInside(worktree, `.conductor/${key}.md`);
  if (committed !== undefined) {
    return { source: `repo:.conductor/${key}.md`, template: committed };
  }
  if (bundled !== undefined) {
    return { source: bundled.source, template: bundled.template };
  }
  if (inline === undefined) {
    throw new PromptError(`nothing has a prompt for the role \`${role}\` of the workflow \`${launch.workflow}\`; give the workflow's own`);
  }
  return { source: "workflow:inline-prompt", template: inline, isVerbatim: true };
}

function roleOf(text: string): string {
  const role = text.replace(/PromptTemplate$/, "");
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(role)) {
    throw new PromptError("a role is 1 to 64 of A-Z a-z 0-9 _ - and begins with a letter, as `review`");
  }
  return role;
}

/** The base name that a text ends with, which is never a path. */
function keyOf(text: string, isGiven: boolean): string | undefined {
  const key = (text.split(/[/\\]/).at(-1) ?? "").replace(/\.md$/, "");
  if (/^[A-Za-z0-9._-]{1,128}$/.test(key) && key !== "." && key !== "..") {
    return key;
  }
  if (isGiven) {
    throw new PromptError("a template key is 1 to 128 of A-Z a-z 0-9 . _ - and neither `.` nor `..`");
  }
  return undefined;
}

function textOf(inputs: Launch["inputs"], name: string): string | undefined {
  const value = inputs?.[name] ?? undefined;
  if (value !== undefined && typeof value !== "string") {
    throw new PromptError(`the input \`${name}\` is no text; write it as one`);
  }
  return value === undefined ? undefined : wellFormed(value, `the input \`${name}\``);
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
