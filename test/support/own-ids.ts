import { randomFillSync } from "node:crypto";
import { createIdSource, type IdSource } from "../../src/base/index.js";

/** Ids that nobody else has, for marks of commands: what carries one is ended with its command, whichever suite it belongs to. */
export const ownIds = (): IdSource => createIdSource(Date.now, randomFillSync);
