/** What this client makes of launches that somebody else has prepared: `node prompts.ts CASES DIRECTORY SERVER TOKEN`, a line a case. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, VestryError } from "../src/index.ts";
import { type Launch, PromptError, resolvePrompt } from "../src/prompts/index.ts";

interface Case {
  launch: Partial<Launch>;
  environment?: Record<string, string>;
}

const [, , table = "", directory = "", server = "", token = ""] = process.argv;
const client = new Client(server, token);
for (const [index, found] of (JSON.parse(readFileSync(table, "utf8")) as Case[]).entries()) {
  const place = join(directory, String(index));
  const launch = { workflow: "bugfix", role: "review", ...found.launch };
  const places = { worktree: join(place, "tree"), library: join(place, "library"), environment: found.environment ?? {} };
  try {
    console.log(JSON.stringify(await resolvePrompt(client, { ...launch, ...places })));
  } catch (error) {
    if (!(error instanceof PromptError || error instanceof VestryError)) throw error;
    console.log(JSON.stringify({ refused: error.message }));
  }
}
