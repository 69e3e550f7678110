import { ACTIONS_OF_EVENT, type LifecycleEventType } from "../../schema/index.js";
import type {
  CompiledPlugin,
  ConnectionContribution,
  GrantLine,
  HandlerContribution,
  ResourceContribution,
  ResourceSource,
} from "../types.js";
import { describeGrants } from "./words.js";

/**
 * All a plugin can do, by what its manifest asks for and by what it brings: a provider is sent conversations and a key, collected files
 * are read without a grant of files, a handler sees a session and changes its course. A person who agrees to it has to know of each.
 * `others` are the plugins whose names it may take. What reaches furthest comes first.
 */
export const describeReach = (compiled: CompiledPlugin, others: readonly CompiledPlugin[] = []): readonly GrantLine[] =>
  [...describeBrought(compiled, others), ...describeGrants(compiled.grants)].sort(
    (left, right) => Number(right.isStrong) - Number(left.isStrong),
  );

/** The part of it that no grant is needed for. */
export const describeBrought = (compiled: CompiledPlugin, others: readonly CompiledPlugin[] = []): readonly GrantLine[] => [
  ...replacedLines(compiled, others),
  ...compiled.providers.flatMap(({ id, connections }) => connections.map((connection) => providerLine(id, connection))),
  ...handlerLines(compiled.handlers),
  ...compiled.resources.flatMap(resourceLines),
  ...(compiled.prompts.length === 0 ? [] : [line("prompt", "add to the instructions of the model")]),
];

const line = (facility: string, words: string, isStrong = false): GrantLine => ({ facility, words, isStrong });

/** Names that belong to others now and would be its own: whoever calls the tool `read` gets whatever it makes of it. */
function replacedLines(compiled: CompiledPlugin, others: readonly CompiledPlugin[]): readonly GrantLine[] {
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

function providerLine(id: string, { defaultUrl, baseUrlEnv, credentialEnvs }: ConnectionContribution): GrantLine {
  const servers = [
    ...(baseUrlEnv === undefined ? [] : [`the server in ${baseUrlEnv}`]),
    ...(defaultUrl === undefined ? [] : [URL.canParse(defaultUrl) ? new URL(defaultUrl).origin : defaultUrl]),
  ];
  if (servers.length === 0) return line("provider", `answer as the provider ${id}, by itself`);
  const key = credentialEnvs.length === 0 ? "" : ` with ${credentialEnvs.join(" or ")}, without seeing it`;
  return line("provider", `answer as the provider ${id}: conversations go to ${servers.join(" or ")}${key}`, true);
}

/** What one event lets a plugin see and do, in the order people care. `calls` says of which calls. */
const EVENTS: readonly (readonly [LifecycleEventType, (calls: string) => string])[] = [
  ["tool-proposed", (calls) => `see ${calls} before it runs, and allow, rewrite or stop it`],
  ["tool-settled", (calls) => `see and change the result of ${calls}`],
  ["request-prepared", () => "see and change what the model is sent"],
  ["queue-due", () => "hold back and take away what you typed ahead"],
  ["input-admitted", () => "see what you send"],
  ["turn-started", () => "see what you send"],
  ["round-settled", () => "see what the model answers"],
  ["turn-ended", () => "see what the model answers"],
  ["compaction-proposed", () => "see summaries of the conversation, and stop them"],
  ["permission-answered", () => "be told what you answer where it had you asked"],
  ["model-changed", () => "be told when another model is chosen"],
  ["session-opened", () => "be told of the session"],
  ["compaction-settled", () => "be told of the session"],
  ["idle", () => "be told of the session"],
  ["closing", () => "be told of the session"],
];

/** These change what the model says and what runs. */
const STRONG: ReadonlySet<LifecycleEventType> = new Set<LifecycleEventType>(["tool-proposed", "tool-settled", "request-prepared"]);

function handlerLines(handlers: readonly HandlerContribution[]): readonly GrantLine[] {
  const lines = EVENTS.flatMap(([event, words]) => {
    const own = handlers.filter((handler) => handler.event === event);
    return own.length === 0 ? [] : [line("handler", words(callsOf(own)), STRONG.has(event))];
  });
  const steers = handlers.some(({ event }) => ACTIONS_OF_EVENT[event].includes("enqueue"));
  const all = [...lines, ...(steers ? [STEERING] : [])];
  return all.filter(({ words }, index) => all.findIndex((other) => other.words === words) === index);
}

const STEERING = line(
  "handler",
  "by itself add to the conversation, send input, and choose the model, its tools and its instructions",
  true,
);

function callsOf(handlers: readonly HandlerContribution[]): string {
  const tools = handlers.flatMap(({ tools: named }) => named ?? []);
  return handlers.some(({ tools: named }) => named === undefined)
    ? "every call of a tool"
    : `every call of ${[...new Set(tools)].join(", ")}`;
}

const PLACES: Readonly<Record<Exclude<ResourceSource["from"], "plugin">, string>> = {
  user: "of smith's configuration folder",
  project: "of the workspace, once it is trusted",
  ancestors: "of the workspace and the folders above it",
};

const resourceLines = ({ sources, named }: ResourceContribution): readonly GrantLine[] =>
  sources.flatMap(({ from, path }) =>
    from === "plugin" ? [] : [line("resource", `read ${path} ${PLACES[from]}${named === "folder" ? ", with what lies beside it" : ""}`)],
  );
