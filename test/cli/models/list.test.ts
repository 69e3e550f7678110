import { describe, expect, test } from "vitest";
import { connection, entry, keyless, nowhere, onTerminal, routeTo, smith, target, world } from "./support.js";

const NEVER_ASKED = "Servers were never asked for their models; smith models refresh asks them.";

describe("models list", () => {
  test("shows models of providers that are set up, marks the one that is used, and says why and what else there could be", async () => {
    const ran = await smith(["models", "list"]);
    expect(ran.status).toBe(0);
    expect(ran.lines).toEqual([
      "SELECTION     CONTEXT  OUTPUT  $/M IN / OUT  TAKES         THINKING      FROM",
      "ant/opus-5 *  1M       64k     5 / 25        images tools  off low high  catalog",
      "ant/haiku-5   200k     -       -             no tools      never         catalog",
    ]);
    expect(ran.err.split("\n").slice(0, -1)).toEqual([
      "* Used when nothing is chosen: ant/opus-5 (ANT_API_KEY is set).",
      NEVER_ASKED,
      "Not set up: oai (OAI_API_KEY). Set the variable, or store a key: smith auth login NAME.",
    ]);
    expect(ran.calls).toContain("models closed");
  });

  test("with --all also shows what is not set up, and says which is", async () => {
    const { lines } = await smith(["models", "list", "--all"]);
    expect(lines.map((line) => line.split(/\s{2,}/u).slice(0, 2))).toEqual([
      ["SELECTION", "SET UP"],
      ["ant/opus-5 *", "yes"],
      ["ant/haiku-5", "yes"],
      ["oai/gpt-9", "no"],
    ]);
  });

  test("keeps what has the words, also in titles; what is not set up and has them is counted", async () => {
    const haiku = await smith(["models", "list", "Haiku"]);
    expect(haiku.lines.slice(1).map((line) => line.split(" ")[0])).toEqual(["ant/haiku-5"]);
    expect(haiku.err).not.toContain("Not set up");
    const gpt = await smith(["models", "list", "gpt-9"]);
    expect(gpt.out).toBe("");
    expect(gpt.err).toContain("No model that can be asked has these words in its name: gpt-9.");
    expect(gpt.err).toContain("1 model of providers that are not set up has these words, too: --all.");
    expect(gpt.err).toContain("Not set up: oai (OAI_API_KEY).");
  });

  test("takes the name of a connection for what its server lists", async () => {
    const admin = world({
      entries: () => [entry("ant/a", {}, { listedBy: ["gpu"] }), entry("ant/b", {}, { listedBy: ["ant"] })],
      connections: () => [connection("ant"), connection("gpu", { provider: "ant", isConfigured: true })],
    });
    expect((await smith(["models", "list", "gpu"], admin)).out).toMatch(/^SELECTION.*\nant\/a .*\n$/u);
    expect((await smith(["models", "list", "gpu", "b"], admin)).out).toBe("");
  });

  test("names connections whose models nobody knows, and a configured one without its key", async () => {
    const admin = world({
      connections: () => [
        connection("ant"),
        connection("gpu"),
        keyless("work", { provider: "ant", isConfigured: true, lookedAt: ["WORK_KEY"] }),
      ],
    });
    const { err } = await smith(["models", "list"], admin);
    expect(err).toContain("Set up, and nothing is known of their models yet: gpu.");
    expect(err).toContain("Not set up: work (WORK_KEY).");
  });

  test("says who lists the first model when its server has yet to tell it", async () => {
    const admin = world({ route: () => routeTo(target("gpu/", { source: "gpu", routing: { connection: "gpu" } })) });
    expect((await smith(["models", "list"], admin)).err).toContain(
      "* Used when nothing is chosen: the first model that gpu lists (gpu answers on this machine).",
    );
  });

  test("shows what is used and what answers without a server, although no catalog has them", async () => {
    const local = target("off/line", { endpoint: { baseUrl: "" }, routing: { connection: "off" } });
    const admin = world({
      connections: () => [connection("off", { endpoint: { baseUrl: "" }, needsKey: false })],
      route: () => routeTo(local),
    });
    const { lines, err } = await smith(["models", "list"], admin);
    expect(lines.at(-1)).toMatch(/^off\/line \* .*built in$/u);
    expect(err).toContain("off/line (nothing else is set up)");
  });

  test("goes on when what was chosen cannot be asked, and says so", async () => {
    const ran = await smith(["models", "list"], world({ route: () => nowhere({ what: "There is nobody." }) }));
    expect(ran.status).toBe(0);
    expect(ran.err).toContain("warning[route.no-match] There is nobody.");
    expect(ran.lines).toHaveLength(3);
  });

  test.each([200, 80, 60, 40, 20])("no line is wider than a terminal of %i columns", async (columns) => {
    const { out } = await smith(["models", "list", "--all"], world(), onTerminal(columns));
    const words = out.split("\n").filter((line) => line.length > columns);
    // A word that is longer than the terminal is its own.
    expect(words.filter((line) => line.trim().includes(" "))).toEqual([]);
    expect(out).toContain("Used when");
  });

  test("leaves columns out where they do not fit, from the least to what one chooses by", async () => {
    const header = async (columns: number): Promise<string | undefined> =>
      (await smith(["models", "list"], world(), onTerminal(columns))).lines[0];
    expect(await header(100)).toBe("SELECTION     CONTEXT  OUTPUT  $/M IN / OUT  TAKES         THINKING      FROM");
    expect(await header(70)).toBe("SELECTION     CONTEXT  OUTPUT  $/M IN / OUT  TAKES         THINKING");
    expect(await header(62)).toBe("SELECTION     CONTEXT  $/M IN / OUT  TAKES         THINKING");
  });

  test("nothing in a name or title acts on a terminal", async () => {
    const admin = world({ entries: () => [entry("ant/\u001b[2Jx", {}, { title: "\u009b1m" })] });
    for (const ran of [await smith(["models", "list"], admin), await smith(["models", "list", "--json"], admin)]) {
      expect(ran.out + ran.err).not.toMatch(/[\u001b\u009b]/u);
    }
  });

  test("--json has one record a line: what is used, models with exact facts, what has no key, when servers were asked", async () => {
    const { lines, err } = await smith(["models", "list", "--json"], world({ refreshedAt: 0 }));
    expect(err).toBe("");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: "used", provider: "ant", model: "opus-5", connection: "ant", why: "ANT_API_KEY is set" },
      {
        type: "model",
        selection: "ant/opus-5",
        facts: { contextTokens: 1_000_000, price: { input: 5, output: 25 } },
        setUp: true,
        used: true,
      },
      { type: "model", selection: "ant/haiku-5", title: "Haiku", facts: { thinking: [] } },
      { type: "not-set-up", name: "oai", lookedAt: ["OAI_API_KEY", "auth:oai"] },
      { type: "asked", at: "1970-01-01T00:00:00.000Z" },
    ]);
  });
});
