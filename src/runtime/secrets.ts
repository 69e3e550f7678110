import type { JsonValue } from "../base/index.js";
import type { PluginIndex } from "../plugin/index.js";
import type { EnvView } from "../provider/index.js";
import type { ToolOutput } from "../schema/index.js";

/** The provider keys of this process: which variables hold them, and how they are taken out of text. */
export interface Secrets {
  /** Variables that children never see. */
  readonly names: readonly string[];
  /** Replaces every value that could be told apart from ordinary words. */
  readonly redact: (text: string) => string;
}

/** Shorter values are too likely to be ordinary words; replacing them would garble text and hide nothing. */
const MIN_SECRET = 8;

/** Variables named like a key hold one, whoever reads them: a plugin that is off today must not make its key public. */
const KEY_NAME = /(?:^|_)API_KEY$/u;

/** Of every installed provider, enabled or not: switching a plugin off must not make its key public. */
export const declaredCredentials = (index: PluginIndex): readonly string[] =>
  index.plugins.flatMap(({ providers }) =>
    providers.flatMap(({ connections }) => connections.flatMap(({ credentialEnv }) => credentialEnv ?? [])),
  );

/** `declared` are the credential variables of all installed provider plugins, enabled or not. */
export function createSecrets(env: EnvView, declared: readonly string[]): Secrets {
  const names = [...new Set([...declared, ...Object.keys(env).filter((name) => KEY_NAME.test(name))])];
  const values = names.flatMap((name) => {
    const value = env[name]?.trim() ?? "";
    return value.length < MIN_SECRET ? [] : [{ name, value }];
  });
  // A longer value may contain a shorter one.
  const ordered = values.toSorted((left, right) => right.value.length - left.value.length);
  return { names, redact: (text) => ordered.reduce((kept, { name, value }) => kept.replaceAll(value, () => `[${name}]`), text) };
}

/** The same in every string of a structure, names of members included. */
export function redactJson(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) return value.map((item) => redactJson(item, redact));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), redactJson(item, redact)]));
}

const isArray = (value: object): value is readonly JsonValue[] => Array.isArray(value);

/** What a tool gave back, for the model, the file and the screen. */
export function redactOutput(output: ToolOutput, redact: (text: string) => string): ToolOutput {
  const { details, summary } = output;
  return {
    ...output,
    text: redact(output.text),
    ...(summary === undefined ? {} : { summary: redact(summary) }),
    ...(details === undefined
      ? {}
      : {
          details: {
            ...details,
            ...(details.diff === undefined ? {} : { diff: redact(details.diff) }),
            ...(details.done === undefined ? {} : { done: { ...details.done, finalMessage: redact(details.done.finalMessage) } }),
            ...(details.data === undefined ? {} : { data: redactJson(details.data, redact) }),
          },
        }),
  };
}
