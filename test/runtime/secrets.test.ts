import { describe, expect, test } from "vitest";
import { type CallId, ok, type WorkId } from "../../src/base/index.js";
import { createEffectGateway, type Facility, type FacilitySet } from "../../src/effect/index.js";
import type { CompiledPlugin } from "../../src/plugin/index.js";
import { childEnvironment } from "../../src/runtime/session/effects/child-environment.js";
import { createSecrets, declaredCredentials, redactJson, redactOutput } from "../../src/runtime/secrets.js";
import { routedDispatcher } from "../../src/runtime/session/effects/session-effects.js";
import type { Entry, ToolDefinition } from "../../src/schema/index.js";
import { createRegistry, type ToolRunner } from "../../src/tool/index.js";
import { contextFor } from "../effect/support.js";
import { createManualClock } from "../support/manual-clock.js";
import { seqIds } from "../support/seq-ids.js";

const KEY = "sk-0123456789";

const plugin = (id: string, credentialEnv: string): CompiledPlugin => ({
  id,
  version: "1.0.0",
  description: "",
  hash: "",
  entry: "",
  grants: { fsRead: [], fsWrite: [], search: [], process: [], net: [] },
  tools: [],
  prompts: [],
  providers: [
    {
      id,
      plugin: id,
      title: id,
      connections: [
        { name: "key", rank: 1, credentialEnv, needs: "credential" },
        { name: "open", rank: 2, needs: "nothing" },
      ],
    },
  ],
});

describe("names", () => {
  test("of every installed provider are hidden, whether its plugin is on or not, and of all that are named like a key", () => {
    const declared = declaredCredentials({ sdk: 1, plugins: [plugin("on", "ON_TOKEN"), plugin("off", "OFF_TOKEN")] });
    expect(declared).toEqual(["ON_TOKEN", "OFF_TOKEN"]);
    const env = { PATH: "/bin", ON_TOKEN: KEY, OFF_TOKEN: KEY, OTHER_API_KEY: KEY, API_KEY: KEY, API_KEYS: "list", MYAPI_KEY: "map" };
    const { names } = createSecrets(env, declared);
    expect([...names].sort()).toEqual(["API_KEY", "OFF_TOKEN", "ON_TOKEN", "OTHER_API_KEY"]);
    expect(childEnvironment(env, names, { id: "s", model: "m" })).toEqual({
      PATH: "/bin",
      API_KEYS: "list",
      MYAPI_KEY: "map",
      SMITH_SESSION_ID: "s",
      SMITH_MODEL: "m",
    });
  });

  test("are hidden also when the value is too short to be taken out of text", () => {
    const { names } = createSecrets({ A_API_KEY: "x" }, []);
    expect(childEnvironment({ A_API_KEY: "x" }, names, { id: "s", model: "m" })).not.toHaveProperty("A_API_KEY");
  });
});

describe("values", () => {
  test.each([
    ["a value gives way to its name, each time", { A_API_KEY: KEY }, `${KEY} and ${KEY}`, "[A_API_KEY] and [A_API_KEY]"],
    ["white space around it does not belong to it", { A_API_KEY: ` ${KEY}\n` }, `<${KEY}>`, "<[A_API_KEY]>"],
    ["seven characters are an ordinary word", { A_API_KEY: "ordinar" }, "ordinary", "ordinary"],
    ["eight are a secret", { A_API_KEY: "ordinary" }, "ordinary", "[A_API_KEY]"],
    ["no value hides nothing", { A_API_KEY: undefined, B_API_KEY: "" }, "plain", "plain"],
    [
      "a longer one is taken before the shorter that it holds",
      { A_API_KEY: KEY, B_API_KEY: `${KEY}-long` },
      `${KEY}-long ${KEY}`,
      "[B_API_KEY] [A_API_KEY]",
    ],
    ["characters with a meaning in patterns are plain", { A_API_KEY: "a.c$&(d)*" }, "a.c$&(d)* abc$&(d)*", "[A_API_KEY] abc$&(d)*"],
  ])("%s", (_name, env, text, expected) => {
    expect(createSecrets(env, []).redact(text)).toBe(expected);
  });

  test("are found in every string of a structure, in its names too; other values stay", () => {
    const { redact } = createSecrets({ A_API_KEY: KEY }, []);
    expect(redactJson({ [KEY]: [KEY, 1, null, { deep: `x${KEY}` }], yes: true }, redact)).toEqual({
      "[A_API_KEY]": ["[A_API_KEY]", 1, null, { deep: "x[A_API_KEY]" }],
      yes: true,
    });
  });

  test("leave no part of what a tool gave back", () => {
    const { redact } = createSecrets({ A_API_KEY: KEY }, []);
    const details = { diff: `+${KEY}`, data: { env: KEY }, done: { finalMessage: `done ${KEY}` } };
    expect(redactOutput({ text: KEY, isError: true, summary: `saw ${KEY}`, details }, redact)).toEqual({
      text: "[A_API_KEY]",
      isError: true,
      summary: "saw [A_API_KEY]",
      details: { diff: "+[A_API_KEY]", data: { env: "[A_API_KEY]" }, done: { finalMessage: "done [A_API_KEY]" } },
    });
    expect(redactOutput({ text: "plain", isError: false }, redact)).toEqual({ text: "plain", isError: false });
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
    const shared = { secrets: createSecrets({ A_API_KEY: KEY }, []), deps: { clock: createManualClock() }, host: { tools: { run } } };
    const routed: WorkId[] = [];
    const dispatcher = routedDispatcher(shared, createRegistry([tool]), { route: (work) => routed.push(work) });
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
    expect(progress).toEqual(["so far [A_API_KEY]"]);
    expect([output.text, settlement.output.text, routed]).toEqual(["all [A_API_KEY]", "all [A_API_KEY]", ["w"]]);
  });

  test("records its effects, input and output, without a key, while the tool gets what was really read", async () => {
    const { redact } = createSecrets({ A_API_KEY: KEY }, []);
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
        "fs.read": read,
        "fs.write": unused,
        "fs.edit": unused,
        "fs.list": unused,
        "search.find": unused,
        "search.grep": unused,
        "process.run": unused,
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
      redact: (value) => redactJson(value, redact),
    });
    const reply = await gateway.call("fs.read", { path: `/project/${KEY}` }, contextFor("/project"));
    expect(reply.result).toMatchObject({ ok: true, value: { path: `/project/${KEY}` } });
    expect(recorded.map((entry) => entry.type)).toEqual(["effect-intent", "effect-done"]);
    expect(recorded).toMatchObject([{ input: { path: "/project/[A_API_KEY]" } }, { output: { path: "/project/[A_API_KEY]" } }]);
    expect(JSON.stringify(recorded)).not.toContain(KEY);
  });
});
