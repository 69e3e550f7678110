import { definePlugin, failure, result } from "smith-agent/plugin";
import type { GrepInput, GrepOutput, Tool } from "smith-agent/plugin";

export interface GrepArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly type?: string;
  readonly literal?: boolean;
  readonly ignore_case?: boolean;
  readonly word?: boolean;
  readonly multiline?: boolean;
  readonly mode?: string;
  readonly context?: number;
  readonly limit?: number;
  readonly include_ignored?: boolean;
}

type FileMatches = GrepOutput["files"][number];
type Mode = NonNullable<GrepInput["mode"]>;

const MODES: readonly Mode[] = ["lines", "files", "count"];
const MAX_CONTEXT = 20;

/** Matches grouped by file; finding nothing is an answer, not an error. */
export const grep: Tool<GrepArgs> = async (args, context) => {
  if (args.pattern === "") return failure("pattern is empty; give the text or expression to look for.");
  const mode = modeOf(args.mode);
  if (mode === undefined) return failure(`mode is ${args.mode ?? ""}; it is one of ${MODES.join(", ")}.`);
  const output = await context.search.grep(request(args, mode));
  const body = output.files.length === 0 ? noneWords(output, `${args.pattern}${placeWords(args)}`) : shownFiles(output.files, mode);
  return result([body, ...cutNote(output, mode), ...output.notes.map((note) => `[${note}]`)].join("\n"), {
    summary: summary(output, mode),
    details: { data: dataOf(output, mode) },
  });
};

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";

/** Where was looked: what is not in the files that were asked for may well be in others. */
function placeWords({ path, glob, type }: GrepArgs): string {
  const place = isGiven(path) ? ` in ${path}` : "";
  const kind = isGiven(type) ? ` in files of type ${type}` : "";
  return `${place}${kind}${isGiven(glob) ? ` in files that fit ${glob}` : ""}`;
}

const modeOf = (asked: string | undefined): Mode | undefined => (isGiven(asked) ? MODES.find((mode) => mode === asked) : "lines");

function request(args: GrepArgs, mode: Mode): GrepInput {
  return {
    pattern: args.pattern,
    ...(isGiven(args.path) ? { path: args.path } : {}),
    ...(isGiven(args.glob) ? { glob: args.glob } : {}),
    ...(isGiven(args.type) ? { fileType: args.type } : {}),
    ...(args.literal === undefined ? {} : { literal: args.literal }),
    ...(args.ignore_case === undefined ? {} : { ignoreCase: args.ignore_case }),
    ...(args.word === undefined ? {} : { word: args.word }),
    ...(args.multiline === undefined ? {} : { multiline: args.multiline }),
    ...(mode === "lines" ? {} : { mode }),
    ...(args.context === undefined ? {} : { context: Math.min(Math.max(Math.trunc(args.context), 0), MAX_CONTEXT) }),
    ...(args.limit === undefined ? {} : { limit: Math.max(Math.trunc(args.limit), 1) }),
    ...(args.include_ignored === undefined ? {} : { includeIgnored: args.include_ignored }),
  };
}

function shownFiles(files: readonly FileMatches[], mode: Mode): string {
  switch (mode) {
    case "files":
      return files.map(({ path }) => path).join("\n");
    case "count":
      return files.map(({ path, count }) => `${count ?? 0} ${path}`).join("\n");
    case "lines":
      return files.map((file) => [file.path, ...fileLines(file)].join("\n")).join("\n\n");
  }
}

/** `--` stands where lines were skipped between two groups of context; plain matches need no such mark. */
function fileLines(file: FileMatches): readonly string[] {
  const hasContext = file.lines.some((line) => !line.match);
  let previous: number | undefined;
  return file.lines.flatMap((shown) => {
    const gap = hasContext && previous !== undefined && shown.line > previous + 1 ? ["--"] : [];
    previous = shown.line;
    return [...gap, `${shown.line}${shown.match ? ":" : "-"}${lineText(shown)}`];
  });
}

/** A window says where in its line it is. */
function lineText({ text, cut }: FileMatches["lines"][number]): string {
  if (cut === undefined) return text;
  const end = cut.from + text.length;
  const [before, after] = [cut.from > 0 ? "…" : "", end < cut.length ? "…" : ""];
  return `${before}${text}${after} [characters ${cut.from + 1}-${end} of ${cut.length}]`;
}

const plural = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);
const countWord = (count: number, mode: Mode): string =>
  mode === "lines" ? plural(count, "match", "matches") : plural(count, "file", "files");

/** What is shown, of what there is where that is known. */
function extent(output: GrepOutput, mode: Mode): string {
  const shown = mode === "lines" ? output.matchCount : output.files.length;
  const all = mode === "lines" ? output.total?.matches : output.total?.files;
  if (all === undefined || all <= shown) return `first ${countWord(shown, mode)}`;
  return `first ${shown} of ${output.total?.isExact === true ? "" : "at least "}${countWord(all, mode)}`;
}

/** That nothing matches is known only of what was searched. */
const noneWords = ({ truncated }: GrepOutput, looked: string): string =>
  truncated ? `No match of ${looked} in what was searched, which is not all.` : `No line matches ${looked}.`;

function cutNote(output: GrepOutput, mode: Mode): readonly string[] {
  if (!output.truncated || output.files.length === 0) return [];
  const files = mode === "lines" && output.total !== undefined ? ` in ${plural(output.total.files, "file", "files")}` : "";
  return [`[${extent(output, mode)}${files}; narrow the search]`];
}

function summary(output: GrepOutput, mode: Mode): string {
  const { files, matchCount } = output;
  if (files.length === 0) return output.truncated ? "no matches in what was searched" : "no matches";
  if (output.truncated) return extent(output, mode);
  const inFiles = plural(files.length, "file", "files");
  return mode === "files" ? inFiles : `${plural(matchCount, "match", "matches")} in ${inFiles}`;
}

function dataOf(output: GrepOutput, mode: Mode): { readonly [key: string]: number | boolean | string } {
  const { total } = output;
  return {
    mode,
    matches: output.matchCount,
    files: output.files.length,
    truncated: output.truncated,
    ...(total === undefined ? {} : { totalMatches: total.matches, totalFiles: total.files, exact: total.isExact }),
  };
}

export default definePlugin({ tools: { grep } });
