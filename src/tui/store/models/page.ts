import type { Diagnostic, ModelRef } from "../../../schema/index.js";
import type { Draft } from "../../composer/index.js";
import type { ModelRow } from "../../models/index.js";

/** What is asked of models beside the session. */
export type ModelDeed =
  | { readonly type: "list" }
  /** The session uses it already. */
  | { readonly type: "keep"; readonly selection: string }
  /** Which levels the model has. */
  | { readonly type: "levels"; readonly model: ModelRef };

/** What comes of it. */
export type ModelNews =
  | { readonly type: "listed"; readonly rows: readonly ModelRow[]; readonly preset: string | undefined }
  | { readonly type: "kept"; readonly selection: string; readonly path: string }
  | { readonly type: "levels"; readonly model: ModelRef; readonly levels: readonly string[] | undefined }
  | { readonly type: "failed"; readonly diagnostic: Diagnostic };

/** What is known of models that can be selected. */
export interface KnownModels {
  readonly rows: readonly ModelRow[];
  /** The person's own default. */
  readonly preset: string | undefined;
}

/** The list of models. */
export interface ModelsPage {
  readonly type: "models";
  /** What is looked for. */
  readonly filter: Draft;
  /** Selection of the row that keys are for. */
  readonly chosen: string | undefined;
}
