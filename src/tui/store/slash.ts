import type { AccessMode } from "../../schema/index.js";

export interface SlashCommand {
  readonly name: string;
  readonly argument: string;
  readonly what: string;
}

/** Commands of the interface itself. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: "help", argument: "", what: "keys and commands" },
  { name: "mode", argument: "ask-writes|auto|read-only|plan", what: "how much may run without asking" },
  { name: "model", argument: "", what: "which model answers, and why" },
  { name: "name", argument: "NAME", what: "name this session" },
  { name: "continue", argument: "", what: "go on with the turn that was interrupted" },
  { name: "reconcile", argument: "EFFECT WORD", what: "say whether an effect was applied or not-applied" },
  { name: "quit", argument: "", what: "leave" },
];

export const MODES: readonly AccessMode[] = ["ask-writes", "auto", "read-only", "plan"];

export type SlashParse =
  | { readonly type: "none" }
  | { readonly type: "command"; readonly name: string; readonly argument: string }
  | { readonly type: "unknown"; readonly word: string; readonly near: string | undefined };

/** A draft that is one line and begins with `/word` is a command; a path (`/usr/bin`) or a leading blank makes it text. */
export function parseSlash(text: string): SlashParse {
  const match = /^\/([a-z-]*)(?:[ ]+(.*))?$/i.exec(text.trimEnd());
  if (match === null) return { type: "none" };
  const word = (match[1] ?? "").toLowerCase();
  if (word === "exit") return { type: "command", name: "quit", argument: "" };
  if (SLASH_COMMANDS.some(({ name }) => name === word)) return { type: "command", name: word, argument: (match[2] ?? "").trim() };
  return { type: "unknown", word, near: word === "" ? undefined : SLASH_COMMANDS.find(({ name }) => name.startsWith(word))?.name };
}

/** Commands that a draft may become; empty when it is not the beginning of one. */
export function slashMatches(text: string): readonly SlashCommand[] {
  const match = /^\/([a-z-]*)( .*)?$/i.exec(text);
  if (match === null) return [];
  const word = (match[1] ?? "").toLowerCase();
  return SLASH_COMMANDS.filter(({ name }) => (match[2] === undefined ? name.startsWith(word) : name === word));
}
