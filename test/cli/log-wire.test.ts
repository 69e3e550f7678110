import { describe, expect, test } from "vitest";
import { createLog } from "../../src/cli/output/log.js";
import { createFakeHost } from "./fake-host.js";

async function written(level: "debug" | "trace", event: object): Promise<string> {
  const host = createFakeHost({ cwd: "/p", env: { MODEL_API_KEY: "sk-live-1234567" } });
  const log = createLog(host);
  log.wire({ early: "before the level is known" });
  log.open("/log.jsonl", level);
  log.wire(event);
  expect(await log.close()).toBeUndefined();
  return host.appended.get("/log.jsonl") ?? "";
}

describe("the wire in the log", () => {
  test("is written at trace, with known secrets masked once more", async () => {
    const line = await written("trace", { type: "frame", exchange: 1, data: "said sk-live-1234567" });
    expect(JSON.parse(line)).toMatchObject({ level: "trace", what: "wire", wire: { type: "frame", exchange: 1, data: "said ***" } });
  });

  test("is not written at debug", async () => {
    expect(await written("debug", { type: "frame", exchange: 1, data: "said" })).toBe("");
  });
});
