import type { GrammarLoader } from "./grammar-loader.js";
import { CODE_GRAMMARS } from "./grammars-code.js";
import { DATA_GRAMMARS } from "./grammars-data.js";

/** Grammars by name, loaded one by one when a block first needs them. */
export const GRAMMARS: Readonly<Record<string, GrammarLoader>> = { ...CODE_GRAMMARS, ...DATA_GRAMMARS };

const ALIASES: Readonly<Record<string, string>> = {
  "c++": "cpp",
  cc: "cpp",
  cs: "csharp",
  docker: "dockerfile",
  golang: "go",
  h: "c",
  hpp: "cpp",
  html: "xml",
  js: "javascript",
  jsonc: "json",
  jsx: "javascript",
  kt: "kotlin",
  make: "makefile",
  md: "markdown",
  mjs: "javascript",
  patch: "diff",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  svg: "xml",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/** The grammar's name for the info string of a fence; undefined when there is none for it. */
export function languageOf(info: string): string | undefined {
  const word = /^[\w+#.-]+/.exec(info.trim())?.[0].toLowerCase() ?? "";
  const name = ALIASES[word] ?? word;
  return Object.hasOwn(GRAMMARS, name) ? name : undefined;
}
