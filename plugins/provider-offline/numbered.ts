/** The numbered lines of a read and the notes after them; a result of another form has no lines. */
export function numbered(text: string): {
  readonly lines: readonly { readonly number: number; readonly line: string }[];
  readonly notes: readonly string[];
} {
  const lines: { number: number; line: string }[] = [];
  const notes: string[] = [];
  for (const raw of text.split("\n")) {
    const parts = /^(\d+)\t(.*)$/su.exec(raw);
    if (parts === null) notes.push(raw);
    else lines.push({ number: Number(parts[1]), line: parts[2] ?? "" });
  }
  return { lines, notes };
}
