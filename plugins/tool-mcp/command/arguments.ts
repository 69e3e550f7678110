import type { McpPromptInfo } from "smith-agent/plugin";

/** Arguments of a prompt by name, or what is wrong with them. */
export type PromptArguments =
  { readonly type: "read"; readonly args: Readonly<Record<string, string>> } | { readonly type: "wrong"; readonly problem: string };

/**
 * `name=value` for declared names; other words in the declared order, the last taking all that is left. Quotes keep blanks together. A
 * prompt of one argument takes the whole text.
 */
export function parsePromptArguments(text: string, declared: McpPromptInfo["arguments"]): PromptArguments {
  const names = declared.map(({ name }) => name);
  const named = new Map<string, string>();
  const words: string[] = [];
  for (const { raw, value } of splitWords(text)) {
    const key = names.find((name) => raw.startsWith(`${name}=`));
    if (key === undefined) words.push(value);
    else if (named.has(key)) return { type: "wrong", problem: `${key} is given twice` };
    else named.set(key, value.slice(key.length + 1));
  }
  const open = names.filter((name) => !named.has(name));
  if (words.length > 0 && open.length === 0) return { type: "wrong", problem: tooMany(names, words) };
  for (const [index, name] of open.entries()) {
    const value = index === open.length - 1 ? words.slice(index).join(" ") : (words[index] ?? "");
    if (value !== "") named.set(name, value);
  }
  const missing = declared.filter(({ name, required }) => required && !named.has(name)).map(({ name }) => name);
  return missing.length === 0
    ? { type: "read", args: Object.fromEntries(named) }
    : { type: "wrong", problem: `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing` };
}

const tooMany = (names: readonly string[], [first]: readonly string[]): string =>
  names.length === 0 ? "it takes no arguments" : `there is no argument for ${JSON.stringify(first)}`;

interface Word {
  /** As it was written. */
  readonly raw: string;
  /** Without its quotes. */
  readonly value: string;
}

/** Words set off by blanks; within quotes, which may begin inside of a word after `=`, blanks stay. An open quote is a character like any other. */
function splitWords(text: string): readonly Word[] {
  const found = text.matchAll(/(?:[^\s"'=]+=|)(?:"[^"]*"|'[^']*')(?=\s|$)|\S+/gu);
  return [...found].map(([raw]) => {
    const quoted = /^([^\s"'=]+=|)(["'])([^]*)\2$/u.exec(raw);
    return { raw, value: quoted === null ? raw : `${quoted[1] ?? ""}${quoted[3] ?? ""}` };
  });
}
