import { dirname } from "node:path";
import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { type Environment, findProgram, inherited, type Supervisor, UNATTENDED } from "../process/index.js";
import { gitFailed, gitMissing, gitTooSlow, unsafeRepository, vcsStopped } from "./failures.js";

const TIMEOUT_MS = 20_000;
const MAX_FILTERS = 64;
/** Kept of what git says is wrong. */
const ERROR_BYTES = 2048;

export interface GitDeps {
  readonly supervisor: Supervisor;
  readonly env: Environment;
}

/** git in one repository, with everything switched off that the repository could have run. */
export interface Git {
  run(args: readonly string[], maxBytes: number): Promise<Result<GitOutput, Diagnostic>>;
}

export interface GitOutput {
  readonly exitCode: number | null;
  readonly bytes: Buffer;
  /** There was more than `maxBytes`; git was ended. */
  readonly isCut: boolean;
  /** The first line of its complaints. */
  readonly complaint: string;
}

/**
 * What a repository may bring along to be run: a monitor of its files, hooks, pagers, helpers that fetch missing objects.
 * External diffs and text conversions are switched off where a diff is made, filters one by one below.
 */
const SAFE = [
  "--no-pager",
  "--no-optional-locks",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.quotePath=false",
  // A diff would write the index otherwise, optional locks or not.
  "-c",
  "diff.autoRefreshIndex=false",
  "-c",
  "safe.bareRepository=explicit",
  "-c",
  "submodule.recurse=false",
];

/**
 * Its work tree is said here, so that a setting of the repository cannot lead elsewhere; no protocol is allowed, so that nothing is
 * fetched.
 */
const environmentFor = (env: Environment, root: string): Environment => ({
  ...inherited(env, []),
  ...UNATTENDED,
  LC_ALL: "C",
  GIT_WORK_TREE: root,
  // A .git that is none must not lead to a repository above.
  GIT_CEILING_DIRECTORIES: dirname(root),
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
});

/** Opens git for the repository whose work tree is `root`, an absolute path that has a `.git`. */
export async function openGit(root: string, deps: GitDeps, signal: AbortSignal): Promise<Result<Git, Diagnostic>> {
  const program = await findProgram("git", deps.env, "/");
  if (program === undefined) return err(gitMissing());
  const run = (args: readonly string[], maxBytes: number): Promise<Result<GitOutput, Diagnostic>> =>
    runGit({ program, args: [...SAFE, ...args], root, maxBytes }, deps, signal);
  // Content of files passes through filters that a repository can name in its settings and switch on in its attributes.
  const listed = await run(["config", "--null", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|smudge|process)$"], 64 * 1024);
  if (!listed.ok) return listed;
  const { exitCode, bytes, isCut, complaint } = listed.value;
  // 1 is git's word for: there is none.
  if (exitCode !== 0 && exitCode !== 1) return err(gitFailed(complaint));
  const filters = switchedOff(bytes.toString("utf8"));
  if (filters === undefined || isCut) return err(unsafeRepository(root, "it has filters that cannot be switched off"));
  return ok({ run: (args, maxBytes) => run([...filters, ...args], maxBytes) });
}

/** Arguments that empty every filter; undefined when one cannot be named on a command line. */
function switchedOff(listed: string): readonly string[] | undefined {
  const names = new Set(listed.split("\0").flatMap((key) => /^filter\.(.*)\.[a-z]+$/su.exec(key)?.[1] ?? []));
  if (names.size > MAX_FILTERS || [...names].some((name) => /[=\n\ufffd]/u.test(name))) return undefined;
  return [...names].flatMap((name) =>
    ["clean=", "smudge=", "process=", "required=false"].flatMap((setting) => ["-c", `filter.${name}.${setting}`]),
  );
}

interface GitRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly root: string;
  readonly maxBytes: number;
}

async function runGit(git: GitRun, deps: GitDeps, signal: AbortSignal): Promise<Result<GitOutput, Diagnostic>> {
  const enough = new AbortController();
  const chunks: Buffer[] = [];
  let size = 0;
  let complaint = "";
  const ended = await deps.supervisor.run(
    {
      file: git.program,
      args: git.args,
      cwd: git.root,
      env: environmentFor(deps.env, git.root),
      timeoutMs: TIMEOUT_MS,
      onData: (stream, chunk) => {
        if (stream === "stderr") complaint = (complaint + chunk.toString("utf8")).slice(0, ERROR_BYTES);
        else if (size <= git.maxBytes) {
          chunks.push(chunk);
          size += chunk.length;
          if (size > git.maxBytes) enough.abort("enough");
        }
        return undefined;
      },
    },
    AbortSignal.any([signal, enough.signal]),
  );
  if (signal.aborted) return err(vcsStopped());
  if (typeof ended === "string") return err(gitFailed(`it could not be started (${ended})`));
  if (ended.cause === "timeout") return err(gitTooSlow(TIMEOUT_MS));
  const isCut = size > git.maxBytes;
  const bytes = Buffer.concat(chunks).subarray(0, git.maxBytes);
  return ok({ exitCode: isCut ? 0 : ended.exitCode, bytes, isCut, complaint: firstLine(complaint) });
}

const firstLine = (text: string): string => (text.trim().split("\n", 1)[0] ?? "").replace(/\.$/u, "").slice(0, 400) || "it said nothing";
