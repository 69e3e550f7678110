import { literally } from "./glob.js";
import type { Part } from "./match.js";
import { namedPath } from "./paths.js";
import { joinRules, MAX_RULE } from "./rule.js";
import { readCommandLine, reachesBeyond, type Word } from "./shell/index.js";
import { hostPattern } from "./urls.js";

/** What cannot be shown to a person as it is, who then would not know what is allowed. */
const UNSHOWABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/u;

/** Rules one answer may make at once. */
const MAX_TOGETHER = 4;

/**
 * Subcommands whose further words choose what they work on, not what is run. Only these are offered with their arguments left open;
 * everything else is offered as the exact command. `run` and `pr`-like groups are followed by one more word.
 */
const OPEN: Readonly<Record<string, readonly string[]>> = {
  git: words("status diff log show add commit branch fetch blame grep ls-files rev-parse describe shortlog stash switch tag"),
  npm: words("test t ls outdated view audit ci"),
  pnpm: words("test t ls outdated audit"),
  yarn: words("test outdated audit"),
  bun: words("test"),
  deno: words("test check lint fmt"),
  cargo: words("build check test clippy fmt doc bench tree metadata"),
  go: words("build test vet fmt list doc"),
  dotnet: words("build test format"),
  mvn: words("compile test verify package"),
  gradle: words("build test check"),
  make: words("all build check clean lint test"),
  uv: words("tree"),
  poetry: words("check show"),
  pip: words("list show freeze check"),
  bundle: words("check list"),
  mix: words("compile test format"),
  swift: words("build test"),
  zig: words("build test fmt"),
  kubectl: words("get describe logs"),
  terraform: words("plan validate fmt show"),
};
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  npm: ["run"],
  pnpm: ["run"],
  yarn: ["run"],
  bun: ["run"],
  gh: words("pr issue run repo release workflow"),
};
/** Programs that check, build or show what is there, whatever their arguments are. */
const CHECKERS = new Set(
  words("eslint prettier tsc vitest jest mocha pytest ruff mypy black rubocop rspec phpunit shellcheck ls cat head tail wc pwd tree du"),
);

function words(text: string): readonly string[] {
  return text.split(" ");
}

/**
 * What an answer for the session or the project would allow: the parts that no rule allows yet, each by the narrowest rule that is
 * still of use the next time. Undefined when that cannot be said in a few rules a person can read.
 */
export function suggestRule(tool: string, parts: readonly Part[] | undefined, cwd: string): string | undefined {
  if (parts === undefined) return undefined;
  if (parts.every(({ kind }) => kind === "text")) return tool;
  const patterns = [...new Set(parts.map((part) => patternFor(part, cwd)))];
  if (patterns.length > MAX_TOGETHER) return undefined;
  const rules: string[] = [];
  for (const pattern of patterns) {
    const rule = `${tool}(${pattern ?? ""})`;
    if (pattern === undefined || pattern.trim() !== pattern || UNSHOWABLE.test(rule)) return undefined;
    if (rule.length > MAX_RULE) return undefined;
    rules.push(rule);
  }
  return joinRules(rules);
}

function patternFor({ kind, text }: Part, cwd: string): string | undefined {
  switch (kind) {
    case "command":
      return commandPattern(text);
    case "path":
      return pathPattern(text, cwd);
    case "url":
      return hostPattern(text);
    case "text":
      return undefined;
  }
}

function commandPattern(command: string): string {
  const [found = []] = readCommandLine(command).commands;
  const open = openWords(found);
  return open === undefined || reachesBeyond(found, open) ? literally(command) : `${open} *`;
}

/** The words of a command that are kept while the rest is left open; undefined when none may be. */
function openWords(found: readonly Word[]): string | undefined {
  const [program = "", sub = "", name = ""] = found.map(({ text }) => text);
  if (CHECKERS.has(program)) return program;
  if (!/^[a-z][a-z-]*$/u.test(sub)) return undefined;
  if (own(OPEN, program).includes(sub)) return `${program} ${sub}`;
  return own(GROUPS, program).includes(sub) && /^[A-Za-z][A-Za-z0-9:_.-]*$/u.test(name) ? `${program} ${sub} ${name}` : undefined;
}

const own = (table: typeof OPEN, program: string): readonly string[] => (Object.hasOwn(table, program) ? (table[program] ?? []) : []);

/** The folder of a file in the workspace; the file alone where its folder is hidden, the workspace itself, or outside. */
function pathPattern(path: string, cwd: string): string {
  const { absolute, relative } = namedPath(cwd, path);
  if (relative === undefined) return literally(absolute);
  const slash = relative.lastIndexOf("/");
  if (slash < 0) return `./${literally(relative)}`;
  const folder = relative.slice(0, slash);
  return `./${/(?:^|\/)\./u.test(relative) ? literally(relative) : `${literally(folder)}/**`}`;
}
