import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, parseJson } from "../../../src/base/index.js";
import { createPlace, type Place } from "../support/place.js";
import { serverVariables } from "../support/scripted.js";
import { textOf } from "../support/smith.js";

let here: Place | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const placed = (variables: Readonly<Record<string, string>> = {}): Place => {
  here = createPlace(variables);
  return here;
};

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const unlike = (pattern: RegExp): unknown => expect.not.stringMatching(pattern);

const manyServers = (count: number): string =>
  JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${String(n)}`, { command: "true" }])) });

/** Findings by `group/name`. */
async function findingsOf(place: Place, ...words: readonly string[]): Promise<{ status: number | null; found: Map<string, JsonObject> }> {
  const { status, stdout, stderr } = await place.run(["doctor", "--json", ...words]);
  expect(stderr).toBe("");
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map(parseJson)
    .filter((row) => isJsonObject(row));
  const found = new Map(rows.map((row) => [`${textOf(row["group"])}/${textOf(row["name"])}`, row]));
  expect(found.size).toBe(rows.length);
  return { status, found };
}

describe("smith doctor", () => {
  test("tells what works in groups, changes nothing and asks nobody", async () => {
    // Nobody listens there: a request would fail.
    const place = placed(serverVariables("http://127.0.0.1:9/v1"));
    place.config('models {\n  model "openai-compatible/scripted" { context 200000 }\n}\n');
    const before = readdirSync(place.home, { recursive: true });
    const { status, stdout, stderr } = await place.run(["doctor"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Program\n {2}\[ok\] version +smith \d+\.\d+\.\d+, Node\.js \d+\.\d+\.\d+, \w+\n/u);
    expect(stdout.match(/^[A-Z][A-Za-z ]+$/gmu)).toEqual([
      "Program",
      "Folders",
      "Settings",
      "Models",
      "Secrets",
      "Tools",
      "Plugins",
      "MCP servers",
    ]);
    expect(stdout).toMatch(/\[ok\] model +\S*scripted \(/u);
    expect(stdout).toMatch(/\[ok\] shell +\/\S*sh\n/u);
    expect(stdout).toMatch(/\n(?:\d+ warnings?|Everything works that was looked at)\.\n$/u);
    expect(stdout).not.toMatch(/\u001b|sk-e2e/u);
    const caches = readdirSync(place.home, { recursive: true }).filter((name) => !before.some((known) => known === name));
    expect(caches.filter((name) => !String(name).startsWith("cache"))).toEqual([]);
  });

  test("says of a tool whose program is missing how to get it, and where it is once it is there", async () => {
    const place = placed();
    const bin = join(place.work, "bin");
    mkdirSync(bin);
    const missing = await findingsOf(place);
    expect(missing.found.get("tools/nu")).toMatchObject({
      state: "note",
      text: "not offered: the program nu is not on the PATH",
      next: like(/package nushell.*Node 22 and newer; on older ones npm leaves it out without a word/u),
    });
    expect(missing.status).toBe(0);
    writeFileSync(join(bin, "nu"), "#!/bin/sh\n", { mode: 0o755 });
    const there = await place.run(["doctor", "--json"], { env: { PATH: `${bin}:/usr/bin:/bin` } });
    expect(there.stdout).toContain(`"text":"${join(bin, "nu")}"`);
  });

  test("without a model says what answers and how to get one", async () => {
    const { status, found } = await findingsOf(placed());
    expect(found.get("models/model")).toMatchObject({ state: "warning", next: like(/smith auth login NAME/u) });
    expect(found.get("models/keys")).toMatchObject({ state: "note", text: "none is set" });
    expect(status).toBe(0);
  });

  test("a model without its key is an error with the places that were looked at", async () => {
    const { status, found } = await findingsOf(placed({ SMITH_MODEL: "anthropic/claude-opus-4-5" }));
    const model = found.get("models/model");
    expect(model).toMatchObject({ state: "error", text: like(/no key for anthropic.*ANTHROPIC_API_KEY/u) });
    expect(model).toMatchObject({ next: like(/smith auth login anthropic/u) });
    expect(status).toBe(1);
  });

  test("settings that are wrong are found with their line, also of groups that are nobody's, and the rest is looked at", async () => {
    const place = placed();
    place.config('limits {\n  max-turns "many"\n}\nnobodys {\n  key 1\n}\n');
    const { status, found } = await findingsOf(place);
    const problems = [...found.values()].filter(({ group, name }) => group === "settings" && textOf(name).startsWith("problem"));
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatchObject({
      state: "error",
      code: like(/^config\./u),
      text: like(/config\.kdl:2/u),
    });
    expect(problems[1]).toMatchObject({ state: "warning", text: like(/config\.kdl:4.*nobodys/u) });
    expect(found.has("tools/shell")).toBe(true);
    expect(status).toBe(1);
  });

  test("a folder for sessions that cannot be is an error, whatever keeps it from being", async () => {
    const place = placed();
    mkdirSync(join(place.home, "data"), { recursive: true });
    writeFileSync(join(place.home, "data", "sessions"), "in the way");
    const { status, found } = await findingsOf(place);
    expect(found.get("places/sessions")).toMatchObject({ state: "error", text: like(/is there and is no folder/u) });
    expect(status).toBe(1);
  });

  test("a folder that cannot be made is an error", async () => {
    const place = placed();
    writeFileSync(join(place.home, "data"), "in the way");
    const { status, found } = await findingsOf(place);
    expect(found.get("places/sessions")).toMatchObject({ state: "error", text: like(/is not there and cannot be made/u) });
    expect(status).toBe(1);
  });

  test("servers: what cannot be started is told, a required one as an error; an address shows no password; nothing is started", async () => {
    const place = placed();
    const started = join(place.work, "started");
    mkdirSync(join(place.home, "config"), { recursive: true });
    writeFileSync(
      join(place.home, "config", "mcp.json"),
      JSON.stringify({
        mcpServers: {
          gone: { command: "no-such-program" },
          needed: { command: "no-such-program", required: true },
          web: { type: "http", url: "https://me:pass-word@mcp.example.test/mcp" },
          works: { command: "/bin/sh", args: ["-c", `touch ${started}`] },
          off: { command: "no-such-program", enabled: false },
          unset: { command: "/bin/sh", args: ["${NO_SUCH_VARIABLE}"], required: true },
          nowhere: { command: "/bin/sh", cwd: "/no/such/folder" },
          filled: { command: "${NO_SUCH_VARIABLE:-/bin/sh}" },
          beside: { command: "./run.sh", cwd: place.work },
          "own-path": { command: "run.sh", env: { PATH: place.work } },
        },
      }),
    );
    writeFileSync(join(place.work, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
    const { status, found } = await findingsOf(place);
    expect(found.get("servers/servers")).toMatchObject({ state: "ok", text: "9 on, 1 off" });
    expect(found.get("servers/gone")).toMatchObject({ state: "warning", next: like(/smith mcp-servers remove gone/u) });
    expect(found.get("servers/needed")).toMatchObject({ state: "error" });
    expect(found.get("servers/web")).toMatchObject({ state: "ok", text: unlike(/pass-word/u) });
    expect(found.get("servers/unset")).toMatchObject({ state: "error", text: like(/NO_SUCH_VARIABLE/u) });
    expect(found.get("servers/nowhere")).toMatchObject({ state: "warning", text: like(/folder \/no\/such\/folder is not there/u) });
    for (const name of ["filled", "beside", "own-path"]) expect(found.get(`servers/${name}`)).toMatchObject({ state: "ok" });
    expect(found.get("servers/works")).toMatchObject({ state: "ok" });
    expect(found.has("servers/off")).toBe(false);
    expect(existsSync(started)).toBe(false);
    expect(status).toBe(1);
  });

  test("a project that is not trusted has nothing of it used or run", async () => {
    const place = placed();
    const started = join(place.work, "started");
    mkdirSync(join(place.work, ".git"));
    place.file(".mcp.json", JSON.stringify({ mcpServers: { evil: { command: "/bin/sh", args: ["-c", `touch ${started}`] } } }));
    const { status, found } = await findingsOf(place);
    expect(found.get("settings/problem 1")).toMatchObject({ code: "trust.project-unused", state: "warning" });
    expect(found.has("servers/evil")).toBe(false);
    expect(existsSync(started)).toBe(false);
    expect(status).toBe(0);
    const trusted = await findingsOf(place, "--trust");
    expect(trusted.found.get("servers/evil")).toMatchObject({ state: "ok" });
    expect(existsSync(started)).toBe(false);
  });

  test("plugins that cannot be used are told with what to do", async () => {
    const place = placed();
    place.file("broken/manifest.kdl", 'plugin "broken" {\n');
    const { found } = await findingsOf(place, "--plugin", "broken");
    const told = [...found.values()].filter(({ group, state }) => group === "plugins" && state === "warning");
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ text: like(/manifest\.kdl/u), next: like(/./u) });
  });

  test("what should be hidden and cannot be read is told", async () => {
    const place = placed();
    mkdirSync(join(place.home, "data"), { recursive: true });
    writeFileSync(join(place.home, "data", "secrets.json"), "{broken");
    const { status, found } = await findingsOf(place);
    expect(found.get("secrets/problem 1")).toMatchObject({ state: "warning", code: "secret.store-broken" });
    expect(status).toBe(0);
  });

  test.each([
    ["a folder", (path: string) => mkdirSync(path), /mcp\.json is a folder, not a file/u],
    ["a pipe", (path: string) => execFileSync("mkfifo", [path]), /mcp\.json is a special file, not a file/u],
    ["a link to itself", (path: string) => symlinkSync(path, path), /mcp\.json cannot be read.*ELOOP/u],
    ["too large", (path: string) => writeFileSync(path, " ".repeat(1_100_000)), /mcp\.json has 1100000 bytes/u],
    ["servers without end", (path: string) => writeFileSync(path, manyServers(201)), /lists 201 servers; 200 may be set up/u],
  ])("a file of servers that is %s is told as that at once", async (_name, make, words) => {
    const place = placed();
    mkdirSync(join(place.home, "config"));
    make(join(place.home, "config", "mcp.json"));
    const { status, found } = await findingsOf(place);
    expect(found.get("settings/problem 1")).toMatchObject({ state: "error", text: like(words) });
    expect(status).toBe(1);
  });

  test("a home where no folder can ever be made is refused, here and by a run", async () => {
    const place = placed({ SMITH_HOME: "/proc/smith" });
    for (const words of [["doctor"], ["eval", "hi"]]) {
      const { status, stderr } = await place.run(words);
      expect([status, stderr]).toEqual([2, like(/\/proc\/smith\/config is not there and cannot be made/u)]);
    }
  });

  test("wrong usage is refused, and a closed pipe is quiet", async () => {
    const place = placed();
    const wrong = await place.run(["doctor", "--jsn"]);
    expect([wrong.status, wrong.stdout]).toEqual([2, ""]);
    expect(wrong.stderr).toMatch(/--json/u);
    const piped = await place.run(["doctor"], { script: '"$@" | true' });
    expect([piped.status, piped.stderr]).toEqual([0, ""]);
  });
});
