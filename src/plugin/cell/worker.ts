/** Entry of a plugin worker thread: holds instances, one engine each, and serves the main side's messages in order. */
import { existsSync, readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import {
  capMemory,
  createEngine,
  decodeCompiled,
  decodeImage,
  DELIVERY,
  type Engine,
  type EngineImage,
  type EnginePorts,
  type GuestModules,
  oneModule,
  readModuleTable,
} from "../engine/index.js";
import { PluginInstance } from "./instance.js";
import { type CellModule, type CellStart, CONTROL, type FromCell, type ToCell } from "./protocol.js";
import { createSlices } from "./slices.js";

type Port = NonNullable<typeof parentPort>;

/** An engine whose posts go to whichever instance takes it over. */
interface UnboundEngine {
  readonly engine: Engine;
  readonly bind: (onPost: EnginePorts["onPost"]) => void;
}

/**
 * The engine's wasm stays with V8's baseline compiler: optimizing the interpreter loop costs some 100 ms of CPU and 25 MB
 * for a gain that a guest's short slices never earn back (docs/decisions/0004-sandbox-engine.md).
 */
const BASELINE_ONLY = ["--liftoff-only", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering", "--wasm-lazy-validation"];

function serve(port: Port, start: CellStart): void {
  for (const flag of BASELINE_ONLY) setFlagsFromString(flag);
  const control = new Int32Array(start.control);
  const slices = createSlices(control);
  const parts = loadEngine(start);
  const instances = new Map<string, PluginInstance>();
  const send = (message: FromCell): void => port.postMessage(message);
  let count = 0;
  const prepare = (): Promise<UnboundEngine> => {
    count += 1;
    return createUnbound(start, parts, start.seed + count, () => slices.mustStop());
  };
  // The first instance finds its engine made: the first call is the one somebody waits for.
  let spare: Promise<UnboundEngine> | undefined = prepare();

  const open = async (message: Extract<ToCell, { type: "call" }>): Promise<PluginInstance | undefined> => {
    const { plugin, id } = message;
    const { engine, bind } = await (spare ?? prepare());
    spare = undefined;
    const { outstandingCalls, outstandingUnits, logsPerSecond, emitsPerSecond } = start;
    const limits = { outstandingCalls, outstandingUnits, logsPerSecond, emitsPerSecond };
    const instance = new PluginInstance({ plugin, number: count, engine, slices, ...limits, send });
    bind((post) => instance.onPost(post));
    const modules = readModules(message.module, parts.wasmBytes);
    if (!modules.isReadable) {
      const detail = JSON.stringify({ name: "Error", message: `its module ${modules.path} cannot be read`, stack: "" });
      send({ type: "fault", plugin, fault: "load", culprit: id, invocations: [id], detail });
      return undefined;
    }
    if (!instance.load(modules.modules, message, start.loadSliceMs)) return undefined;
    instances.set(plugin, instance);
    return instance;
  };

  const handle = async (message: ToCell): Promise<void> => {
    if (message.type === "call") {
      const instance = instances.get(message.plugin) ?? (await open(message));
      if (instance !== undefined && !instance.call(message)) instances.delete(message.plugin);
      return;
    }
    const instance = instances.get(message.plugin);
    if (instance === undefined) return;
    if (message.type === "close") return void instances.delete(message.plugin);
    if (!serveNote(instance, message)) instances.delete(message.plugin);
  };

  let last = Promise.resolve();
  port.on("message", (message: ToCell) => {
    last = last.then(() => handle(message)).finally(() => Atomics.add(control, CONTROL.finished, 1));
  });
}

function serveNote(instance: PluginInstance, message: Exclude<ToCell, { type: "call" | "close" }>): boolean {
  switch (message.type) {
    case "answer":
      return message.instance !== instance.number || instance.answer(message);
    case "cancel":
      return instance.forget(DELIVERY.cancel, message.id, message.now);
    case "drop":
      return instance.forget(DELIVERY.drop, message.attempt, message.now);
  }
}

interface EngineParts {
  readonly wasm: WebAssembly.Module;
  /** Size of the binary it was made of. */
  readonly wasmBytes: number;
  readonly image?: EngineImage;
}

function loadEngine({ wasmPath, imagePath, memory }: CellStart): EngineParts {
  const binary = readFileSync(wasmPath);
  const bytes = existsSync(imagePath) ? readFileSync(imagePath) : undefined;
  const image = bytes && decodeImage(bytes, binary.byteLength);
  const wasm = new WebAssembly.Module(capMemory(binary, memory.maxPages));
  return { wasm, wasmBytes: binary.byteLength, ...(image === undefined ? {} : { image }) };
}

async function createUnbound(start: CellStart, parts: EngineParts, seed: number, mustStop: () => boolean): Promise<UnboundEngine> {
  let onPost: EnginePorts["onPost"] = () => "refused";
  const ports: EnginePorts = { mustStop, onPost: (post) => onPost(post) };
  const engine = await createEngine({ ...parts, memory: start.memory, prelude: start.prelude, seed, ports });
  return {
    engine,
    bind(target) {
      onPost = target;
    },
  };
}

type ReadModules =
  { readonly isReadable: true; readonly modules: GuestModules | undefined } | { readonly isReadable: false; readonly path: string };

function readModules(module: CellModule, wasmBytes: number): ReadModules {
  if (module.type === "none") return { isReadable: true, modules: undefined };
  const { path } = module;
  const text = readText(path);
  if (text === undefined) return { isReadable: false, path };
  if (module.type === "tree") {
    const modules = readModuleTable(text, module.entry);
    return modules === undefined ? { isReadable: false, path } : { isReadable: true, modules };
  }
  const bytes = module.compiledPath === undefined ? undefined : read(module.compiledPath);
  const compiled = bytes && decodeCompiled(bytes, wasmBytes);
  return { isReadable: true, modules: { ...oneModule(module.name, text), ...(compiled === undefined ? {} : { compiled }) } };
}

const readText = (path: string): string | undefined => read(path)?.toString("utf8");

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

// Started by the cell and by nothing else, with exactly this data.
if (parentPort !== null) serve(parentPort, workerData as CellStart);
