/**
 * effect/process: running command lines and programs, bounded in output and time, ended with everything they started.
 * Promises: nothing waits for a terminal, a call ends when its process does, memory does not grow with output,
 * jobs end with their session.
 * Must never know: which commands are wise. Read first: supervise.ts, start.ts, run.ts, jobs.ts, family.ts, output/index.ts.
 */
export { type Environment, findCommandShell, findProgram, type GivenEnvironment, inherited, UNATTENDED } from "./environment.js";
export { familyOf, MARK_NAME, processStart, signalFamily, signalProcess } from "./family.js";
export { createGuard, type Guard } from "./guard.js";
export { createProcessFacility } from "./facility.js";
export { createJobFacilities } from "./jobs.js";
export { createOutputFolder, type OutputFolder } from "./output/index.js";
export { createProcessRunner } from "./run.js";
export { createShellLines, type ShellLine, type ShellLineEnd, type ShellLines } from "./shell-line.js";
export { createSupervisor, type Supervisor } from "./supervise.js";
export { loadTerminals } from "./terminal.js";
