/** The commands below `smith sessions`, their flags and their help. Knows nothing of how any of them works. */
import type { CommandDeclaration } from "../../flags.js";
import { CHANGING } from "./changing.js";
import { READING } from "./reading.js";

export type SessionCommandId = (typeof READING)[number]["id"] | (typeof CHANGING)[number]["id"];

export const SESSION_COMMANDS: readonly CommandDeclaration<SessionCommandId>[] = [...READING, ...CHANGING];
