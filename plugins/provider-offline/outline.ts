import { numbered } from "./numbered.js";
import { fenced, inline } from "./wording.js";

const MAX_ENTRIES = 60;
const MAX_ENTRY_CHARACTERS = 100;

/** Lines that carry a file's shape, by the ending of its name; a language without rules of its own gets all of them. */
const HEADS = {
  markdown: /^#{1,6}\s+\S/u,
  script:
    /^(?:export\s|(?:async\s+)?function\b|(?:abstract\s+)?class\s|interface\s|type\s+\w+\s*[=<]|enum\s|(?:const|let|var)\s+[\w$]+\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(|function\b|[\w$]+\s*=>)|(?:describe|test|it)\()/u,
  python: /^\s*(?:async\s+def|def|class)\s+\w/u,
  go: /^(?:func|type|package)\s/u,
  rust: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|impl|mod|macro_rules!)\b/u,
  data: /^(?: {0,2}|\t)"[^"]+"\s*:|^[A-Za-z_][\w.-]*\s*[:=]|^\s*\[{1,2}[^\]]+\]{1,2}\s*$/u,
  shell: /^(?:function\s+)?[\w-]+\s*\(\)\s*\{?/u,
  other:
    /^\s*(?:public|private|protected|static|abstract|final|class|interface|struct|enum|namespace|module|def|fn|func|function|sub|trait|impl)\s/u,
} as const;

const ENDINGS: ReadonlyMap<string, keyof typeof HEADS> = new Map([
  ...["md", "markdown", "mdx"].map((ending) => [ending, "markdown"] as const),
  ...["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"].map((ending) => [ending, "script"] as const),
  ...["py", "pyi"].map((ending) => [ending, "python"] as const),
  ["go", "go"] as const,
  ["rs", "rust"] as const,
  ...["json", "jsonc", "yaml", "yml", "toml", "ini", "env", "cfg", "properties"].map((ending) => [ending, "data"] as const),
  ...["sh", "bash", "zsh"].map((ending) => [ending, "shell"] as const),
]);

/** A file's shape from the result of reading it. Says what it is made from, so that nobody takes it for understanding. */
export function outlined(path: string, text: string): string {
  const { lines, notes } = numbered(text);
  const last = lines.at(-1);
  if (last === undefined) return text;
  const ending = /\.([^./\\]+)$/u.exec(path)?.[1]?.toLowerCase() ?? "";
  const head = HEADS[ENDINGS.get(ending) ?? "other"];
  const entries = lines.filter(({ line }) => head.test(line));
  const imports = lines.filter(({ line }) => /^(?:import\b|from\s+\S+\s+import\b|#include\b|use\s+\w|require\()/u.test(line)).length;
  const blank = lines.filter(({ line }) => line.trim() === "").length;
  const facts = [
    `lines ${lines[0]?.number ?? 1}-${last.number}`,
    `${blank} blank`,
    ...(imports === 0 ? [] : [`${imports} import${imports === 1 ? "" : "s"}`]),
  ];
  const told = notes.filter((note) => note !== "");
  const opening = `${inline(path)}: ${facts.join(", ")}.`;
  if (entries.length === 0)
    return [`${opening} I know no headings or declarations in it; it begins:`, fenced(excerpt(lines.slice(0, 10))), ...told].join("\n");
  const rest = entries.length > MAX_ENTRIES ? [`(${entries.length - MAX_ENTRIES} more)`] : [];
  return [`${opening} Its shape, by line number:`, fenced(excerpt(entries.slice(0, MAX_ENTRIES))), ...rest, ...told].join("\n");
}

const excerpt = (lines: readonly { readonly number: number; readonly line: string }[]): string =>
  lines.map(({ number, line }) => `${String(number).padStart(5)}  ${[...line].slice(0, MAX_ENTRY_CHARACTERS).join("")}`).join("\n");
