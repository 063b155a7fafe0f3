/** The client against a running server: `node run.ts`. See `stage.ts` for what it needs. */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { Client, type Journal, type Turn } from "../src/index.ts";
import { CONTEXT, cut, failure, json, leave, please, publish, SERVER, tap, TOKEN, wire } from "./stage.ts";

const client = new Client(SERVER, TOKEN);

/** A call as Anthropic's SDK has it. */
const call = (name: unknown, more: object = {}) => {
  return { type: "tool_use" as const, id: "toolu_1", name: "skill", input: { name, ...more } };
};
/** A call as OpenAI's SDK has it. */
const chat = (text: string) => ({ id: "call_1", type: "function" as const, function: { name: "skill", arguments: text } });

/** The result of a call that is one of the tool's. */
async function handled(turn: Turn, name: unknown, more: object = {}) {
  const result = await turn.handle(call(name, more));
  assert.ok(result);
  return result;
}

async function theCatalogHasABlockAndEntries() {
  const turn = await client.turn({ cap: 10, session: "s-1" });
  assert.ok(turn.name.startsWith("t-") && turn.block.startsWith("<skills>"));
  const refunds = turn.entries.find((entry) => entry.name === "refunds");
  assert.deepEqual([refunds?.scope, refunds?.shadows], ["tenant:acme", ["global"]]);
  assert.ok(!turn.entries.some((entry) => entry.name === "payroll"));
  assert.deepEqual(wire.requests.at(-1)?.body, { cap: 10, session: "s-1", turn: turn.name });
  const few = await client.turn({ cap: 1 });
  assert.equal(few.entries.length, 1);
  assert.ok([...few.omittedNames, few.entries[0]?.name].includes("refunds"));
}

async function theToolIsDefinedForEverySdk() {
  const turn = await client.turn();
  const openai = turn.toolDefinition("openai");
  assert.equal(openai.type, "function");
  const schemas = [turn.toolDefinition("anthropic").input_schema, turn.toolDefinition("mcp").inputSchema];
  for (const schema of [...schemas, openai.function.parameters]) {
    assert.deepEqual(schema.required, ["name"]);
    assert.equal(schema.properties.name.type, "string");
    assert.ok(!("enum" in schema.properties.name));
  }
}

async function callsAreAnsweredInTheirOwnShape() {
  const turn = await client.turn();
  const anthropic = await handled(turn, "refunds");
  assert.deepEqual([anthropic.type, anthropic.tool_use_id, anthropic.is_error], ["tool_result", "toolu_1", undefined]);
  assert.match(anthropic.content, /<skill name="refunds"[^]*Do at acme\./);
  assert.equal(wire.requests.at(-1)?.body.tool_call, "toolu_1");
  turn.forget();
  const openai = await turn.handle(chat('{"name": "refunds"}'));
  assert.deepEqual([openai?.role, openai?.tool_call_id], ["tool", "call_1"]);
  assert.match(openai?.content ?? "", /Do at acme\./);
  turn.forget();
  const mcp = await turn.handle({ name: "skill", arguments: { name: "refunds" } });
  assert.equal(mcp?.isError, false);
  assert.match(mcp?.content[0]?.text ?? "", /Do at acme\./);
  // Another tool is the loop's own, and what makes no sense is said without asking.
  const before = wire.requests.length;
  assert.equal(await turn.handle({ id: "x", name: "search", input: {} }), undefined);
  for (const wrong of [await turn.handle(call(7)), await turn.handle(chat("{")), await turn.handle({ name: "skill" })]) {
    assert.match(JSON.stringify(wrong), /Call `skill` with the name/);
  }
  assert.equal(wire.requests.length, before);
}

async function whatWasNotOfferedIsToldToTheModel() {
  const turn = await client.turn();
  for (const name of ["payroll", "no-such-skill", "Not a name"]) {
    const result = await handled(turn, name);
    assert.equal(result.is_error, true);
    assert.ok(result.content.startsWith(`No skill named "${name}" is available to you. Available: `), result.content);
  }
  assert.match((await turn.handle(chat('{"name": "payroll"}')))?.content ?? "", /^Error: No skill named/);
  assert.equal((await turn.handle({ name: "skill", arguments: { name: "payroll" } }))?.isError, true);
  const error = await failure(() => turn.load("payroll"));
  assert.deepEqual([error.code, error.status], ["skill-not-offered", 404]);
}

async function whatIsInTheConversationIsNotSentAgain() {
  const turn = await client.turn();
  await handled(turn, "refunds");
  const again = await handled(turn, "refunds");
  assert.match(again.content, /in this conversation already/);
  assert.equal(again.is_error, undefined);
  turn.forget("refunds");
  assert.match((await handled(turn, "refunds")).content, /Do at acme\./);
  // A load by hand asks for the body, and says nothing about the conversation.
  const loaded = await turn.load("refunds");
  assert.deepEqual([loaded.already_loaded, loaded.body], [false, "Do at acme.\n"]);
  const short = await turn.load("refunds", [loaded.rendered_digest]);
  assert.deepEqual([short.already_loaded, short.body], [true, undefined]);
}

async function aReplacedSkillIsToldAndAForgottenOneComesAgain() {
  const one = { organization: { name: "One" } };
  const first = await client.turn({ context: one });
  assert.doesNotMatch((await handled(first, "greeting")).content, /replaces/);
  const loaded = await first.load("greeting", [], "c-9");
  const path = "skill://tenant/greeting/SKILL.md";
  assert.deepEqual(loaded.context_node, {
    skill_name: "greeting", skill_path: path, skill_hash: loaded.rendered_digest, loaded_by_tool_call_id: "c-9",
    synthetic: true, source_node_type: "skill_context", source_node_id: `${path}#${loaded.rendered_digest}`,
  });
  const { have } = first.journal();
  assert.deepEqual(have, { [path]: loaded.rendered_digest });
  // The next turn of the conversation: the same is not sent again, something else is told, what has left comes again.
  const same = await client.turn({ context: one, have });
  assert.match((await handled(same, "greeting")).content, /already/);
  same.forget(path);
  assert.match((await handled(same, "greeting")).content, /^<skill/);
  const other = await client.turn({ context: { organization: { name: "Two" } }, have });
  assert.match((await handled(other, "greeting")).content, /^The skill "greeting" has changed: this replaces [^]*For Two\./);
  assert.match((await handled(other, "greeting")).content, /already/);
  other.forget("greeting");
  assert.match((await handled(other, "greeting")).content, /^<skill/);
}

async function filesAndTemplatesAreLoaded() {
  const turn = await client.turn({ context: { organization: { name: "Acme" } } });
  assert.match((await handled(turn, "with-files")).content, /steps\.md/);
  assert.equal((await handled(turn, "with-files", { file: "steps.md" })).content, "First this.\n");
  assert.match((await handled(turn, "with-files", { file: "" })).content, /already/);
  const missing = await handled(turn, "with-files", { file: "other.md" });
  assert.equal(missing.is_error, true);
  assert.match(missing.content, /steps\.md/);
  assert.equal((await handled(turn, "with-files", { file: "logo.bin" })).content, "logo.bin has 2 bytes that are no text.");
  assert.equal((await turn.loadFile("with-files", "logo.bin")).base64, "//4=");
  assert.match((await handled(turn, "greeting")).content, /For Acme\./);
  const bare = await handled(await client.turn(), "greeting");
  assert.equal(bare.is_error, true);
  assert.match(bare.content, /context/);
}

async function aTurnGoesOnAfterARestartWithTheSamePins() {
  const turn = await client.turn({ turn: "run-ts" });
  await handled(turn, "changing");
  const kept = JSON.parse(JSON.stringify(turn.journal())) as Journal;
  assert.ok(!JSON.stringify(kept).includes(TOKEN));
  const content = (body: string) => ({ description: "Use when it changes.", body });
  await publish("PUT", "/v1/skills/tenant:acme/changing", content("New.\n"), { "if-match": "*" });
  await please("restart");
  const resumed = await client.resume(kept);
  assert.deepEqual([resumed.entries, resumed.block], [turn.entries, turn.block]);
  assert.match((await handled(resumed, "changing")).content, /already/);
  resumed.forget();
  assert.match((await handled(resumed, "changing")).content, /Old\./);
  assert.match((await handled(await client.turn(), "changing")).content, /New\./);
  const forgotten = await failure(() => client.resume({ ...kept, etag: "sha256:other" }));
  assert.deepEqual([forgotten.code, forgotten.status], ["turn-forgotten", 0]);
  const conflict = await failure(() => client.turn({ turn: "run-ts", cap: 3 }));
  assert.deepEqual([conflict.code, conflict.status], ["turn-conflict", 409]);
}

async function aRecalledSkillIsToldToTheModel() {
  const turn = await client.turn();
  await handled(turn, "recalled");
  await publish("POST", "/v1/skills/tenant:acme/recalled/quarantine", { reason: "a test" });
  const result = await handled(turn, "recalled");
  assert.equal(result.is_error, true);
  assert.match(result.content, /recalled/);
  assert.deepEqual(turn.journal().have, {});
  assert.equal((await failure(() => turn.load("recalled"))).status, 410);
}

async function aProposalIsMadeOnceHoweverOftenItIsSent() {
  const lesson = {
    rationale: "It came up twice.", turn: "t-1", links: ["https://example.org/1"],
    description: "Use when it comes up.", body: "Do as learned.\n",
  };
  wire.requests.length = 0;
  wire.cut = 2;
  const made = await client.propose("tenant:acme", "lesson-ts", lesson);
  assert.deepEqual([made.state, wire.requests.length], ["open", 3]);
  const keys = new Set(wire.requests.map((sent) => sent.headers["idempotency-key"]));
  assert.equal(keys.size, 1);
  const again = await client.propose("tenant:acme", "lesson-ts", { ...lesson, idempotencyKey: [...keys][0] ?? "" });
  assert.equal(again.id, made.id);
  const refused = await failure(() => client.propose("tenant:globex", "lesson-ts", lesson));
  assert.deepEqual([refused.code, refused.status, refused.rule], ["refused", 403, "not-in-scope"]);
}

async function aSkillOfOnesOwnIsWritten() {
  const content = (body: string) => ({ description: "Use for me.", body });
  const first = await client.writeOwnSkill("mine-ts", content("One.\n"));
  assert.deepEqual([first.revision, first.scope], [1, "actor:tom"]);
  assert.equal((await failure(() => client.writeOwnSkill("mine-ts", content("Two.\n")))).status, 412);
  assert.equal((await client.writeOwnSkill("mine-ts", content("Two.\n"), first.digest)).revision, 2);
  wire.cut = 1;
  const third = await client.writeOwnSkill("mine-ts", content("Three.\n"), "*");
  assert.equal(third.revision, 3);
  // Nobody knows whether it was done, and done twice it would be refused: the caller decides.
  wire.requests.length = 0;
  wire.change = (sent, answer) => sent.method === "GET" ? answer : cut();
  assert.equal((await failure(() => client.writeOwnSkill("mine-ts", content("Four.\n"), third.digest))).code, "no-answer");
  wire.change = undefined;
  assert.deepEqual(wire.paths(), ["/v1/me", "/v1/skills/actor%3Atom/mine-ts"]);
}

async function aRunIsOpened() {
  const opening = await client.opening(CONTEXT, { turn: "o-ts" });
  assert.match(opening.text, /Be brief\./);
  assert.deepEqual(opening.parts.map((part) => part.name), ["tone"]);
}

async function aBusyServerIsAskedAgainAndAForeignOneIsNot() {
  const turn = await client.turn();
  wire.requests.length = 0;
  wire.busy = 2;
  await turn.load("refunds");
  assert.equal(wire.requests.length, 3);
  wire.requests.length = 0;
  wire.busy = 100;
  assert.equal((await failure(() => turn.load("refunds"))).code, "busy");
  assert.equal(wire.requests.length, 5);
  wire.busy = 0;
  const answers: [() => Response, string][] = [
    [() => json(503, { code: "busy", detail: "Come back." }, { "retry-after": "3600" }), "busy"],
    [() => new Response("<html>Welcome to our network</html>", { headers: { "content-type": "text/html" } }), "not-vestry"],
    [() => new Response(null, { status: 302, headers: { location: "https://example.org/" } }), "not-vestry"],
    [() => new Response(null, { status: 204 }), "not-vestry"],
  ];
  for (const [answer, code] of answers) {
    wire.requests.length = 0;
    wire.change = answer;
    assert.equal((await failure(() => client.turn())).code, code);
    assert.equal(wire.requests.length, 1);
  }
  wire.change = undefined;
}

async function aTokenShowsNowhere() {
  const turn = await client.turn();
  const nobody = new Client(SERVER, async () => "no-token");
  const error = await failure(() => nobody.turn());
  assert.deepEqual([error.code, error.status], ["unauthenticated", 401]);
  for (const shown of [client, nobody, turn, error, turn.journal()].map((one) => inspect(one, { depth: 9, showHidden: true }))) {
    assert.ok(!shown.includes(TOKEN) && !shown.includes("no-token"), shown);
  }
}

async function anOfferThatHasEndedIsHadAgain() {
  const turn = await client.turn({ cap: 50 });
  const before = turn.journal();
  await please("advance 1000");
  wire.requests.length = 0;
  assert.match((await handled(turn, "refunds")).content, /Do at acme\./);
  assert.deepEqual(wire.paths(), ["/v1/load", "/v1/catalog", "/v1/load"]);
  const after = turn.journal();
  assert.notEqual(after.offer, before.offer);
  assert.equal(after.etag, before.etag);
  assert.deepEqual(wire.requests[1]?.body, { cap: 50, turn: turn.name, have: before.etag });

  // Before its end it is not used any more: no request is spent on finding out.
  const other = (fields: () => object) => async (sent: { path: string }, answer: Response) =>
    sent.path === "/v1/catalog" ? json(200, { ...(await answer.json() as object), ...fields() }) : answer;
  wire.change = other(() => ({ expires_at: new Date(Date.now() + 30_200).toISOString() }));
  const ending = await client.turn();
  wire.change = undefined;
  await new Promise((resolve) => setTimeout(resolve, 400));
  wire.requests.length = 0;
  await ending.load("refunds");
  await ending.load("refunds");
  assert.deepEqual(wire.paths(), ["/v1/catalog", "/v1/load", "/v1/load"]);
  // A server whose turn has another catalog meanwhile is not followed.
  wire.change = other(() => ({ etag: "other" }));
  await please("advance 1000");
  assert.equal((await failure(() => ending.load("refunds"))).code, "turn-forgotten");
}

tap();
for (const test of [
  theCatalogHasABlockAndEntries, theToolIsDefinedForEverySdk, callsAreAnsweredInTheirOwnShape, whatWasNotOfferedIsToldToTheModel,
  whatIsInTheConversationIsNotSentAgain, aReplacedSkillIsToldAndAForgottenOneComesAgain, filesAndTemplatesAreLoaded, aTurnGoesOnAfterARestartWithTheSamePins,
  aRecalledSkillIsToldToTheModel, aProposalIsMadeOnceHoweverOftenItIsSent, aSkillOfOnesOwnIsWritten, aRunIsOpened,
  aBusyServerIsAskedAgainAndAForeignOneIsNot, aTokenShowsNowhere, anOfferThatHasEndedIsHadAgain,
]) {
  await test();
  console.log(`node: ${test.name}`);
}
leave();
