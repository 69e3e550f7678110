/** Cells of the terminal. */
export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

export interface FirstFrameFacts {
  readonly version: string;
  readonly cwd: string;
  /** Shown as `~` where `cwd` begins with it. */
  readonly home?: string;
  /** What was typed so far, one line; shown in the editor. */
  readonly draft?: string;
}

/** Which parts of the frame a terminal of this size has room for, from top to bottom. */
export interface FrameShape {
  readonly header: boolean;
  /** The row between transcript and editor: blank, or the way back to the latest line. */
  readonly gap: boolean;
  readonly box: boolean;
  readonly hints: boolean;
}

export const frameShape = (size: FrameSize): FrameShape => ({
  header: size.rows >= 8,
  gap: size.rows >= 10,
  box: size.rows >= 7 && size.columns >= 12,
  hints: size.rows >= 4,
});

export const PROMPT_MARK = "› ";
export const WELCOME = "   Welcome. smith reads, edits and runs things in this folder, with your approval.";
export const STARTING = "starting";

/** Undoes what {@link firstFrame} changed, for a process that ends before the interface took over. */
export const FIRST_FRAME_UNDO = "\x1b[?25h\x1b[?7h\x1b[?1049l";

const clean = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g, "?");

/** `/home/me/src` as `~/src`. */
export function shortPath(path: string, home: string | undefined): string {
  if (home === undefined || home === "" || !(path === home || path.startsWith(`${home}/`))) return clean(path);
  return clean(`~${path.slice(home.length)}`);
}

/** `0.1.0` as `0.1`: the patch number is noise in a header. */
const shortVersion = (version: string): string => version.replace(/^(\d+\.\d+)\.0$/, "$1");

export const headerLeft = (facts: FirstFrameFacts): string => ` smith ${shortVersion(facts.version)} · ${shortPath(facts.cwd, facts.home)}`;

/** The frame as plain rows, and where the editor's text begins. The interface paints the same rows until its own chrome is loaded. */
export function firstFrameRows(
  size: FrameSize,
  facts: FirstFrameFacts,
): { readonly rows: readonly string[]; readonly editorRow: number; readonly editorColumn: number } {
  const shape = frameShape(size);
  const inner = Math.max(1, size.columns - 2);
  const head: string[] = [];
  if (shape.header) {
    const left = headerLeft(facts);
    const room = size.columns - STARTING.length - 2;
    head.push(left.length > room ? left.slice(0, Math.max(0, size.columns - 1)) : left.padEnd(room) + STARTING);
  }
  const foot: string[] = [];
  if (shape.box) foot.push(`╭${"─".repeat(inner)}╮`, `│ ${PROMPT_MARK.padEnd(inner - 1)}│`, `╰${"─".repeat(inner)}╯`);
  else foot.push(PROMPT_MARK);
  const editorRow = size.rows - (shape.hints ? 1 : 0) - (shape.box ? 2 : 1);
  if (shape.hints) foot.push(` ${STARTING}`.slice(0, size.columns));
  const rows = [...head, ...Array<string>(Math.max(0, size.rows - head.length - foot.length)).fill(""), ...foot];
  if (shape.header && rows[2] === "") rows[2] = WELCOME.slice(0, size.columns);
  return { rows: rows.slice(-size.rows), editorRow, editorColumn: shape.box ? 2 + PROMPT_MARK.length : PROMPT_MARK.length };
}

/** Bytes that enter the alternate screen and paint the frame with the caret in the editor. Safe to write again with a longer draft. */
export function firstFrame(size: FrameSize, facts: FirstFrameFacts): string {
  const { rows, editorRow, editorColumn } = firstFrameRows(size, facts);
  const draft = clean(facts.draft ?? "").slice(0, Math.max(0, size.columns - editorColumn - 3));
  let out = "\x1b[?1049h\x1b[?7l\x1b[0m\x1b[H\x1b[J";
  rows.forEach((row, index) => {
    if (row !== "") out += `\x1b[${String(index + 1)};1H${row}`;
  });
  return `${out}\x1b[${String(editorRow + 1)};${String(editorColumn + 1)}H${draft}\x1b[?25h`;
}
