/** Streams in the languages of the bundled providers, through their own decoders in the sandbox. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderAdapter } from "../../../src/provider/index.js";
import type { ActivePlugin, PluginIndex } from "../../../src/plugin/index.js";
import type { FramedEvent, ProviderDelta } from "../../../src/schema/index.js";

/** One provider's stream: what comes before the first text, and a text. */
interface Language {
  readonly provider: string;
  readonly opening: readonly FramedEvent[];
  readonly text: (word: string) => FramedEvent;
}

const named = (event: string, value: object): FramedEvent => ({ event, data: JSON.stringify({ type: event, ...value }) });
const unnamed = (value: object): FramedEvent => ({ data: JSON.stringify(value) });
const chunk = (delta: object): FramedEvent =>
  unnamed({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] });

const LANGUAGES: readonly Language[] = [
  { provider: "openai-compatible", opening: [chunk({ role: "assistant", content: "" })], text: (content) => chunk({ content }) },
  {
    provider: "anthropic",
    opening: [
      named("message_start", {
        message: { id: "m1", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 9, output_tokens: 1 } },
      }),
      named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ],
    text: (text) => named("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
  },
  {
    provider: "openai",
    opening: [
      named("response.created", { response: { id: "r1", object: "response", status: "in_progress", model: "m", output: [] } }),
      named("response.output_item.added", { output_index: 0, item: { type: "message", id: "i1", role: "assistant", content: [] } }),
      named("response.content_part.added", { item_id: "i1", output_index: 0, content_index: 0, part: { type: "output_text", text: "" } }),
    ],
    text: (delta) => named("response.output_text.delta", { item_id: "i1", output_index: 0, content_index: 0, delta, logprobs: [] }),
  },
  {
    provider: "google",
    opening: [],
    text: (text) =>
      unnamed({
        candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0 }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
        modelVersion: "m",
        responseId: "r1",
      }),
  },
];

const DELTAS = 20_000;
const BATCH = 50;
const FIRSTS = 30;
const RATE_PER_S = 300;
const RATED = 600;

/** The bundled plugins as the build made them. */
export function bundledPlugins(dist: string): readonly ActivePlugin[] {
  const dir = join(dist, "plugins");
  // Written by the build.
  const index = JSON.parse(readFileSync(join(dir, "index.json"), "utf8")) as PluginIndex;
  return index.plugins.flatMap((compiled) =>
    compiled.entry === ""
      ? []
      : [{ compiled, origin: "bundled" as const, modules: { type: "file" as const, path: join(dir, compiled.entry) } }],
  );
}

const HEAD = { status: 200, headers: { "content-type": "text/event-stream" } };

/** How many events a second are decoded, 50 at a time. */
async function speed(adapter: ProviderAdapter, { opening, text }: Language): Promise<number> {
  const decoder = adapter.open(HEAD);
  const batch = Array.from({ length: BATCH }, (_, index) => text(`word ${index} `));
  await decoder.push(opening);
  for (let sent = 0; sent < DELTAS / 4; sent += BATCH) await decoder.push(batch);
  const started = performance.now();
  for (let sent = 0; sent < DELTAS; sent += BATCH) await decoder.push(batch);
  const ms = performance.now() - started;
  const last = await decoder.push([text("end")]);
  decoder.release();
  if (!isText(last)) throw new Error(`${adapter.id} decoded ${JSON.stringify(last)}`);
  return (DELTAS / ms) * 1_000;
}

const isText = (deltas: readonly ProviderDelta[]): boolean => deltas.some(({ type }) => type === "text");

/** Milliseconds from the end of the response's head to the first text, of a stream whose bytes are all there. */
async function firstText(adapter: ProviderAdapter, { opening, text }: Language): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < FIRSTS; time += 1) {
    const started = performance.now();
    const decoder = adapter.open(HEAD);
    if (!isText(await decoder.push([...opening, text("first")]))) throw new Error(`${adapter.id} said no text`);
    times.push(performance.now() - started);
    decoder.release();
  }
  return times.sort((left, right) => left - right)[FIRSTS >> 1] ?? 0;
}

/** CPU time of this thread; of all threads where the system does not tell. */
function mainThreadMs(): number {
  try {
    const [ran] = readFileSync(`/proc/self/task/${String(process.pid)}/schedstat`, "utf8").split(" ");
    return Number(ran) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

/** Per cent of the main thread that one event at a time takes at {@link RATE_PER_S}. */
async function share(adapter: ProviderAdapter, { opening, text }: Language): Promise<number> {
  const decoder = adapter.open(HEAD);
  await decoder.push(opening);
  const before = mainThreadMs();
  const started = performance.now();
  for (let sent = 0; sent < RATED; sent += 1) {
    const due = started + (sent * 1_000) / RATE_PER_S - performance.now();
    if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    await decoder.push([text("word ")]);
  }
  decoder.release();
  return ((mainThreadMs() - before) / (performance.now() - started)) * 100;
}

/** Each figure with its provider's name before it. */
export async function measureVendors(adapterOf: (provider: string) => ProviderAdapter | undefined): Promise<object> {
  const figures: Record<string, number> = {};
  for (const language of LANGUAGES) {
    const { provider } = language;
    const adapter = adapterOf(provider);
    if (adapter === undefined) throw new Error(`no provider ${provider}`);
    figures[`${provider} deltasPerS`] = await speed(adapter, language);
    figures[`${provider} firstTextMs`] = await firstText(adapter, language);
    figures[`${provider} mainShare`] = await share(adapter, language);
  }
  return figures;
}
