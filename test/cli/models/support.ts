import { err, ok, type Result } from "../../../src/base/index.js";
import { runCommandLine } from "../../../src/cli/commands.js";
import type { ConnectionState, ModelAdmin, ModelEntry, Route } from "../../../src/runtime/index.js";
import type { Diagnostic, ModelFacts } from "../../../src/schema/index.js";
import { createFakeHost, createFakeOutput, type FakeHost, type FakeHostOptions } from "../fake-host.js";
import { createFakeRuntime, failure } from "../fake-runtime.js";

type Target = Route["targets"][number];

export const entry = (name: string, facts: ModelFacts = {}, more: Partial<ModelEntry> = {}): ModelEntry => {
  const [provider = "", model = ""] = name.split("/");
  return { ref: { provider, model }, facts, claims: {}, known: "catalog", ...more };
};

export const connection = (name: string, more: Partial<ConnectionState> = {}): ConnectionState => ({
  provider: name,
  title: `The ${name}`,
  connection: name,
  endpoint: { baseUrl: `https://${name}.test/v1` },
  lookedAt: [`${name.toUpperCase()}_API_KEY`, `auth:${name}`],
  authName: name,
  needsKey: true,
  isSetUp: true,
  isReachable: true,
  isConfigured: false,
  ...more,
});

export const keyless = (name: string, more: Partial<ConnectionState> = {}): ConnectionState =>
  connection(name, { isSetUp: false, isReachable: false, ...more });

export const target = (name: string, more: Partial<Target> = {}): Target => {
  const [provider = "", model = ""] = name.split("/");
  return {
    ref: { provider, model },
    endpoint: { baseUrl: `https://${provider}.test/v1`, credential: `${provider.toUpperCase()}_API_KEY` },
    facts: {},
    routing: { connection: provider, credential: `${provider.toUpperCase()}_API_KEY` },
    bucket: provider,
    source: `${provider.toUpperCase()}_API_KEY`,
    needsModel: model === "",
    ...more,
  };
};

export const routeTo = (first: Target, ...rest: readonly Target[]): Result<Route, Diagnostic> =>
  ok({ targets: [first, ...rest], notes: [] });

export const nowhere = (fields: Partial<Diagnostic> = {}): Result<Route, Diagnostic> =>
  err(failure({ code: "route.no-match", exit: 2, ...fields }));

/** Two providers, of which one has a key; `route` is the test's. */
export const world = (more: Partial<ModelAdmin> = {}): Partial<ModelAdmin> => {
  const entries = [
    entry("ant/opus-5", {
      contextTokens: 1_000_000,
      outputTokens: 64_000,
      images: true,
      tools: true,
      thinking: ["off", "low", "high"],
      price: { input: 5, output: 25 },
    }),
    entry("ant/haiku-5", { contextTokens: 200_000, tools: false, thinking: [] }, { title: "Haiku" }),
    entry("oai/gpt-9", {}),
  ];
  return {
    entries: () => entries,
    find: (ref) =>
      entries.find((one) => one.ref.provider === ref.provider && one.ref.model === ref.model) ?? {
        ref,
        facts: {},
        claims: {},
        known: "unknown",
      },
    connections: () => [connection("ant"), keyless("oai")],
    route: (selection) => (selection === undefined || selection === "ant/opus-5" ? routeTo(target("ant/opus-5")) : nowhere()),
    ...more,
  };
};

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly lines: readonly string[];
  readonly host: FakeHost;
  readonly calls: readonly string[];
}

export async function smith(words: readonly string[], admin: Partial<ModelAdmin> = world(), options: FakeHostOptions = {}): Promise<Ran> {
  const host = createFakeHost({ env: { HOME: "/home/a", SMITH_HOME: "/home/a/smith" }, cwd: "/home/a/p", ...options });
  return await smithOn(host, words, admin);
}

export async function smithOn(host: FakeHost, words: readonly string[], admin: Partial<ModelAdmin>): Promise<Ran> {
  const runtime = createFakeRuntime({ models: admin });
  const status = await runCommandLine(words, host, runtime);
  const out = host.stdout.text;
  return { status, out, err: host.stderr.text, lines: out.split("\n").slice(0, -1), host, calls: runtime.calls };
}

export const onTerminal = (columns: number): FakeHostOptions => ({
  env: { HOME: "/home/a", SMITH_HOME: "/home/a/smith", NO_COLOR: "1" },
  stdout: createFakeOutput({ isTerminal: true, columns }),
  stderr: createFakeOutput({ isTerminal: true }),
});
