import { describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import type { EntriesOptions, Inspection } from "../../../src/runtime/index.js";
import { createFakeHost } from "../fake-host.js";
import { failure } from "../fake-runtime.js";
import { each, entriesOf, smith } from "./support.js";

const LINES = ['{"smith":1}', '{"text":"a\u0085\u202eb"}'];

const entries = entriesOf(
  { type: "session-info", name: "Groceries", cwd: "/p" },
  { type: "user-message", source: "prompt", text: "buy milk" },
);

function stored(asked: EntriesOptions[] = []): Partial<Inspection> {
  return {
    dump: () => each(LINES.map((line) => ok(line))),
    entries: (_id, options = {}) => {
      asked.push(options);
      return each(entries.map((entry) => ok(entry)));
    },
    resolveEntry: () => Promise.resolve(ok(entries[1]?.id as never)),
  };
}

describe("to standard output", () => {
  test("jsonl is the dump, in which nothing can act on a terminal and which reads back the same", async () => {
    const { status, out, err: told } = await smith("sessions export 8057", { inspection: stored() });
    expect([status, told]).toEqual([0, ""]);
    expect(out).toBe('{"smith":1}\n{"text":"a\\u0085\\u202eb"}\n');
    expect(JSON.parse(out.split("\n")[1] ?? "")).toEqual({ text: "a\u0085\u202eb" });
  });

  test.each([
    ["md", /^# Groceries/mu],
    ["html", /<title>[^<]*Groceries/u],
  ])("%s is a document of the selected branch, read up to the same entry twice", async (format, pattern) => {
    const asked: EntriesOptions[] = [];
    const { status, out } = await smith(`sessions export 8057 --format ${format}`, { inspection: stored(asked) });
    expect(status).toBe(0);
    expect(out).toMatch(pattern);
    expect(out).toContain("buy milk");
    expect(asked.map(({ branch }) => branch)).toEqual(["selected", entries[1]?.id]);
  });

  test("a branch is named by the entry it ends at", async () => {
    const asked: EntriesOptions[] = [];
    await smith("sessions export 8057 --format md --branch cafe", { inspection: stored(asked) });
    expect(asked.map(({ branch }) => branch)).toEqual([entries[1]?.id, entries[1]?.id]);
  });

  test("damage is told once, the rest is written, and the status is 1", async () => {
    const damaged = err(failure({ code: "session.damaged", what: "Change 3 cannot be read." }));
    const inspection: Partial<Inspection> = {
      ...stored(),
      dump: () => each([ok("{}"), damaged, ok("[]")]),
      entries: () => each([...entries.map((entry) => ok(entry)), damaged]),
    };
    const dump = await smith("sessions export 8057", { inspection });
    expect([dump.status, dump.out]).toEqual([1, "{}\n[]\n"]);
    const document = await smith("sessions export 8057 --format md", { inspection });
    expect(document.status).toBe(1);
    expect(document.out).toContain("Change 3 cannot be read.");
    expect(document.err.split("session.damaged")).toHaveLength(2);
  });
});

describe("to a file", () => {
  test("it is published whole, relative to the working folder, and standard output stays empty", async () => {
    const { status, out, err: told, host } = await smith("sessions export 8057 -o a.jsonl", { inspection: stored() });
    expect([status, out, told]).toEqual([0, "", ""]);
    expect([...host.published]).toEqual([["/home/a/p/a.jsonl", '{"smith":1}\n{"text":"a\\u0085\\u202eb"}\n']]);
    expect([...host.begun]).toEqual([]);
  });

  test("one that is there is status 2, and is replaced with --force", async () => {
    const files = { "/home/a/p/a.jsonl": "mine" };
    const refused = await smith("sessions export 8057 -o a.jsonl", { inspection: stored() }, { files });
    expect([refused.status, refused.host.published.size]).toEqual([2, 0]);
    expect(refused.err).toContain("--force");
    const forced = await smith("sessions export 8057 -o a.jsonl --force", { inspection: stored() }, { files });
    expect([forced.status, forced.host.published.size]).toEqual([0, 1]);
  });

  test("one that cannot be written is status 1 and named", async () => {
    const { status, err: told } = await smith(
      "sessions export 8057 -o /x",
      { inspection: stored() },
      { files: { "/x": { code: "EACCES" } } },
    );
    expect(status).toBe(1);
    expect(told).toContain("output.file-failed");
    expect(told).toContain("/x cannot be written");
  });

  test("an interrupt leaves nothing behind", async () => {
    const host = createFakeHost();
    const inspection: Partial<Inspection> = {
      async *dump() {
        yield ok("{}");
        host.signal("SIGTERM");
        yield ok("[]");
      },
    };
    const { status } = await smith("sessions export 8057 -o a", { inspection, host });
    expect([status, host.published.size, host.begun.size]).toEqual([143, 0, 0]);
  });

  test("a session that is not there makes no file", async () => {
    const { status, host } = await smith("sessions export x -o a", { inspection: stored() });
    expect([status, host.published.size]).toEqual([1, 0]);
  });
});
