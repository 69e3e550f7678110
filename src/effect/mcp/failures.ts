import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const serverUnknown = (server: string): Diagnostic =>
  diagnostic({
    code: "mcp.server-unknown",
    what: `There is no MCP server ${JSON.stringify(server.slice(0, 100))}.`,
    why: "None of that name is set up in this run.",
    next: "`smith mcp-servers list` shows those there are.",
  });

export const serverOff = (server: string): Diagnostic =>
  diagnostic({
    code: "mcp.server-off",
    what: `The MCP server ${server} is switched off.`,
    why: "Its setting says enabled=false.",
    next: "Enable it in the file that names it, and start smith again.",
  });

/** It could not be connected, or went away. */
export const serverFailed = (server: string, why: string): Diagnostic =>
  diagnostic({
    code: "mcp.server-failed",
    what: `The MCP server ${server} cannot be used.`,
    why,
    next: `See what it says with \`smith mcp-servers check ${server}\`; \`/mcp reconnect ${server}\` tries again.`,
  });

export const signInNeeded = (server: string, words = ""): Diagnostic =>
  diagnostic({
    code: "mcp.sign-in-needed",
    what: `The MCP server ${server} wants a person to sign in.`,
    why: `It refused the request, and no sign-in that is kept for it is enough. ${words}`.trim(),
    next: `Sign in with: smith mcp-servers login ${server}`,
    exit: 3,
  });

/** The token of its setting is not taken: no sign-in helps. */
export const tokenRefused = (server: string): Diagnostic =>
  diagnostic({
    code: "mcp.token-refused",
    what: `The MCP server ${server} does not take the token of its setting.`,
    why: "It answered with status 401, although a token was sent.",
    next: "Put a token that is valid where the setting of the server takes it from.",
    exit: 3,
  });

/** It may be asked again later: nothing was done. */
export const serverBusy = (server: string, operation: string, why: string, delayMs: number | undefined): Diagnostic =>
  diagnostic({
    code: "mcp.busy",
    what: `The MCP server ${server} did not take ${operation}: it has too much to do.`,
    why,
    next: delayMs === undefined ? "Try again in a while." : `Try again in ${Math.ceil(delayMs / 1_000)} s, as it asks.`,
    retry: delayMs === undefined ? { type: "now" } : { type: "after", delayMs },
  });

/** It answered that something went wrong, and not how far it came. */
export const callUnclear = (server: string, operation: string, why: string): Diagnostic =>
  diagnostic({
    code: "mcp.unclear",
    what: `The MCP server ${server} failed at ${operation}.`,
    why,
    next: "It may have been carried out in part: look before you ask for it once more.",
  });

export const signInFailed = (server: string, why: string): Diagnostic =>
  diagnostic({
    code: "mcp.sign-in-failed",
    what: `Signing in to the MCP server ${server} failed.`,
    why,
    next: "Try again; the server's own pages say what it expects.",
  });

export const callTimedOut = (server: string, operation: string, timeoutMs: number): Diagnostic =>
  diagnostic({
    code: "mcp.timed-out",
    what: `${operation} of the MCP server ${server} was not answered within ${timeoutMs / 1000} s.`,
    why: "Nothing was heard of it for that long; the server was told to give up.",
    next: "Ask for less, or give the server a longer timeout in its setting.",
    retry: { type: "now" },
  });

/** It was sent, and no answer came: whether it was carried out nobody knows. */
export const answerLost = (server: string, operation: string, why: string): Diagnostic =>
  diagnostic({
    code: "mcp.answer-lost",
    what: `The answer of the MCP server ${server} to ${operation} is lost.`,
    why: `${why} The request was sent, so it may have been carried out; it is not sent again.`,
    next: "Look whether it was done before you ask for it once more.",
  });

export const operationStopped = (server: string, operation: string): Diagnostic =>
  diagnostic({
    code: "mcp.stopped",
    what: `${operation} of the MCP server ${server} was stopped.`,
    why: "It was given up while it waited for an answer; the server was told so.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });

/** The server's own words for a request it does not take. */
export const serverRefused = (server: string, operation: string, words: string): Diagnostic =>
  diagnostic({
    code: "mcp.refused",
    what: `The MCP server ${server} refused ${operation}.`,
    why: words,
    next: "Correct the request, or leave it.",
  });

export const unsetVariable = (server: string, where: string, name: string): Diagnostic =>
  diagnostic({
    code: "mcp.variable-unset",
    what: `The MCP server ${server} cannot be started: ${where} refers to ${name}, which is not set.`,
    why: "A reference without a default stands for a value that has to be there.",
    next: `Set ${name}, store it with \`smith secrets add ${name}\`, or write \${${name}:-default} in the setting.`,
  });
