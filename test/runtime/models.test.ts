import { describe, expect, test } from "vitest";
import { createManualClock } from "../support/manual-clock.js";
import type { PluginOrigin } from "../../src/plugin/index.js";
import { createModels } from "../../src/runtime/models.js";
import { active, generation } from "./plugins/fixtures.js";

const models = (env: { readonly [name: string]: string }): ReturnType<typeof createModels> =>
  createModels({
    engine: { exchange: () => Promise.reject(new Error("no request is made")) } as never,
    clock: createManualClock(),
    env,
    signal: new AbortController().signal,
  });

const bringing = (id: string, origin: PluginOrigin, connection: object): ReturnType<typeof active> => {
  const provider = { id, plugin: `acme.${id}`, title: id, connections: [{ name: id, rank: 1, defaultModel: "m", ...connection } as never] };
  return { ...active(`acme.${id}`, { providers: [provider] }), origin };
};

const OURS = bringing("ours", "bundled", { needs: "nothing", rank: 1000 });

describe("the model nobody chose", () => {
  test.each(["user", "project", "run"] as const)("is never of a provider that needs nothing and whose plugin is of the %s", (origin) => {
    const plugins = generation(1, [bringing("free", origin, { needs: "nothing", rank: 0 }), OURS]);
    expect(models({}).resolve(undefined, plugins)).toMatchObject({ ok: true, value: { ref: { provider: "ours" } } });
    expect(models({}).resolve("free", plugins)).toMatchObject({ ok: true, value: { ref: { provider: "free" } } });
  });

  test("is of an added provider when its key is there and no bundled one is set up", () => {
    const keyed = bringing("keyed", "user", { needs: "credential", credentialEnv: "KEYED", defaultUrl: "https://k.test" });
    const same = bringing("same", "bundled", { needs: "credential", credentialEnv: "SAME", rank: 900, defaultUrl: "https://s.test" });
    const plugins = generation(1, [keyed, same, OURS]);
    expect(models({ KEYED: "k" }).resolve(undefined, plugins)).toMatchObject({ ok: true, value: { ref: { provider: "keyed" } } });
    expect(models({ KEYED: "k", SAME: "k" }).resolve(undefined, plugins)).toMatchObject({ ok: true, value: { ref: { provider: "same" } } });
  });
});
