import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  capMemory,
  createEngine,
  createEngineImage,
  decodeImage,
  DELIVERY,
  type DeliveryKind,
  type Engine,
  type GuestModules,
  type GuestPost,
  oneModule,
  POST,
} from "../../src/plugin/engine/index.js";
import { MAX_ERROR_UNITS, MAX_LOG_UNITS, MAX_STACK_UNITS, TOOL_MEMORY, TOOL_TEXT } from "../../src/plugin/limits.js";
import { SDK_OPERATIONS } from "../../src/schema/index.js";

export const wasmPath = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");

const binary = readFileSync(wasmPath);
const compiled = new WebAssembly.Module(capMemory(binary, TOOL_MEMORY.maxPages));
/** As the build makes it. */
export const imageBytes = await createEngineImage(binary);
const image = decodeImage(imageBytes, binary.byteLength);

/** A guest on this thread with everything it posted, and a deadline per delivery. */
export interface TestGuest {
  readonly engine: Engine;
  readonly posts: GuestPost[];
  /** One tool call; its end as the guest posted it. */
  call(name: string, args?: unknown): GuestEnd | undefined;
  /** One delivery of any kind; its end as the guest posted it. */
  deliver(kind: DeliveryKind, value: unknown): GuestEnd | undefined;
  /** Answers the host call with this number. */
  answer(call: number, value: unknown): void;
  refuse(call: number, words: unknown): void;
}

export interface GuestEnd {
  readonly type: "returned" | "threw";
  readonly value: { readonly [key: string]: unknown };
}

export interface GuestOptions {
  readonly sliceMs?: number;
  readonly seed?: number;
  /** Start without the image. */
  readonly isAnew?: boolean;
  readonly now?: number;
  readonly hasTests?: boolean;
  readonly accept?: (post: GuestPost) => boolean;
}

/** Loads `source`, one module or several, as a plugin. `tools` in it is what {@link TestGuest.call} calls. */
export async function startGuest(source: string | GuestModules, options: GuestOptions = {}): Promise<TestGuest> {
  const posts: GuestPost[] = [];
  let deadline = Infinity;
  let lastId = 0;
  const engine = await createEngine({
    wasm: compiled,
    memory: TOOL_MEMORY,
    seed: options.seed ?? 7,
    ...(options.isAnew === true || image === undefined ? {} : { image }),
    prelude: {
      operations: Object.keys(SDK_OPERATIONS),
      maxPostUnits: TOOL_TEXT.fromGuest,
      maxLogUnits: MAX_LOG_UNITS,
      maxErrorUnits: MAX_ERROR_UNITS,
      maxStackUnits: MAX_STACK_UNITS,
      hasTests: options.hasTests ?? false,
    },
    ports: {
      mustStop: () => performance.now() > deadline,
      onPost: (post) => {
        if (!(options.accept?.(post) ?? true)) return "refused";
        posts.push(post);
        return "accepted";
      },
    },
  });
  const now = options.now ?? 1_700_000_000_000;
  const deliver = (kind: DeliveryKind, id: number, value: unknown): void => {
    deadline = performance.now() + (options.sliceMs ?? 1_000);
    engine.deliver({ kind, id, extra: 0, json: JSON.stringify(value) }, now);
    deadline = Infinity;
  };
  const invoke = (kind: DeliveryKind, value: unknown): GuestEnd | undefined => {
    lastId += 1;
    deliver(kind, lastId, value);
    return endOf(posts, lastId);
  };
  deadline = performance.now() + (options.sliceMs ?? 1_000);
  engine.load(typeof source === "string" ? oneModule("test/index.js", source) : source, now);
  deadline = Infinity;
  return {
    engine,
    posts,
    call(name, args = {}) {
      return invoke(DELIVERY.tool, { name, args, cwd: "/work", now });
    },
    deliver: invoke,
    answer: (call, value) => deliver(DELIVERY.resolve, call, value),
    refuse: (call, words) => deliver(DELIVERY.reject, call, words),
  };
}

export function endOf(posts: readonly GuestPost[], id: number): GuestEnd | undefined {
  const end = posts.find((post) => post.id === id && (post.kind === POST.returned || post.kind === POST.threw));
  // JSON text of the guest; the tests look at single fields.
  return end && { type: end.kind === POST.returned ? "returned" : "threw", value: JSON.parse(end.json) as GuestEnd["value"] };
}

/** A plugin with one tool `run` whose body is `code`. */
export const toolSource = (code: string): string =>
  `import { definePlugin, result, failure, isHostError, parseJson } from "smith:sdk";
export default definePlugin({ tools: { run: async (args, ctx) => { ${code} } } });`;
