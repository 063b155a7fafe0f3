/** Putting the data of a run into a template, in one pass. */
import { isBlank, PromptError, trimmed, wellFormed } from "./text.ts";

const KEY = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_.-]{0,63})\}\}/g;
/** The most keys of a context. */
const MAX_CONTEXT = 200;
/** The most bytes of a prompt. */
const MAX_PROMPT = 4 << 20;

/** A prompt that is being made: it stops where it would be too long, and not when it is there. */
class Growing {
  #text = "";
  #bytes = 0;

  add(text: string, bytes = Buffer.byteLength(text)): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_PROMPT) {
      throw new PromptError(`the prompt would have more than ${MAX_PROMPT} bytes; shorten the template or the context`);
    }
    this.#text += text;
  }

  trim(): void {
    this.#text = trimmed(this.#text);
    this.#bytes = Buffer.byteLength(this.#text);
  }

  get text(): string {
    return this.#text;
  }
}

/** Replaces `{{key}}` by the values of the context, and appends what no placeholder used. */
export function render(
  template: string, context: Readonly<Record<string, string | null>>, inline: string | undefined,
): { text: string; unknown: string[]; appended: string[] } {
  const values = valuesOf(context);
  const stands = new Map(values);
  if (inline !== undefined && !stands.get("subtask")) {
    stands.set("subtask", inline);
  }
  const lengths = new Map([...stands].map(([key, value]) => [key, Buffer.byteLength(value)]));
  const [used, unknown] = [new Set<string>(), new Set<string>()];
  const made = new Growing();
  let at = 0;
  for (const { 0: placeholder, 1: key = "", index } of template.matchAll(PLACEHOLDER)) {
    made.add(template.slice(at, index));
    at = index + placeholder.length;
    const value = stands.get(key);
    (value === undefined ? unknown : used).add(key);
    made.add(value ?? placeholder, lengths.get(key));
  }
  made.add(template.slice(at));
  const left = [...values].filter(([key, value]) => !used.has(key) && value !== "");
  if (left.length > 0) {
    made.trim();
    made.add(made.text === "" ? "## Context" : "\n\n## Context");
    left.forEach(([key, value]) => made.add(`\n\n### ${key}\n\n${trimmed(value)}`));
    made.add("\n");
  }
  return { text: made.text, unknown: [...unknown], appended: left.map(([key]) => key) };
}

/** The values by key; those that are blank are empty. */
function valuesOf(context: Readonly<Record<string, string | null>>): Map<string, string> {
  const pairs = Object.entries(context);
  if (pairs.length > MAX_CONTEXT) {
    throw new PromptError(`the context has more than ${MAX_CONTEXT} keys; send fewer`);
  }
  return new Map(pairs.map(([key, value]) => {
    if (!KEY.test(key) || (value !== null && typeof value !== "string")) {
      throw new PromptError(`the key \`${key}\` of the context cannot be named by a placeholder, or its value is no text`);
    }
    return [key, value === null || isBlank(value) ? "" : wellFormed(value, `the value of \`${key}\` in the context`)];
  }));
}
