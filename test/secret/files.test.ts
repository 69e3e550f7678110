import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSecretStore, parseDotenv, readSecretFiles } from "../../src/secret/index.js";
import { createManualClock } from "../support/manual-clock.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-secret-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe("files written like .env", () => {
  test.each([
    ["a plain value", "A=b c", [["A", "b c"]]],
    ["export and blanks", "  export A = b ", [["A", "b"]]],
    [
      "a comment behind a blank, and none without",
      "A=b #c\nB=b#c\n# C=d",
      [
        ["A", "b"],
        ["B", "b#c"],
      ],
    ],
    ["single quotes as they are", "A='b\\n #c' # d", [["A", "b\\n #c"]]],
    ["double quotes with escapes", 'A="b\\n\\"c\\" \\$d"', [["A", 'b\n"c" $d']]],
    [
      "several lines in double quotes",
      'A="one\ntwo"\r\nB=c',
      [
        ["A", "one\ntwo"],
        ["B", "c"],
      ],
    ],
    [
      "a quote without an end is a character",
      "A='b\nB=c",
      [
        ["A", "'b"],
        ["B", "c"],
      ],
    ],
    ["nothing", "\uFEFF\n=x\n1A=b\nA=", [["A", ""]]],
  ])("%s", (_, text, expected) => {
    expect(parseDotenv(text).map(({ name, value }) => [name, value])).toEqual(expected);
  });

  test("one that is not there has nothing in it; one that cannot be read is told", async () => {
    await writeFile(join(dir, ".env"), "A=some-value-1");
    await writeFile(join(dir, "large"), "x".repeat(300_000));
    const files = await readSecretFiles([".env", "missing", ".", "large"], dir);
    expect(files.map(({ entries, problem }) => [entries.length, problem?.code])).toEqual([
      [1, undefined],
      [0, undefined],
      [0, "secret.file-unread"],
      [0, "secret.file-unread"],
    ]);
  });
});

describe("stored secrets", () => {
  const store = () =>
    createSecretStore({ path: join(dir, "data", "secrets.json"), clock: createManualClock(), lock: { tryLock: () => true } });

  test("are their owner's alone, replaced under their name, and removed", async () => {
    expect(await store().add("A", " first-value-1\n")).toEqual({ ok: true, value: false });
    expect(await store().add("A", "second-value-2")).toEqual({ ok: true, value: true });
    expect(await store().read()).toEqual({ ok: true, value: { values: new Map([["A", "second-value-2"]]), warnings: [] } });
    expect((await stat(store().path)).mode & 0o777).toBe(0o600);
    expect([await store().remove("B"), await store().remove("A")]).toEqual([
      { ok: true, value: false },
      { ok: true, value: true },
    ]);
  });

  test("are refused under a bad name or with an ordinary value, which is not shown", async () => {
    const refused = await store().add("A", "changeme");
    expect(refused).toMatchObject({ ok: false, error: { code: "secret.not-taken" } });
    expect(JSON.stringify(refused)).not.toContain("changeme");
    expect(await store().add("a b", "some-value-1")).toMatchObject({ ok: false, error: { code: "secret.bad-store-name" } });
  });

  test("a file that others can read is told; one that is broken is left as it is", async () => {
    await store().add("A", "some-value-1");
    await chmod(store().path, 0o644);
    expect(await store().read()).toMatchObject({ value: { warnings: [{ code: "secret.store-open" }] } });
    await writeFile(store().path, "{");
    expect(await store().add("B", "some-value-2")).toMatchObject({ ok: false, error: { code: "secret.store-broken" } });
  });
});
