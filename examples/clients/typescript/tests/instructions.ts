/** What this client makes of trees that somebody else has made: `node instructions.ts CASES DIRECTORY`, a line a case. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InstructionError, type Level, readInstruction, scanInstructions } from "../src/instructions/index.ts";

interface Case {
  gitignore?: boolean;
  reads?: { level: Level; path: string; have?: string }[];
}

const [, , table = "", directory = ""] = process.argv;
for (const [index, found] of (JSON.parse(readFileSync(table, "utf8")) as Case[]).entries()) {
  const [project, home] = [join(directory, String(index), "project"), join(directory, String(index), "home")];
  const places = { home: existsSync(home) ? home : null, gitignore: found.gitignore ?? false };
  const reads: unknown[] = [];
  for (const { path, ...read } of found.reads ?? []) {
    try {
      reads.push(await readInstruction(project, path, { ...places, ...read }));
    } catch (error) {
      if (!(error instanceof InstructionError)) throw error;
      reads.push({ error: error.message });
    }
  }
  console.log(JSON.stringify({ catalog: await scanInstructions(project, places), reads }));
}
