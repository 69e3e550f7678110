import { closest } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const commandOrUrl = (isBoth: boolean): Diagnostic =>
  diagnostic({
    code: "usage.server-without-target",
    what: isBoth ? "both a command and --url were given" : "neither a command nor --url was given",
    why: "A server is started by a command or reached at a url.",
    next: "smith mcp-servers add NAME -- COMMAND ARGS…, or smith mcp-servers add NAME --url URL",
    exit: 2,
  });

export const badServerFlag = (given: string, why: string): Diagnostic =>
  diagnostic({
    code: "usage.bad-server-flag",
    what: `${given} cannot be used`,
    why: `${why[0]?.toUpperCase() ?? ""}${why.slice(1)}.`,
    next: "See smith mcp-servers add --help.",
    exit: 2,
  });

export function noSuchServer(name: string, known: readonly string[]): Diagnostic {
  const near = closest(name, known);
  return diagnostic({
    code: "usage.no-such-mcp-server",
    what: `there is no MCP server ${name === "" ? "(empty)" : name}`,
    why: known.length === 0 ? "None is set up." : `Set up are: ${known.join(", ")}.`,
    next: near === undefined ? "Set one up with: smith mcp-servers add." : `Did you mean ${near}?`,
    exit: 2,
  });
}

export const badServerName = (name: string): Diagnostic =>
  diagnostic({
    code: "usage.bad-server-name",
    what: `${JSON.stringify(name.slice(0, 120))} cannot be the name of a server`,
    why: "A name has 1 to 100 characters, without blanks, quotes and backslashes.",
    next: "Give it another one; it becomes part of the names of its tools.",
    exit: 2,
  });

export const notInThatFile = (name: string, path: string, elsewhere: string | undefined): Diagnostic =>
  diagnostic({
    code: "mcp.not-in-file",
    what: `${path} has no server ${name}`,
    why: elsewhere === undefined ? "No other file has one either." : `It is set up in ${elsewhere}.`,
    next: elsewhere === undefined ? "See smith mcp-servers list." : "Take it out there, or use --project for the project's .mcp.json.",
  });
