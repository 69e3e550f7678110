import { ok } from "../../base/index.js";
import type { IdSource, Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { EffectContext, Facility } from "../types.js";
import type { PathPolicy } from "../paths/index.js";
import { authorizePath } from "../paths/index.js";
import { editFile, writeFile } from "./change.js";
import type { PathLocks } from "./locks.js";
import { readFileWindow } from "./read.js";
import { statFile } from "./stat.js";
import type { FileTracker } from "./tracker.js";

export interface FileDeps {
  readonly policy: PathPolicy;
  readonly ids: IdSource;
  readonly tracker: FileTracker;
  readonly locks: PathLocks;
}

export interface FileFacilities {
  readonly "fs.read": Facility<"fs.read">;
  readonly "fs.write": Facility<"fs.write">;
  readonly "fs.edit": Facility<"fs.edit">;
  readonly "fs.stat": Facility<"fs.stat">;
}

/** The checked input names the real path absolutely, so the record says which file was meant. */
async function narrowed<Input extends { readonly path: string }>(
  input: Input,
  access: "read" | "write",
  context: EffectContext,
  policy: PathPolicy,
): Promise<Result<Input, Diagnostic>> {
  const place = await authorizePath(input.path, access, context, policy);
  return place.ok ? ok({ ...input, path: place.value.recorded }) : place;
}

export function createFileFacilities(deps: FileDeps): FileFacilities {
  return {
    "fs.read": {
      authorize: (input, context) => narrowed(input, "read", context, deps.policy),
      run: async (input, context) => ({ outcome: "not-applied", result: await readFileWindow(input, context, deps) }),
    },
    "fs.write": {
      authorize: (input, context) => narrowed(input, "write", context, deps.policy),
      run: (input, context) => writeFile(input, context, deps),
    },
    "fs.edit": {
      authorize: (input, context) => narrowed(input, "write", context, deps.policy),
      run: (input, context) => editFile(input, context, deps),
    },
    "fs.stat": {
      authorize: (input, context) => narrowed(input, "read", context, deps.policy),
      run: async (input, context) => ({ outcome: "not-applied", result: await statFile(input.path, context) }),
    },
  };
}
