/** What a `.gitignore` file names: its patterns, as Git reads them. */

/** True where the file names a path, false where it takes it back, undefined where it says nothing. */
export type Patterns = (path: string, isFolder: boolean) => boolean | undefined;

/** Reads patterns; paths are given from the directory of the file. */
export function patterns(text: string): Patterns {
  const rules = text.replace(/^\ufeff/, "").split(/\r?\n/).flatMap((line) => rule(line) ?? []);
  rules.reverse();
  return (path, isFolder) => rules.find((rule) => (isFolder || !rule.ofFolders) && rule.names.test(path))?.ignores;
}

interface Rule {
  names: RegExp;
  ofFolders: boolean;
  ignores: boolean;
}

function rule(line: string): Rule | undefined {
  let text = line.endsWith("\\ ") ? line : line.trimEnd();
  if (text === "" || text.startsWith("#")) {
    return undefined;
  }
  const ignores = !text.startsWith("!");
  text = text.replace(/^!|^\\(?=[!#])/, "");
  const ofFolders = text.endsWith("/");
  text = ofFolders ? text.slice(0, -1) : text;
  const isAnchored = text.includes("/");
  text = text.replace(/^\//, "");
  const glob = isAnchored ? text : `**/${text}`;
  try {
    return { names: new RegExp(`^${expression(glob)}$`, "su"), ofFolders, ignores };
  } catch {
    // A pattern that is none matches nothing.
    return undefined;
  }
}

/** A glob as a regular expression: only `**` between slashes goes over them. */
function expression(glob: string): string {
  let made = "";
  const token = /^\*\*\/|\/\*\*\/|\/\*\*$|\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|\\.|./gsu;
  for (const [part] of glob.matchAll(token)) {
    if (part === "**/") {
      made += "(?:.*/)?";
    } else if (part === "/**/") {
      made += "/(?:.*/)?";
    } else if (part === "/**") {
      made += "/.+";
    } else if (part.startsWith("*")) {
      made += "[^/]*";
    } else if (part === "?") {
      made += "[^/]";
    } else if (part.startsWith("[") && part.length > 1) {
      const [, not, inside] = /^\[([!^]?)(.*)\]$/s.exec(part) ?? [];
      made += `(?!/)[${not ? "^" : ""}${(inside ?? "").replace(/[[\]^&~|]/g, "\\$&")}]`;
    } else {
      made += part.replace(/^\\/, "").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    }
  }
  return made;
}
