import { isAbsolute, join } from "node:path";
import type { Maintenance } from "../../../runtime/index.js";
import type { Diagnostic, ExitStatus } from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { interruptible } from "../../output/answers.js";
import { fileNotRead, importLacks, importNotText, lineTooLong } from "../diagnostics.js";
import type { ImportInvocation } from "../invocation.js";
import { tellNew } from "./fork.js";

/** Above the largest record an export can hold, below what a string can. */
const MAX_LINE = 268_435_456;

/** Stops an import from where its lines come from; carries what the person is told. */
class UnusableInput extends Error {
  override readonly name = "UnusableInput";
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.what);
    this.diagnostic = diagnostic;
  }
}

/** Makes a session of an export, whole or not at all. */
export async function importSession(
  context: CommandContext,
  maintenance: Pick<Maintenance, "import">,
  request: ImportInvocation,
): Promise<ExitStatus> {
  const { host } = context;
  const path = isAbsolute(request.file) ? request.file : join(host.cwd, request.file);
  const [chunks, source] = request.file === "-" ? [host.stdin.chunks(), "standard input"] : [host.fileChunks(path), path];
  return await interruptible(context, async (signal) => {
    signal.addEventListener("abort", () => {
      host.stdin.close();
    });
    try {
      const made = await maintenance.import(linesOf(chunks, source), { asNew: request.asNew, signal });
      if (!made.ok) return advised(made.error);
      const { missing } = made.value;
      if (missing !== undefined) context.errors.diagnostic(importLacks(missing));
      tellNew(context, made.value, request.json ? { ...(missing === undefined ? {} : { missing }) } : undefined);
      return 0;
    } catch (error) {
      if (error instanceof UnusableInput) return error.diagnostic;
      throw error;
    } finally {
      host.stdin.close();
    }
  });
}

/** What is to be done about a taken id is said in the words of this command. */
const advised = (problem: Diagnostic): Diagnostic =>
  problem.code === "session.exists"
    ? { ...problem, next: "Import it under a new id with --as-new, or delete that session first." }
    : problem;

/** Lines without their ends. A last line needs none; a byte order mark is dropped. */
async function* linesOf(chunks: AsyncIterator<Uint8Array>, source: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const chunk = await next(chunks, source);
      const [first = "", ...others] = decode(decoder, chunk).split("\n");
      rest.push(first);
      length += first.length;
      if (length > MAX_LINE) throw new UnusableInput(lineTooLong(MAX_LINE));
      for (const following of others) {
        yield withoutReturn(rest.join(""));
        rest = [following];
        length = following.length;
      }
      if (chunk === undefined) break;
    }
  } finally {
    await chunks.return?.();
  }
  const last = rest.join("");
  if (last !== "") yield withoutReturn(last);
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

async function next(chunks: AsyncIterator<Uint8Array>, source: string): Promise<Uint8Array | undefined> {
  try {
    const chunk = await chunks.next();
    return chunk.done === true ? undefined : chunk.value;
  } catch (error) {
    throw new UnusableInput(fileNotRead(source, error instanceof Error ? error.message : String(error)));
  }
}

/** An absent chunk is the end, where a character may still be incomplete. */
function decode(decoder: TextDecoder, chunk: Uint8Array | undefined): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new UnusableInput(importNotText());
  }
}
