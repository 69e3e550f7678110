import type { CallId, EntryId } from "../../base/index.js";
import type { Diagnostic, InputSource, MutationState } from "../../schema/index.js";
import { BlockSplitter, type View } from "../render/index.js";
import { sanitize, StreamSanitizer } from "../text/index.js";
import type { StyleName } from "../theme/index.js";

/**
 * What the transcript is made of. Items are mutable inside of this folder only; `revision` rises with every change that can be seen.
 * All texts are sanitized on their way in.
 */
interface Base {
  revision: number;
}

export interface UserItem extends Base {
  readonly type: "user";
  readonly entry: EntryId;
  readonly text: string;
  readonly source: InputSource;
  /** Who said it, where that was no person. */
  readonly plugin?: string;
}

export interface AssistantItem extends Base {
  readonly type: "assistant";
  entry: EntryId | undefined;
  readonly body: StreamText;
  readonly thinking: StreamText;
  settled: boolean;
}

export interface ToolItem extends Base {
  readonly type: "tool";
  readonly call: CallId;
  name: string;
  argsSummary: string;
  state: "running" | "done";
  /** A person is asked whether it may run. */
  isAsked: boolean;
  startedAt: number;
  progress: string;
  result: string;
  resultSummary: string;
  isError: boolean;
  mutation: MutationState;
  durationMs: number;
  diff: string | undefined;
  view: View | undefined;
}

export interface NoteItem extends Base {
  readonly type: "note";
  readonly tone: "info" | "warning";
  readonly text: string;
  /** Beside the text where there is room on its row; the rest of it on rows of their own when everything is unfolded. */
  readonly more?: readonly string[];
  /** Who says it, where it is not smith. */
  readonly plugin?: string;
  readonly style?: StyleName;
}

export interface ErrorItem extends Base {
  readonly type: "error";
  readonly diagnostic: Pick<Diagnostic, "code" | "what" | "why" | "next" | "severity">;
  /** Where in a file it is. */
  readonly place?: string;
}

export interface UnknownEffectItem extends Base {
  readonly type: "unknown-effect";
  readonly effect: string;
  readonly operation: string;
  readonly summary: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  /** What a person said became of it. */
  word: "applied" | "not applied" | undefined;
}

export type Item = UserItem | AssistantItem | ToolItem | NoteItem | ErrorItem | UnknownEffectItem;

/** A text that grows: sanitized as one, split into closed Markdown blocks and a tail. */
export class StreamText {
  private sanitizer = new StreamSanitizer();
  private splitter = new BlockSplitter();
  private pieces: string[] = [];
  length = 0;
  /** Rises when the text was replaced instead of continued: earlier blocks are then void. */
  restarts = 0;

  push(piece: string): void {
    this.take(this.sanitizer.push(piece));
  }

  /** The authoritative whole text. Keeps the blocks when it is what was streamed. */
  settle(whole: string): void {
    this.take(this.sanitizer.end());
    const clean = sanitize(whole);
    if (clean !== this.text) {
      this.splitter = new BlockSplitter();
      this.pieces = [];
      this.length = 0;
      this.restarts += 1;
      this.take(clean);
    }
    this.splitter.end();
  }

  get text(): string {
    if (this.pieces.length > 1) this.pieces = [this.pieces.join("")];
    return this.pieces[0] ?? "";
  }

  get blocks(): readonly string[] {
    return this.splitter.closed;
  }

  get tail(): string {
    return this.splitter.tail;
  }

  get openFence(): BlockSplitter["openFence"] {
    return this.splitter.openFence;
  }

  private take(clean: string): void {
    if (clean === "") return;
    this.pieces.push(clean);
    this.length += clean.length;
    this.splitter.push(clean);
  }
}
