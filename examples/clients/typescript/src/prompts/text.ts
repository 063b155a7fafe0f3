/** What a text has to be, to be a template, and why there is no prompt. */

/** The most bytes of a template. */
export const MAX_TEMPLATE = 1 << 20;
/** What nobody sees, also where its category says letter, mark or symbol. An emoji that is newer than Node shows. */
const HIDDEN = new RegExp(String.raw`(?![\u{1f000}-\u{1faff}])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}`
  + String.raw`\p{Default_Ignorable_Code_Point}\u2800\u2d7f\ufffc\u{1107f}\u{16fe4}\u{1d159}]`, "u");
/** What is an emoji, or may be one. */
const EMOJI = String.raw`(?!\p{ASCII})[\p{S}\p{Extended_Pictographic}]`;
/** What of it shows where it stands: white space, a joiner after a letter or an emoji, the selector of an emoji or a keycap. */
const SEEN = new RegExp(String.raw`[\t\n]|\r(?=\n)|(?<=(?![\p{ASCII}\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}\p{S}])[\u200c\u200d]`
  + String.raw`|(?<=${EMOJI})[\ufe0e\ufe0f]|(?<=${EMOJI}\ufe0f)\u200d|(?<=[0-9#*])[\ufe0e\ufe0f](?=\u20e3)`, "gu");

/** Why there is no prompt, in one sentence. */
export class PromptError extends Error {
  override readonly name = "PromptError";
}

/** Whether a text has nothing but spaces, tabs and line breaks. */
export function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text);
}

/** Without the spaces, tabs and line breaks at its end. */
export function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A text that is Unicode: half of a surrogate pair is no character, and has no bytes. */
export function wellFormed(text: string, what: string): string {
  if (/\p{Cs}/u.test(text)) {
    throw new PromptError(`${what} has half of a surrogate pair, which is no character; give it as Unicode text`);
  }
  return text;
}

/** The text of a template, without the byte order mark that some editors begin it with. */
export function checked(bytes: Uint8Array, what: string): string {
  const refused = (why: string) => new PromptError(`${what} is refused: ${why}`);
  if (bytes.length > MAX_TEMPLATE) {
    throw refused(`it has more than ${MAX_TEMPLATE} bytes; shorten it`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refused("it is no UTF-8 text; save it as UTF-8");
  }
  if (isBlank(text)) {
    throw refused("it is blank; write the prompt, or remove the file");
  }
  const seen = text.replace(SEEN, (one) => (one === "\n" ? one : " "));
  const hidden = HIDDEN.exec(seen.replaceAll("\n", " "));
  if (hidden !== null) {
    const code = (hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const line = seen.slice(0, hidden.index).split("\n").length;
    throw refused(`line ${line}: the character U+${code} does not show when read; remove it`);
  }
  if (text.normalize("NFC") !== text) {
    throw refused("it is not in Unicode Normalization Form C; normalise it (NFC)");
  }
  return text;
}
