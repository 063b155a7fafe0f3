/** The `skill` tool in the shapes of the SDKs: its definition, its calls, its results. */
import { parsed } from "./requests.ts";
import type { Sdk } from "./types.ts";

/** The name of the tool, as the block tells it to the model. */
export const NAME = "skill";

const DESCRIPTION =
  "Loads a skill of the catalog: the procedure for a task. Call it with the skill's name before you begin the task, " +
  "and follow what it says; never guess the content.";
const SCHEMA = {
  type: "object" as const,
  properties: {
    name: { type: "string", description: "The name of the skill, as the catalog writes it." },
    file: { type: "string", description: "The path of a file of the skill, instead of its procedure." },
  },
  required: ["name"],
};

/** The definition of the tool as each SDK takes it. Names are a plain string, so that it stays the same in every turn. */
const DEFINITIONS = {
  anthropic: { name: NAME, description: DESCRIPTION, input_schema: SCHEMA },
  openai: { type: "function" as const, function: { name: NAME, description: DESCRIPTION, parameters: SCHEMA } },
  mcp: { name: NAME, description: DESCRIPTION, inputSchema: SCHEMA, annotations: { readOnlyHint: true } },
};

/** The definition of the tool, by SDK; that of OpenAI is the form of Chat Completions. */
export type ToolDefinitions = typeof DEFINITIONS;

/** The result of a call, by SDK. */
export interface ToolResults {
  anthropic: { type: "tool_result"; tool_use_id: string; content: string; is_error?: true };
  openai: { role: "tool"; tool_call_id: string; content: string };
  mcp: { content: { type: "text"; text: string }[]; isError: boolean };
}

/** The definition of the tool. */
export function definition<S extends Sdk>(sdk: S): ToolDefinitions[S] {
  return structuredClone(DEFINITIONS[sdk]);
}

/** A call of a tool, whosever shape it came in. */
export interface Call {
  sdk: Sdk;
  id: string;
  name: string;
  arguments: unknown;
}

/** Reads a call: Anthropic has `input`, OpenAI has `function`, MCP has `arguments`. */
export function callOf(call: object): Call {
  const { id, name, input, function: called, arguments: given } = call as Record<string, unknown>;
  const common = { id: String(id ?? ""), name: String(name) };
  if (typeof called === "object" && called !== null) {
    const { name, arguments: text } = called as Record<string, unknown>;
    return { ...common, sdk: "openai", name: String(name), arguments: parsed(String(text)) };
  }
  return input === undefined ? { ...common, sdk: "mcp", arguments: given } : { ...common, sdk: "anthropic", arguments: input };
}

/** An argument that is a text; undefined otherwise. */
export function argument(call: Call, name: string): string | undefined {
  const given = typeof call.arguments === "object" && call.arguments !== null ? call.arguments : {};
  const found = (given as Record<string, unknown>)[name];
  return typeof found === "string" ? found : undefined;
}

/** The result, in the shape that the call came in. OpenAI's has no mark for errors; the text says that it is one. */
export function resultOf(call: Call, text: string, isError = false): ToolResults[Sdk] {
  if (call.sdk === "openai") {
    return { role: "tool", tool_call_id: call.id, content: isError ? `Error: ${text}` : text };
  }
  if (call.sdk === "mcp") {
    return { content: [{ type: "text", text }], isError };
  }
  const result = { type: "tool_result" as const, tool_use_id: call.id, content: text };
  return isError ? { ...result, is_error: true } : result;
}
