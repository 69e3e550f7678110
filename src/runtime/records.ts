/** A second door, for commands on stored sessions: what runs sessions, with its plugins, providers and effects, is not loaded. */
export { createInspection } from "./records/inspection.js";
export { createMaintenance } from "./records/maintenance.js";
