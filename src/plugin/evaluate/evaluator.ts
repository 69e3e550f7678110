import { type Clock, err, type JsonValue, ok, type Result } from "../../base/index.js";
import type { EvaluatePort } from "../../effect/index.js";
import type { Diagnostic, EvaluateInput } from "../../schema/index.js";
import { Cell, type GuestEnd } from "../cell/index.js";
import { DELIVERY } from "../engine/kinds.js";
import { cellStart, EVALUATE_CELL, type SandboxFiles } from "../host/index.js";
import { destroyWords, readGuestError, thrownWords } from "../invoke/index.js";
import { IDLE_CELL_MS, TOOL_MEMORY, TOOL_TEXT } from "../limits.js";
import { json, readJson } from "../shape/index.js";
import {
  badEvaluation,
  evaluationAborted,
  evaluationCrashed,
  evaluationFailed,
  evaluationInputTooLarge,
  evaluationStalled,
  evaluationTimedOut,
  evaluationTooBig,
} from "./diagnostics.js";

export interface EvaluatorOptions extends SandboxFiles {
  readonly clock: Clock;
  /** How long an unused thread is kept, ms. Left out: 60 s. */
  readonly idleMs?: number;
}

export interface Evaluator extends EvaluatePort {
  /** Ends what runs. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 2_000;
const MAX_TIMEOUT_MS = 10_000;
/** Threads at once; more runs wait for one. */
const MAX_THREADS = 2;

/**
 * Runs sources, each in a guest of its own that is forgotten afterwards: JSON in, JSON out, no operations, 64 MiB, and a time. Starts
 * nothing before the first run.
 */
export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const threads = createThreads(options);
  let runs = 0;
  return {
    async run(input, signal) {
      if (signal.aborted) return err(evaluationAborted());
      const text = JSON.stringify({ source: input.source, input: input.input ?? null });
      if (text.length > TOOL_TEXT.toGuest) return err(evaluationInputTooLarge(text.length, TOOL_TEXT.toGuest));
      runs += 1;
      // Another name is another guest.
      const guest = `source-${runs}`;
      const cell = await threads.take();
      try {
        return await runIn(cell, { guest, input, text, signal });
      } finally {
        cell.forget(guest);
        threads.give(cell);
      }
    },
    close: threads.close,
  };
}

interface Evaluation {
  readonly guest: string;
  readonly input: EvaluateInput;
  readonly text: string;
  readonly signal: AbortSignal;
}

async function runIn(cell: Cell, { guest, input, text, signal }: Evaluation): Promise<Result<JsonValue, Diagnostic>> {
  const timeoutMs = Math.max(1, Math.min(input.timeoutMs ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS));
  const run = cell.call({
    plugin: guest,
    module: { type: "none" },
    kind: DELIVERY.evaluate,
    json: text,
    // It cannot wait for anything outside, so all of it is one slice.
    sliceMs: timeoutMs,
    isRepeatable: true,
  });
  signal.addEventListener("abort", run.cancel, { once: true });
  if (signal.aborted) run.cancel();
  const end = await run.end;
  signal.removeEventListener("abort", run.cancel);
  return resultOf(end, timeoutMs, input.source);
}

function resultOf(end: GuestEnd, timeoutMs: number, source: string): Result<JsonValue, Diagnostic> {
  switch (end.type) {
    case "returned": {
      const read = readJson(json, end.json, "result");
      return read.ok ? ok(read.value) : err(badEvaluation(read.error));
    }
    case "threw": {
      const error = readGuestError(end.json);
      return err(evaluationFailed(thrownWords({ ...error, stack: sourceLines(error.stack, source.split("\n").length) })));
    }
    case "stalled":
      return err(evaluationStalled());
    case "cancelled":
      return err(evaluationAborted());
    case "destroyed":
      if (end.reason === "busy") return err(evaluationTimedOut(timeoutMs));
      if (end.reason === "memory") return err(evaluationTooBig(TOOL_MEMORY.heapBytes / (1024 * 1024)));
      return err(evaluationCrashed(`it ${destroyWords(end.reason, end.detail)}.`));
  }
}

/** The engine puts the source behind two lines of its own. */
const LINES_BEFORE = 2;

const sourceLines = (stack: string, lines: number): string =>
  stack.replace(/<input>:(\d+)/gu, (_frame, line: string) => {
    const own = Number(line) - LINES_BEFORE;
    return `source:${Math.max(1, Math.min(own, lines))}`;
  });

interface Threads {
  take(): Promise<Cell>;
  give(cell: Cell): void;
  readonly close: () => Promise<void>;
}

function createThreads(options: EvaluatorOptions): Threads {
  const { clock, workerUrl, idleMs = IDLE_CELL_MS } = options;
  const free: { readonly cell: Cell; readonly idle: AbortController }[] = [];
  const all = new Set<Cell>();
  const waiting: ((cell: Cell) => void)[] = [];
  const create = (): Cell => {
    const cell = new Cell({
      workerUrl,
      clock,
      start: cellStart(EVALUATE_CELL, options),
      // What a source writes or breaks is its own result.
      onLog: () => undefined,
      onFault: () => undefined,
    });
    all.add(cell);
    return cell;
  };
  return {
    take() {
      const known = free.pop();
      known?.idle.abort("used");
      if (known !== undefined) return Promise.resolve(known.cell);
      if (all.size < MAX_THREADS) return Promise.resolve(create());
      return new Promise((resolve) => waiting.push(resolve));
    },
    give(cell) {
      const next = waiting.shift();
      if (next !== undefined) return next(cell);
      const idle = new AbortController();
      free.push({ cell, idle });
      clock
        .sleep(idleMs, idle.signal)
        .then(() => {
          if (!idle.signal.aborted) cell.rest();
        })
        .catch((error: unknown) => {
          queueMicrotask(() => {
            throw error;
          });
        });
    },
    async close() {
      for (const { idle } of free) idle.abort("closed");
      await Promise.all([...all].map((cell) => cell.close()));
    },
  };
}
