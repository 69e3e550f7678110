import type { JsonValue } from "../base/index.js";
import type { CompiledPlugin } from "../plugin/index.js";
import type { EnvView } from "../provider/index.js";
import type { RenderNode, ToolOutput } from "../schema/index.js";

/** The keys of this process: which variables hold them, and how they are taken out of text. */
export interface Secrets {
  /** Variables that children never see. */
  readonly names: () => readonly string[];
  /** Plugins came that name others. A name that was secret once stays so: what was hidden must not show because a plugin went. */
  readonly declare: (names: readonly string[]) => void;
  /** Values that came from elsewhere than a variable. */
  readonly learn: (values: readonly string[]) => void;
  /** Replaces every value that could be told apart from ordinary words. */
  readonly redact: (text: string) => string;
}

/** Shorter values are too likely to be ordinary words; replacing them would garble text and hide nothing. */
const MIN_SECRET = 8;

/** Variables named like a key hold one, whoever reads them: so a plugin that is off does not make its key public. */
const KEY_NAME = /(?:^|_)API_KEY$/u;

/** What plugins name as secrets: their own, and the keys of their providers. */
export const declaredSecrets = (plugins: readonly Pick<CompiledPlugin, "providers" | "grants">[]): readonly string[] =>
  plugins.flatMap(({ providers, grants }) => [
    ...providers.flatMap(({ connections }) => connections.flatMap(({ credentialEnvs }) => credentialEnvs)),
    ...grants.secrets,
  ]);

/** `declared` are the secrets that plugins in use name. */
export function createSecrets(env: EnvView, declared: readonly string[]): Secrets {
  const names = new Set([...declared, ...Object.keys(env).filter((name) => KEY_NAME.test(name))]);
  const learned = new Set<string>();
  let values = valuesOf(env, names, learned);
  return {
    names: () => [...names],
    declare(more) {
      for (const name of more) names.add(name);
      values = valuesOf(env, names, learned);
    },
    learn(more) {
      for (const value of more) learned.add(value);
      values = valuesOf(env, names, learned);
    },
    redact: (text) => values.reduce((kept, { name, value }) => kept.replaceAll(value, () => `[${name}]`), text),
  };
}

/** Longest first: a longer value may contain a shorter one. */
const valuesOf = (
  env: EnvView,
  names: ReadonlySet<string>,
  learned: ReadonlySet<string>,
): readonly { readonly name: string; readonly value: string }[] =>
  [...[...names].map((name) => ({ name, value: env[name]?.trim() ?? "" })), ...[...learned].map((value) => ({ name: "redacted", value }))]
    .filter(({ value }) => value.length >= MIN_SECRET)
    .toSorted((left, right) => right.value.length - left.value.length);

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
            // Every string of a view is text or a name of ours, so what comes back is a view again.
            ...(details.view === undefined
              ? {}
              : { view: redactJson(details.view as unknown as JsonValue, redact) as unknown as RenderNode }),
          },
        }),
  };
}
