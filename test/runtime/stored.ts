import type { Inspection, Maintenance } from "../../src/runtime/index.js";
import { createInspection, createMaintenance } from "../../src/runtime/records.js";
import type { Result } from "../../src/base/index.js";
import type { Diagnostic } from "../../src/schema/index.js";
import { depsFor } from "../session/support/store.js";

/** Inspection and maintenance of the sessions in a folder, as another process would have them. */
export function storedAt(dir: string): { readonly inspection: Inspection; readonly maintenance: Maintenance } {
  const { clock, ids, random, version } = depsFor(dir);
  const deps = {
    clock,
    ids,
    randomBytes: random,
    version,
    process: { pid: process.pid, host: "here", platform: "linux", shell: "sh", tempDir: dir },
    paths: { config: dir, data: dir, state: dir, cache: dir, sessions: dir },
  };
  return { inspection: createInspection(deps), maintenance: createMaintenance(deps) };
}

export function valueOf<T>(result: Result<T, Diagnostic>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.what}`);
  return result.value;
}

/** The values of results; throws at the first that is none. */
export async function valuesOf<T>(results: AsyncIterable<Result<T, Diagnostic>>): Promise<readonly T[]> {
  const values: T[] = [];
  for await (const result of results) values.push(valueOf(result));
  return values;
}
