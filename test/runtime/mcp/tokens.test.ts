import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { McpTokenStore } from "../../../src/effect/index.js";
import { createMcpTokens, mcpTokensPath } from "../../../src/runtime/mcp/tokens.js";
import { realClock } from "../../effect/support.js";

let dir: string;
let path: string;
let tokens: McpTokenStore;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-tokens-"));
  const paths = { config: dir, data: dir, state: dir, cache: dir, sessions: dir };
  path = mcpTokensPath(paths);
  tokens = createMcpTokens({ paths, clock: realClock });
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const MAX_BYTES = 4 * 1024 * 1024;
const unusable = { ok: false, error: { code: "mcp.sign-ins-unusable" } };

test("a sign-in is kept by its server until it is forgotten", async () => {
  expect(await tokens.load("web")).toEqual({ ok: true, value: undefined });
  expect(await tokens.save("web", "kept")).toMatchObject({ ok: true });
  expect(await tokens.load("web")).toEqual({ ok: true, value: "kept" });
  expect(await tokens.save("web", null)).toMatchObject({ ok: true });
  expect(await tokens.load("web")).toEqual({ ok: true, value: undefined });
});

test("the file never becomes larger than it is read: the sign-ins there are stay", async () => {
  const half = "x".repeat(MAX_BYTES / 2);
  expect(await tokens.save("web", half)).toMatchObject({ ok: true });
  const refused = await tokens.save("other", half);
  expect(refused).toMatchObject(unusable);
  expect(!refused.ok && refused.error.why).toContain(`more than ${MAX_BYTES} bytes`);
  expect((await stat(path)).size).toBeLessThan(MAX_BYTES);
  expect(await tokens.load("web")).toEqual({ ok: true, value: half });
  expect(await tokens.save("web", null)).toMatchObject({ ok: true });
});

describe("a file that cannot be read is told, and not replaced", () => {
  test.each([
    ["is too large", `{"format":1,"servers":{"web":"${"x".repeat(MAX_BYTES)}"}}`],
    ["is no JSON", `{"format":1,"servers":{"web":"kept"`],
    ["has something else in it", `{"format":1,"servers":["web"]}`],
    ["has something else for a server", `{"format":1,"servers":{"web":{"token":"t"}}}`],
  ])("as it %s", async (_, text) => {
    await writeFile(path, text);
    expect(await tokens.load("web")).toMatchObject(unusable);
    expect(await tokens.save("web", "new")).toMatchObject(unusable);
    expect(await tokens.save("web", null)).toMatchObject(unusable);
    expect(await readFile(path, "utf8")).toBe(text);
  });
});
