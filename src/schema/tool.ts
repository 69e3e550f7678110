import type { JsonObject, JsonValue } from "../base/index.js";
import type { ImagePart } from "./message.js";
import type { ModelRef, Usage } from "./model/index.js";
import type { RenderNode } from "./ui.js";

/** What the model and the agent know of a tool: static, from the plugin's manifest; no code runs to get it. */
export interface ToolDefinition {
  readonly name: string;
  readonly plugin: string;
  readonly description: string;
  /** JSON Schema of the arguments (an object schema). */
  readonly parameters: JsonObject;
  /** Makes no change anywhere: allowed in `read-only` and `plan` modes, never asked about. */
  readonly readOnly: boolean;
  readonly timeoutMs: number;
  /** Argument keys whose values make the one-line summary, in order. */
  readonly summaryKeys: readonly string[];
  /** What the activity line says of a result that brings no summary; `{{key}}` is a value of its `details.data`. */
  readonly resultSummary?: string;
  /**
   * When the model is offered it, where that is not always. `search`: from the moment a search of tools named it. `trained`: only where the
   * model's facts say that it was trained on it. `finder`: while a tool waits to be found.
   */
  readonly offer?: "search" | "trained" | "finder";
  /** A program it needs, by name: where that is not found the tool is not there. */
  readonly program?: string;
  /** Where that program comes from, as an ending to "It comes with". */
  readonly programFrom?: string;
  /** Kinds of collected files it is for: where there is none of them it is not offered. */
  readonly resources?: readonly string[];
  /** The tool set of its plugin that it is from, and what that needs to run it. Never sent to a model. */
  readonly set?: { readonly name: string; readonly target: JsonValue };
}

/** An image the host holds for an invocation: what a plugin hands on without seeing it. */
export interface ImageRef {
  /** Good within the invocation it was given to. */
  readonly ref: string;
  readonly mediaType: ImagePart["mediaType"];
  readonly bytes: number;
  /** Of its bytes, hex: what records keep in their place. */
  readonly sha256?: string;
  readonly width?: number;
  readonly height?: number;
}

/** What a tool gave back: words for the model, facts for people. */
export interface ToolOutput {
  readonly text: string;
  readonly isError: boolean;
  /** A few words for the activity line, e.g. `14 matches in 5 files`. */
  readonly summary?: string;
  /** Structured facts for frontends and replay; `diff` is rendered as one. */
  readonly details?: ToolDetails;
  /** `ref` of images the invocation was given, for models that take them; others are told that there were some. At most 8. */
  readonly images?: readonly string[];
}

export interface ToolDetails {
  /** Unified diff of what was really changed on disk. */
  readonly diff?: string;
  readonly data?: JsonValue;
  /** How a person sees the result, instead of its text. Checked and bounded by the host. */
  readonly view?: RenderNode;
  /** What models the tool asked have used, counted once: not what the session records of them itself. */
  readonly usage?: { readonly usage: Usage; readonly cost?: number; readonly model?: ModelRef };
  /** Ends the run with this text (framework seed section 15.3). */
  readonly done?: { readonly finalMessage: string };
}

/** What really happened to the world. Separate from success: a failed call may have applied. */
export type MutationState = "applied" | "not-applied" | "unknown";

/** Bytes of a tool result that reach the model (product page section 7). */
export const MAX_RESULT_BYTES = 64 * 1024;
