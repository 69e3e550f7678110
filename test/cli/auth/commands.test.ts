import { describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import type { AuthAccount, AuthAdmin, AuthCheck, DevicePrompt } from "../../../src/runtime/index.js";
import { parseLine } from "../../../src/cli/program.js";
import { toInvocation } from "../../../src/cli/invocation.js";
import { createFakeInput } from "../fake-host.js";
import { failure } from "../fake-runtime.js";
import { account, hostOf, KEY, piped, smith, smithOn, typing } from "./support.js";

const ANTHROPIC = account("anthropic");

function parse(line: string): object {
  const parsed = parseLine(line.split(" "), 100);
  if (!parsed.ok) return parsed.error;
  if (parsed.value.type !== "command") return { help: true };
  const meant = toInvocation(parsed.value);
  return meant.ok ? meant.value : meant.error;
}

describe("what lines mean", () => {
  test.each<[string, object]>([
    ["auth login anthropic", { type: "auth login", name: "anthropic", keyStdin: false }],
    ["auth login anthropic --key-stdin", { keyStdin: true }],
    ["auth logout anthropic", { type: "auth logout", name: "anthropic" }],
    ["auth status", { type: "auth status", json: false }],
    ["auth status --json", { json: true }],
    ["auth check", { type: "auth check", name: undefined, json: false }],
    ["auth check anthropic --json", { name: "anthropic", json: true }],
    ["auth", { code: "usage.missing-command", exit: 2 }],
    ["auth login", { code: "usage.missing-argument", exit: 2 }],
    ["auth logn anthropic", { code: "usage.unknown-command", exit: 2 }],
    ["auth logout anthropic --json", { code: "usage.unknown-flag", exit: 2 }],
  ])("%s", (line, meaning) => {
    expect(parse(line)).toMatchObject(meaning);
  });

  test.each([`auth login anthropic ${KEY}`, `auth login anthropic --key=${KEY}`, `auth login --api-key ${KEY}`])(
    "a key is never an argument, and one that is given as such is not repeated: %#",
    (line) => {
      expect(parse(line)).toMatchObject({ exit: 2 });
      expect(JSON.stringify(parse(line))).not.toContain(KEY);
    },
  );
});

describe("auth login", () => {
  test("stores what is on standard input, says where, and never the key", async () => {
    for (const line of ["auth login anthropic", "auth login anthropic --key-stdin"]) {
      const ran = await smith(line, [ANTHROPIC], {}, piped(` ${KEY}\n`));
      expect(ran.status).toBe(0);
      expect([...ran.stored]).toEqual([["anthropic", KEY]]);
      expect(ran.out).toBe("Stored the key of anthropic in ~/smith/data/auth.json, which only you can read.\n");
      expect(ran.out + ran.err).not.toContain("sk-");
      expect(ran.calls).toContain("auth closed");
    }
  });

  test.each([
    ["nothing", ""],
    ["blanks", " \n\n"],
    ["several lines", `${KEY}\n${KEY}\n`],
    ["far too much", "x".repeat(70_000)],
  ])("is refused with status 2 when standard input has %s", async (_name, text) => {
    const ran = await smith("auth login anthropic", [ANTHROPIC], {}, piped(text));
    expect([ran.status, ran.stored.size]).toEqual([2, 0]);
    expect(ran.err).toContain("usage.no-key-given");
    expect(ran.err).not.toContain("sk-");
  });

  test("asks at the terminal and shows nothing of what is typed; the terminal is as it was", async () => {
    const { host, terminal } = typing(`${KEY}\r`);
    const ran = await smithOn(host, "auth login anthropic", [ANTHROPIC]);
    expect([ran.status, ran.stored.get("anthropic")]).toEqual([0, KEY]);
    expect(ran.err).toContain("Key for The anthropic");
    expect(ran.out + ran.err).not.toContain("sk-");
    expect([terminal.raw, terminal.listeners(), terminal.restores.size]).toEqual([[true, false], 0, 0]);
  });

  test.each([
    ["Ctrl-C", "abc\u0003", 130],
    ["Ctrl-D", "\u0004", 2],
    ["Enter alone", "\r", 2],
  ])("stores nothing after %s", async (_name, keys, status) => {
    const { host, terminal } = typing(keys);
    const ran = await smithOn(host, "auth login anthropic", [ANTHROPIC]);
    expect([ran.status, ran.stored.size, terminal.raw]).toEqual([status, 0, [true, false]]);
  });

  test("that a signal stops while a pipe is silent ends with its status and stores nothing", async () => {
    const host = hostOf({ stdin: createFakeInput("idle-prone") });
    const running = smithOn(host, "auth login anthropic", [ANTHROPIC], {
      overview: () => {
        setImmediate(() => {
          host.signal("SIGTERM");
        });
        return Promise.resolve({ accounts: [ANTHROPIC], stored: [], file: "/x", problems: [] });
      },
    });
    const ran = await running;
    expect([ran.status, ran.stored.size]).toEqual([143, 0]);
  });

  test("of a name nobody has suggests the nearest, and does not repeat what may be a key", async () => {
    const near = await smith("auth login antropic", [ANTHROPIC], {}, piped(KEY));
    expect(near.status).toBe(2);
    expect(near.err).toContain("Did you mean anthropic?");
    const key = await smith(`auth login ${KEY}`, [ANTHROPIC], {}, piped(KEY));
    expect(key.status).toBe(2);
    expect(key.err).toContain("usage.key-as-argument");
    expect(key.err).not.toContain("sk-");
  });

  test("takes every name that a key is looked for under", async () => {
    const places = [{ name: "auth:openai-url", isSet: false }];
    const ran = await smith("auth login openai-url", [account("openai", { places })], {}, piped(KEY));
    expect([ran.status, ran.stored.get("openai-url")]).toEqual([0, KEY]);
  });

  test("tells when another key comes first", async () => {
    const places = [
      { name: "ANTHROPIC_API_KEY", isSet: true },
      { name: "auth:anthropic", isSet: false },
    ];
    const ran = await smith("auth login anthropic", [account("anthropic", { places })], {}, piped(KEY));
    expect(ran.status).toBe(0);
    expect(ran.err).toContain("comes first: ANTHROPIC_API_KEY");
  });

  test("ends with what the file said when it could not be stored", async () => {
    const problem = failure({ code: "credential.file-unwritten", exit: 1 });
    const ran = await smith("auth login anthropic", [ANTHROPIC], { storeKey: () => Promise.resolve(err(problem)) }, piped(KEY));
    expect([ran.status, ran.out]).toEqual([1, ""]);
    expect(ran.err).toContain("credential.file-unwritten");
  });

  const DEVICE = account("example", { login: "device" });
  const prompt = (finish: DevicePrompt["finish"]): Partial<AuthAdmin> => ({
    startDeviceLogin: () =>
      Promise.resolve(
        ok({
          url: "https://id.example/device",
          userCode: "ABCD-EFGH",
          completeUrl: "https://id.example/device?c=ABCD",
          expiresAt: 0,
          finish,
        }),
      ),
  });

  test("shows an address and a code where the provider has a browser login, without a terminal too", async () => {
    const ran = await smith(
      "auth login example",
      [DEVICE],
      prompt(() => Promise.resolve(ok(undefined))),
    );
    expect(ran.status).toBe(0);
    for (const words of ["https://id.example/device", "ABCD-EFGH", "?c=ABCD"]) expect(ran.err).toContain(words);
    expect(ran.out).toContain("Stored the login of example");
  });

  test("takes a key for such a provider when asked to", async () => {
    const ran = await smith("auth login example --key-stdin", [DEVICE], {}, piped(KEY));
    expect([ran.status, ran.stored.get("example")]).toEqual([0, KEY]);
  });

  test("that is denied in the browser ends with status 3", async () => {
    const denied = failure({ code: "credential.login-failed", exit: 3 });
    const ran = await smith(
      "auth login example",
      [DEVICE],
      prompt(() => Promise.resolve(err(denied))),
    );
    expect([ran.status, ran.out]).toEqual([3, ""]);
  });
});

describe("auth logout", () => {
  test("removes, and tells what still gives a key", async () => {
    const places = [
      { name: "ANTHROPIC_API_KEY", isSet: true },
      { name: "auth:anthropic", isSet: false },
    ];
    const ran = await smith("auth logout anthropic", [account("anthropic", { places })], { remove: () => Promise.resolve(ok(true)) });
    expect([ran.status, ran.out]).toEqual([0, "Removed anthropic from ~/smith/data/auth.json.\n"]);
    expect(ran.err).toContain("anthropic still has a key: ANTHROPIC_API_KEY");
  });

  test("of what is not stored ends with status 1 and suggests what is", async () => {
    const overview = () => Promise.resolve({ accounts: [], stored: ["anthropic"], file: "/x", problems: [] });
    const ran = await smith("auth logout antropic", [], { overview, remove: () => Promise.resolve(ok(false)) });
    expect(ran.status).toBe(1);
    expect(ran.err).toContain("Did you mean anthropic?");
  });
});

describe("auth status", () => {
  const accounts: readonly AuthAccount[] = [
    account("anthropic", {
      places: [
        { name: "ANTHROPIC_API_KEY", isSet: true, kind: "key", masked: "sk-…AAA" },
        { name: "auth:anthropic", isSet: true, kind: "key", masked: "sk-…BBB" },
      ],
    }),
    account("example", {
      places: [{ name: "auth:example", isSet: true, kind: "oauth", expiresAt: Date.UTC(2026, 5, 1), isRenewable: true }],
      login: "device",
    }),
    account("work", { places: [{ name: "command:work", isSet: true, kind: "key" }] }),
    account("bad", { places: [{ name: "BAD_API_KEY", isSet: true, fault: "it holds characters other than ASCII" }] }),
    account("openai"),
    account("ollama", { needsKey: false, places: [] }),
  ];

  test("says of each whether it has a key, from where, and which of several is used and why", async () => {
    const ran = await smith("auth status", accounts);
    expect(ran.status).toBe(0);
    const lines = ran.out.split("\n").map((line) => line.replace(/ {2,}/gu, " | ").replace(/\d{4}-\d\d-\d\d \d\d:\d\d/u, "TIME"));
    expect(lines).toEqual([
      "NAME | STATE | KEY FROM | KEY | GOOD UNTIL",
      "anthropic | ready | ANTHROPIC_API_KEY | sk-…AAA | -",
      " | also set, not used: auth file (anthropic) sk-…BBB; ANTHROPIC_API_KEY comes first",
      "example | ready | auth file (example) | set | TIME, renewed then",
      "work | ready | command of work | not run yet | -",
      "bad | unusable | BAD_API_KEY | set | -",
      " | it cannot be sent: it holds characters other than ASCII",
      "openai | not set | - | - | -",
      " | looked at: OPENAI_API_KEY, auth file (openai)",
      "ollama | optional | - | - | -",
      "",
    ]);
  });

  test("is one record a line as JSON", async () => {
    const ran = await smith("auth status --json", accounts);
    const records = ran.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(records).toHaveLength(accounts.length);
    expect(records[0]).toEqual({
      name: "anthropic",
      provider: "anthropic",
      title: "The anthropic",
      state: "ready",
      login: "key",
      used: "ANTHROPIC_API_KEY",
      places: [
        { name: "ANTHROPIC_API_KEY", type: "env", set: true, used: true, kind: "key", masked: "sk-…AAA" },
        { name: "auth:anthropic", type: "auth", set: true, used: false, kind: "key", masked: "sk-…BBB" },
      ],
    });
    expect(records[4]).toMatchObject({ name: "openai", state: "not-set" });
  });

  test("tells what is wrong with the auth file, and ends well", async () => {
    const problem = failure({ code: "credential.file-broken" });
    const ran = await smith("auth status", [], {
      overview: () => Promise.resolve({ accounts: [], stored: [], file: "/x", problems: [problem] }),
    });
    expect(ran.status).toBe(0);
    expect(ran.err).toContain("credential.file-broken");
  });
});

describe("auth check", () => {
  const set = (name: string): AuthAccount => account(name, { places: [{ name: `${name.toUpperCase()}_API_KEY`, isSet: true }] });
  const all = [set("a"), set("b"), account("c"), set("d")];
  const answering = (states: Readonly<Record<string, AuthCheck>>): Partial<AuthAdmin> => ({
    check: (name) => Promise.resolve(states[name] ?? { state: "ready", place: "X", models: 3 }),
  });
  const refused: AuthCheck = { state: "refused", place: "B_API_KEY", problem: failure({ code: "credential.refused", exit: 3 }) };
  const unreachable: AuthCheck = { state: "unreachable", problem: failure({ code: "provider.unreachable" }) };

  test.each<[string, Readonly<Record<string, AuthCheck>>, number]>([
    ["all are ready", {}, 0],
    ["one was refused", { b: refused }, 3],
    ["one is not reached", { d: unreachable }, 1],
    ["one was refused and one is not reached", { b: refused, d: unreachable }, 3],
  ])("tries all that have a key, and ends with what a person has to do when %s", async (_name, states, status) => {
    const ran = await smith("auth check", all, answering(states));
    expect(ran.status).toBe(status);
    expect(
      ran.out
        .trimEnd()
        .split("\n")
        .map((line) => line.split(":")[0]),
    ).toEqual(["a", "b", "d"]);
  });

  test("tells why, and what to do", async () => {
    const ran = await smith("auth check b", all, answering({ b: refused }));
    expect([ran.status, ran.out]).toEqual([3, "b: refused (B_API_KEY)\n"]);
    expect(ran.err).toContain("credential.refused");
    const ready = await smith("auth check a", all, answering({}));
    expect([ready.status, ready.out]).toEqual([0, "a: ready (X, 3 models)\n"]);
  });

  test("is one record a line as JSON, with the problem in it and nothing else said", async () => {
    const ran = await smith("auth check --json", all, answering({ b: refused }));
    const records = ran.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(records[0]).toEqual({ name: "a", provider: "a", state: "ready", place: "X", models: 3 });
    expect(records[1]).toMatchObject({ name: "b", state: "refused", error: { code: "credential.refused" } });
    expect(ran.err).toBe("");
  });

  test("with nothing to check ends with status 3, of a name nobody has with 2", async () => {
    expect((await smith("auth check", [account("c")])).status).toBe(3);
    expect((await smith("auth check x", all)).status).toBe(2);
  });

  test("asks at most four at a time", async () => {
    let running = 0;
    let most = 0;
    const many = Array.from({ length: 12 }, (_, index) => set(`n${String(index)}`));
    const ran = await smith("auth check", many, {
      check: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return { state: "ready" };
      },
    });
    expect([ran.status, most, ran.out.trimEnd().split("\n").length]).toEqual([0, 4, 12]);
  });
});
