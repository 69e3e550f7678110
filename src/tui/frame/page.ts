import type { Row } from "../text/index.js";

/** A page over everything else: its text and the keys that work on it. */
export interface Page {
  readonly title: string;
  /** Rows that stay above the others, and the caret's column in the first of them. */
  readonly head?: readonly Row[];
  readonly caret?: number;
  readonly rows: readonly Row[];
  readonly footer: readonly string[];
  /** Row that is to be seen, where keys choose one. */
  readonly focus: number | undefined;
  /** It scrolls when it is longer than the screen. */
  readonly isText: boolean;
}
