import { closest } from "../../base/index.js";
import type { Runtime } from "../../runtime/index.js";
import type { LineWord } from "../program.js";

type Commands = ReturnType<Runtime["contributions"]>["commands"];

/** What a prompt is: a command of a plugin with its arguments, or words for the model. */
export type Spoken =
  | { readonly type: "command"; readonly name: string; readonly args: string }
  /** `near`: a command the first word may have been meant as. */
  | { readonly type: "prompt"; readonly word: string; readonly near?: string };

/**
 * A command is what was typed as the first word, `/name`. Standard input and files are never looked into: who writes them does not run
 * commands here. The rest, with what is attached, are its arguments.
 */
export function commandIn(words: readonly LineWord[], prompt: string, commands: Commands): Spoken {
  const [first] = words.filter(({ text, literal }) => literal || text !== "-");
  const typed = first === undefined || first.literal ? undefined : /^\/(\S+)(?=\s|$)/u.exec(first.text)?.[1];
  if (typed === undefined || !prompt.startsWith(`/${typed}`)) return { type: "prompt", word: "" };
  const found = commands.find(({ name }) => name === typed) ?? commands.find(({ aliases }) => aliases.includes(typed));
  if (found !== undefined) return { type: "command", name: found.name, args: prompt.slice(typed.length + 1).trim() };
  const names = commands.flatMap(({ name, aliases }) => [name, ...aliases]);
  // A path is no mistyped command.
  const near = /^[a-z0-9:-]+$/u.test(typed) ? closest(typed, names) : undefined;
  return { type: "prompt", word: `/${typed}`, ...(near === undefined ? {} : { near }) };
}
