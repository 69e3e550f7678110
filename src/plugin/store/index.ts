/**
 * plugin/store: installing, approving and finding plugins, and trust in projects.
 * Promises: runs no plugin code; whole or not at all; what changed since it was approved is not used until it is approved again.
 * Must never know: sandboxes, sessions, frontends. Read first: types.ts, store.ts, placing.ts, discovery/discover.ts, trust/trust-store.ts.
 */
export type { LoadPackage, PackageAtHand } from "./approval.js";
export { type Disk, nodeDisk } from "./disk.js";
export { discoverPlugins, type DiscoveryDeps } from "./discovery/index.js";
export type { FileLock, RecordFileDeps } from "./record/index.js";
export type { Download } from "./source/index.js";
export { isLoopback } from "./source/loopback.js";
export { createPluginStore, type PluginStoreDeps } from "./store.js";
export { createTrustStore, type ProjectTrust, resolveProjectTrust, type TrustStoreDeps } from "./trust/index.js";
export type * from "./types.js";
