import type { ModelView } from "../../src/runtime/index.js";
import { diagnostic, type ModelFacts } from "../../src/schema/index.js";
import type { ModelPort } from "../../src/tui/models/index.js";

type Entry = ReturnType<ModelView["entries"]>[number];
type Connection = ReturnType<ModelView["connections"]>[number];

export const entry = (name: string, facts: ModelFacts = {}, fields: Partial<Entry> = {}): Entry => {
  const [provider = "", ...rest] = name.split("/");
  return { ref: { provider, model: rest.join("/") }, facts, claims: {}, known: "catalog", ...fields };
};

export const connection = (provider: string, fields: Partial<Pick<Connection, "connection" | "title" | "isSetUp">> = {}): Connection => ({
  provider,
  title: provider,
  connection: provider,
  lookedAt: [],
  authName: provider,
  needsKey: true,
  isSetUp: true,
  isReachable: true,
  isConfigured: false,
  ...fields,
});

/** What a runtime tells of models, as the test says. */
export function fakeView(fields: Partial<ModelView> = {}): ModelView {
  const entries = fields.entries?.() ?? [];
  const nothing = diagnostic({ code: "test.none", what: "none", why: "none", next: "none" });
  return {
    entries: () => entries,
    connections: () => [],
    names: [],
    route: () => ({ ok: false, error: nothing }),
    find: (ref) =>
      entries.find((each) => each.ref.provider === ref.provider && each.ref.model === ref.model) ??
      entry(`${ref.provider}/${ref.model}`, {}, { known: "unknown" }),
    ...fields,
  };
}

/** Some models of two vendors, one of which has no key, a group, and a server that has to say what it has. */
export const someModels = (): ModelView =>
  fakeView({
    entries: () => [
      entry(
        "fake/sonnet",
        { contextTokens: 200_000, thinking: ["off", "low", "high"], price: { input: 3, output: 15 } },
        { title: "Sonnet" },
      ),
      entry("fake/haiku", { contextTokens: 200_000, thinking: [], price: { input: 0.25, output: 1.25 } }, { title: "Haiku" }),
      entry("other/large", { contextTokens: 128_000 }),
    ],
    connections: () => [connection("fake"), connection("other", { isSetUp: false }), connection("local", { title: "Local server" })],
    names: [{ type: "group", name: "main", members: ["fake/sonnet", "local"] }],
  });

/** Keeps what is kept in `kept`. */
export function fakeModels(view = someModels(), preset?: string): ModelPort & { readonly kept: string[] } {
  const kept: string[] = [];
  return {
    kept,
    view: () => view,
    preset: () => kept.at(-1) ?? preset,
    keep: (selection) => {
      kept.push(selection);
      return Promise.resolve({ ok: true, value: "/home/me/.config/smith/config.kdl" });
    },
  };
}
