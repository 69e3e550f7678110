import { expect, test, vi } from "vitest";
import { collect } from "../support/store.js";
import { fakeReader, SESSION } from "./fake-reader.js";

const loads = vi.hoisted(() => ({ count: 0 }));

vi.mock("zod", async (original) => {
  loads.count += 1;
  return original();
});

async function* header(): AsyncIterable<string> {
  yield `{"type":"session","format":1,"session":"${SESSION}","created":5}`;
}

test("only who reads a dump loads the schemas", async () => {
  const { dumpLines, readDump } = await import("../../../src/session/index.js");
  expect(await collect(dumpLines(fakeReader({ changes: [] })))).toHaveLength(1);
  expect(loads.count).toBe(0);
  expect((await readDump(header())).ok).toBe(true);
  expect(loads.count).toBe(1);
});
