import { type CallToolResult, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { type Diagnostic, diagnostic } from "../schema/index.js";

/** A diagnostic in words for a model. */
export const wordsOf = ({ what, why, next }: Diagnostic): string => `${what}\n${why}\n${next}`;

/** A call of a tool that came to nothing, for the model to act on. */
export const failed = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });

export const invalidParams = (message: string): McpError => new McpError(ErrorCode.InvalidParams, message);

export const noSuchSession = (name: string): Diagnostic =>
  diagnostic({
    code: "mcp.unknown-session",
    what: `There is no session ${name.slice(0, 80)} of this folder.`,
    why: "Only sessions of the folder this server works in can be gone on in, and only by their whole id.",
    next: "Give the id that an earlier result names, or leave session out to begin a new one.",
  });

/** Code of the protocol for a resource that is not there. */
const RESOURCE_NOT_FOUND = -32002;

export const resourceNotFound = (uri: string): McpError => new McpError(RESOURCE_NOT_FOUND, `There is no resource ${uri} here.`, { uri });

/** What ended badly and is no fault of the request. */
export const internal = (problem: Diagnostic): McpError =>
  new McpError(ErrorCode.InternalError, problem.what, { code: problem.code, why: problem.why, next: problem.next });
