import { err, ok, type Result, shortId } from "../../base/index.js";
import type { OpenOptions, Receipt, RunEnd, Runtime, RuntimeSession } from "../../runtime/index.js";
import type { ResolvedSettings } from "../../config/index.js";
import type { Diagnostic, ExitStatus, ImagePart } from "../../schema/index.js";
import type { CommandContext, Prepared } from "../context.js";
import type { StopSignal } from "../host.js";
import { internalError } from "../diagnostics.js";
import type { EvalInvocation } from "../invocation.js";
import { commandIn } from "./command.js";
import { type Interrupts, SIGNAL_STATUS, watchInterrupts } from "./interrupts.js";
import { createJsonReport } from "./json-report.js";
import { imageWords } from "../output/image.js";
import { readPrompt } from "./prompt.js";
import type { RunReport } from "./report.js";
import { storedSession } from "./target.js";
import { createTextReport } from "./text-report.js";

interface Evaluation {
  readonly context: CommandContext;
  readonly invocation: EvalInvocation;
  readonly report: RunReport;
  readonly interrupts: Interrupts;
  /** What the prompt shows beside its words; filled while it is read. */
  readonly images: ImagePart[];
}

/**
 * One run without the interface. Resolves when the run has settled, its session is closed and the report is written, though
 * not yet flushed. Never rejects for anything a run does; a bug is reported in the same form and rethrown.
 */
export async function runEval(context: CommandContext, invocation: EvalInvocation): Promise<ExitStatus> {
  const report = invocation.json ? createJsonReport(context.out) : createTextReport(context.out, context.errors);
  const interrupts = watchInterrupts(context.host);
  try {
    return await evaluate({ context, invocation, report, interrupts, images: [] });
  } catch (error) {
    report.failed([internalError(error instanceof Error ? error.message : String(error))], context.host.clock.now());
    throw error;
  } finally {
    interrupts.dispose();
  }
}

async function evaluate(evaluation: Evaluation): Promise<ExitStatus> {
  const { context, invocation, interrupts } = evaluation;
  const prepared = await context.prepare(invocation.common, false);
  if (!prepared.ok) return refuse(evaluation, prepared.error);
  for (const warning of prepared.value.warnings) context.errors.diagnostic(warning);
  const prompt = await promptOf(evaluation, prepared.value);
  const early = interrupts.received();
  if (early !== undefined) return interruptedEarly(evaluation, early);
  if (!prompt.ok) return refuse(evaluation, [prompt.error]);
  const runtime = await context.runtime.open(prepared.value, context.host, context.errors.diagnostic);
  if (!runtime.ok) return refuse(evaluation, [runtime.error]);
  interrupts.onLast(() => {
    runtime.value.killNow();
  });
  try {
    return await runInSession(evaluation, { prepared: prepared.value, runtime: runtime.value }, prompt.value);
  } finally {
    await runtime.value.close();
  }
}

/** Undefined when the run goes on with what was asked before. */
async function promptOf(
  { context, invocation, interrupts, images }: Evaluation,
  { cwd }: Prepared,
): Promise<Result<string | undefined, Diagnostic>> {
  if (invocation.resumeWork) return ok(undefined);
  return await readPrompt(invocation.words, {
    stdin: context.host.stdin,
    clock: context.host.clock,
    cwd,
    readFile: (path, maxBytes) => context.host.readFile(path, maxBytes),
    attach: (bytes) => attach(images, bytes),
    notice: (text) => {
      context.errors.line(`smith: ${text}`);
    },
    signal: interrupts.signal,
  });
}

/** What only a prompt with an image needs is loaded only then. */
async function attach(images: ImagePart[], bytes: Uint8Array): Promise<Result<string, string> | undefined> {
  const { imagePart, imageProblemWords } = await import("../../runtime/index.js");
  const part = imagePart(Buffer.from(bytes));
  if (part?.ok !== true) return part === undefined ? undefined : err(imageProblemWords(part.error));
  images.push(part.value.image);
  return ok(`[image ${imageWords(part.value.image)}, shown beside]`);
}

/** Nothing was run. */
function refuse({ context, report }: Evaluation, problems: readonly Diagnostic[]): ExitStatus {
  for (const problem of problems) context.errors.diagnostic(problem);
  report.failed(problems, context.host.clock.now());
  return problems[0]?.exit ?? 1;
}

/** Nothing was run, since a signal came first. */
function interruptedEarly({ context, report }: Evaluation, signal: StopSignal): ExitStatus {
  report.failed([], context.host.clock.now());
  return SIGNAL_STATUS[signal];
}

interface Opened {
  readonly prepared: Prepared;
  readonly runtime: Runtime;
}

async function runInSession(evaluation: Evaluation, opened: Opened, prompt: string | undefined): Promise<ExitStatus> {
  const { context, invocation } = evaluation;
  const session = await openSession(evaluation, opened);
  if (!session.ok) return refuse(evaluation, [session.error]);
  let status: ExitStatus = 70;
  try {
    status = await runPrompt(evaluation, { ...opened, session: session.value }, prompt);
  } finally {
    await session.value.close({ clean: status === 0 });
  }
  const isTemporary = invocation.target.type === "temporary";
  if (isTemporary && status !== 0) context.errors.line(`smith: the session was kept: ${session.value.path}`);
  // A command that wanted nothing leaves no session.
  if (!isTemporary && context.errors.isTerminal && (await context.host.realPath(session.value.path)) !== undefined)
    context.errors.line(`session ${session.value.id}; continue with: smith --resume ${shortId(session.value.id)}`);
  return status;
}

async function openSession({ context, invocation }: Evaluation, opened: Opened): Promise<Result<RuntimeSession, Diagnostic>> {
  const { runtime, prepared } = opened;
  const options: OpenOptions = { ...openOptions(prepared.settings), ready: () => context.out.ready() };
  const { target, name } = invocation;
  if (target.type === "new" || target.type === "temporary")
    return runtime.create({ ...options, temporary: target.type === "temporary", ...(name === undefined ? {} : { name }) });
  const id = await storedSession(context, opened, target);
  if (!id.ok) return id;
  const session = await runtime.open(id.value, { ...options, want: "write" });
  if (session.ok && target.type === "newest" && context.errors.isTerminal)
    context.errors.line(`smith: continuing session ${shortId(session.value.id)}`);
  if (!session.ok || name === undefined) return session;
  const renamed = await session.value.rename(name);
  if (renamed.ok) return session;
  await session.value.close();
  return err(renamed.error);
}

/** Whoever typed the command asked for the work; nobody is there to be asked again. Limits come from the settings. */
const openOptions = ({ mode }: ResolvedSettings): OpenOptions => ({ mode: mode.value ?? "auto", interactive: false });

async function runPrompt(
  evaluation: Evaluation,
  opened: { readonly runtime: Runtime; readonly session: RuntimeSession },
  prompt: string | undefined,
): Promise<ExitStatus> {
  const { session } = opened;
  const { context, report, interrupts } = evaluation;
  const unobserve = session.observe((event) => {
    context.log.event(event);
    report.event(event);
  });
  try {
    const early = interrupts.received();
    if (early !== undefined) return interruptedEarly(evaluation, early);
    const begun = await begin(evaluation, opened, prompt);
    if (!begun.ok) {
      const signal = interrupts.received();
      return signal === undefined ? refuse(evaluation, [begun.error]) : interruptedEarly(evaluation, signal);
    }
    const receipt = begun.value;
    const end = receipt === undefined ? NOTHING_ASKED : await settle(evaluation, session, receipt);
    report.settled({ session: session.id, submission: receipt?.submission, end, time: context.host.clock.now() });
    return statusOf(evaluation, end);
  } finally {
    unobserve();
  }
}

/** A command that asked the model nothing has done what it was to do. */
const NOTHING_ASKED: RunEnd = { status: "ok", reason: "done", reply: "" };

/** What the run waits for. Undefined: a command ran and asked the model nothing. */
async function begin(
  { context, invocation, interrupts, images }: Evaluation,
  { runtime, session }: { readonly runtime: Runtime; readonly session: RuntimeSession },
  prompt: string | undefined,
): Promise<Result<Receipt | undefined, Diagnostic>> {
  if (prompt === undefined) return await session.resumeWork();
  const command = commandIn(invocation.words, prompt, runtime.contributions().commands);
  if (command.type === "prompt") {
    if (command.near !== undefined)
      context.errors.line(`smith: there is no command ${command.word}, so it is sent as a prompt; did you mean /${command.near}?`);
    return await session.submit({ text: prompt, ...(images.length === 0 ? {} : { images }) });
  }
  if (images.length > 0) context.errors.line("smith: a command is given words alone; the images are left out");
  const ran = await aborting({ interrupts }, session, session.runCommand(command.name, command.args));
  return ran.ok ? ok(ran.value.receipt) : ran;
}

/** Waits for a command of a plugin; a signal ends it. */
async function aborting<Value>(
  { interrupts }: Pick<Evaluation, "interrupts">,
  session: RuntimeSession,
  work: Promise<Value>,
): Promise<Value> {
  let ending: Promise<unknown> | undefined;
  const abort = (): void => {
    ending ??= session.abort();
  };
  interrupts.signal.addEventListener("abort", abort, { once: true });
  try {
    return await work;
  } finally {
    interrupts.signal.removeEventListener("abort", abort);
    await ending;
  }
}

/** Waits for the end of the run; a signal, or a reader of the output who went away, aborts it first. */
async function settle({ context, interrupts }: Evaluation, session: RuntimeSession, receipt: Receipt): Promise<RunEnd> {
  let aborting: Promise<unknown> | undefined;
  let isOver = false;
  const abort = (): void => {
    if (!isOver) aborting ??= session.abort();
  };
  context.out.onBroken(abort);
  if (interrupts.signal.aborted) abort();
  else interrupts.signal.addEventListener("abort", abort, { once: true });
  try {
    return await receipt.settled;
  } finally {
    isOver = true;
    interrupts.signal.removeEventListener("abort", abort);
    await aborting;
  }
}

function statusOf({ context, interrupts }: Evaluation, end: RunEnd): ExitStatus {
  const signal = interrupts.received();
  if (signal !== undefined) return SIGNAL_STATUS[signal];
  if (end.status === "ok") return 0;
  // Aborted because nobody reads on: what was done so far went well.
  if (end.status === "aborted" && context.out.state() === "closed") return 0;
  if (end.reason === "deadline") return 124;
  if (end.reason === "bug") return 70;
  return end.error?.exit ?? 1;
}
