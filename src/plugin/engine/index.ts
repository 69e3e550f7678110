/**
 * engine: one guest in one wasm instance, over quickjs-wasi.
 * Promises: only numbers and bounded JSON text cross; a guest that was stopped is dead. Must never know: threads, plugins,
 * grants, tools. Runs in a worker thread only. Read first: engine.ts, prelude.ts.
 */
export { decodeCompiled } from "./compiled.js";
export {
  compileModule,
  createEngine,
  createEngineImage,
  type Delivery,
  type Engine,
  type EngineFault,
  type EnginePorts,
  type GuestPost,
} from "./engine.js";
export { decodeImage, type EngineImage } from "./image.js";
export {
  compiledPathOf,
  DELIVERY,
  type DeliveryKind,
  EMITS,
  type EmitType,
  LOG_LEVELS,
  type LogLevel,
  ownModuleName,
  POST,
  type PostKind,
} from "./kinds.js";
export { type GuestModules, oneModule, readModuleTable } from "./modules.js";
export { type PreludeConfig } from "./prelude.js";
export { SDK_MODULE } from "./sdk-module.js";
export { capMemory } from "./wasm-cap.js";
