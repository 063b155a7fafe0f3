/**
 * A model that needs no network: `messages.create` as Anthropic's SDK has it, and a fixed idea of what to do next. Like a
 * model it remembers nothing: what it does depends on the messages that it is sent.
 */

/** A tool that the model calls. */
export interface ToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** A piece of what the model answers. */
export type Block = { type: "text"; text: string } | ToolUse;

/** A message of the conversation. */
export interface Message {
  role: "user" | "assistant";
  content: string | readonly object[];
}

/** What a loop asks a model. */
export interface Question {
  model: string;
  max_tokens: number;
  system: string;
  messages: Message[];
  tools: object[];
}

/** The client of the SDK, as far as a loop uses it. */
export interface Model {
  messages: { create(question: Question): Promise<{ content: Block[] }> };
}

/** Loads the skill of the task, guesses at another one, looks at the first again, and is done. */
export const scripted: Model = {
  messages: {
    async create({ system, messages }) {
      const offered = [...system.matchAll(/^- (\S+) \[/gm)].map((match) => match[1] ?? "");
      const task = String(messages[0]?.content);
      const wanted = offered.find((name) => task.includes(name)) ?? offered[0] ?? "anything";
      const step = messages.filter((message) => message.role === "assistant").length;
      const name = [wanted, "office-gossip", wanted][step];
      if (name !== undefined) {
        return { content: [{ type: "tool_use", id: `toolu_${step + 1}`, name: "skill", input: { name } }] };
      }
      return { content: [{ type: "text", text: `Done as the skill ${wanted} says.` }] };
    },
  },
};
