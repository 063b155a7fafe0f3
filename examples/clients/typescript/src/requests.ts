/** Sending: with the credential, again while the server is busy, and holding answers to what they have to say. */
import { VestryError } from "./types.ts";

/** How often a request is sent at most. */
const ATTEMPTS = 5;
/** The longest wait, in seconds, that a server may ask for before the next attempt. */
const LONGEST_WAIT = 60;

/** A request without its credential. */
export interface Request {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** False when sending it twice may do more than sending it once. */
  repeatable?: boolean;
}

/** Sends a request until it is answered, and gives the JSON, which has the `needed` fields. */
export type Ask = <T>(request: Request, ...needed: (keyof T & string)[]) => Promise<T>;

/** How a server is asked, with this timeout in milliseconds for each attempt. */
export function asking(server: string, token: () => string | Promise<string>, timeout: number): Ask {
  return async <T>(request: Request, ...needed: (keyof T & string)[]): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      const reply = await send(server, await token(), timeout, request);
      const wait = "reason" in reply ? 0 : reply.wait;
      if (wait === undefined || wait > LONGEST_WAIT || request.repeatable === false || attempt === ATTEMPTS) {
        return read<T>(reply, needed);
      }
      const jitter = (0.5 + Math.random() / 2) * 0.1 * 2 ** attempt;
      await new Promise((resolve) => setTimeout(resolve, (wait + jitter) * 1000));
    }
  };
}

/** A path of these segments; none can add a segment or a query. */
export function path(...segments: string[]): string {
  const dots = (text: string) => "%2E".repeat(text.length);
  return `/v1/${segments.map((segment) => encodeURIComponent(segment).replace(/^\.+$/, dots)).join("/")}`;
}

/** An answer, with the seconds after which to come back if it says so; or why there is none. */
type Reply = { status: number; body: unknown; wait: number | undefined } | { reason: string };

async function send(server: string, token: string, timeout: number, request: Request): Promise<Reply> {
  if (!/^[\x21-\x7e]*$/.test(token)) throw new VestryError("bad-token", "The token has characters that no token has, such as a line break.");
  const { method } = request;
  const headers = { ...request.headers, "content-type": "application/json", authorization: `Bearer ${token}` };
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  try {
    const signal = AbortSignal.timeout(timeout);
    const answer = await fetch(server + request.path, { method, headers, body, redirect: "manual", signal });
    const [status, text] = [answer.status, await answer.text()];
    const isBusy = status === 429 || status === 503;
    const wait = isBusy ? Number.parseInt(answer.headers.get("retry-after") ?? "0", 10) || 0 : undefined;
    return { status, body: parsed(text), wait };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { reason: cause instanceof Error ? cause.message : "the connection failed" };
  }
}

/** A text as JSON; undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read<T>(reply: Reply, needed: string[]): T {
  if ("reason" in reply) {
    throw new VestryError("no-answer", `There is no answer: ${reply.reason}; try again.`);
  }
  const { status, body } = reply;
  if (typeof body === "object" && body !== null) {
    if (status < 300 && needed.every((name) => name in body)) {
      return body as T;
    }
    const { code, detail, rule, field } = body as Record<string, unknown>;
    if (status >= 400 && typeof code === "string") {
      const where = field === undefined ? "" : ` (field ${field})`;
      throw new VestryError(code, `${detail ?? ""}${where}`, status, typeof rule === "string" ? rule : undefined);
    }
  }
  const detail = `The answer, with status ${status}, is none of a Vestry server; check the address.`;
  throw new VestryError("not-vestry", detail, status);
}
