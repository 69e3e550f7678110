import { createSessionStore } from "../../../src/session/index.js";
import { depsFor } from "./store.js";

/** The store of a process of its own, as its arguments name it: a folder, then a session. */
export function storeOfArguments() {
  const [dir = "", session = ""] = process.argv.slice(2);
  const deps = depsFor(dir);
  return { store: createSessionStore(deps), ids: deps.ids, session };
}
