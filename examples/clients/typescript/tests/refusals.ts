/** What no table of launches can say: races, bytes that are no text, and what is too much. Neither needs a server. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "../src/index.ts";
import { bytesOf, counted, opened, Uncounted } from "../src/instructions/files.ts";
import { readInstruction } from "../src/instructions/index.ts";
import { type Launch, PromptError, resolvePrompt } from "../src/prompts/index.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "vestry-")));
const [outside, tree, library] = ["outside", "tree", "library"].map((name) => join(home, name)) as [string, string, string];
for (const folder of [join(outside, "d"), join(tree, "d"), library]) {
  mkdirSync(folder, { recursive: true });
}
writeFileSync(join(outside, "d", "CLAUDE.md"), "outside\n");
writeFileSync(join(tree, "d", "CLAUDE.md"), "inside\n");

const client = new Client("http://127.0.0.1:9", "none");
const usual: Launch = { workflow: "bugfix", role: "review", worktree: tree, library, environment: {} };
const text = (template: string): Partial<Launch> => ({ inputs: { reviewPromptTemplate: template } });
async function refused(words: string, launch: Partial<Launch>): Promise<void> {
  await assert.rejects(resolvePrompt(client, { ...usual, ...launch }), (error) => {
    assert.ok(error instanceof PromptError, String(error));
    assert.ok(error.message.includes(words), error.message);
    return true;
  });
}

try {
  // What a look has found is swapped for a link before it is opened.
  const read = (path: string) => opened(tree, path, async (file) => String(Buffer.from(await bytesOf(file, 100))));
  const found = await counted(tree, "d/CLAUDE.md");
  assert.equal(await read(found), "inside\n");
  renameSync(join(tree, "d"), join(tree, "before"));
  symlinkSync(join(outside, "d"), join(tree, "d"));
  await assert.rejects(read(found));
  await assert.rejects(readInstruction(tree, "d/CLAUDE.md", { home: null }), { name: "InstructionError" });
  symlinkSync(join(outside, "d", "CLAUDE.md"), join(tree, "before", "AGENTS.md"));
  await assert.rejects(read("before/AGENTS.md"), { code: "ELOOP" });
  await assert.rejects(read("before"), Uncounted);
  assert.equal(await read("before/CLAUDE.md"), "inside\n");

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, " "]));
  await refused("more than 200 keys", { ...text("x"), context: keys(201) });
  assert.equal((await resolvePrompt(client, { ...usual, ...text("x"), context: keys(200) })).prompt, "x");
  for (const launch of [
    text("x\ud800"), { ...text("x"), context: { a: "\udc00" } }, { ...text("{{subtask}}"), inlinePrompt: "\ud800" },
    { turn: "\ud800" }, { inputs: { reviewPromptTemplateSource: "\ud800" } },
  ]) {
    await refused("surrogate", launch);
  }
  await refused("give another", { ...text("@x.md"), worktree: join(home, "nowhere") });
  await refused("give another", { ...text("@x.md"), worktree: join(outside, "d", "CLAUDE.md") });

  // What would be gigabytes is not made, and what is long is read once.
  const start = Date.now();
  const [mebibyte, many] = ["é".repeat(1 << 19), "{{a}}".repeat(200_000)];
  await refused("4194304 bytes", { ...text(many), context: { a: mebibyte } });
  await refused("4194304 bytes", { ...text("{{a}}{{a}}{{a}}{{a}}b"), context: { a: mebibyte } });
  await refused("4194304 bytes", { ...text("{{a}}{{a}}{{a}}{{a}}"), context: { a: mebibyte, b: "x" } });
  assert.equal((await resolvePrompt(client, { ...usual, ...text("{{a}}{{a}}{{a}}{{a}}"), context: { a: mebibyte } })).prompt.length, 1 << 21);
  assert.equal((await resolvePrompt(client, { ...usual, ...text(many), context: { a: " ".repeat(2 << 20) } })).prompt, "");
  await refused("not in the worktree", text(`@x.md${" ".repeat(1 << 20)}`));
  await refused("refused", text(`@${" ".repeat(1 << 20)}x`));
  assert.ok(Date.now() - start < 20_000, `${Date.now() - start} ms`);

  const names = Array.from({ length: 201 }, (_, at) => join(library, `${at}.md`));
  names.forEach((name) => writeFileSync(name, "x\n"));
  await refused("more than 200 templates", {});
  names.forEach((name) => rmSync(name));
  writeFileSync(join(library, "large.md"), "x".repeat((1 << 20) + 1));
  await refused("large.md of your library is refused: it has more than 1048576 bytes", {});
  rmSync(join(library, "large.md"));
  symlinkSync("nothing", join(library, "link.md"));
  await refused("link.md of your library is refused", {});
  rmSync(join(library, "link.md"));
  let hasOddNames = true;
  try {
    writeFileSync(Buffer.concat([Buffer.from(`${library}/`), Buffer.from([0xff]), Buffer.from(".md")]), "x\n");
  } catch {
    hasOddNames = false;
    console.log("this file system has no names that are no text");
  }
  await (hasOddNames ? refused("whose name is no text", {}) : undefined);
  await refused("cannot be read", { library: join(home, "nowhere") });
  console.log("passed");
} finally {
  rmSync(home, { recursive: true });
}
