/** How the help of these commands is worded, and the paragraphs that several share. */

const COLUMNS = 98;

/** Words to lines no wider than help. */
function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A titled paragraph. A text that begins with a blank is shown as it is. */
export const note = (title: string, ...texts: readonly string[]): string =>
  [`${title}:`, ...texts.flatMap((text) => (text.startsWith(" ") ? [text] : wrap(text))).map((line) => `  ${line}`)].join("\n");

export const READS_ONLY = "Nothing is locked, repaired or run; a session that is being written is read up to its last complete change.";

export const NAMING = note(
  "Naming",
  "A session is named by its id, or by the last digits of it (4 at least) that no other session ends with. An entry is named the same way among the entries of its session.",
);

export const PIPES = note(
  "Pipes",
  "When the reader of a pipe goes away, the command ends quietly with the status so far. No escape sequence goes into a pipe.",
);

/** Lines `status words`. */
export const statuses = (...lines: readonly string[]): string =>
  ["Exit status:", ...lines.map((line) => `  ${line.replace(/^(\d+) /u, (_, status: string) => status.padEnd(5))}`)].join("\n");

export const BUSY = "4 another process is writing the session";
