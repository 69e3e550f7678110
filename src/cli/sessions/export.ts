import { isAbsolute, join } from "node:path";
import type { EntryId, SessionId } from "../../base/index.js";
import type { EntriesOptions, Inspection } from "../../runtime/index.js";
import type { Diagnostic, ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import type { FileOutput } from "../host.js";
import { safeJsonLine } from "../output/visible.js";
import { VERSION } from "../version.js";
import { hint, interruptible, put, refuse } from "../output/answers.js";
import { fileExists, fileNotWritten } from "./diagnostics.js";
import type { ExportDocument, ExportItem } from "./export/index.js";
import type { ExportInvocation } from "./invocation.js";
import { resolveBranch } from "./places.js";

type Reading = Pick<Inspection, "dump" | "entries" | "resolve" | "resolveEntry">;

/** Where an export goes. `write` is false when nobody reads on; a file that cannot be written throws the system's error. */
interface Target {
  write(text: string): Promise<boolean>;
  publish(): Promise<void>;
  discard(): Promise<void>;
}

/** A session on standard output or in a file that is there whole or not at all. Damage is told, and makes the status 1. */
export async function exportSession(context: CommandContext, inspection: Reading, request: ExportInvocation): Promise<ExitStatus> {
  const session = await inspection.resolve(request.id);
  if (!session.ok) return refuse(context, session.error);
  const branch = await resolveBranch(inspection, session.value, request.branch);
  if (!branch.ok) return refuse(context, branch.error);
  return await interruptible(context, async (signal) => {
    const source: Source = { context, inspection, session: session.value, branch: branch.value, signal };
    if (request.output === undefined) return await copy(source, request, standardOutput(context));
    const path = isAbsolute(request.output) ? request.output : join(context.host.cwd, request.output);
    return await writeFile(source, request, path);
  });
}

interface Source {
  readonly context: CommandContext;
  readonly inspection: Reading;
  readonly session: SessionId;
  readonly branch: EntryId | undefined;
  readonly signal: AbortSignal;
}

const standardOutput = (context: CommandContext): Target => ({
  write: (text) => put(context, text),
  publish: () => Promise.resolve(),
  discard: () => Promise.resolve(),
});

/** Pieces are gathered to this many characters before the system is asked to write them. */
const BATCH = 262_144;

function fileTarget(file: FileOutput): Target {
  let waiting = "";
  const flush = async (): Promise<void> => {
    const text = waiting;
    waiting = "";
    if (text !== "") await file.write(text);
  };
  return {
    async write(text) {
      waiting += text;
      if (waiting.length >= BATCH) await flush();
      return true;
    },
    async publish() {
      await flush();
      await file.publish();
    },
    discard: () => file.discard(),
  };
}

async function writeFile(source: Source, request: ExportInvocation, path: string): Promise<ExitStatus | Diagnostic> {
  let target: Target | undefined;
  try {
    target = fileTarget(await source.context.host.createFile(path, request.force));
    const status = await copy(source, request, target);
    if (source.signal.aborted) return status;
    await target.publish();
    hint(source.context, `smith: wrote ${path}`);
    return status;
  } catch (error) {
    // Only the system's errors carry a call; everything else is not about this file.
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error;
    return error.code === "EEXIST" ? fileExists(path) : fileNotWritten(path, error.message);
  } finally {
    await target?.discard();
  }
}

async function copy(source: Source, request: ExportInvocation, target: Target): Promise<ExitStatus> {
  const faults = new Faults(source.context);
  for await (const text of request.format === "jsonl" ? dumpOf(source, faults) : await documentOf(source, request.format, faults)) {
    if (source.signal.aborted || !(await target.write(text))) break;
  }
  return faults.count === 0 ? 0 : 1;
}

/** Each fault is told once, also when the branch is read twice. */
class Faults {
  readonly #context: CommandContext;
  readonly #told = new Set<string>();

  constructor(context: CommandContext) {
    this.#context = context;
  }

  get count(): number {
    return this.#told.size;
  }

  tell(problem: Diagnostic): void {
    const key = JSON.stringify(problem);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#context.out.push();
    this.#context.errors.diagnostic(problem);
  }
}

async function* dumpOf({ inspection, session, signal }: Source, faults: Faults): AsyncIterable<string> {
  for await (const line of inspection.dump(session, { signal })) {
    if (line.ok) yield safeJsonLine(line.value);
    else faults.tell(line.error);
  }
}

/** A first pass over the branch for what the document says of the whole, a second one for its content, up to the same entry. */
async function documentOf(source: Source, format: "md" | "html", faults: Faults): Promise<AsyncIterable<string>> {
  const { collectFacts, renderHtml, renderMarkdown } = await import("./export/index.js");
  let last = source.branch;
  const firstPass = async function* (): AsyncIterable<ExportItem> {
    for await (const item of itemsOf(source, faults)) {
      if (item.type !== "gap") last = item.id;
      yield item;
    }
  };
  const start = { id: source.session, createdAt: madeAt(source.session), version: VERSION };
  const facts = await collectFacts(start, firstPass());
  const document: ExportDocument = { facts, entries: itemsOf({ ...source, branch: last }, faults) };
  return format === "md" ? renderMarkdown(document) : renderHtml(document);
}

async function* itemsOf({ inspection, session, branch, signal }: Source, faults: Faults): AsyncIterable<ExportItem> {
  const options: EntriesOptions = { branch: branch ?? "selected", signal };
  for await (const entry of inspection.entries(session, options)) {
    if (entry.ok) yield entry.value;
    else {
      faults.tell(entry.error);
      yield { type: "gap", what: entry.error.what };
    }
  }
}

/** Ids are UUIDv7: their first 48 bits are ms since the epoch. */
const madeAt = (id: SessionId): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
