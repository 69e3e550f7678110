import { describe, expect, test } from "vitest";
import type { ModelSnapshot } from "../../../src/provider/index.js";
import { refs, route } from "./offers.js";

const ACME = { env: { ACME_KEY: "k" } };
const BOTH = { env: { ACME_KEY: "k", NOVA_KEY: "k" } };
const containing = (text: string): unknown => expect.stringContaining(text);

describe("a selection of models people know by name", () => {
  test.each<readonly [string, string | undefined, object, readonly string[] | string]>([
    ["a key alone chooses its vendor's default", undefined, ACME, ["acme/bard-sonnet-4-5"]],
    ["the second variable is as good as the first", undefined, { env: { ACME_TOKEN: "k" } }, ["acme/bard-sonnet-4-5"]],
    ["a stored key is as good as a variable", undefined, { stored: ["auth:acme"] }, ["acme/bard-sonnet-4-5"]],
    ["provider/id", "nova/np-5-mini", BOTH, ["nova/np-5-mini"]],
    ["a provider", "nova", BOTH, ["nova/np-5"]],
    ["a provider in other case", "NOVA/np-5", BOTH, ["nova/np-5"]],
    ["an id alone", "np-5-codex", BOTH, ["nova/np-5-codex"]],
    ["another id of a model stays that id", "bard-sonnet-4-5-20260929", BOTH, ["acme/bard-sonnet-4-5-20260929"]],
    ["an id in other case", "NP-5-Mini", BOTH, ["nova/np-5-mini"]],
    ["provider/id in other case", "nova/NP-5-Mini", BOTH, ["nova/np-5-mini"]],
    ["an id with a slash", "acme/bard-sonnet-4.5", { env: { NOVA_KEY: "k" } }, "provider.missing-key"],
    ["an id with a slash of a named provider", "nova/acme/bard-sonnet-4.5", BOTH, ["nova/acme/bard-sonnet-4.5"]],
    ["a part: the newest", "sonnet", BOTH, ["acme/bard-sonnet-4-5"]],
    ["a part: the best rank before the newest", "bard sonnet", BOTH, ["acme/bard-sonnet-4-5"]],
    ["a part of what is set up alone", "sonnet", { env: { NOVA_KEY: "k" } }, ["nova/acme/bard-sonnet-4.5"]],
    ["parts, and nothing unsaid after them", "np5", BOTH, ["nova/np-5"]],
    ["parts in order", "np5 mini", BOTH, ["nova/np-5-mini"]],
    ["parts out of order are nothing", "mini np5", BOTH, "route.no-match"],
    ["a part that is a whole word goes before longer names", "flash", BOTH, ["nova/vision-flash"]],
    ["a version is one word, however it is written", "sonnet 4.5", BOTH, ["acme/bard-sonnet-4-5"]],
    ["half a version is the one that has no more of it", "sonnet 4", BOTH, ["acme/bard-sonnet-4"]],
    ["a version nobody has is nothing", "sonnet 5", BOTH, "route.no-match"],
    ["a dated edition comes after the one that moves on", "haiku", BOTH, ["acme/bard-haiku-latest"]],
    ["a part of the title", "Bard Opus", BOTH, ["acme/bard-opus-4-1"]],
    ["a part below a named provider", "acme/sonnet", BOTH, ["acme/bard-sonnet-4-5"]],
    ["equals of different families are no winner", "vision", BOTH, "route.ambiguous-model"],
    ["a new id of a named provider is taken as given", "nova/np-5.2", BOTH, ["nova/np-5.2"]],
    ["a word that is nothing of a named provider is taken as given", "nova/zeppelin", BOTH, ["nova/zeppelin"]],
    ["a model whose key is missing says so", "np-5", ACME, "provider.missing-key"],
    ["a part of one whose key is missing says so", "codex", ACME, "provider.missing-key"],
    ["a model no catalog has goes to the server that has what somebody loaded", "qw-3", { answering: ["loose"] }, ["loose/qw-3"]],
    ["also when a vendor without a key has one of the name", "np-5", { answering: ["loose"] }, ["loose/np-5"]],
    ["but a typing error of a vendor's model does not", "np-5-mimi", { ...BOTH, answering: ["loose"] }, "route.no-match"],
    ["a server that answers is there for want of a key", undefined, { answering: ["loose"] }, ["loose/"]],
    ["a server that answers comes after a key", undefined, { ...ACME, answering: ["loose"] }, ["acme/bard-sonnet-4-5"]],
    ["a server that does not answer may be named", "loose/anything:8b", {}, ["loose/anything:8b"]],
    ["without any, what needs nothing", undefined, {}, ["offline/rules"]],
  ])("%s", (_name, selection, given, expected) => {
    expect(refs(selection, given)).toEqual(expected);
  });

  test("what is ambiguous is listed whole, in one order", () => {
    expect(route("vision", BOTH)).toMatchObject({
      ok: false,
      error: { code: "route.ambiguous-model", exit: 2, what: '"vision" may be 2 models: nova/vision-flash, nova/vision-pro.' },
    });
  });

  test("a typing error gets the nearest name, and the way to a model nobody knows", () => {
    expect(route("np-5-mimi", BOTH)).toMatchObject({
      ok: false,
      error: {
        code: "route.no-match",
        next: "Did you mean --model nova/np-5-mini? If it is a new model, say whose: --model acme/np-5-mimi.",
      },
    });
  });

  test("a model that a server listed is asked there", () => {
    const snapshot: ModelSnapshot = {
      startedAt: 1,
      lists: [
        {
          provider: "loose",
          connection: "loose",
          url: "http://127.0.0.1:1234/v1",
          takenAt: 1,
          models: [{ ref: { provider: "loose", model: "qw/3" } }],
        },
      ],
    };
    expect(refs("qw/3", { ...BOTH, snapshot, answering: ["loose"] })).toEqual(["loose/qw/3"]);
  });

  test("a missing key names every place and the way to store one", () => {
    expect(route("acme/bard-sonnet-4")).toMatchObject({
      ok: false,
      error: {
        code: "provider.missing-key",
        exit: 3,
        why: "acme was chosen, and none of ACME_KEY, ACME_TOKEN is set, and no key is stored for acme.",
        next: containing("smith auth login acme"),
      },
    });
  });
});

describe("the level behind the colon", () => {
  test.each<readonly [string, string, string | undefined]>([
    ["acme/bard-sonnet-4-5:high", "acme/bard-sonnet-4-5", "high"],
    ["sonnet:low", "acme/bard-sonnet-4-5", "low"],
    ["acme:off", "acme/bard-sonnet-4-5", "off"],
    ["nova/np-5:minimal", "nova/np-5", "minimal"],
    ["nova/qwen3:free", "nova/qwen3:free", undefined],
    ["nova/llama3:8b:high", "nova/llama3:8b", undefined],
    ["nova/np-5", "nova/np-5", "medium"],
  ])("%s", (selection, expected, level) => {
    const found = route(selection, { ...BOTH, thinking: "medium" });
    expect(found.ok && found.value.targets.map(({ ref }) => `${ref.provider}/${ref.model}`)).toEqual([expected]);
    expect(found.ok && found.value.targets[0].thinking).toBe(level);
  });

  test("the level wished of a server that has still to tell its model waits for that", () => {
    const found = route("loose:high", BOTH);
    expect(found).toMatchObject({ ok: true, value: { targets: [{ ref: { model: "" }, thinking: "high", needsModel: true }], notes: [] } });
  });

  test("a level that is not to be had is noted", () => {
    expect(route("acme/bard-opus-4-1:high", BOTH)).toMatchObject({ ok: true, value: { notes: [{ code: "route.thinking-unavailable" }] } });
    expect(route("sonnet:medium", BOTH)).toMatchObject({
      ok: true,
      value: { targets: [{ thinking: "low" }], notes: [{ code: "route.thinking-degraded", severity: "warning" }] },
    });
  });
});

describe("what is recorded of a route", () => {
  test("facts of the catalog, the connection and the name of the key", () => {
    const found = route("sonnet:high", { env: { ACME_TOKEN: "secret-value" } });
    expect(found).toEqual({
      ok: true,
      value: {
        selection: "sonnet:high",
        targets: [
          {
            ref: { provider: "acme", model: "bard-sonnet-4-5" },
            endpoint: { baseUrl: "https://acme.test", credential: "ACME_TOKEN" },
            facts: { contextTokens: 200_000, images: true, thinking: ["off", "low", "high"] },
            thinking: "high",
            routing: { connection: "acme", credential: "ACME_TOKEN" },
            bucket: "acme ACME_TOKEN",
            source: "ACME_TOKEN",
            needsModel: false,
          },
        ],
        notes: [],
      },
    });
    expect(JSON.stringify(found)).not.toContain("secret-value");
  });

  test("a model nobody knows has no facts, which is said once", () => {
    const found = route("nova/np-9", BOTH);
    expect(found).toMatchObject({ ok: true, value: { targets: [{ facts: {} }], notes: [{ code: "route.unknown-facts" }] } });
  });
});
