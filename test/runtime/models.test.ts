import { describe, expect, test } from "vitest";
import { ok } from "../../src/base/index.js";
import { createManualClock } from "../support/manual-clock.js";
import type { PluginOrigin } from "../../src/plugin/index.js";
import type { Route } from "../../src/provider/index.js";
import { NO_MODEL_SETTINGS } from "../../src/schema/index.js";
import { createModels } from "../../src/runtime/models/index.js";
import { active, generation } from "./plugins/fixtures.js";

const models = (env: { readonly [name: string]: string }): ReturnType<typeof createModels> =>
  createModels({
    engine: { exchange: () => Promise.reject(new Error("no request is made")) } as never,
    clock: createManualClock(),
    env,
    credentials: {
      has: (name) => env[name] !== undefined,
      value: (name) => env[name],
      ready: async () => await Promise.resolve(ok(undefined)),
      refused: () => undefined,
    },
    settings: NO_MODEL_SETTINGS,
    snapshot: undefined,
    answering: () => new Set(),
    signal: new AbortController().signal,
  });

function chosen(env: { readonly [name: string]: string }, selection: string | undefined, plugins: ReturnType<typeof generation>): string {
  const route = models(env).route({ selection, thinking: undefined }, plugins);
  if (!route.ok) throw new Error(route.error.what);
  const [{ ref }]: Route["targets"] = route.value.targets;
  return ref.provider;
}

const bringing = (id: string, origin: PluginOrigin, connection: object): ReturnType<typeof active> => {
  const provider = {
    id,
    plugin: `acme.${id}`,
    title: id,
    connections: [{ name: id, rank: 1, defaultModel: "m", credentialEnvs: [], ...connection } as never],
  };
  return { ...active(`acme.${id}`, { providers: [provider] }), origin };
};

const OURS = bringing("ours", "bundled", { needs: "nothing", rank: 1000 });

describe("the model nobody chose", () => {
  test.each(["user", "project", "run"] as const)("is never of a provider that needs nothing and whose plugin is of the %s", (origin) => {
    const plugins = generation(1, [bringing("free", origin, { needs: "nothing", rank: 0 }), OURS]);
    expect(chosen({}, undefined, plugins)).toBe("ours");
    expect(chosen({}, "free", plugins)).toBe("free");
  });

  test("is of an added provider when its key is there and no bundled one is set up", () => {
    const keyed = bringing("keyed", "user", { needs: "credential", credentialEnvs: ["KEYED"], defaultUrl: "https://k.test" });
    const same = bringing("same", "bundled", { needs: "credential", credentialEnvs: ["SAME"], rank: 900, defaultUrl: "https://s.test" });
    const plugins = generation(1, [keyed, same, OURS]);
    expect(chosen({ KEYED: "k" }, undefined, plugins)).toBe("keyed");
    expect(chosen({ KEYED: "k", SAME: "k" }, undefined, plugins)).toBe("same");
  });
});
