/**
 * What the tests stand on: a server that somebody else has started, and how to ask that somebody for something.
 *
 * `VESTRY_SERVER`, `VESTRY_TOKEN` (an agent of the actor `tom`) and `VESTRY_PUBLISHER` (a publisher of its tenant) say
 * where and as whom, `VESTRY_CONTEXT` is the data of a run. A line `@advance 1000` on standard output moves the server's
 * clock, `@restart` restarts it; a line on standard input says that it is done.
 */
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { VestryError } from "../src/index.ts";

function variable(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
}

export const SERVER = variable("VESTRY_SERVER");
export const TOKEN = variable("VESTRY_TOKEN");
export const CONTEXT = JSON.parse(variable("VESTRY_CONTEXT")) as Record<string, unknown>;

const lines = createInterface({ input: process.stdin });
const said = lines[Symbol.asyncIterator]();

/** Asks for something, and waits until it is done. */
export async function please(request: string): Promise<void> {
  console.log(`@${request}`);
  assert.equal((await said.next()).value, "done", request);
}

/** Lets the process end. */
export function leave(): void {
  lines.close();
}

/** Does something as the publisher. */
export async function publish(method: string, route: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
  const all = { ...headers, authorization: `Bearer ${variable("VESTRY_PUBLISHER")}`, "content-type": "application/json" };
  const answer = await fetch(SERVER + route, { method, headers: all, body: JSON.stringify(body) });
  assert.ok(answer.ok, await answer.text());
}

/** The error of what has to fail. */
export async function failure(doing: () => Promise<unknown>): Promise<VestryError> {
  try {
    await doing();
  } catch (error) {
    assert.ok(error instanceof VestryError, String(error));
    return error;
  }
  return assert.fail("it did not fail");
}

/** A request as it went over the wire. */
export interface Sent {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** The wire to the server, on which a test may cut lines, count requests and change answers. */
export const wire = {
  requests: [] as Sent[],
  /** How many answers are lost. */
  cut: 0,
  /** How many requests are answered 503 without reaching the server. */
  busy: 0,
  change: undefined as ((sent: Sent, answer: Response) => Response | Promise<Response>) | undefined,
  paths(): string[] {
    return this.requests.map((sent) => sent.path);
  },
};

/** An answer in JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}

/** Loses an answer. */
export function cut(): Response {
  throw new TypeError("fetch failed", { cause: new Error("the line was cut") });
}

/** Puts the wire between the client and the server. */
export function tap(): void {
  const inner = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = new URL(String(input));
    const text = typeof init?.body === "string" ? init.body : "{}";
    const headers = (init?.headers ?? {}) as Record<string, string>;
    if (headers.authorization?.endsWith(variable("VESTRY_PUBLISHER"))) {
      return inner(input, init);
    }
    const sent: Sent = { path: url.pathname, method: init?.method ?? "GET", headers, body: JSON.parse(text) };
    wire.requests.push(sent);
    if (wire.busy > 0) {
      wire.busy -= 1;
      return json(503, { code: "busy", detail: "Come back." }, { "retry-after": "0" });
    }
    const answer = await inner(input, init);
    if (wire.cut > 0) {
      wire.cut -= 1;
      await answer.text();
      return cut();
    }
    return wire.change ? await wire.change(sent, answer) : answer;
  };
}
