/**
 * maintenance: new session files made of old ones (fork, import, repair) and the check of every byte.
 * Promises: a file is made whole or not at all; sources are never changed; stored payloads are copied, never encoded anew;
 * memory does not grow with the file. Must never know: what sessions are for.
 * Read first: build/file-builder.ts, fork/fork.ts, verify/verify.ts, repair/repair.ts.
 */
export type { MaintenanceContext } from "./context.js";
export { forkSession } from "./fork/fork.js";
export { importSession } from "./import/import.js";
export { repairSession } from "./repair/repair.js";
export { verifySession } from "./verify/verify.js";
