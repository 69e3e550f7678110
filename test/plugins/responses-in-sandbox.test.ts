import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import provider from "../../plugins/provider-openai/index.js";
import { compileManifest } from "../../src/plugin/manifest/index.js";
import type { ProviderAdapter } from "../../src/provider/index.js";
import type { FramedEvent, Message, ProviderDelta } from "../../src/plugin/sdk.js";
import { openStage, type Stage, type TestHost } from "../plugin/stage.js";
import { answer, call, PNG, request, result, thought } from "./responses-support.js";
import { ALL } from "./streams/responses.js";
import { sseBytes, streamDeltas } from "./streams/run.js";

const FOLDER = fileURLToPath(new URL("../../plugins/provider-openai/", import.meta.url));
const openai = provider.providers?.["openai"] ?? { plan: () => ({ type: "local" as const, deltas: [] }) };

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

beforeAll(async () => {
  stage = await openStage();
  const readBeside = (name: string): Promise<string> => readFile(join(FOLDER, name), "utf8");
  const compiled = await compileManifest(await readBeside("manifest.kdl"), readBeside, { bundled: true });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  const { source: _source, files: _files, ...manifest } = compiled.value;
  host = await stage.host({ modules: { [manifest.id]: await bundle() }, manifests: { [manifest.id]: manifest } });
}, 60_000);

afterAll(async () => {
  await stage.close();
});

function adapter(): ProviderAdapter {
  const found = host.host.lease().provider("openai");
  if (found === undefined) throw new Error("the plugin did not load");
  return found;
}

async function decoded(events: readonly FramedEvent[]): Promise<readonly ProviderDelta[]> {
  const session = adapter().open({ status: 200, headers: { "content-type": "text/event-stream" } });
  const deltas = [...(await session.push(events)), ...(await session.close("complete"))];
  session.release();
  return deltas;
}

describe("in the sandbox", () => {
  test("every stream comes to the same as in this process", async () => {
    for (const { title, events } of ALL) {
      const framed = events.map(({ name, data }): FramedEvent => ({
        ...(name === undefined ? {} : { event: name }),
        data: typeof data === "string" ? data : JSON.stringify(data),
      }));
      expect([title, await decoded(framed)]).toEqual([title, streamDeltas({ provider: openai, chunks: [sseBytes(events)] })]);
    }
  });

  test("a request is the same as in this process", async () => {
    const messages: readonly Message[] = [
      { role: "user", text: "look", images: [PNG] },
      answer("so", { thinking: [thought("r1")], toolCalls: [call("c1", '{"path":"ä"}', "f:0"), call("c2", "broken")] }),
      result("c1", "x", { images: [PNG] }),
    ];
    const tools = [{ name: "read", description: "Reads", parameters: { type: "object", properties: {}, additionalProperties: false } }];
    const asked = request({ messages, tools, thinking: "high", cacheKey: "k", sampling: { maxTokens: 9 } });
    expect(await adapter().plan(asked)).toEqual(openai.plan(asked));
  });
});
