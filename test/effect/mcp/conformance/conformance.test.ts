import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const harness = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");

let dir: string;
beforeAll(async () => {
  // Beside the sources, so that packages are found from it.
  dir = await mkdtemp(join(root, "node_modules/.smith-conformance-"));
  await build({
    entryPoints: [fileURLToPath(new URL("./driver.ts", import.meta.url))],
    outfile: join(dir, "driver.mjs"),
    ...{ bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "error" },
  });
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** What the official harness says of one scenario. */
const judged = async (scenario: string): Promise<{ readonly status: number; readonly words: string }> =>
  await new Promise((resolve) => {
    const shim = new URL("./fs-glob.mjs", import.meta.url).href;
    const args = [
      "--import",
      shim,
      harness,
      "client",
      "--scenario",
      scenario,
      "--command",
      `${process.execPath} ${join(dir, "driver.mjs")}`,
    ];
    execFile(process.execPath, args, { cwd: tmpdir() }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : 1, words: stdout + stderr });
    });
  });

/** All of revisions up to 2025-11-25 that ask for what there is here: no client metadata documents, no client credentials. */
test.concurrent.each([
  "initialize",
  "tools_call",
  "sse-retry",
  "elicitation-sep1034-client-defaults",
  "json-schema-2020-12-preservation",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/2025-03-26-oauth-endpoint-fallback",
  // Of the revision after, as far as signing in goes.
  "auth/resource-mismatch",
  "auth/iss-supported-missing",
  "auth/iss-wrong-issuer",
  "auth/iss-unexpected",
  "auth/iss-normalized",
  "auth/metadata-issuer-mismatch",
])("the official harness passes %s", { timeout: 60_000 }, async (scenario) => {
  const { status, words } = await judged(scenario);
  expect(words).toContain("OVERALL: PASSED");
  expect(status).toBe(0);
});
