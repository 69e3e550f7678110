/** How paragraphs of help are worded and laid out. */

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

export const PIPES = note(
  "Pipes",
  "When the reader of a pipe goes away, the command ends quietly with the status so far. No escape sequence goes into a pipe.",
);

/** Lines `status words`. */
export const statuses = (...lines: readonly string[]): string =>
  ["Exit status:", ...lines.map((line) => `  ${line.replace(/^(\d+) /u, (_, status: string) => status.padEnd(5))}`)].join("\n");
