import { EventEmitter } from "node:events";
import { ok } from "../../../src/base/index.js";
import type { AuthAccount, AuthAdmin, AuthOverview } from "../../../src/runtime/index.js";
import { runCommandLine } from "../../../src/cli/commands.js";
import type { TerminalPort } from "../../../src/cli/host.js";
import { createFakeHost, createFakeInput, createFakeOutput, type FakeHost, type FakeHostOptions } from "../fake-host.js";
import { createFakeRuntime } from "../fake-runtime.js";

export const KEY = "sk-test-0123456789abcdefghijklmnop";

export const account = (name: string, more: Partial<AuthAccount> = {}): AuthAccount => ({
  name,
  title: `The ${name}`,
  provider: name,
  needsKey: true,
  places: [
    { name: `${name.toUpperCase()}_API_KEY`, isSet: false },
    { name: `auth:${name}`, isSet: false },
  ],
  login: "key",
  ...more,
});

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly host: FakeHost;
  readonly calls: readonly string[];
  /** What was stored, by name. */
  readonly stored: ReadonlyMap<string, string>;
}

/** Runs a line over accounts that are the test's. */
export async function smith(
  line: string,
  accounts: readonly AuthAccount[],
  admin: Partial<AuthAdmin> = {},
  options: FakeHostOptions = {},
): Promise<Ran> {
  return await smithOn(hostOf(options), line, accounts, admin);
}

export const hostOf = (options: FakeHostOptions = {}): FakeHost =>
  createFakeHost({ env: { HOME: "/home/a", SMITH_HOME: "/home/a/smith" }, cwd: "/home/a/p", ...options });

export async function smithOn(
  host: FakeHost,
  line: string,
  accounts: readonly AuthAccount[],
  admin: Partial<AuthAdmin> = {},
): Promise<Ran> {
  const stored = new Map<string, string>();
  const overview = (): AuthOverview => ({
    accounts: accounts.map((one) => ({
      ...one,
      places: one.places.map((place) =>
        stored.has(place.name.replace("auth:", "")) && place.name.startsWith("auth:") ? { ...place, isSet: true } : place,
      ),
    })),
    stored: [...stored.keys()],
    file: "/home/a/smith/data/auth.json",
    problems: [],
  });
  const runtime = createFakeRuntime({
    auth: {
      overview: () => Promise.resolve(overview()),
      storeKey: (name, key) => {
        stored.set(name, key);
        return Promise.resolve(ok(undefined));
      },
      remove: (name) => Promise.resolve(ok(stored.delete(name))),
      ...admin,
    },
  });
  const status = await runCommandLine(line.split(" "), host, runtime);
  return { status, out: host.stdout.text, err: host.stderr.text, host, calls: runtime.calls, stored };
}

export const piped = (text: string): FakeHostOptions => ({ stdin: createFakeInput("file", text) });

export interface FakeTerminal {
  readonly port: TerminalPort;
  /** Modes as they were switched. */
  readonly raw: boolean[];
  readonly type: (text: string | Uint8Array) => void;
  readonly listeners: () => number;
  /** Restores that are registered for the end of the process. */
  readonly restores: Set<() => void>;
}

export function createFakeTerminal(): FakeTerminal {
  const input = new EventEmitter();
  const raw: boolean[] = [];
  const restores = new Set<() => void>();
  const port: TerminalPort = {
    input: Object.assign(input, {
      setRawMode: (on: boolean) => raw.push(on),
      resume: () => input,
      pause: () => input,
    }),
    output: Object.assign(new EventEmitter(), { write: () => true }),
    process: {
      onSignal: () => () => undefined,
      onFatal: () => () => undefined,
      onExitRestore: (restore) => {
        restores.add(restore);
        return () => restores.delete(restore);
      },
      stop: () => undefined,
    },
  };
  return {
    port,
    raw,
    type: (text) => input.emit("data", Buffer.from(text)),
    listeners: () => input.listenerCount("data") + input.listenerCount("end") + input.listenerCount("error"),
    restores,
  };
}

/** A person at a terminal who types this once the terminal listens. */
export function typing(text: string): { readonly host: FakeHost; readonly terminal: FakeTerminal } {
  const terminal = createFakeTerminal();
  const { port } = terminal;
  const resume = (): unknown => {
    setImmediate(() => {
      terminal.type(text);
    });
    return undefined;
  };
  const host = hostOf({ stdin: createFakeInput("terminal"), stderr: createFakeOutput({ isTerminal: true }) });
  return { host: { ...host, terminal: () => ({ ...port, input: Object.assign(port.input, { resume }) }) }, terminal };
}
