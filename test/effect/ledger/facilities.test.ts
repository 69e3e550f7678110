import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Entry } from "../../../src/schema/index.js";
import type { OwnedEffectGateway } from "../../../src/effect/index.js";
import { createEffectGateway } from "../../../src/effect/index.js";
import { contextFor, errorOf, makeFolder, realClock, removeFolder, testFacilities, testIds, valueOf } from "../support.js";

let folder: string;
let workspace: string;
let entries: Entry[];
let gateway: OwnedEffectGateway;

beforeEach(async () => {
  folder = await makeFolder();
  workspace = join(folder, "w");
  await mkdir(workspace);
  entries = [];
  const ids = testIds();
  const facilities = testFacilities({ ids, policy: { tempDir: folder, denied: [] } });
  const commit = (batch: readonly Entry[]): Promise<void> => {
    entries.push(...batch);
    return Promise.resolve();
  };
  gateway = createEffectGateway({ commit, ids, clock: realClock, facilities });
});
afterEach(async () => {
  await gateway.close();
  await removeFolder(folder);
});

describe("real facilities behind the ledger", () => {
  test("parallel edits of one turn are all applied, answered in order, and recorded with the real path (edit-4)", async () => {
    await writeFile(join(workspace, "n.txt"), Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join(""));
    await symlink("n.txt", join(workspace, "link.txt"));
    const asked = [
      ["./n.txt", "20"],
      [join(workspace, "n.txt"), "50"],
      ["link.txt", "80"],
    ] as const;
    const replies = await Promise.all(
      asked.map(([path, line]) =>
        gateway.call("fs.edit", { path, edits: [{ old: `\n${line}\n`, new: `\n${line}!\n` }] }, contextFor(workspace)),
      ),
    );
    expect(replies.map(({ outcome, result }) => [outcome, /\+(\d+)!/u.exec(valueOf(result).diff)?.[1]])).toEqual([
      ["applied", "20"],
      ["applied", "50"],
      ["applied", "80"],
    ]);
    expect((await readFile(join(workspace, "n.txt"), "utf8")).match(/\d+!/gu)).toEqual(["20!", "50!", "80!"]);
    const intents = entries.filter((entry) => entry.type === "effect-intent");
    expect(intents.map(({ input }) => input)).toMatchObject(asked.map(() => ({ path: join(workspace, "n.txt") })));
  });

  test("a path that leads outside is recorded as refused, as it was asked for, and names where it leads", async () => {
    await symlink("../made", join(workspace, "new"));
    const reply = await gateway.call("fs.write", { path: "new", content: "x" }, contextFor(workspace));
    expect(errorOf(reply.result).what).toContain(`${join(folder, "made")} (asked for as new)`);
    expect(entries).toMatchObject([
      { type: "effect-intent", operation: "fs.write", input: { path: "new", content: "x" } },
      { type: "effect-done", outcome: "not-applied", error: { code: "grant.denied" } },
    ]);
  });

  test("closing the gateway ends a command and records its outcome as unknown", async () => {
    let close: Promise<void> | undefined;
    const onProgress = (): void => {
      close ??= gateway.close();
    };
    const reply = await gateway.call("process.run", { command: "echo up; sleep 305.5" }, contextFor(workspace, { onProgress }));
    await close;
    expect(valueOf(reply.result)).toMatchObject({ aborted: true, output: "up\n" });
    expect(entries.map((entry) => (entry.type === "effect-done" ? entry.outcome : entry.type))).toEqual(["effect-intent", "unknown"]);
  });
});
