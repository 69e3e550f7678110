/**
 * effect: host operations behind the plugin SDK (files, search, processes, network, repository, questions, state and more), each
 * with grants and a durable record.
 * Promises: checked on real paths, recorded before and after, bounded in output, time and memory; cheap to import.
 * Must never know: plugins' code, tools' names, how a session is stored. Read first: types.ts, ledger/gateway.ts, facilities.ts.
 */
export { createFacilities, type FacilityDeps, type FacilitySet } from "./facilities.js";
export { grantDenied } from "./grants/index.js";
export {
  createFileTracker,
  createPathLocks,
  type FileTracker,
  imagePart,
  type ImageProblem,
  imageProblemWords,
  type PathLocks,
} from "./fs/index.js";
export { createProgramLookup } from "./on-path.js";
export type { Machine, MachineFolder } from "./machine.js";
export { argumentLinks, createMachine, createMcpHub, createShellLines } from "./on-demand.js";
export type { McpChange, McpCheck, McpHub, McpHubDeps, McpTokenStore } from "./mcp/index.js";
export { createEffectGateway, type GatewayDeps, type OwnedEffectGateway } from "./ledger/index.js";
export { type LookupPort } from "./net/index.js";
export type { PathPolicy } from "./paths/index.js";
export { createSearch, type Search, type SearchDeps } from "./search/index.js";
export { type FoundSecret, type SecretPort, type SecretVault } from "./secrets/index.js";
export type * from "./types.js";
export { createValueFiles, type StoredValue, type ValueFiles, type ValuePlace } from "./values/index.js";
