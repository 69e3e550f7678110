import { runCommandLine } from "../../../src/cli/commands.js";
import type { GrepMatch, Inspection, Maintenance } from "../../../src/runtime/index.js";
import type { Entry, SessionSummary } from "../../../src/schema/index.js";
import { createFakeHost, type FakeHost, type FakeHostOptions } from "../fake-host.js";
import { createFakeRuntime, SESSION } from "../fake-runtime.js";

export const TIME = Date.UTC(2026, 10, 30, 9, 5);

export async function* each<T>(items: readonly T[]): AsyncIterable<T> {
  for (const item of items) yield item;
}

export interface Stored {
  readonly inspection?: Partial<Inspection>;
  readonly maintenance?: Partial<Maintenance>;
  readonly host?: FakeHost;
}

/** Runs a line over stored sessions that are the test's. */
export async function smith(argv: string | readonly string[], stored: Stored = {}, options: FakeHostOptions = {}) {
  const host = stored.host ?? createFakeHost({ env: { HOME: "/home/a" }, cwd: "/home/a/p", ...options });
  const words = typeof argv === "string" ? argv.split(" ") : argv;
  const status = await runCommandLine(words, host, createFakeRuntime(stored));
  return { status, out: host.stdout.text, err: host.stderr.text, host };
}

export const summary = (tail: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  id: `${SESSION.slice(0, -8)}${tail}` as SessionSummary["id"],
  path: "/s",
  createdAt: TIME,
  updatedAt: TIME,
  bytes: 1,
  state: "sound",
  cwd: "/home/a/p",
  turns: 3,
  ...more,
});

export const match = (more: Partial<GrepMatch> = {}): GrepMatch => ({
  session: SESSION,
  entry: "01890a5d-ac96-774b-bcce-00000000cafe" as GrepMatch["entry"],
  type: "tool-result",
  time: TIME,
  part: "output",
  line: 7,
  text: "const price = 12;",
  ...more,
});

/** Entries of which only some fields matter to a test. */
export const entriesOf = (
  ...records: readonly ({ readonly type: Entry["type"] } & Readonly<Record<string, unknown>>)[]
): readonly Entry[] =>
  records.map((record, index) => ({
    id: `01890a5d-ac96-774b-bcce-0000000000${String(index + 16)}`,
    time: TIME,
    work: "w",
    ...record,
  })) as unknown as readonly Entry[];

/** The records of an output of JSON lines. */
export const recordsOf = (out: string): readonly unknown[] =>
  out
    .split("\n")
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
