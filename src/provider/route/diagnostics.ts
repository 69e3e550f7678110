import { plural, redactUrl } from "../../base/index.js";
import { type Diagnostic, diagnostic, diagnosticPlace, type DiagnosticSource, type ModelRef, RESERVED_KEYS } from "../../schema/index.js";

/** What gave a base URL: a variable, or a connection's own data. */
export interface UrlOrigin {
  readonly name: string;
  readonly source: DiagnosticSource;
}

const isVariable = ({ source }: UrlOrigin): boolean => source.type === "env";

export const badBaseUrl = (from: UrlOrigin, value: string, problem: string, suggestion?: string): Diagnostic =>
  diagnostic({
    code: "provider.bad-base-url",
    what: `${from.name} is no usable base URL: ${redactUrl(value)}`,
    why: `${isVariable(from) ? `The environment variable ${from.name}` : `The base URL of the connection ${from.name}`} was read; ${problem}.`,
    next: isVariable(from)
      ? `Set it like ${from.name}=${suggestion ?? "http://127.0.0.1:8080/v1"}, or unset it.`
      : `Give the connection a base URL like ${suggestion ?? "http://127.0.0.1:8080/v1"}.`,
    source: from.source,
    exit: 2,
  });

export const unknownProvider = (selection: string, provider: string, known: readonly string[], nearest: string | undefined): Diagnostic =>
  diagnostic({
    code: "provider.unknown-provider",
    what: `There is no provider ${JSON.stringify(provider)}, asked for by the model ${JSON.stringify(selection)}.`,
    why: known.length === 0 ? "No plugin contributes a provider." : `The plugins contribute: ${known.join(", ")}.`,
    next: nearest === undefined ? "Choose one of them: --model PROVIDER/MODEL." : `Did you mean --model ${nearest}?`,
    exit: 2,
  });

export const connectionWithoutProvider = (
  { name, provider, source }: { readonly name: string; readonly provider: string; readonly source: DiagnosticSource },
  known: readonly string[],
  nearest: string | undefined,
): Diagnostic =>
  diagnostic({
    code: "route.unknown-provider",
    what: `The connection ${name} is of a provider that is not there: ${JSON.stringify(provider)}.`,
    why: known.length === 0 ? "No plugin contributes a provider." : `The plugins contribute: ${known.join(", ")}.`,
    next:
      nearest === undefined
        ? "Give it one of them, or enable the plugin that brings it."
        : `Did you mean provider ${JSON.stringify(nearest)}?`,
    source,
    exit: 2,
  });

export const unknownModel = (model: string, provider: string, suggestion: string): Diagnostic =>
  diagnostic({
    code: "provider.unknown-model",
    what: `No model ${JSON.stringify(model)} can be reached.`,
    why: `Only ${provider} is available without further settings, and it has no such model.`,
    next: suggestion,
    exit: 2,
  });

export const noMatch = (selection: string, looked: readonly string[], nearest: string | undefined): Diagnostic =>
  diagnostic({
    code: "route.no-match",
    what: `No model is called ${JSON.stringify(selection)}, nor has that in its name.`,
    why: `It is no alias, group, provider or connection, and the models known of ${looked.join(", ")} were looked through.`,
    next:
      nearest === undefined
        ? `Say whose model it is: --model ${looked[0] ?? "PROVIDER"}/${selection}.`
        : `Did you mean --model ${nearest}? If it is a new model, say whose: --model ${looked[0] ?? "PROVIDER"}/${selection}.`,
    exit: 2,
  });

export const ambiguousModel = (selection: string, candidates: readonly string[]): Diagnostic =>
  diagnostic({
    code: "route.ambiguous-model",
    what: `${JSON.stringify(selection)} may be ${plural(candidates.length, "model")}: ${candidates.join(", ")}.`,
    why: "They are equally good matches: of one rank, and none is newer than the others.",
    next: `Choose one of them, for example --model ${candidates[0] ?? "PROVIDER/MODEL"}.`,
    exit: 2,
  });

export const ambiguousName = (name: string, sources: readonly DiagnosticSource[]): Diagnostic =>
  diagnostic({
    code: "route.ambiguous-name",
    what: `${JSON.stringify(name)} is an alias and a group.`,
    why: `Both were configured: ${sources.map((source, index) => `the ${index === 0 ? "alias" : "group"} ${placeWords(source)}`).join(", ")}.`,
    next: "Rename one of them.",
    ...(sources[0] === undefined ? {} : { source: sources[0] }),
    exit: 2,
  });

/** One name on the way of a selection. */
export interface Step {
  readonly type: "alias" | "group";
  readonly name: string;
  readonly source: DiagnosticSource;
}

/** `steps` is the whole cycle, each name once; the last leads to the first. */
export const cyclic = (steps: readonly Step[]): Diagnostic =>
  diagnostic({
    code: "route.cycle",
    what: `Aliases and groups lead back to themselves: ${[...steps, ...steps.slice(0, 1)].map(({ name }) => name).join(" → ")}.`,
    why: steps.map(({ type, name, source }) => `The ${type} ${name} is set ${placeWords(source)}.`).join(" "),
    next: "Let one of them name a model.",
    ...(steps[0] === undefined ? {} : { source: steps[0].source }),
    exit: 2,
  });

export const badMember = (step: Step, member: string, cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "route.bad-member",
    what: `The ${step.type} ${step.name} names ${JSON.stringify(member)}, which means nothing: ${cause.what}`,
    why: `It is set ${placeWords(step.source)}. ${cause.why}`,
    next: cause.next,
    source: step.source,
    causes: [cause],
    exit: cause.exit ?? 2,
  });

export const emptyGroup = (step: Step): Diagnostic =>
  diagnostic({
    code: "route.empty-group",
    what: `The group ${step.name} has no members.`,
    why: `It is set ${placeWords(step.source)}, and names no model.`,
    next: "Name the models that are to answer, best first.",
    source: step.source,
    exit: 2,
  });

/** Exit 3 when a key is all that any of them lacks. */
export const noneSetUp = (step: Step, reasons: readonly { readonly member: string; readonly cause: Diagnostic }[]): Diagnostic =>
  diagnostic({
    code: "route.none-set-up",
    what: `No member of the group ${step.name} can be asked.`,
    why: reasons.map(({ member, cause }) => `${member}: ${cause.what} ${cause.why}`).join(" "),
    next: reasons[0]?.cause.next ?? "Choose another model with --model.",
    source: step.source,
    causes: reasons.map(({ cause }) => cause),
    exit: reasons.some(({ cause }) => cause.exit === 3) ? 3 : 2,
  });

export const missingKey = (provider: string, lookedAt: readonly string[], authName: string): Diagnostic => {
  const variables = lookedAt.filter((name) => !name.includes(":"));
  const [first] = variables;
  // Where configuration says where the key is, nothing that is stored is looked at.
  const login = lookedAt.some((name) => name.startsWith("auth:")) ? [`smith auth login ${authName}`] : [];
  const remedies = [
    ...(first === undefined ? [] : [`Set ${first} to your key`]),
    ...login.map((command) => `${first === undefined ? "Store" : "store"} one with ${command}`),
  ];
  return diagnostic({
    code: "provider.missing-key",
    what: `There is no key for ${provider}.`,
    why: `${provider} was chosen, and ${lackWords(variables, lookedAt)}.`,
    next: `${remedies.join(", ")}${remedies.length > 1 ? "," : ""} or choose another model with --model.`,
    ...(first === undefined ? {} : { source: { type: "env" as const, name: first } }),
    exit: 3,
  });
};

function lackWords(variables: readonly string[], lookedAt: readonly string[]): string {
  const stored = lookedAt.filter((name) => name.startsWith("auth:")).map((name) => name.slice("auth:".length));
  const store = stored.length === 0 ? [] : [`no key is stored for ${stored.join(" or ")}`];
  if (variables.length === 0) return store[0] ?? "nothing is said about where its key is";
  const unset = variables.length === 1 ? `${variables.join()} is not set or blank` : `none of ${variables.join(", ")} is set`;
  return [unset, ...store].join(", and ");
}

export const missingBaseUrl = (provider: string, variable: string): Diagnostic =>
  diagnostic({
    code: "provider.missing-base-url",
    what: `It is not known where ${provider} is.`,
    why: `${provider} was chosen, and ${variable} is not set or blank.`,
    next: `Set it, for example ${variable}=http://127.0.0.1:8080/v1, or choose another model with --model.`,
    source: { type: "env", name: variable },
    exit: 2,
  });

export const noProvider = (variables: readonly string[]): Diagnostic =>
  diagnostic({
    code: "provider.none",
    what: "There is no provider to ask.",
    why: variables.length === 0 ? "No enabled plugin contributes one." : `None of these is set: ${variables.join(", ")}.`,
    next: variables[0] === undefined ? "Enable a provider plugin." : `Set ${variables[0]}, or enable a provider plugin that needs nothing.`,
    exit: 2,
  });

export const toolsUnavailable = ({ provider, model }: ModelRef): Diagnostic =>
  diagnostic({
    code: "route.no-tools",
    what: `${provider}/${model} cannot use tools.`,
    why: "The request offers it tools, and what is known of the model says that it takes none.",
    next: "Leave them out with --no-tools, or choose another model with --model.",
    exit: 2,
  });

export const formatUnavailable = ({ provider, model }: ModelRef): Diagnostic =>
  diagnostic({
    code: "route.no-response-format",
    what: `${provider}/${model} cannot be held to a response format.`,
    why: "One was asked for, and what is known of the model says that it takes none.",
    next: "Leave the response format out, or choose another model with --model.",
    exit: 2,
  });

export const extraKeyReserved = (key: string): Diagnostic =>
  diagnostic({
    code: "route.reserved-key",
    what: `The further fields of a request may not set ${JSON.stringify(key)}.`,
    why: `${RESERVED_KEYS.join(", ")} are made from the conversation and the chosen model.`,
    next: `Take ${JSON.stringify(key)} out of extra; the model is chosen with --model, tools with --tools.`,
    exit: 2,
  });

function placeWords(source: DiagnosticSource): string {
  if (source.type === "flag" || source.type === "env") return `by ${source.name}`;
  return `in ${diagnosticPlace(source) ?? source.type}`;
}
