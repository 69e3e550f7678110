/** Reads runnable examples out of Markdown: a `sh` block after `<!-- run -->` or `<!-- run: exit N -->`, with what it must print after `<!-- prints -->`. */
export interface Example {
  readonly line: number;
  readonly script: string;
  readonly exit: number;
  /** Lines that must appear in this order. A line `…` stands for any. */
  readonly prints: readonly string[];
}

interface Fence {
  readonly line: number;
  readonly language: string;
  readonly mark: string;
  readonly body: string;
}

const MARK = /^<!--\s*(run(?::\s*exit\s+(\d+))?|prints)\s*-->$/u;

function fences(text: string): readonly Fence[] {
  const found: Fence[] = [];
  const lines = text.split("\n");
  let mark = "";
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const open = /^(`{3,})(\w*)\s*$/u.exec(line);
    if (open === null) {
      if (line.trim() !== "") mark = MARK.test(line) ? line : "";
      continue;
    }
    const end = lines.indexOf(open[1] ?? "", index + 1);
    found.push({ line: index + 1, language: open[2] ?? "", mark, body: lines.slice(index + 1, end).join("\n") });
    mark = "";
    index = end;
  }
  return found;
}

export function readExamples(text: string): readonly Example[] {
  const found: Example[] = [];
  for (const fence of fences(text)) {
    const mark = MARK.exec(fence.mark);
    const previous = found.at(-1);
    if (mark?.[1] === "prints" && previous !== undefined) found[found.length - 1] = { ...previous, prints: fence.body.split("\n") };
    else if (mark !== null && fence.language === "sh")
      found.push({ line: fence.line, script: fence.body, exit: Number(mark[2] ?? 0), prints: [] });
  }
  return found;
}

/** The first promised line that does not follow the ones before it, or undefined. */
export function missingLine(output: string, prints: readonly string[]): string | undefined {
  const lines = output.split("\n").map((line) => line.trimEnd());
  let from = 0;
  for (const promised of prints) {
    if (promised.trim() === "" || promised.trim() === "…") continue;
    const at = lines.indexOf(promised.trimEnd(), from);
    if (at === -1) return promised;
    from = at + 1;
  }
  return undefined;
}
