import { CompileFlags, EvalFlags, Intrinsics, JSException, type JSValueHandle, QuickJS, type QuickJSOptions } from "quickjs-wasi";
import type { MemoryLimits } from "../limits.js";
import { encodeCompiled } from "./compiled.js";
import { encodeImage, type EngineImage } from "./image.js";
import { DELIVERY, type DeliveryKind, POST, type PostKind } from "./kinds.js";
import { PRELUDE, type PreludeConfig } from "./prelude.js";
import { createResolver, type GuestModules, type ModuleResolver } from "./modules.js";
import { type GuestWorld, guestSystem } from "./wasi.js";

/** Why a guest is gone. Nothing of it can be used again, whatever was in it. */
export interface EngineFault {
  readonly type: "interrupted" | "memory" | "trap";
  readonly detail: string;
}

/** One message of the guest. Every field is the guest's word, checked for type and length and nothing else. */
export interface GuestPost {
  readonly kind: PostKind;
  readonly id: number;
  readonly extra: number;
  readonly text: string;
  readonly json: string;
}

export interface EnginePorts {
  /** Polled while guest code runs. True kills the guest. */
  mustStop(): boolean;
  /** A message of the guest. Anything but `accepted` refuses it; must not throw. */
  onPost(post: GuestPost): "accepted" | "refused";
}

export interface EngineOptions {
  /** Compiled from a binary whose memory is capped, see `capMemory`. */
  readonly wasm: WebAssembly.Module;
  readonly memory: MemoryLimits;
  readonly prelude: PreludeConfig;
  /** Decides `Math.random`. */
  readonly seed: number;
  readonly ports: EnginePorts;
  /** Starts from this memory instead of anew; made by {@link createEngineImage} with the same binary. */
  readonly image?: EngineImage;
}

/**
 * One guest in one wasm instance. Only numbers and JSON text cross. After any interrupt, exhausted memory or trap it is
 * dead: `fault` is set, every later call returns it at once. Forgetting the object is the only way to free it; the engine's own
 * teardown is never run.
 */
export interface Engine {
  readonly fault: EngineFault | undefined;
  /** Evaluates the plugin's entry and what it imports, as one slice. Once, before anything is delivered. Without modules: no plugin. */
  load(modules: GuestModules | undefined, now: number): void;
  /** One slice: the delivery and every job it starts. `now` is what the guest's clock shows throughout. */
  deliver(delivery: Delivery, now: number): void;
  heapBytes(): number;
}

export interface Delivery {
  readonly kind: DeliveryKind;
  readonly id: number;
  readonly extra: number;
  readonly json: string;
}

const FEATURES = Intrinsics.ALL & ~Intrinsics.WEAK_REF & ~Intrinsics.PERFORMANCE;
const MAX_REPORTED_REJECTIONS = 8;

/** A guest with the prelude evaluated and no plugin code. Rejects only when the engine itself cannot start. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const world: GuestWorld = { now: 0 };
  const rejections = new Map<number, RejectionHandles>();
  const guest: GuestFlags = { modules: createResolver(undefined, options.prelude.hasTests), wasStopped: false };
  const configuration: QuickJSOptions = {
    wasm: options.wasm,
    memoryLimit: options.memory.heapBytes,
    maxStackSize: options.memory.stackBytes,
    intrinsics: FEATURES,
    timezoneOffset: 0,
    wasi: guestSystem(world),
    interruptHandler: () => (guest.wasStopped ||= options.ports.mustStop()),
    onUnhandledRejection: (promise, reason, isHandled) => noteRejection(rejections, { promise, reason }, isHandled),
    moduleLoader: {
      // Strings, not errors: an error object of ours would carry the host's stack into the guest.
      normalize: (base, specifier) => guest.modules.resolve(base, specifier),
      load: (name) => guest.modules.source(name),
    },
  };
  const { vm, dispatch } = await (options.image === undefined ? startAnew(configuration) : startFrom(options.image, configuration));
  vm.registerHostCallback(POST_NAME, (...handles) => receive(vm, handles, options));
  return engineOf({ vm, dispatch, world, rejections, guest, settings: { ...options.prelude, seed: options.seed } });
}

/** A started guest without host: what {@link createEngineImage} keeps. */
interface Started {
  readonly vm: QuickJS;
  readonly dispatch: JSValueHandle;
}

const POST_NAME = "post";

async function startAnew(configuration: QuickJSOptions): Promise<Started> {
  const vm = await QuickJS.create(configuration);
  const post = vm.newFunction(POST_NAME, () => vm.null);
  return { vm, dispatch: vm.callFunction(vm.evalCode(PRELUDE, "smith:prelude"), vm.undefined, post) };
}

async function startFrom({ dispatchToken, ...image }: EngineImage, configuration: QuickJSOptions): Promise<Started> {
  const vm = await QuickJS.restore({ ...image, extensions: [] }, configuration);
  return { vm, dispatch: vm.importHandle(dispatchToken) };
}

/** Bytes of the image that {@link EngineOptions.image} takes, for this binary of the engine. Made by the build. */
export async function createEngineImage(wasm: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { vm, dispatch } = await startAnew({ wasm, intrinsics: FEATURES, timezoneOffset: 0, wasi: guestSystem({ now: 0 }) });
  const dispatchToken = vm.exportHandle(dispatch);
  const { memory, stackPointer, runtimePtr, contextPtr } = vm.snapshot();
  return encodeImage({ memory, stackPointer, runtimePtr, contextPtr, dispatchToken }, wasm.byteLength);
}

/** Bytes of the module for {@link GuestModules.compiled}, as `decodeCompiled` reads them. Made by the build, with the binary that will run it. */
export async function compileModule(wasm: Uint8Array<ArrayBuffer>, { name, source }: GuestSource): Promise<Uint8Array> {
  const vm = await QuickJS.create({ wasm, intrinsics: FEATURES });
  return encodeCompiled(vm.compile(source, name, EvalFlags.TYPE_MODULE, CompileFlags.STRIP_SOURCE), wasm.byteLength);
}

/** A module that imports nothing. */
export interface GuestSource {
  /** What it will be loaded under; stack frames show it. */
  readonly name: string;
  readonly source: string;
}

interface EngineParts {
  readonly vm: QuickJS;
  readonly dispatch: JSValueHandle;
  readonly world: GuestWorld;
  readonly rejections: Map<number, RejectionHandles>;
  readonly guest: GuestFlags;
  /** What the load delivery says. */
  readonly settings: PreludeConfig & { readonly seed: number };
}

interface GuestFlags {
  modules: ModuleResolver;
  /** Stays: an interrupt can surface as a mere rejection (of an import), and nothing may run after it all the same. */
  wasStopped: boolean;
}

function engineOf(parts: EngineParts): Engine {
  const { vm, world, guest } = parts;
  let fault: EngineFault | undefined;
  const deliver = (delivery: Delivery, now: number, compiled?: Uint8Array): void => {
    if (fault !== undefined) return;
    world.now = now;
    try {
      call(parts, [delivery.kind, delivery.id, delivery.extra], vm.newString(delivery.json));
      if (compiled !== undefined) evaluateAhead(parts, compiled);
      vm.executePendingJobs();
      reportRejections(parts);
    } catch (error) {
      fault = faultOf(error);
    }
    if (guest.wasStopped) fault = { type: "interrupted", detail: "interrupted" };
    if (fault !== undefined) parts.rejections.clear();
  };
  return {
    get fault() {
      return fault;
    },
    load(modules, now) {
      guest.modules = createResolver(modules, parts.settings.hasTests);
      const json = JSON.stringify({ ...parts.settings, hasMain: modules !== undefined });
      deliver({ kind: DELIVERY.load, id: 0, extra: 0, json }, now, modules?.compiled);
    },
    deliver: (delivery, now) => deliver(delivery, now),
    heapBytes: () => vm.getAllocatedSize(),
  };
}

/** Nothing is freed when the call throws: the guest is dead then, and its memory goes as a whole. */
function call({ vm, dispatch }: EngineParts, numbers: readonly [DeliveryKind, number, number], content: JSValueHandle): void {
  const handles = [...numbers.map((number) => vm.newNumber(number)), content];
  vm.callFunction(dispatch, vm.undefined, ...handles).dispose();
  for (const handle of handles) handle.dispose();
}

/**
 * Evaluates the entry's bytecode: the import of it that waits among the jobs then finds it, also when it failed. Bytecode that cannot be
 * read leaves nothing behind, and that import compiles the source.
 */
function evaluateAhead({ vm, rejections }: EngineParts, compiled: Uint8Array): void {
  try {
    const evaluated = vm.evalBytecode(compiled);
    // A failure is told by the import.
    noteRejection(rejections, { promise: evaluated, reason: vm.undefined }, true);
    evaluated.dispose();
  } catch (error) {
    if (!(error instanceof JSException)) throw error;
  }
}

/** Never lets an exception of ours out: the engine would hand it to the guest with its stack. */
function receive(vm: QuickJS, handles: readonly JSValueHandle[], options: EngineOptions): JSValueHandle {
  try {
    const post = readPost(handles, options.prelude.maxPostUnits);
    return post !== undefined && options.ports.onPost(post) === "accepted" ? vm.undefined : vm.null;
  } catch {
    return vm.null;
  }
}

const POST_KINDS: ReadonlySet<number> = new Set(Object.values(POST));

function readPost(handles: readonly JSValueHandle[], maxUnits: number): GuestPost | undefined {
  const [kind, id, extra, text, json] = handles;
  if (kind === undefined || id === undefined || extra === undefined || text === undefined || json === undefined) return undefined;
  const areTyped = [kind, id, extra].every((handle) => handle.isNumber) && text.isString && json.isString;
  // Lengths before texts: copying out is what costs the host memory.
  if (!areTyped) return undefined;
  if (text.length + json.length > maxUnits) return undefined;
  const kindNumber = kind.toNumber();
  if (!POST_KINDS.has(kindNumber)) return undefined;
  // Checked against the table on the line above.
  return { kind: kindNumber as PostKind, id: id.toNumber(), extra: extra.toNumber(), text: text.toString(), json: json.toString() };
}

interface RejectionHandles {
  readonly promise: JSValueHandle;
  readonly reason: JSValueHandle;
}

/** Kept until the slice is over: a rejection may still be handled in it. The promise is kept too, so that its identity stays its own. */
function noteRejection(rejections: Map<number, RejectionHandles>, handles: RejectionHandles, isHandled: boolean): void {
  const identity = handles.promise.identity;
  if (!isHandled) {
    if (rejections.size < MAX_REPORTED_REJECTIONS)
      rejections.set(identity, { promise: handles.promise.dup(), reason: handles.reason.dup() });
    return;
  }
  const noted = rejections.get(identity);
  if (noted === undefined) return;
  rejections.delete(identity);
  noted.promise.dispose();
  noted.reason.dispose();
}

/** Has the guest put each one into words, under the same deadline as the slice. */
function reportRejections(parts: EngineParts): void {
  if (parts.rejections.size === 0) return;
  const noted = [...parts.rejections.values()];
  parts.rejections.clear();
  for (const { promise, reason } of noted) {
    promise.dispose();
    call(parts, [DELIVERY.rejection, 0, 0], reason);
  }
}

/** What leaves the guest as an exception is never an ordinary error: the prelude catches those. */
function faultOf(error: unknown): EngineFault {
  if (!(error instanceof JSException)) {
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : "unknown trap";
    return { type: /malloc|memory/iu.test(detail) ? "memory" : "trap", detail: detail.slice(0, 300) };
  }
  const detail = String(error.message).slice(0, 300);
  return { type: detail === "out of memory" ? "memory" : "trap", detail };
}
