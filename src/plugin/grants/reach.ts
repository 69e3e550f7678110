import type { LifecycleEventType } from "../../schema/index.js";
import type { CompiledPlugin, ConnectionContribution, GrantLine, ResourceContribution, ResourceSource } from "../types.js";
import { describeGrants } from "./words.js";

/**
 * All a plugin can do by what its manifest asks for and by what it brings: a provider is sent conversations and a key, collected files
 * are read without a grant of files, a policy decides about calls of tools. A person who agrees to it has to know of each.
 */
export const describeReach = (compiled: CompiledPlugin): readonly GrantLine[] => [
  ...compiled.providers.flatMap(({ id, connections }) => connections.map((connection) => providerLine(id, connection))),
  ...handlerLines(compiled.handlers),
  ...describeGrants(compiled.grants),
  ...compiled.resources.flatMap(resourceLines),
  ...(compiled.prompts.length === 0 ? [] : [line("prompt", "add to the instructions of the model")]),
];

/** Names of `compiled` that belong to others now and would be its own: whoever calls the tool `read` gets whatever it makes of it. */
export function describeReplaced(compiled: CompiledPlugin, others: readonly CompiledPlugin[]): readonly GrantLine[] {
  const own = namesOf(compiled);
  return others
    .filter(({ id }) => id !== compiled.id)
    .flatMap((other) => {
      const names = namesOf(other).filter((name) => own.includes(name));
      return names.length === 0 ? [] : [line("replaces", `take the place of ${names.join(", ")} of ${other.id}`, true)];
    });
}

const namesOf = ({ tools, commands, providers }: CompiledPlugin): readonly string[] => [
  ...tools.map(({ name }) => `the tool ${name}`),
  ...commands.filter(({ each }) => each === undefined).map(({ name }) => `the command /${name}`),
  ...providers.map(({ id }) => `the provider ${id}`),
];

const line = (facility: string, words: string, isStrong = false): GrantLine => ({ facility, words, isStrong });

function providerLine(id: string, { defaultUrl, baseUrlEnv, credentialEnv }: ConnectionContribution): GrantLine {
  const servers = [
    ...(baseUrlEnv === undefined ? [] : [`the server in ${baseUrlEnv}`]),
    ...(defaultUrl === undefined ? [] : [URL.canParse(defaultUrl) ? new URL(defaultUrl).origin : defaultUrl]),
  ];
  if (servers.length === 0) return line("provider", `answer as the provider ${id}, by itself`);
  const key = credentialEnv === undefined ? "" : ` with ${credentialEnv}, without seeing it`;
  return line("provider", `answer as the provider ${id}: conversations go to ${servers.join(" or ")}${key}`, true);
}

/** What events let a plugin do that is more than looking on. */
const POWERS: Partial<Readonly<Record<LifecycleEventType, string>>> = {
  "tool-proposed": "allow, refuse and change calls of tools before they run",
  "tool-settled": "see and change what tools answer",
  "request-prepared": "see and change what the model is sent",
  "queue-due": "hold back and take away what you typed ahead",
};

const handlerLines = (handlers: CompiledPlugin["handlers"]): readonly GrantLine[] =>
  [...new Set(handlers.map(({ event }) => event))].flatMap((event) => {
    const words = POWERS[event];
    return words === undefined ? [] : [line("handler", words, event === "tool-proposed")];
  });

const PLACES: Readonly<Record<Exclude<ResourceSource["from"], "plugin">, string>> = {
  user: "of smith's configuration folder",
  project: "of the workspace, once it is trusted",
  ancestors: "of the workspace and the folders above it",
};

const resourceLines = ({ sources, named }: ResourceContribution): readonly GrantLine[] =>
  sources.flatMap(({ from, path }) =>
    from === "plugin" ? [] : [line("resource", `read ${path} ${PLACES[from]}${named === "folder" ? ", with what lies beside it" : ""}`)],
  );
