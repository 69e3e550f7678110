import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AliasSetting, GroupSetting } from "../../../src/schema/index.js";
import { type Given, refs, route } from "./offers.js";

const at = (line: number): AliasSetting["source"] => ({ type: "file", path: "/c/config.kdl", line });
const alias = (name: string, to: string, line = 1): AliasSetting => ({ name, to, source: at(line) });
const group = (name: string, members: readonly string[], line = 9): GroupSetting => ({ name, members, source: at(line) });
const BOTH = { ACME_KEY: "k", NOVA_KEY: "k" };

const named = (aliases: readonly AliasSetting[], groups: readonly GroupSetting[] = [], env: Given["env"] = BOTH): Given => ({
  env,
  settings: { aliases, groups },
});

describe("aliases and groups", () => {
  test.each<readonly [string, string, Given, readonly string[] | string]>([
    ["an alias is what it stands for", "fast", named([alias("fast", "nova/np-5-mini")]), ["nova/np-5-mini"]],
    ["an alias goes before a provider of its name", "nova", named([alias("nova", "acme/bard-sonnet-4")]), ["acme/bard-sonnet-4"]],
    ["of two with one name the later counts", "a", named([alias("a", "nova"), alias("a", "acme")]), ["acme/bard-sonnet-4-5"]],
    ["a name is exact", "Fast", named([alias("fast", "nova")]), "route.no-match"],
    ["a name may hold a colon", "x:high", named([alias("x:high", "nova/np-5")]), ["nova/np-5"]],
    ["a group is its members in order", "main", named([], [group("main", ["nova", "sonnet"])]), ["nova/np-5", "acme/bard-sonnet-4-5"]],
    [
      "groups and aliases refer to each other, each model once",
      "all",
      named(
        [alias("fast", "nova/np-5-mini"), alias("best", "main")],
        [group("main", ["acme", "fast"]), group("all", ["fast", "best", "main"])],
      ),
      ["nova/np-5-mini", "acme/bard-sonnet-4-5"],
    ],
    ["what is not set up is left out", "main", named([], [group("main", ["nova", "acme"])], { ACME_KEY: "k" }), ["acme/bard-sonnet-4-5"]],
    ["a group of nothing", "main", named([], [group("main", [])]), "route.empty-group"],
    ["a member nobody knows", "main", named([], [group("main", ["acme", "nobody/x"])]), "route.bad-member"],
    ["an alias of nothing", "a", named([alias("a", "nobody/x")]), "route.bad-member"],
    ["an alias of what is not set up", "a", named([alias("a", "nova")], [], {}), "provider.missing-key"],
    ["an alias that is a group too", "a", named([alias("a", "nova")], [group("a", ["acme"])]), "route.ambiguous-name"],
    ["an alias of itself", "a", named([alias("a", "a")]), "route.cycle"],
  ])("%s", (_name, selection, given, expected) => {
    expect(refs(selection, given)).toEqual(expected);
  });

  test("a member that comes to the same as another is told: it could not take over", () => {
    const found = route("main", named([], [group("main", ["acme/bard-sonnet-4", "sonnet", "acme/bard-sonnet-4"])]));
    expect(found.ok && found.value.notes.map(({ code }) => code)).toEqual(["route.member-repeated"]);
    expect(found.ok && found.value.targets).toHaveLength(2);
  });

  test("the way is recorded, outermost first", () => {
    const found = route("top", named([alias("top", "main")], [group("main", ["fast"])].concat(group("fast", ["nova"]))));
    expect(found).toMatchObject({
      ok: true,
      value: { selection: "top", targets: [{ routing: { connection: "nova", via: ["alias top", "group main", "group fast"] } }] },
    });
  });

  test("the level nearest to the person counts", () => {
    const given = named([alias("think", "nova/np-5:low")], [group("main", ["think:medium", "think"])]);
    const levels = (selection: string): unknown => {
      const found = route(selection, { ...given, thinking: "minimal" });
      return found.ok && found.value.targets.map(({ thinking }) => thinking);
    };
    expect([levels("think"), levels("think:high"), levels("main"), levels("main:high")]).toEqual([
      ["low"],
      ["high"],
      ["medium", "low"],
      ["high"],
    ]);
  });

  test("a cycle is told whole, each name with its place", () => {
    const given = named([alias("a", "b", 3), alias("b", "c", 4)], [group("c", ["acme", "a"], 5)]);
    expect(route("a", given)).toMatchObject({
      ok: false,
      error: {
        code: "route.cycle",
        exit: 2,
        what: "Aliases and groups lead back to themselves: a → b → c → a.",
        why: "The alias a is set in /c/config.kdl:3. The alias b is set in /c/config.kdl:4. The group c is set in /c/config.kdl:5.",
        source: at(3),
      },
    });
  });

  test("of what leads into a cycle only the cycle is told", () => {
    expect(route("x", named([alias("x", "a"), alias("a", "b"), alias("b", "a")]))).toMatchObject({
      ok: false,
      error: { what: "Aliases and groups lead back to themselves: a → b → a." },
    });
  });

  test("a member that is left out is noted with its reason", () => {
    expect(route("main", named([], [group("main", ["nova", "acme"])], { ACME_KEY: "k" }))).toMatchObject({
      ok: true,
      value: {
        notes: [{ code: "route.member-left-out", what: "nova of the group main is left out: There is no key for nova.", source: at(9) }],
      },
    });
  });

  test("when none is left each member's reason is told", () => {
    const found = route("main", named([alias("n", "nova")], [group("main", ["n", "acme", "n"])], {}));
    expect(found).toMatchObject({ ok: false, error: { code: "route.none-set-up", exit: 3 } });
    expect(!found.ok && found.error.why).toMatch(/n: There is no key for nova\..*acme: There is no key for acme\./u);
  });

  test("a bad base URL in a group is not passed over", () => {
    const env = { ...BOTH, LOOSE_URL: "not a url" };
    expect(refs("main", named([], [group("main", ["acme", "loose"])], env))).toBe("provider.bad-base-url");
  });
});

describe("whatever names refer to", () => {
  const NAMES = ["a", "b", "c", "d", "e"] as const;
  const member = fc.constantFrom(...NAMES, "nova", "acme/bard-sonnet-4", "loose/x");
  const settings = fc.record({
    aliases: fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b"), member), { selector: ([name]) => name }),
    groups: fc.uniqueArray(fc.tuple(fc.constantFrom("c", "d", "e"), fc.array(member, { minLength: 1, maxLength: 4 })), {
      selector: ([name]) => name,
    }),
  });
  /** Whether following names from one ever comes back to a name on the way. */
  const isCyclic = (name: string, edges: ReadonlyMap<string, readonly string[]>, way: readonly string[] = []): boolean =>
    way.includes(name) || (edges.get(name) ?? []).some((next) => isCyclic(next, edges, [...way, name]));

  test("it ends, is a cycle exactly when it leads back, and is the same again", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(...NAMES), ({ aliases, groups }, selection) => {
        const edges = new Map<string, readonly string[]>([
          ...aliases.map(([name, to]): [string, readonly string[]] => [name, [to]]),
          ...groups,
        ]);
        const given = named(
          aliases.map(([name, to]) => alias(name, to)),
          groups.map(([name, members]) => group(name, members)),
        );
        const found = route(selection, given);
        expect(
          route(selection, named([...(given.settings?.aliases ?? [])].reverse(), [...(given.settings?.groups ?? [])].reverse())),
        ).toEqual(found);
        const isDangling = !found.ok && found.error.code !== "route.cycle";
        if (!isDangling) expect(!found.ok).toBe(isCyclic(selection, edges));
        if (found.ok)
          expect(new Set(found.value.targets.map((target) => JSON.stringify(target.ref))).size).toBe(found.value.targets.length);
      }),
      { numRuns: 300 },
    );
  });

  test("groups of groups do not grow without bound", () => {
    const groups = Array.from({ length: 40 }, (_, n) =>
      group(`g${String(n)}`, n === 0 ? ["acme", "nova"] : Array<string>(8).fill(`g${String(n - 1)}`)),
    );
    expect(refs("g39", named([], groups))).toEqual(["acme/bard-sonnet-4-5", "nova/np-5"]);
  });
});
