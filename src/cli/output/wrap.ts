/** Words to lines of a width; those after the first begin with `indent`. A longer word stands alone. Blanks at the beginning stay. */
export function wrap(text: string, width: number, indent: string): readonly string[] {
  const lines: string[] = [];
  const begin = /^ */u.exec(text)?.[0] ?? "";
  let line = begin;
  for (const word of text.slice(begin.length).split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > width) {
      lines.push(line.trimEnd());
      line = `${indent}${word}`;
    } else line = line.trim() === "" ? `${line}${word}` : `${line} ${word}`;
  }
  return [...lines, line];
}
