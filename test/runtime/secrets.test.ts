import { describe, expect, test } from "vitest";
import { type CallId, ok, type WorkId } from "../../src/base/index.js";
import { createEffectGateway, type Facilities, type Facility, type FacilitySet } from "../../src/effect/index.js";
import type { ActivePlugin, CompiledPlugin } from "../../src/plugin/index.js";
import { childEnvironment } from "../../src/runtime/session/effects/child-environment.js";
import { createSecrets as make, type DeclaredSecrets, declaredSecrets, type Secrets } from "../../src/runtime/secrets/index.js";
import { secretNames } from "../../src/runtime/plugins/index.js";
import { routedDispatcher } from "../../src/runtime/session/effects/session-effects.js";
import { type Entry, type RenderNode, SDK_OPERATIONS, type ToolDefinition } from "../../src/schema/index.js";
import { createRegistry, type ToolRunner } from "../../src/tool/index.js";
import { contextFor } from "../effect/support.js";
import { createManualClock } from "../support/manual-clock.js";
import { seqIds } from "../support/seq-ids.js";
import { active } from "./plugins/fixtures.js";

const KEY = "sk-0123456789";

const createSecrets = (env: Readonly<Record<string, string | undefined>>, granted: readonly string[] | DeclaredSecrets): Secrets =>
  make({ env, declared: "granted" in granted ? granted : { providers: [], granted } });

const plugin = (id: string, credentialEnv: string, secrets: readonly string[] = []): Pick<CompiledPlugin, "providers" | "grants"> => ({
  grants: {
    fsRead: [],
    fsWrite: [],
    search: [],
    process: [],
    processEnv: [],
    net: [],
    evaluate: false,
    vcs: false,
    state: [],
    ui: [],
    secrets,
    mcp: [],
    agent: false,
  },
  providers: [
    {
      id,
      plugin: id,
      title: id,
      connections: [
        { name: "key", rank: 1, credentialEnvs: [credentialEnv], needs: "credential" },
        { name: "open", rank: 2, needs: "nothing", credentialEnvs: [] },
      ],
    },
  ],
});

describe("names", () => {
  test("of plugins in use are hidden, and of all that are named like a key", () => {
    const declared = declaredSecrets([plugin("one", "ON_TOKEN"), plugin("two", "OTHER_TOKEN", ["LINT_WORD"])]);
    expect(declared).toEqual({ providers: ["ON_TOKEN", "OTHER_TOKEN"], granted: ["LINT_WORD"] });
    const env = {
      PATH: "/bin",
      ON_TOKEN: KEY,
      OTHER_TOKEN: KEY,
      LINT_WORD: KEY,
      OTHER_API_KEY: KEY,
      API_KEY: KEY,
      API_KEYS: "list",
      MYAPI_KEY: "map",
    };
    const { names } = createSecrets(env, declared);
    expect([...names()].sort()).toEqual(["API_KEY", "LINT_WORD", "ON_TOKEN", "OTHER_API_KEY", "OTHER_TOKEN"]);
    expect(childEnvironment(env, names(), { id: "s", model: "m" })).toEqual({
      PATH: "/bin",
      API_KEYS: "list",
      MYAPI_KEY: "map",
      SMITH_SESSION_ID: "s",
      SMITH_MODEL: "m",
    });
  });

  test("of a plugin that is not in use hide nothing, whatever it calls a secret", () => {
    const of = (id: string, secrets: readonly string[]): ActivePlugin => active(id, plugin(id, `${id}_TOKEN`, secrets));
    const records = (["disabled", "not-approved", "project-untrusted", "changed", "broken"] as const).map((inactive) => {
      const { compiled } = of("OFF", ["PATH", "EDITOR"]);
      return { id: "OFF", origin: "user" as const, compiled, inactive, problems: [] };
    });
    const discovery = { records, active: [of("ON", ["LINT_WORD"])], diagnostics: [] };
    expect(secretNames({ discovery })).toEqual({ providers: ["ON_TOKEN"], granted: ["LINT_WORD"] });
    const { names } = createSecrets({ PATH: "/bin", EDITOR: "vi", LINT_WORD: KEY }, secretNames({ discovery }));
    expect(childEnvironment({ PATH: "/bin", EDITOR: "vi", LINT_WORD: KEY }, names(), { id: "s", model: "m" })).toMatchObject({
      PATH: "/bin",
      EDITOR: "vi",
    });
  });

  test("are hidden also when the value is too short to be taken out of text", () => {
    const { names } = createSecrets({ A_API_KEY: "x" }, []);
    expect(childEnvironment({ A_API_KEY: "x" }, names(), { id: "s", model: "m" })).not.toHaveProperty("A_API_KEY");
  });
});

describe("values", () => {
  test("of names that come later are taken out from then on, and of none that came before not any more", () => {
    const secrets = createSecrets({ A_API_KEY: KEY, LINT_WORD: "shibboleth" }, []);
    expect(secrets.conceal(`${KEY} shibboleth`)).toBe("{secret:A_API_KEY} shibboleth");
    secrets.declare({ providers: [], granted: ["LINT_WORD"] });
    secrets.declare({ providers: [], granted: [] });
    expect(secrets.conceal(`${KEY} shibboleth`)).toBe("{secret:A_API_KEY} {secret:LINT_WORD}");
  });

  test.each([
    ["a value gives way to its name, each time", { A_API_KEY: KEY }, `${KEY} and ${KEY}`, "{secret:A_API_KEY} and {secret:A_API_KEY}"],
    ["white space around it does not belong to it", { A_API_KEY: ` ${KEY}\n` }, `<${KEY}>`, "<{secret:A_API_KEY}>"],
    ["seven characters are an ordinary word", { A_API_KEY: "ordinar" }, "ordinary", "ordinary"],
    ["eight are a secret", { A_API_KEY: "ordinary" }, "ordinary", "{secret:A_API_KEY}"],
    ["no value hides nothing", { A_API_KEY: undefined, B_API_KEY: "" }, "plain", "plain"],
    [
      "a longer one is taken before the shorter that it holds",
      { A_API_KEY: KEY, B_API_KEY: `${KEY}-long` },
      `${KEY}-long ${KEY}`,
      "{secret:B_API_KEY} {secret:A_API_KEY}",
    ],
    ["characters with a meaning in patterns are plain", { A_API_KEY: "a.c$&(d)*" }, "a.c$&(d)* abc$&(d)*", "{secret:A_API_KEY} abc$&(d)*"],
  ])("%s", (_name, env, text, expected) => {
    expect(createSecrets(env, []).conceal(text)).toBe(expected);
  });

  test("are found in every string of a structure, in its names too; other values stay", () => {
    const { concealJson } = createSecrets({ A_API_KEY: KEY }, []);
    expect(concealJson({ [KEY]: [KEY, 1, null, { deep: `x${KEY}` }], yes: true })).toEqual({
      "{secret:A_API_KEY}": ["{secret:A_API_KEY}", 1, null, { deep: "x{secret:A_API_KEY}" }],
      yes: true,
    });
  });

  test("leave no part of what a tool gave back", () => {
    const { concealJson } = createSecrets({ A_API_KEY: KEY }, []);
    const view: RenderNode = { type: "text", spans: [{ text: KEY, role: "code" }] };
    const details = { diff: `+${KEY}`, data: { env: KEY }, view, done: { finalMessage: `done ${KEY}` } };
    expect(concealJson({ text: KEY, isError: true, summary: `saw ${KEY}`, details })).toEqual({
      text: "{secret:A_API_KEY}",
      isError: true,
      summary: "saw {secret:A_API_KEY}",
      details: {
        diff: "+{secret:A_API_KEY}",
        data: { env: "{secret:A_API_KEY}" },
        view: { type: "text", spans: [{ text: "{secret:A_API_KEY}", role: "code" }] },
        done: { finalMessage: "done {secret:A_API_KEY}" },
      },
    });
    expect(concealJson({ text: "plain", isError: false })).toEqual({ text: "plain", isError: false });
  });
});

const tool: ToolDefinition = {
  name: "show",
  plugin: "p",
  description: "",
  parameters: { type: "object" },
  readOnly: true,
  timeoutMs: 1000,
  summaryKeys: [],
};

describe("a tool call", () => {
  test("hands on neither progress nor result with a key in it", async () => {
    const run: ToolRunner["run"] = async ({ onProgress }) => {
      onProgress(`so far ${KEY}`);
      return await Promise.resolve({ output: { text: `all ${KEY}`, isError: false }, mutation: "not-applied", end: "returned" });
    };
    const shared = { secrets: createSecrets({ A_API_KEY: KEY }, []), deps: { clock: createManualClock() } };
    const routed: string[] = [];
    const dispatcher = routedDispatcher(
      shared,
      { registry: createRegistry([tool]), tools: { run } },
      { route: (work) => routed.push(work) },
    );
    const progress: string[] = [];
    const { output, settlement } = await dispatcher.dispatch({
      call: { call: "c" as CallId, providerId: "p", name: "show", argsText: "{}", args: {} },
      work: "w" as WorkId,
      cwd: "/project",
      mode: "auto",
      signal: new AbortController().signal,
      onProgress: (text) => progress.push(text),
      approve: async () => await Promise.resolve({ allowed: true }),
    });
    expect(progress).toEqual(["so far {secret:A_API_KEY}"]);
    expect([output.text, settlement.output.text, routed]).toEqual(["all {secret:A_API_KEY}", "all {secret:A_API_KEY}", ["w"]]);
  });

  test("records its effects, input and output, without a key, and the tool gets none either", async () => {
    const { concealJson } = createSecrets({ A_API_KEY: KEY }, []);
    const unused: Facility<never> = {
      authorize: () => Promise.reject(new Error("unused")),
      run: () => Promise.reject(new Error("unused")),
    };
    const read: Facility<"fs.read"> = {
      authorize: async (input) => await Promise.resolve(ok(input)),
      run: async ({ path }) => await Promise.resolve({ outcome: "applied", result: ok({ type: "binary", path, totalBytes: 1 }) }),
    };
    const facilities: FacilitySet = {
      table: {
        ...(Object.fromEntries(Object.keys(SDK_OPERATIONS).map((op) => [op, unused])) as unknown as Facilities),
        "fs.read": read,
      },
      close: async () => {
        await Promise.resolve();
      },
      killNow: () => undefined,
    };
    const recorded: Entry[] = [];
    const gateway = createEffectGateway({
      commit: async (entries) => {
        recorded.push(...entries);
        await Promise.resolve();
      },
      ids: seqIds(),
      clock: createManualClock(),
      facilities,
      redact: concealJson,
    });
    const reply = await gateway.call("fs.read", { path: `/project/${KEY}` }, contextFor("/project"));
    expect(reply.result).toMatchObject({ ok: true, value: { path: "/project/{secret:A_API_KEY}" } });
    expect(recorded.map((entry) => entry.type)).toEqual(["effect-intent", "effect-done"]);
    expect(recorded).toMatchObject([
      { input: { path: "/project/{secret:A_API_KEY}" } },
      { output: { path: "/project/{secret:A_API_KEY}" } },
    ]);
    expect(JSON.stringify(recorded)).not.toContain(KEY);
  });
});
