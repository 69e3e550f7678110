import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { err, ok } from "../../src/base/index.js";
import { type AuthEntry, type CommandEnd, credentialMissing, credentialRefused, type RunCommand } from "../../src/credential/index.js";
import type { CredentialPort } from "../../src/provider/credentials.js";
import { diagnostic } from "../../src/schema/index.js";
import { createManualClock } from "../support/manual-clock.js";
import { createRealClock } from "../support/real-clock.js";
import { credentialsOf, inFolder, never, problem, put, realRun, storeAt, value } from "./support.js";

const KEY = "sk-test-0123456789abcdefghijklmnop";
const exits = (stdout: string, status: number | null = 0, stderr = ""): CommandEnd => ({ type: "exit", status, stdout, stderr });
const ofCommand = (command: string, run: RunCommand = realRun) =>
  credentialsOf({ commands: new Map([["work", command]]), run, clock: createRealClock() });

describe("a variable", () => {
  test("is ready with its value, without the blanks around it", async () => {
    const credentials: CredentialPort = credentialsOf({ env: { A_KEY: ` ${KEY}\n` } });
    expect(credentials.has("A_KEY")).toBe(true);
    expect(await credentials.ready("A_KEY", never)).toEqual(ok(undefined));
    expect(credentials.value("A_KEY")).toBe(KEY);
  });

  test.each([
    ["that is not there", {}],
    ["that is empty", { A_KEY: "" }],
    ["that is blank", { A_KEY: " \t\r\n" }],
  ])("%s is not set", async (_name, env) => {
    const credentials = credentialsOf({ env });
    expect(credentials.has("A_KEY")).toBe(false);
    expect(credentials.value("A_KEY")).toBeUndefined();
    expect(problem(await credentials.ready("A_KEY", never))).toMatchObject({ code: "credential.unset", exit: 3 });
  });

  test("is none that every object has", () => {
    expect(credentialsOf({}).has("constructor")).toBe(false);
    expect(credentialsOf({}).has("toString")).toBe(false);
  });

  test.each([
    ["a line break", `${KEY}\r\nx-evil: 1`],
    ["a zero byte", `${KEY}\0`],
    ["an escape", `\u001b[31m${KEY}`],
    ["a quote of a word processor", `\u201c${KEY}\u201d`],
    ["too much", KEY.repeat(1000)],
  ])("with %s inside is refused without being shown", async (_name, text) => {
    const credentials = credentialsOf({ env: { A_KEY: text } });
    const told = problem(await credentials.ready("A_KEY", never));
    expect(told).toMatchObject({ code: "credential.unusable", exit: 3 });
    expect(JSON.stringify(told)).not.toContain("sk-test");
    expect(credentials.value("A_KEY")).toBeUndefined();
    expect(credentials.describe("A_KEY").masked).toBeUndefined();
  });
});

describe("a command", () => {
  test("gives its first line, and runs only when the key is first needed", async () => {
    const ran: string[] = [];
    const credentials = ofCommand("pass show work", async ({ command, timeoutMs, maxBytes }) => {
      ran.push(`${command} ${String(timeoutMs)} ${String(maxBytes)}`);
      return exits(`  ${KEY}  \r\nlogin: a\n`);
    });
    expect(credentials.has("command:work")).toBe(true);
    expect(credentials.value("command:work")).toBeUndefined();
    expect(ran).toEqual([]);
    value(await credentials.ready("command:work", never));
    value(await credentials.ready("command:work", never));
    expect(credentials.value("command:work")).toBe(KEY);
    expect(ran).toEqual(["pass show work 10000 65536"]);
  });

  test("runs once for all that wait, and again after its key was refused", async () => {
    let runs = 0;
    const credentials = ofCommand("x", async () => exits(`${KEY}${String((runs += 1))}`));
    await Promise.all([1, 2, 3].map(async () => value(await credentials.ready("command:work", never))));
    expect(runs).toBe(1);
    credentials.refused("command:work");
    expect(credentials.value("command:work")).toBeUndefined();
    value(await credentials.ready("command:work", never));
    expect(credentials.value("command:work")).toBe(`${KEY}2`);
  });

  test("is ended when nobody waits any more; one who still waits keeps it, and the next who asks begins anew", async () => {
    const stops: AbortSignal[] = [];
    const credentials = ofCommand("x", async (_run, signal) => {
      stops.push(signal);
      return await new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve({ type: "aborted" });
        });
      });
    });
    const [one, other, next] = [new AbortController(), new AbortController(), new AbortController()];
    const waits = [credentials.ready("command:work", one.signal), credentials.ready("command:work", other.signal)];
    one.abort();
    expect(problem((await waits[0]) ?? ok(undefined))).toMatchObject({ code: "credential.stopped", exit: 3 });
    expect(stops.map(({ aborted }) => aborted)).toEqual([false]);
    other.abort();
    await waits[1];
    const again = credentials.ready("command:work", next.signal);
    expect(stops.map(({ aborted }) => aborted)).toEqual([true, false]);
    next.abort();
    await again;
  });

  test("is ended by closing, after which nothing is ready", async () => {
    const credentials = ofCommand("sleep 1000");
    const waiting = credentials.ready("command:work", never);
    await credentials.close();
    expect(problem(await waiting).code).toBe("credential.stopped");
    expect(problem(await credentials.ready("command:work", never)).code).toBe("credential.stopped");
  });

  test.each([
    ["fails", "exit 3", "status 3"],
    ["prints nothing", "true", "first line was empty"],
    ["prints a blank line first", "echo; echo key", "first line was empty"],
    ["is killed", "kill -9 $$", "a signal ended it"],
    ["is not there", "/nowhere/at-all", "status 127"],
  ])("that %s is told with the connection's name", async (_name, command, how) => {
    const told = problem(await ofCommand(command).ready("command:work", never));
    expect(told).toMatchObject({ code: "credential.command-failed", exit: 3 });
    expect(told.what).toContain("work");
    expect(told.what).toContain(how);
  });

  test("that takes too long is told", async () => {
    const told = problem(await ofCommand("x", async () => ({ type: "timeout" })).ready("command:work", never));
    expect(told.what).toContain("10 seconds");
    const slow: RunCommand = async (run, signal) => await realRun({ ...run, timeoutMs: 20 }, signal);
    expect(problem(await ofCommand("sleep 1000", slow).ready("command:work", never)).code).toBe("credential.command-failed");
  });

  test("that floods its output is bounded: a key of such length is refused, one before the flood is used", async () => {
    const flood = "head -c 5000000 /dev/zero | tr '\\0' a";
    expect(problem(await ofCommand(flood).ready("command:work", never)).code).toBe("credential.unusable");
    const credentials = ofCommand(`echo ${KEY}; ${flood}; ${flood} >&2`);
    value(await credentials.ready("command:work", never));
    expect(credentials.value("command:work")).toBe(KEY);
    const told = problem(await ofCommand(`${flood} >&2; exit 1`).ready("command:work", never));
    expect(told.why.length).toBeLessThan(400);
  });

  test("that fails shows its standard error, but no key in it: not what it printed, not what others have, nothing that looks like one", async () => {
    const other = "plain-words-as-a-key";
    const credentials = credentialsOf({
      env: { OTHER: other },
      variables: ["OTHER"],
      commands: new Map([["work", `echo short1; echo "locked: short1 ${other} ${KEY} next" >&2; exit 1`]]),
      run: realRun,
      clock: createRealClock(),
    });
    const told = JSON.stringify(problem(await credentials.ready("command:work", never)));
    expect(told).toContain("locked:");
    expect(told).toContain("next");
    for (const secret of ["short1", other, KEY]) expect(told).not.toContain(secret);
  });
});

describe("an entry of the auth file", () => {
  const entry: AuthEntry = { type: "key", key: KEY };

  test("is ready as it was read at the start", async () => {
    const credentials = credentialsOf({ auth: { entries: new Map([["a", entry]]), warnings: [] } });
    value(await credentials.ready("auth:a", never));
    expect([credentials.has("auth:a"), credentials.value("auth:a"), credentials.has("auth:b")]).toEqual([true, KEY, false]);
  });

  test("that another process stores is found when it is asked for, and after what there was is refused", async () => {
    await inFolder(async (dir) => {
      const store = storeAt(join(dir, "auth.json"));
      const credentials = credentialsOf({ store });
      expect(problem(await credentials.ready("auth:a", never))).toMatchObject({ code: "credential.unset", exit: 3 });
      value(await put(store, "a", entry));
      value(await credentials.ready("auth:a", never));
      expect(credentials.value("auth:a")).toBe(KEY);
      value(await put(store, "a", { type: "key", key: "another" }));
      credentials.refused("auth:a");
      value(await credentials.ready("auth:a", never));
      expect(credentials.value("auth:a")).toBe("another");
      value(await store.update(async () => ok({ entries: new Map(), value: undefined })));
      expect(await credentials.reload()).toEqual(ok(true));
      expect(await credentials.reload()).toEqual(ok(false));
      expect(credentials.has("auth:a")).toBe(false);
    });
  });

  test("of a file that cannot be read says so; what was known is kept", async () => {
    const broken = diagnostic({ code: "credential.file-broken", what: "w", why: "w", next: "n", exit: 2 });
    const store = { path: "/x", read: async () => err(broken), update: async () => err(broken) };
    expect(problem(await credentialsOf({ store }).ready("auth:a", never))).toEqual({ ...broken, exit: 3 });
    const credentials = credentialsOf({ store, auth: { entries: new Map([["a", entry]]), warnings: [] } });
    expect(problem(await credentials.reload())).toEqual(broken);
    expect(credentials.value("auth:a")).toBe(KEY);
  });

  test("that is blank is not set", async () => {
    const credentials = credentialsOf({ auth: { entries: new Map([["a", { type: "key", key: "  " }]]), warnings: [] } });
    expect(credentials.has("auth:a")).toBe(false);
    expect(problem(await credentials.ready("auth:a", never)).code).toBe("credential.unset");
  });
});

describe("values", () => {
  test("are told to who hides them: those known at once, others before they are used, each once", async () => {
    const credentials = credentialsOf({
      env: { A_KEY: " first ", B_KEY: "second", C_KEY: "first" },
      variables: ["A_KEY", "NOT_SET"],
      auth: {
        entries: new Map([["a", { type: "oauth", access: "third", refresh: "fourth", tokenUrl: "https://x", clientId: "c", scopes: [] }]]),
        warnings: [],
      },
      commands: new Map([["work", "x"]]),
      run: async () => exits("fifth"),
    });
    const told: (readonly string[])[] = [];
    const stop = credentials.onValue((values) => told.push(values));
    credentials.declare(["B_KEY", "C_KEY"]);
    value(await credentials.ready("command:work", never));
    expect(told).toEqual([["third", "fourth", "first"], ["second"], ["fifth"]]);
    const late: (readonly string[])[] = [];
    credentials.onValue((values) => late.push(values));
    expect(late).toEqual([["third", "fourth", "first", "second", "fifth"]]);
    stop();
    expect(credentials.names()).toEqual(["A_KEY", "B_KEY", "C_KEY", "auth:a", "command:work"]);
  });

  test("of a variable nobody declared are told before they are given out", () => {
    const credentials = credentialsOf({ env: { Z: "value-of-z" } });
    const told: string[] = [];
    credentials.onValue((values) => told.push(...values));
    expect(credentials.value("Z")).toBe("value-of-z");
    expect(told).toEqual(["value-of-z"]);
  });

  test("are described by three characters of each end where they are long enough, and not at all where not", () => {
    const credentials = credentialsOf({ env: { LONG: KEY, SHORT: "sk-short-key-of-23-char" } });
    expect(credentials.describe("LONG")).toEqual({ isSet: true, kind: "key", masked: "sk-…nop" });
    expect(credentials.describe("SHORT")).toEqual({ isSet: true, kind: "key" });
    expect(credentials.describe("NONE")).toEqual({ isSet: false });
  });
});

describe("what is said of keys that are missing or refused", () => {
  test("names every place that was looked at, and how to mend it, with exit 3", () => {
    const told = credentialMissing({
      wanted: "anthropic",
      looked: [
        { name: "ANTHROPIC_API_KEY", found: "nothing" },
        { name: "auth:anthropic", found: "nothing" },
        { name: "command:work", found: "nothing" },
      ],
    });
    expect(told.exit).toBe(3);
    for (const words of ["ANTHROPIC_API_KEY (not set)", "anthropic in the auth file", "the command of work"])
      expect(told.why).toContain(words);
    expect(told.next).toBe("Set ANTHROPIC_API_KEY, or run: smith auth login anthropic.");
  });

  test("names the login that is meant, where the first place in the auth file is another", () => {
    const looked = [{ name: "auth:openai-url", found: "nothing" }] as const;
    expect(credentialMissing({ wanted: "openai", login: "openai", looked }).next).toBe("Run: smith auth login openai.");
  });

  test("says which one was used", () => {
    const looked = [
      { name: "A_KEY", found: "nothing" },
      { name: "auth:work", found: "used" },
    ] as const;
    const told = credentialRefused({ wanted: "anthropic", looked, status: 401 });
    expect(told).toMatchObject({ code: "credential.refused", exit: 3, next: "Run: smith auth login work." });
    expect(told.what).toBe("anthropic refused the key of work in the auth file (HTTP 401).");
  });
});

test("an abort before anything began begins nothing", async () => {
  const over = AbortSignal.abort();
  const credentials = credentialsOf({ env: { A: "a" }, commands: new Map([["work", "x"]]), clock: createManualClock() });
  for (const name of ["A", "auth:a", "command:work"]) expect(problem(await credentials.ready(name, over)).code).toBe("credential.stopped");
});
