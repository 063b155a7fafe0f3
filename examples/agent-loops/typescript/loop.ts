/** An agent loop on Vestry: see README.md. */
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type Journal as KeptTurn, type Turn } from "../../clients/typescript/src/index.ts";
import { type Block, type Message, type Model, scripted } from "./scripted.ts";

const TASK = process.env.VESTRY_LOOP_TASK ?? "A customer asks about refunds: the parcel of order 4711 came broken.";
const PROMPT = "You are a support agent. Use the tools that you are given, and answer in one sentence.\n\n";
const MODEL_NAME = process.env.VESTRY_LOOP_MODEL_NAME ?? "claude-sonnet-5-5";

/** Stands for the end of a process, at the worst moment. */
class Crash extends Error {}

/** What is kept, by its kind. */
interface Kept {
  step: { messages: Message[]; turn: KeptTurn };
  lesson: object;
}

/** What the loop has to know to go on, as JSON lines: each step has its messages and the turn after it. */
class Journal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a line, and waits until it is on the disk. */
  keep<K extends keyof Kept>(kind: K, value: Kept[K]): void {
    appendFileSync(this.#file, `${JSON.stringify({ kind, value })}\n`, { flush: true });
  }

  /** What was kept of this kind, oldest first. */
  all<K extends keyof Kept>(kind: K): Kept[K][] {
    const lines = existsSync(this.#file) ? readFileSync(this.#file, "utf8").split("\n").filter(Boolean) : [];
    return lines.map((line) => JSON.parse(line)).filter((line) => line.kind === kind).map((line) => line.value);
  }
}

/** The client of Anthropic's SDK, or a script in its shape. */
async function model(): Promise<Model> {
  if (process.env.VESTRY_LOOP_MODEL !== "anthropic") {
    return scripted;
  }
  const sdk: string = "@anthropic-ai/sdk";
  const { default: Anthropic } = await import(sdk);
  return new Anthropic();
}

/** The turn and the messages that the journal has, or new ones, which are kept before they are used. */
async function begin(client: Client, journal: Journal): Promise<{ turn: Turn; messages: Message[] }> {
  const steps = journal.all("step");
  const last = steps.at(-1);
  if (last !== undefined) {
    const turn = await client.resume(last.turn);
    console.log(`-- going on with turn ${turn.name}: ${turn.entries.length} skills, as they were`);
    return { turn, messages: steps.flatMap((step) => step.messages) };
  }
  const turn = await client.turn({ turn: `run-${randomUUID()}` });
  console.log(`-- turn ${turn.name}: ${turn.entries.length} skills are offered`);
  console.log(`user: ${TASK}`);
  const messages: Message[] = [{ role: "user", content: TASK }];
  journal.keep("step", { messages, turn: turn.journal() });
  return { turn, messages };
}

/** Runs until the model is done, or until the crash. */
async function run(client: Client, journal: Journal, crashAfter: number): Promise<void> {
  const { turn, messages } = await begin(client, journal);
  const llm = await model();
  while (messages.at(-1)?.role === "user") {
    const answer = await llm.messages.create({
      model: MODEL_NAME, max_tokens: 1024, system: PROMPT + turn.block, messages, tools: [turn.toolDefinition("anthropic")],
    });
    const results: object[] = [];
    for (const block of answer.content) {
      const result = await answered(turn, block);
      if (result !== undefined) {
        results.push(result);
      }
    }
    const step: Message[] = [{ role: "assistant", content: answer.content }];
    if (results.length > 0) {
      step.push({ role: "user", content: results });
    }
    // In one line: no call stays without its result, and the turn knows which skills the conversation has.
    journal.keep("step", { messages: step, turn: turn.journal() });
    messages.push(...step);
    if (messages.filter((message) => message.role === "assistant").length === crashAfter) {
      throw new Crash();
    }
  }
  await proposeLesson(client, turn, journal);
}

/** The result of a call; undefined for what the model only says. */
async function answered(turn: Turn, block: Block): Promise<object | undefined> {
  if (block.type !== "tool_use") {
    if (block.type === "text") {
      console.log(`model: ${block.text}`);
    }
    return undefined;
  }
  console.log(`model calls ${block.name} ${JSON.stringify(block.input)}`);
  // The loop's other tools would be called where the answer is undefined.
  const result = await turn.handle(block) ??
    { type: "tool_result" as const, tool_use_id: block.id, content: "There is no such tool.", is_error: true as const };
  console.log(`  ${result.is_error ? "error" : "result"}: ${result.content.split("\n")[0]}`);
  return result;
}

/** Puts forward what was learned, for humans to decide; the turn is the key, so that a run has one lesson. */
async function proposeLesson(client: Client, turn: Turn, journal: Journal): Promise<void> {
  if (journal.all("lesson").length > 0) {
    return;
  }
  const scope = turn.scopes.find((scope) => scope.startsWith("tenant:")) ?? "global";
  const lesson = await client.propose(scope, "broken-parcels", {
    rationale: "It came up in a run, and no skill covers it.",
    turn: turn.name,
    idempotencyKey: `${turn.name}-lesson`,
    description: "Use when a parcel came broken.",
    body: "Ask for a photograph before anything else.\n",
  });
  journal.keep("lesson", lesson);
  console.log(`-- lesson ${lesson.id} for ${scope} is ${lesson.state}`);
}

const { VESTRY_SERVER, VESTRY_TOKEN } = process.env;
if (!VESTRY_SERVER || !VESTRY_TOKEN) {
  throw new Error("set VESTRY_SERVER and VESTRY_TOKEN");
}
const client = new Client(VESTRY_SERVER, VESTRY_TOKEN);
const journal = new Journal(process.env.VESTRY_LOOP_JOURNAL ?? join(tmpdir(), `vestry-loop-${randomUUID()}.jsonl`));
try {
  await run(client, journal, Number(process.env.VESTRY_LOOP_CRASH ?? "2"));
} catch (error) {
  if (!(error instanceof Crash)) {
    throw error;
  }
  console.log("-- the loop dies here");
  // Nothing of the first run is used again but the journal.
  await run(client, journal, 0);
}
