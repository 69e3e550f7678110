import { PLUGIN_ID as ID_PATTERN } from "../ids.js";
import type { NamePattern } from "./node-reader.js";

export const PLUGIN_ID: NamePattern = {
  pattern: ID_PATTERN,
  expected: "lower case words with dots between them, such as acme.lint, at most 100 characters",
};

export const TOOL_NAME: NamePattern = {
  pattern: /^[a-z][a-z0-9_-]{0,63}$/u,
  expected: "lower case letters, digits, _ and -, beginning with a letter, at most 64",
};

export const WORD: NamePattern = {
  pattern: /^[a-z][a-z0-9._-]{0,63}$/u,
  expected: "lower case letters, digits, dots, _ and -, beginning with a letter, at most 64",
};

export const COMMAND_NAME: NamePattern = {
  pattern: /^[a-z][a-z0-9-]{0,31}$/u,
  expected: "lower case letters, digits and -, beginning with a letter, at most 32",
};

/** What stands before the names of the files a command is made for; empty for nothing. */
export const COMMAND_PREFIX: NamePattern = {
  pattern: /^([a-z][a-z0-9-]{0,31}:?)?$/u,
  expected: "empty, or lower case letters, digits and -, with : at the end where wanted",
};

export const OPTION_NAME: NamePattern = {
  pattern: /^[a-z][a-z0-9]*(-[a-z0-9]+)*\.[a-z][a-z0-9]*(-[a-z0-9]+)*$/u,
  expected: "a group and a name with a dot between them, such as lint.max-findings",
};

export const ARGUMENT_NAME: NamePattern = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/u,
  expected: "letters, digits and _, not beginning with a digit, at most 64",
};

export const ENV_NAME = /^[A-Z_][A-Z0-9_]*$/u;

/** A secret is hidden from every program that is started, and none of them works without these. */
const NEEDED_BY_PROGRAMS: readonly string[] = ["PATH", "HOME", "SHELL", "USER", "TMPDIR", "LANG", "TERM"];

/** In a list: each of its words. */
export const SECRET_NAME: NamePattern = {
  pattern: new RegExp(`^(?!(?:${NEEDED_BY_PROGRAMS.join("|")})$)[A-Z_][A-Z0-9_]*$`, "u"),
  expected: `names of variables in capitals, none of ${NEEDED_BY_PROGRAMS.join(", ")}`,
};

export const isSecretName = (name: string): boolean => ENV_NAME.test(name) && !NEEDED_BY_PROGRAMS.includes(name);

/** Completes "must be". */
export const SECRET_EXPECTED = `the name of a variable in capitals, none of ${NEEDED_BY_PROGRAMS.join(", ")}, or *`;
