import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { authorizePath, type PathPolicy } from "../../paths/index.js";
import { restoreProblem, restoreText, type SecretVault } from "../../secrets/index.js";
import type { EffectContext, Facility } from "../../types.js";
import type { ChangeDeps } from "../change.js";
import { type FilePatch, type Hunk, namesOf } from "./file-patch.js";
import { parsePatch } from "./parse.js";
import { patchFiles, type PlacedName } from "./patch-files.js";

export interface PatchDeps extends ChangeDeps {
  readonly policy: PathPolicy;
  readonly vault: SecretVault;
}

/** The checked input names the real path of every file, so the record says which were meant. */
export function createPatchFacility(deps: PatchDeps): Facility<"fs.patch"> {
  return {
    authorize: async (input, context) => {
      const problem = restoreProblem([input.patch], context, deps.vault);
      if (problem !== undefined) return err(problem);
      const parsed = parsePatch(input);
      if (!parsed.ok) return parsed;
      const places = await placesOf(parsed.value.files, context, deps.policy);
      return places.ok ? ok({ ...input, form: parsed.value.form, files: places.value }) : places;
    },
    run: async (input, context) => {
      const parsed = parsePatch(input);
      if (!parsed.ok) return { outcome: "not-applied", result: parsed };
      const files = parsed.value.files.map((file) => withSecrets(file, (text) => restoreText(text, context, deps.vault)));
      return patchFiles({ files, places: input.files ?? [] }, context, deps);
    },
  };
}

async function placesOf(
  files: readonly FilePatch[],
  context: EffectContext,
  policy: PathPolicy,
): Promise<Result<readonly PlacedName[], Diagnostic>> {
  const places: PlacedName[] = [];
  for (const named of namesOf(files)) {
    const place = await authorizePath(named, "write", context, policy);
    if (!place.ok) return place;
    places.push({ named, path: place.value.recorded });
  }
  return ok(places);
}

/** Secrets are put back line by line: one of several lines must not become lines of the patch. */
function withSecrets(file: FilePatch, whole: (text: string) => string): FilePatch {
  const restored = (hunk: Hunk): Hunk => ({
    ...hunk,
    lines: hunk.lines.flatMap((line) => {
      const texts = whole(line.text).split("\n");
      return texts.map((text, index) => ({ ...line, text, hasEnd: line.hasEnd || index < texts.length - 1 }));
    }),
  });
  return { ...file, hunks: file.hunks.map(restored) };
}
