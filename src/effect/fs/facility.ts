import { err, ok } from "../../base/index.js";
import type { IdSource, Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { EffectContext, Facility } from "../types.js";
import type { PathPolicy } from "../paths/index.js";
import { authorizePath } from "../paths/index.js";
import { restoreProblem, restoreText, type SecretVault } from "../secrets/index.js";
import { editFile, writeFile } from "./change.js";
import { createComputer } from "./compute/index.js";
import { createLeftovers } from "./leftovers.js";
import type { PathLocks } from "./locks.js";
import { createPatchFacility } from "./patch/index.js";
import { readFileWindow, statFile } from "./read/index.js";
import type { FileTracker } from "./tracker.js";

export interface FileDeps {
  readonly policy: PathPolicy;
  readonly ids: IdSource;
  readonly tracker: FileTracker;
  readonly locks: PathLocks;
  readonly vault: SecretVault;
  /** The built `src/effect/fs/compute/worker.ts`. Left out: large files are changed in the thread that asks. */
  readonly changeWorkerUrl?: URL;
}

export interface FileFacilities {
  readonly "fs.read": Facility<"fs.read">;
  readonly "fs.write": Facility<"fs.write">;
  readonly "fs.edit": Facility<"fs.edit">;
  readonly "fs.patch": Facility<"fs.patch">;
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

export function createFileFacilities(given: FileDeps): FileFacilities {
  const deps = { ...given, computer: createComputer(given.changeWorkerUrl), leftovers: createLeftovers() };
  return {
    "fs.read": {
      authorize: (input, context) => narrowed(input, "read", context, deps.policy),
      run: async (input, context) => ({ outcome: "not-applied", result: await readFileWindow(input, context, deps) }),
    },
    "fs.write": {
      authorize: async (input, context) => {
        const problem = restoreProblem([input.content], context, deps.vault);
        return problem === undefined ? await narrowed(input, "write", context, deps.policy) : err(problem);
      },
      run: (input, context) => writeFile({ ...input, content: restoreText(input.content, context, deps.vault) }, context, deps),
    },
    "fs.edit": {
      authorize: async (input, context) => {
        const texts = input.edits.flatMap((edit) => [edit.old, edit.new]);
        const problem = restoreProblem(texts, context, deps.vault);
        return problem === undefined ? await narrowed(input, "write", context, deps.policy) : err(problem);
      },
      run: (input, context) => {
        const whole = (text: string): string => restoreText(text, context, deps.vault);
        const edits = input.edits.map((edit) => ({ ...edit, old: whole(edit.old), new: whole(edit.new) }));
        return editFile({ ...input, edits }, context, deps);
      },
    },
    "fs.patch": createPatchFacility(deps),
    "fs.stat": {
      authorize: (input, context) => narrowed(input, "read", context, deps.policy),
      run: async (input, context) => ({ outcome: "not-applied", result: await statFile(input.path, context) }),
    },
  };
}
