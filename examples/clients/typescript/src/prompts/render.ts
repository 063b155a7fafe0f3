/** Putting the data of a run into a template, in one pass. */
import { PromptError } from "./files.ts";

const KEY = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_.-]{0,63})\}\}/g;
/** The most bytes of a prompt. */
const MAX_PROMPT = 4 << 20;

/** Whether a text has nothing but spaces, tabs and line breaks. */
export function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

/** Replaces `{{key}}` by the values of the context, and appends what no placeholder used. */
export function render(
  template: string, context: Readonly<Record<string, string | null>>, inline: string | undefined,
): { text: string; unknown: string[]; appended: string[] } {
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(context)) {
    if (!KEY.test(key) || (value !== null && typeof value !== "string")) {
      throw new PromptError(`the key \`${key}\` of the context cannot be named by a placeholder, or its value is no text`);
    }
    values.set(key, value ?? "");
  }
  const [used, unknown] = [new Set<string>(), new Set<string>()];
  let text = template.replace(PLACEHOLDER, (placeholder, key: string) => {
    const value = values.get(key);
    const isGiven = value !== undefined && !isBlank(value);
    const result = isGiven ? value : key === "subtask" && inline !== undefined ? inline : value === undefined ? undefined : "";
    (result === undefined ? unknown : used).add(key);
    return result ?? placeholder;
  });
  const left = [...values].filter(([key, value]) => !used.has(key) && !isBlank(value));
  if (left.length > 0) {
    const parts = left.map(([key, value]) => `\n\n### ${key}\n\n${trimmed(value)}`);
    const before = trimmed(text);
    text = `${before}${before === "" ? "" : "\n\n"}## Context${parts.join("")}\n`;
  }
  if (new TextEncoder().encode(text).length > MAX_PROMPT) {
    throw new PromptError(`the prompt would have more than ${MAX_PROMPT} bytes; shorten the template or the context`);
  }
  return { text, unknown: [...unknown], appended: left.map(([key]) => key) };
}

/** Without the white space at its end. */
function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
