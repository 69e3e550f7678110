import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileManifest, type CompiledManifest } from "../../src/plugin/manifest/index.js";
import type { ProviderAdapter } from "../../src/provider/index.js";
import type { ProviderDelta } from "../../src/plugin/sdk.js";
import { openStage, type Stage, type TestHost } from "../plugin/stage.js";
import { QUIRKS } from "./chat-quirks.js";
import { type Dialect, fold } from "./chat-streams.js";
import { assistant, call, provider, request, result, user } from "./chat-support.js";

const FOLDER = fileURLToPath(new URL("../../plugins/provider-openai-compatible/", import.meta.url));

async function manifestOf(): Promise<CompiledManifest> {
  const readBeside = (name: string): Promise<string> => readFile(join(FOLDER, name), "utf8");
  const compiled = await compileManifest(await readBeside("manifest.kdl"), readBeside, { bundled: true });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  return compiled.value;
}

/** The module as it is built for the sandbox. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, "index.ts")],
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    write: false,
    outfile: "guest.js",
    logLevel: "error",
    plugins: [
      {
        name: "sandbox-sdk",
        setup: ({ onResolve }) => onResolve({ filter: /^smith-agent\/plugin$/ }, () => ({ path: "smith:sdk", external: true })),
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

let stage: Stage;
let host: TestHost;
let manifest: CompiledManifest;

beforeAll(async () => {
  stage = await openStage();
  const [compiled, source] = await Promise.all([manifestOf(), bundle()]);
  manifest = compiled;
  const { source: _source, files: _files, ...rest } = compiled;
  host = await stage.host({ modules: { [compiled.id]: source }, manifests: { [compiled.id]: rest } });
}, 60_000);

afterAll(async () => {
  await stage.close();
});

function adapter(id: string): ProviderAdapter {
  const found = host.host.lease().provider(id);
  if (found === undefined) throw new Error(`no provider ${id}`);
  return found;
}

async function decoded(dialect: Dialect): Promise<readonly ProviderDelta[]> {
  const session = adapter("openai-compatible").open({ status: 200, headers: { "content-type": "text/event-stream" } });
  const events = dialect.events.map((event) => {
    const [name, value] = typeof event === "object" && event !== null && "named" in event ? [event.named, event.value] : [undefined, event];
    return { ...(name === undefined ? {} : { event: name }), data: typeof value === "string" ? value : JSON.stringify(value) };
  });
  const deltas = [...(await session.push(events)), ...(await session.close(dialect.outcome ?? "complete"))];
  session.release();
  return deltas;
}

const messages = [
  user("go"),
  assistant("", [call("functions.read:0", "read", '{"path":"a"}')]),
  result("functions.read:0", "x"),
  user("on"),
];

describe("in the sandbox", () => {
  test("every provider plans what it plans outside", async () => {
    for (const { id } of manifest.providers) {
      const asked = request({ provider: id, messages, facts: { cache: "points", thinking: ["high"] }, thinking: "high", cacheKey: "s" });
      expect(await adapter(id).plan(asked), id).toEqual(provider(id).plan(asked));
    }
  }, 60_000);

  test.each(QUIRKS.map((dialect) => [dialect.name, dialect] as const))("quirk %s", async (_name, dialect) => {
    const { error, ...rest } = dialect.expected;
    expect(fold(await decoded(dialect))).toEqual(
      error === undefined ? rest : { ...rest, error: [error[0], expect.stringContaining(error[1])] },
    );
  });

  test("a quota that is used up and the models of a server are read", async () => {
    const body = JSON.stringify({ error: { message: "no more", type: "insufficient_quota" } });
    expect(await adapter("openrouter").fail({ status: 429, headers: {} }, body)).toMatchObject({ class: "quota", message: "no more" });
    const listing = await adapter("llama-cpp").models?.({ baseUrl: "http://127.0.0.1:1/v1" });
    expect(listing?.plans).toHaveLength(2);
    expect(await listing?.parse(['{"data":[{"id":"m","meta":{"n_ctx":7}}]}', ""])).toEqual([
      { ref: { provider: "llama-cpp", model: "m" }, contextTokens: 7 },
    ]);
  });
});
