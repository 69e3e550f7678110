/**
 * Reads runnable examples out of Markdown: a `sh` block after `<!-- run -->` or `<!-- run: exit N -->`, with what it must print after
 * `<!-- prints -->`. A block after `<!-- file: PATH -->` is a file that is written before the next example runs.
 */
export interface Example {
  readonly line: number;
  readonly files: readonly ExampleFile[];
  readonly script: string;
  readonly exit: number;
  /** Lines that must appear in this order. A line `…` stands for any. */
  readonly prints: readonly string[];
}

export interface ExampleFile {
  /** Relative to the folder the examples run in. */
  readonly path: string;
  readonly text: string;
}

interface Fence {
  readonly line: number;
  readonly language: string;
  readonly mark: string;
  readonly body: string;
}

const MARK = /^<!--\s*(run(?::\s*exit\s+(\d+))?|prints|file:\s*(\S+))\s*-->$/u;

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
  let files: ExampleFile[] = [];
  for (const fence of fences(text)) {
    const mark = MARK.exec(fence.mark);
    const previous = found.at(-1);
    const path = mark?.[3];
    if (path !== undefined) files.push({ path, text: `${fence.body}\n` });
    else if (mark?.[1] === "prints" && previous !== undefined) found[found.length - 1] = { ...previous, prints: fence.body.split("\n") };
    else if (mark !== null && fence.language === "sh") {
      found.push({ line: fence.line, files, script: fence.body, exit: Number(mark[2] ?? 0), prints: [] });
      files = [];
    }
  }
  return found;
}

/** Every file of the examples, in order; a path can be there several times, each taking the place of the one before. */
export const exampleFiles = (text: string): readonly ExampleFile[] => readExamples(text).flatMap(({ files }) => files);

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
