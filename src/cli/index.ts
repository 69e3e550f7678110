/**
 * cli: the command line: declarations of commands and flags, their parsing, and every command without the interface.
 * Promises: data on stdout, words for people on stderr, one exit status; a module is loaded only by the command that needs it.
 * Must never know: the agent loop, vendors, how the interface draws. Read first: command-table.ts, commands.ts.
 */
export { type CliHost, type InputPort, type OutputPort, type StopSignal, type TerminalPort } from "./host.js";
export { main } from "./main.js";
