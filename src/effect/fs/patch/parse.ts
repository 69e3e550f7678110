import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, FsPatchInput } from "../../../schema/index.js";
import { nothingToPatch, tooManyFiles } from "./failures.js";
import type { FilePatch, PatchForm } from "./file-patch.js";
import { parseEnvelope } from "./parse-envelope.js";
import { parseUnified } from "./parse-unified.js";

const MAX_FILES = 256;

export interface ParsedPatch {
  readonly form: PatchForm;
  readonly files: readonly FilePatch[];
}

/** Reads a patch in either form; the envelope is told by its first line. Pure. */
export function parsePatch({ patch, form = "auto" }: Pick<FsPatchInput, "patch" | "form">): Result<ParsedPatch, Diagnostic> {
  const known: PatchForm = form !== "auto" ? form : /^\s*\*\*\* Begin Patch/u.test(patch) ? "begin-patch" : "unified";
  const files = known === "unified" ? parseUnified(patch) : parseEnvelope(patch);
  if (!files.ok) return files;
  if (files.value.length === 0) return err(nothingToPatch());
  if (files.value.length > MAX_FILES) return err(tooManyFiles(files.value.length, MAX_FILES));
  return ok({ form: known, files: files.value });
}
