import { closest } from "../../base/index.js";
import type { AccessMode } from "../../schema/index.js";
import type { CommandInfo } from "../plugins/index.js";

export interface SlashCommand {
  readonly name: string;
  readonly argument: string;
  readonly what: string;
  /** Of a plugin's command; absent: it is the interface's own. */
  readonly plugin?: string;
}

/** Commands of the interface itself. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: "help", argument: "", what: "keys and commands" },
  { name: "mode", argument: "ask-writes|auto|read-only|plan", what: "how much may run without asking" },
  { name: "model", argument: "[SELECTION]", what: "another model: choose from those there are, or name it" },
  { name: "thinking", argument: "[LEVEL]", what: "how much the model thinks before it answers" },
  { name: "name", argument: "NAME", what: "name this session" },
  { name: "continue", argument: "", what: "go on with the turn that was interrupted" },
  { name: "reconcile", argument: "EFFECT WORD", what: "say whether an effect was applied or not-applied" },
  { name: "plugins", argument: "", what: "what plugins there are and what they may do" },
  { name: "trust", argument: "", what: "see what this project would do by itself, and allow it" },
  { name: "theme", argument: "[NAME]", what: "colours: which there are, or take another" },
  { name: "quit", argument: "", what: "leave" },
];

export const MODES: readonly AccessMode[] = ["ask-writes", "auto", "read-only", "plan"];

export type SlashParse =
  | { readonly type: "none" }
  | { readonly type: "command"; readonly name: string; readonly argument: string }
  /** Of a plugin, by the name it was typed with. */
  | { readonly type: "contributed"; readonly name: string; readonly args: string }
  | { readonly type: "unknown"; readonly word: string; readonly args: string; readonly near: string | undefined };

const LINE = /^\/([a-z0-9:_-]*)(?:[ \n]+([\s\S]*))?$/i;

/**
 * A draft that begins with `/word` is a command; a path (`/usr/bin`) or a leading blank makes it text. The interface's own commands take
 * one line, so that what merely begins like one stays text; a plugin's take all that follows. No plugin's name comes before an own one.
 */
export function parseSlash(text: string, contributed: readonly CommandInfo[]): SlashParse {
  const match = LINE.exec(text.trimEnd());
  if (match === null) return { type: "none" };
  const word = (match[1] ?? "").toLowerCase();
  const args = (match[2] ?? "").trim();
  const isOwn = word === "exit" || SLASH_COMMANDS.some(({ name }) => name === word);
  if (isOwn && text.trimEnd().includes("\n")) return { type: "none" };
  if (word === "exit") return { type: "command", name: "quit", argument: "" };
  if (isOwn) return { type: "command", name: word, argument: args };
  if (contributed.some(({ name, aliases }) => name === word || aliases.includes(word))) return { type: "contributed", name: word, args };
  return text.trimEnd().includes("\n") ? { type: "none" } : { type: "unknown", word, args, near: nearest(word, contributed) };
}

function nearest(word: string, contributed: readonly CommandInfo[]): string | undefined {
  if (word === "") return undefined;
  const names = [...SLASH_COMMANDS, ...contributed].map(({ name }) => name);
  return names.find((name) => name.startsWith(word)) ?? closest(word, names);
}

/** Everything a person may type after the slash: own commands first, then those of plugins, by name. */
function offered(contributed: readonly CommandInfo[]): readonly SlashCommand[] {
  const own = new Set(SLASH_COMMANDS.map(({ name }) => name));
  return [
    ...SLASH_COMMANDS,
    ...contributed
      .filter(({ name }) => !own.has(name))
      .map(({ name, usage = "", description, plugin }) => ({ name, argument: usage, what: description, plugin }))
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
  ];
}

/** How well a name answers to what was typed, the less the better: as its beginning, as that of a part, with letters left out. */
function distance(name: string, word: string): number | undefined {
  if (name.startsWith(word)) return 0;
  if (name.split(/[:_-]/u).some((part) => part.startsWith(word))) return 1;
  if (name.charAt(0) !== word.charAt(0)) return undefined;
  let at = 0;
  for (const char of name) if (char === word.charAt(at)) at += 1;
  return at === word.length ? 2 : undefined;
}

/** Commands that a draft may become, best first; empty when it is not the beginning of one. */
export function slashMatches(text: string, contributed: readonly CommandInfo[]): readonly SlashCommand[] {
  const match = /^\/([a-z0-9:_-]*)( .*)?$/i.exec(text);
  if (match === null) return [];
  const word = (match[1] ?? "").toLowerCase();
  const all = offered(contributed);
  if (match[2] !== undefined) return all.filter(({ name }) => name === word);
  const near = all.flatMap((command) => {
    const far = distance(command.name, word);
    return far === undefined ? [] : [{ command, far }];
  });
  // Letters left out are only a guess: not beside what was spelled out.
  const least = Math.min(...near.map(({ far }) => far));
  return near
    .filter(({ far }) => far < 2 || least === 2)
    .sort((left, right) => left.far - right.far)
    .map(({ command }) => command);
}

/** Contributed commands that nobody can reach, because the interface's own come first. */
export const shadowed = (contributed: readonly CommandInfo[]): readonly CommandInfo[] =>
  contributed.filter(({ name }) => name === "exit" || SLASH_COMMANDS.some((own) => own.name === name));
