import { describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import type { ModelAdmin, RefreshReport } from "../../../src/runtime/index.js";
import { createFakeHost } from "../fake-host.js";
import { failure } from "../fake-runtime.js";
import { connection, keyless, onTerminal, smith, smithOn, world } from "./support.js";

const place = (name: string): Pick<RefreshReport, "provider" | "connection" | "url"> => ({
  provider: name,
  connection: name,
  url: `https://${name}.test`,
});
const changed = (name: string): RefreshReport => ({ ...place(name), type: "changed", count: 5, added: 2, removed: 1 });
const unchanged = (name: string): RefreshReport => ({ ...place(name), type: "unchanged", count: 1 });
const failed = (name: string, kept = 0): RefreshReport => ({
  ...place(name),
  type: "failed",
  kept,
  diagnostic: failure({ code: "provider.unreachable", what: `${name} is away` }),
});

type Refresh = ModelAdmin["refresh"];

interface Asking {
  readonly reports?: readonly RefreshReport[];
  readonly end?: Awaited<ReturnType<Refresh>>;
}

/** A door whose servers answer like that, and what was asked of it. */
function asking({ reports = [], end = ok("published") }: Asking): {
  readonly admin: Partial<ModelAdmin>;
  readonly asked: (readonly string[])[];
} {
  const asked: (readonly string[])[] = [];
  const refresh: Refresh = ({ only, onReport }) => {
    asked.push(only);
    for (const report of reports) onReport(report);
    return Promise.resolve(end);
  };
  const connections = (): ReturnType<ModelAdmin["connections"]> => [
    connection("ant"),
    connection("gpu", { provider: "ant", isConfigured: true }),
    connection("oll", { needsKey: false, isSetUp: false }),
    keyless("oai"),
  ];
  return { admin: world({ refresh, connections }), asked };
}

describe("models refresh", () => {
  test("says who has a changed list, who the same, and who failed and why, in the order of connections", async () => {
    const gpu: RefreshReport = { ...failed("gpu", 3), provider: "ant" };
    const ran = await smith(["models", "refresh"], asking({ reports: [gpu, unchanged("oll"), changed("ant")] }).admin);
    expect(ran.status).toBe(0);
    expect(ran.lines).toEqual([
      "ant: changed, 5 models (2 new, 1 gone)",
      "gpu: failed, its previous list of 3 models still counts",
      "oll: unchanged, 1 model",
    ]);
    expect(ran.err).toContain("gpu is away");
    expect(ran.calls).toContain("models closed");
  });

  test("ends with status 1 when all failed, and with 0 when one answered", async () => {
    expect((await smith(["models", "refresh"], asking({ reports: [failed("ant")] }).admin)).status).toBe(1);
    expect((await smith(["models", "refresh"], asking({ reports: [failed("ant"), unchanged("oll")] }).admin)).status).toBe(0);
  });

  test("a server of this machine that nobody set up and that is not there is no failure to look into, unless it was named", async () => {
    const { admin } = asking({ reports: [failed("oll"), changed("ant")] });
    const all = await smith(["models", "refresh"], admin);
    expect(all.lines.at(-1)).toBe("not running on this machine: oll");
    expect(all.err).not.toContain("oll is away");
    const named = await smith(["models", "refresh", "oll"], asking({ reports: [failed("oll")] }).admin);
    expect([named.status, named.out]).toEqual([1, "oll: failed\n"]);
    expect(named.err).toContain("oll is away");
    const alone = await smith(["models", "refresh"], asking({ reports: [failed("oll")] }).admin);
    expect(alone.status).toBe(1);
    expect(alone.err).toContain("models.none-answered");
  });

  test("asks only those that are named, by connection or by provider", async () => {
    const { admin, asked } = asking({ reports: [changed("ant")] });
    await smith(["models", "refresh"], admin);
    await smith(["models", "refresh", "GPU"], admin);
    await smith(["models", "refresh", "ant", "gpu"], admin);
    expect(asked).toEqual([[], ["gpu"], ["ant", "gpu"]]);
  });

  test("of a name nobody has suggests the nearest and asks nobody", async () => {
    const { admin, asked } = asking({});
    const ran = await smith(["models", "refresh", "ant", "gpux"], admin);
    expect([ran.status, ran.out, asked]).toEqual([2, "", []]);
    expect(ran.err).toContain("Did you mean gpu?");
  });

  test("what has no key is not asked: it says what would set it up and counts as failed", async () => {
    const { admin, asked } = asking({ reports: [changed("ant")] });
    const alone = await smith(["models", "refresh", "oai"], admin);
    expect([alone.status, alone.out, asked]).toEqual([1, "oai: not asked\n", []]);
    expect(alone.err).toContain("Set OAI_API_KEY, or store a key: smith auth login oai.");
    expect((await smith(["models", "refresh", "oai", "gpu"], admin)).status).toBe(0);
    expect(asked).toEqual([["gpu"]]);
  });

  test("on a terminal tells of each as it answers", async () => {
    const { err: told } = await smith(["models", "refresh"], asking({ reports: [changed("ant"), failed("oll")] }).admin, onTerminal(80));
    expect(told).toContain("smith: ant answered: 5 models\n");
    expect(told).toContain("smith: oll is not running here\n");
    expect((await smith(["models", "refresh"], asking({ reports: [changed("ant")] }).admin)).err).toBe("");
  });

  test("says that another refresh came first, and what kept it from being kept", async () => {
    const stale = await smith(["models", "refresh"], asking({ reports: [changed("ant")], end: ok("stale") }).admin);
    expect(stale.status).toBe(0);
    expect(stale.err).toContain("another refresh that began later has come first");
    const unwritten = await smith(
      ["models", "refresh"],
      asking({ reports: [changed("ant")], end: err(failure({ code: "models.snapshot-unwritten" })) }).admin,
    );
    expect([unwritten.status, unwritten.out]).toEqual([1, ""]);
    expect(unwritten.err).toContain("models.snapshot-unwritten");
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends it with status %i and nothing is told as done", async (name, status) => {
    const host = createFakeHost({ env: { SMITH_HOME: "/home/a/smith" } });
    const refresh: Refresh = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve(ok("aborted"));
        });
        host.signal(name);
      });
    const ran = await smithOn(host, ["models", "refresh"], world({ refresh }));
    expect([ran.status, ran.out]).toEqual([status, ""]);
    expect(ran.calls).toContain("models closed");
  });

  test("--json has a record for each and a summary", async () => {
    const { lines } = await smith(["models", "refresh", "ant", "oai", "--json"], asking({ reports: [changed("ant")] }).admin);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: "changed", connection: "ant", count: 5, added: 2, removed: 1 },
      { type: "not-asked", name: "oai", diagnostic: { code: "models.not-set-up" } },
      { type: "summary", outcome: "published", changed: 1, unchanged: 0, failed: 1 },
    ]);
  });
});
