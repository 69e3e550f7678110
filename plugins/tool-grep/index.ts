import { definePlugin, failure, result } from "smith-agent/plugin";
import type { GrepInput, GrepOutput, Tool } from "smith-agent/plugin";

export interface GrepArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly literal?: boolean;
  readonly ignore_case?: boolean;
  readonly context?: number;
  readonly limit?: number;
}

type FileMatches = GrepOutput["files"][number];

const MAX_CONTEXT = 20;
const MAX_LINE_CHARACTERS = 500;

/** Matches grouped by file; finding nothing is an answer, not an error. */
export const grep: Tool<GrepArgs> = async (args, context) => {
  if (args.pattern === "") return failure("pattern is empty; give the text or expression to look for.");
  const output = await context.search.grep(request(args));
  const place = args.path === undefined || args.path === "" ? "" : ` in ${args.path}`;
  const blocks = output.files.map((file) => [file.path, ...fileLines(file)].join("\n"));
  const body = blocks.length === 0 ? `No line matches ${args.pattern}${place}.` : blocks.join("\n\n");
  const cut = output.truncated ? [`[only the first ${output.matchCount} matches are shown; narrow the search]`] : [];
  const count = summary(output);
  return result([body, ...cut, ...output.notes.map((note) => `[${note}]`)].join("\n"), {
    summary: output.truncated ? `first ${count}` : count,
    details: { data: { matches: output.matchCount, files: output.files.length, truncated: output.truncated } },
  });
};

function request(args: GrepArgs): GrepInput {
  return {
    pattern: args.pattern,
    ...(args.path === undefined || args.path === "" ? {} : { path: args.path }),
    ...(args.glob === undefined || args.glob === "" ? {} : { glob: args.glob }),
    ...(args.literal === undefined ? {} : { literal: args.literal }),
    ...(args.ignore_case === undefined ? {} : { ignoreCase: args.ignore_case }),
    ...(args.context === undefined ? {} : { context: Math.min(Math.max(Math.trunc(args.context), 0), MAX_CONTEXT) }),
    ...(args.limit === undefined ? {} : { limit: Math.max(Math.trunc(args.limit), 1) }),
  };
}

/** `--` stands where lines were skipped between two groups of context; plain matches need no such mark. */
function fileLines(file: FileMatches): readonly string[] {
  const hasContext = file.lines.some((line) => !line.match);
  let previous: number | undefined;
  return file.lines.flatMap(({ line, text, match }) => {
    const gap = hasContext && previous !== undefined && line > previous + 1 ? ["--"] : [];
    previous = line;
    return [...gap, `${line}${match ? ":" : "-"}${cutLine(text)}`];
  });
}

function cutLine(text: string): string {
  if (text.length <= MAX_LINE_CHARACTERS) return text;
  return `${text.slice(0, MAX_LINE_CHARACTERS).replace(/[\uD800-\uDBFF]$/u, "")} [cut; ${text.length} characters]`;
}

function summary({ matchCount, files }: GrepOutput): string {
  if (matchCount === 0) return "no matches";
  return `${matchCount === 1 ? "1 match" : `${matchCount} matches`} in ${files.length === 1 ? "1 file" : `${files.length} files`}`;
}

export default definePlugin({ tools: { grep } });
