import type { Clock } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { describeReach } from "../grants/index.js";
import type { SandboxFiles } from "../host/index.js";
import { loadPackage, packageTests } from "../package/index.js";
import type { CompiledPlugin } from "../types.js";
import { undeclaredExport } from "./diagnostics.js";
import { createSandbox, type Exports, type Sandbox } from "./sandbox.js";
import type { CheckReport, CheckStep } from "./types.js";

export interface CheckOptions extends SandboxFiles {
  /** Where prepared packages are kept. */
  readonly cacheDir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Plugins there are, whose names this one may take. */
  readonly others: readonly CompiledPlugin[];
  /** Told of each step as it is done. */
  readonly report: (step: CheckStep) => void;
  /** Wall time of one test, ms. Left out: 10 s. */
  readonly testMs?: number;
}

/**
 * Validates a package, evaluates its module in a sandbox, compares what it exports with its manifest and runs its tests there. No
 * operation of it reaches the host. Once `signal` aborts nothing more is begun, and the package is not called sound.
 */
export async function checkPackage(dir: string, options: CheckOptions): Promise<CheckReport> {
  const { report, cacheDir } = options;
  const loaded = await loadPackage(dir, { cacheDir });
  report({ type: "manifest", problems: loaded.ok ? [] : loaded.error });
  if (!loaded.ok) return { isSound: false, tests: { passed: 0, failed: 0 } };
  const { compiled, modules } = loaded.value;
  const sandbox = createSandbox(options, compiled);
  try {
    const exported = await sandbox.describe(modules);
    const module: CheckStep = exported.ok
      ? { type: "module", problems: extraExports(compiled, exported.value), missing: missingExports(compiled, exported.value) }
      : { type: "module", problems: [exported.error], missing: [] };
    report(module);
    const tests = await runTests(sandbox, dir, options);
    report({ type: "grants", grants: describeReach(compiled, options.others) });
    const isWhole = exported.ok && module.missing.length === 0 && !module.problems.some(({ severity }) => severity === "error");
    return { isSound: isWhole && tests.failed === 0 && !options.signal.aborted, tests };
  } finally {
    await sandbox.close();
  }
}

async function runTests(sandbox: Sandbox, dir: string, { report, cacheDir, signal }: CheckOptions): Promise<CheckReport["tests"]> {
  const counts = { passed: 0, failed: 0 };
  const tell = (step: Extract<CheckStep, { type: "test" }>): void => {
    counts[step.passed ? "passed" : "failed"] += 1;
    report(step);
  };
  const found = await packageTests(dir, { cacheDir });
  if (!found.ok) {
    for (const problem of found.error)
      tell({ type: "test", file: fileOf(problem), name: "(the module)", passed: false, words: wordsOf(problem) });
    return counts;
  }
  const { modules, tests } = found.value;
  for (const file of tests) {
    if (signal.aborted) break;
    await sandbox.test({ ...modules, entry: file }, tell);
  }
  return counts;
}

const KINDS = { tools: "tool", commands: "command", handlers: "handler", providers: "provider", toolSets: "tool set" } as const;
type Kind = keyof typeof KINDS;

function declaredNames(compiled: CompiledPlugin): { readonly [K in Kind]: readonly string[] } {
  return {
    tools: compiled.tools.map(({ name }) => name),
    commands: compiled.commands.map(({ name }) => name),
    handlers: compiled.handlers.map(({ event }) => event),
    providers: compiled.providers.map(({ id }) => id),
    toolSets: compiled.toolSets.map(({ name }) => name),
  };
}

// The table has exactly these keys.
const kinds = Object.keys(KINDS) as readonly Kind[];

function missingExports(compiled: CompiledPlugin, exported: Exports): readonly string[] {
  const declared = declaredNames(compiled);
  return kinds.flatMap((kind) =>
    [...new Set(declared[kind])].filter((name) => !exported[kind].includes(name)).map((name) => `${KINDS[kind]} ${name}`),
  );
}

function extraExports(compiled: CompiledPlugin, exported: Exports): readonly Diagnostic[] {
  const declared = declaredNames(compiled);
  return kinds.flatMap((kind) =>
    exported[kind]
      .filter((name) => !declared[kind].includes(name))
      .map((name) => undeclaredExport(compiled.id, { kind: KINDS[kind], name }, declared[kind])),
  );
}

const fileOf = ({ source }: Diagnostic): string => (source?.type === "file" ? source.path : "test");

function wordsOf({ what, why, next, source }: Diagnostic): string {
  const place = source?.type === "file" && source.line !== undefined ? `${source.path}:${source.line}:${source.column ?? 1}: ` : "";
  return `${place}${what} ${why} ${next}`;
}
