import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PtyShell } from "../../support/pty.js";
import { until } from "../../support/virtual-screen.js";
import { createPlace, type Place } from "../support/place.js";
import { ESCAPES, eventsOf, SMITH, STACK } from "../support/smith.js";

/** A server with a list of models; while it is held, it answers nothing. */
interface ListServer {
  readonly url: string;
  models: readonly string[];
  isHeld: boolean;
  /** Requests so far. */
  readonly asked: () => number;
  release(): void;
  close(): Promise<void>;
}

async function startListServer(models: readonly string[]): Promise<ListServer> {
  let asked = 0;
  const held: ServerResponse[] = [];
  const answer = (response: ServerResponse): void => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data: server.models.map((id) => ({ id, object: "model" })) }));
  };
  const http: Server = createServer((_request, response) => {
    asked += 1;
    if (server.isHeld) held.push(response);
    else answer(response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: ListServer = {
    url: `http://127.0.0.1:${String((http.address() as AddressInfo).port)}/v1`,
    models,
    isHeld: false,
    asked: () => asked,
    release() {
      server.isHeld = false;
      for (const response of held.splice(0)) answer(response);
    },
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => {
          resolve();
        });
      }),
  };
  return server;
}

let place: Place;
let server: ListServer;
beforeEach(async () => {
  server = await startListServer(["alpha-7b", "beta-9b"]);
  // What happens to run on the machine of the tests is none of theirs.
  place = createPlace({ SMITH_DISCOVERY: "false" });
});
afterEach(async () => {
  await place.close();
  await server.close();
});

const connect = (...more: readonly string[]): string =>
  place.config(
    ["// mine", "connections {", `    connection "gpu" provider="openai-compatible" base-url="${server.url}"`, ...more, "}", ""].join("\n"),
  );
const kept = (): readonly string[] => {
  const dir = join(place.home, "cache", "models");
  return existsSync(dir) ? readdirSync(dir).filter((name) => name.startsWith("models-")) : [];
};

describe("models refresh", () => {
  test("what servers say counts for every later command, also when they are gone", async () => {
    const config = connect();
    const before = readFileSync(config, "utf8");
    const first = await place.run(["models", "refresh"]);
    expect([first.status, first.stdout, first.stderr]).toEqual([0, "gpu: changed, 2 models (2 new)\n", ""]);
    expect((await place.run(["models", "refresh", "gpu"])).stdout).toBe("gpu: unchanged, 2 models\n");
    server.models = ["beta-9b", "gamma-1b"];
    expect((await place.run(["models", "refresh", "gpu"])).stdout).toBe("gpu: changed, 2 models (1 new, 1 gone)\n");
    await server.close();
    const gone = await place.run(["models", "refresh"]);
    expect([gone.status, gone.stdout]).toEqual([1, "gpu: failed, its previous list of 2 models still counts\n"]);
    expect(gone.stderr).toContain("connection refused");
    const list = await place.run(["models", "list", "gamma"]);
    expect(list.stdout).toContain("openai-compatible/gamma-1b");
    expect(readFileSync(config, "utf8")).toBe(before);
  });

  test("a server that hangs does not keep the others, and Ctrl+C keeps nothing of any", async () => {
    const hanging = await startListServer([]);
    hanging.isHeld = true;
    try {
      connect(`    connection "slow" provider="openai-compatible" base-url="${hanging.url}"`);
      const running = place.start(["models", "refresh"], { input: "" });
      await until(
        () => hanging.asked() > 0 && server.asked() > 0,
        () => running.stderr(),
      );
      running.kill("SIGINT");
      const { status, stdout, stderr } = await running.ended;
      expect([status, stdout, stderr, kept()]).toEqual([130, "", "", []]);
      const whole = await place.run(["models", "refresh", "--json"]);
      expect(whole.status).toBe(0);
      expect(eventsOf(whole.stdout)).toMatchObject([
        { type: "changed", connection: "gpu", count: 2 },
        { type: "failed", connection: "slow", kept: 0 },
        { type: "summary", outcome: "published", changed: 1, failed: 1 },
      ]);
    } finally {
      await hanging.close();
    }
  });

  test("of two at once the one that began later counts, whoever ends first", async () => {
    connect();
    server.isHeld = true;
    const early = place.start(["models", "refresh"], { input: "" });
    await until(
      () => server.asked() === 1,
      () => early.stderr(),
    );
    server.isHeld = false;
    expect((await place.run(["models", "refresh"])).stdout).toContain("gpu: changed, 2 models");
    server.models = ["late-1b"];
    server.release();
    const { status, stderr } = await early.ended;
    expect(status).toBe(0);
    expect(stderr).toContain("another refresh that began later has come first");
    const { stdout } = await place.run(["models", "list", "--json"]);
    const names = eventsOf(stdout).flatMap(({ type, model }) => (type === "model" ? [model] : []));
    expect(names).toEqual(expect.arrayContaining(["alpha-7b", "beta-9b"]));
    expect(names).not.toContain("late-1b");
  });

  test("what was kept and is damaged is told, left aside, and mended by the next refresh", async () => {
    connect();
    await place.run(["models", "refresh"]);
    for (const name of kept()) writeFileSync(join(place.home, "cache", "models", name), "\u0000{");
    const damaged = await place.run(["models", "list"]);
    expect(damaged.status).toBe(0);
    expect(damaged.stderr).toContain("models.snapshot-damaged");
    expect((await place.run(["models", "refresh"])).status).toBe(0);
    const { stdout, stderr } = await place.run(["models", "list", "alpha"]);
    expect(stdout).toContain("openai-compatible/alpha-7b");
    expect(stderr).not.toContain("damaged");
  });
});

describe("models use", () => {
  test.each([
    ["nothing yet", "", 'model "offline/offline"\n'],
    [
      "a mark, CRLF and comments",
      '\uFEFF// top\r\nmode "auto" // why\r\n',
      '\uFEFF// top\r\nmode "auto" // why\r\nmodel "offline/offline"\r\n',
    ],
    ["another model", 'mode "auto"\nmodel   "ollama"   // mine\n', 'mode "auto"\nmodel   "offline/offline"   // mine\n'],
    ["a last line without an end", 'mode "auto"', 'mode "auto"\nmodel "offline/offline"\n'],
  ])("writes one setting into a file with %s, and nothing else", async (_name, before, after) => {
    const path = place.config(before);
    const { status, stdout, stderr } = await place.run(["models", "use", "offline"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain('Wrote model "offline/offline" to ~/config/config.kdl');
    expect(readFileSync(path, "utf8")).toBe(after);
    expect((await place.run(["models", "show"])).stdout).toContain("chosen in ~/config/config.kdl");
  });

  test("writes a part of a name as what it means with its level, a connection as it was named, an alias as itself", async () => {
    const path = connect();
    const text = readFileSync(path, "utf8");
    writeFileSync(path, `${text}models {\n    alias "mine" "alpha-7b"\n}\n`);
    await place.run(["models", "refresh"]);
    const written = async (selection: string): Promise<string> => {
      expect((await place.run(["models", "use", selection])).status).toBe(0);
      return /^model "?([^"\n]*)"?$/mu.exec(readFileSync(path, "utf8"))?.[1] ?? "";
    };
    expect(await written("beta:low")).toBe("openai-compatible/beta-9b:low");
    expect(await written("gpu/alpha-7b")).toBe("gpu/alpha-7b");
    expect(await written("gpu")).toBe("gpu");
    expect(await written("mine:high")).toBe("mine:high");
  });

  test("says what still wins over the file", async () => {
    place.config("");
    const { stderr } = await place.run(["models", "use", "offline"], { env: { SMITH_MODEL: "offline" } });
    expect(stderr).toContain("another choice wins over the file: SMITH_MODEL");
    place.file(".smith/config.kdl", 'model "offline"\n');
    const project = await place.run(["models", "use", "offline", "--trust"]);
    expect(project.stderr).toMatch(/wins over the file: .*\.smith\/config\.kdl:1/u);
  });

  test("writes nothing for what is ambiguous, unknown, or has no key", async () => {
    server.models = ["red-fox", "blue-fox"];
    const path = connect();
    await place.run(["models", "refresh"]);
    const before = readFileSync(path, "utf8");
    const ambiguous = await place.run(["models", "use", "fox"]);
    expect(ambiguous.status).toBe(2);
    expect(ambiguous.stderr).toContain("openai-compatible/blue-fox");
    expect(ambiguous.stderr).toContain("openai-compatible/red-fox");
    expect((await place.run(["models", "use", "nope/x"])).status).toBe(2);
    expect((await place.run(["models", "use", " "])).status).toBe(2);
    const keyless = await place.run(["models", "use", "anthropic"]);
    expect(keyless.status).toBe(3);
    expect(keyless.stderr).toContain("ANTHROPIC_API_KEY");
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("leaves a file with an error as it is", async () => {
    const path = place.config("models {\n");
    const { status, stdout, stderr } = await place.run(["models", "use", "offline"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).not.toMatch(STACK);
    expect(readFileSync(path, "utf8")).toBe("models {\n");
  });
});

test("nothing that goes into a pipe has an escape sequence, nor the value of a key", async () => {
  connect();
  const env = { ANTHROPIC_API_KEY: "sk-secret-0123456789", FORCE_COLOR: "" };
  for (const words of [
    ["list", "--all"],
    ["list", "--json"],
    ["show", "opus"],
    ["show", "opus", "--json"],
    ["refresh", "gpu"],
    ["use", "opus"],
  ]) {
    const { stdout, stderr } = await place.run(["models", ...words], { env });
    expect(stdout + stderr).not.toMatch(ESCAPES);
    expect(stdout + stderr).not.toContain("sk-secret");
  }
});

test.each([
  ["nope/x", 2],
  ["anthropic/x", 3],
])("a model that cannot be asked, %s, ends the interface and a run with the same status %i", async (model, status) => {
  expect((await place.run(["eval", "--model", model, "hi"])).status).toBe(status);
  const shell = new PtyShell({ columns: 80, rows: 24 }, { cwd: place.work, env: { ...place.env } });
  try {
    shell.shell.write(`${process.execPath} ${SMITH} --model ${model}; echo status=$?=\r`);
    await until(
      () => shell.text().includes(`status=${String(status)}=`),
      () => shell.text(),
    );
  } finally {
    shell.shell.write("exit\r");
    await until(
      () => shell.exited,
      () => shell.text(),
    );
  }
});
