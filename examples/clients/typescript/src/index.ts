/**
 * A client of Vestry for agent loops.
 *
 * `Client` takes the catalog of a turn; the turn gives the block for the prompt and the definition of the `skill` tool,
 * answers its calls, and can be kept in a loop's journal and resumed.
 */
export { Client } from "./client.ts";
export type { OpeningTerms, ProposalTerms, Terms } from "./client.ts";
export { Turn } from "./turn.ts";
export type { ToolDefinitions, ToolResults } from "./tool.ts";
export { VestryError } from "./types.ts";
export type { Content, Context, ContextNode, Entry, File, Have, Journal, Loaded, Opening, Proposal, Sdk, Written } from "./types.ts";
export type { PromptRequest, PromptTemplate } from "./prompts/types.ts";
