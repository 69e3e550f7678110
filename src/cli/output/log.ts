import type { Settings } from "../../config/index.js";
import { type Diagnostic, diagnostic, type SmithEvent } from "../../schema/index.js";
import type { CliHost, Environment } from "../host.js";

export type LogLevel = Settings["log"];

/** A log of more than this is set aside once, as `.old`, replacing the one before. */
export const MAX_LOG_BYTES = 8 * 1_048_576;

/**
 * The log file: one JSON record a line with `time`, `pid`, `level`, `what`. It says what happened, never what was said: no
 * prompt, answer, argument or output goes in. What plugins write with `console` does, at `debug`, and what goes over the wire to
 * providers, at `trace`. Values of secret variables are masked wherever they might still turn up.
 */
export interface Log {
  /** Starts writing, with what was recorded before. Without it nothing is ever written. */
  open(path: string, level: LogLevel): void;
  record(level: Exclude<LogLevel, "off">, what: string, fields?: object): void;
  readonly diagnostic: (problem: Diagnostic) => void;
  readonly event: (event: SmithEvent) => void;
  /** One event of the HTTP engine's wire, which has taken its secrets out: written at `trace`, at no other level. */
  readonly wire: (event: object) => void;
  /** From now on what this takes out is taken out of every record, too. */
  readonly conceal: (conceal: (text: string) => string) => void;
  /** Resolves when all is written; with the reason when it could not be. Never rejects. */
  close(): Promise<Diagnostic | undefined>;
}

const LEVELS: readonly LogLevel[] = ["off", "error", "warn", "info", "debug", "trace"];
/** Records kept before the level is known. */
const MAX_EARLY = 32;

export function createLog(host: Pick<CliHost, "env" | "clock" | "pid" | "appendFile">): Log {
  const mask = createMask(host.env);
  let conceal = (text: string): string => text;
  let target: { readonly path: string; readonly level: LogLevel } | undefined;
  let early: { readonly level: LogLevel; readonly line: string }[] = [];
  let waiting = "";
  let writing: Promise<void> = Promise.resolve();
  let failure: Diagnostic | undefined;

  const write = (line: string): void => {
    if (waiting === "") writing = writing.then(drain);
    waiting += line;
  };
  const drain = async (): Promise<void> => {
    const text = waiting;
    waiting = "";
    if (target === undefined || failure !== undefined) return;
    try {
      await host.appendFile(target.path, text, MAX_LOG_BYTES);
    } catch (error) {
      failure = logFailed(target.path, error instanceof Error ? error.message : String(error));
    }
  };
  const record: Log["record"] = (level, what, fields = {}) => {
    if (target !== undefined && LEVELS.indexOf(level) > LEVELS.indexOf(target.level)) return;
    const line = mask(conceal(`${JSON.stringify({ time: host.clock.now(), pid: host.pid, level, what, ...fields })}\n`));
    if (target !== undefined) write(line);
    else if (early.length < MAX_EARLY) early.push({ level, line });
  };
  return {
    open(path, level) {
      target = { path, level };
      for (const { level: at, line } of early) if (LEVELS.indexOf(at) <= LEVELS.indexOf(level)) write(line);
      early = [];
    },
    record,
    diagnostic({ severity, code, what, why }) {
      record(severity === "error" ? "error" : "warn", "diagnostic", { code, message: what, why });
    },
    event(event) {
      const fields = factsOf(event);
      if (fields === undefined) record("debug", event.type, { session: event.session });
      else record("info", event.type, { session: event.session, ...fields });
    },
    wire(event) {
      // Never kept for later: whether it may be written at all is only known once the level is.
      if (target?.level === "trace") record("trace", "wire", { wire: event });
    },
    conceal(more) {
      conceal = more;
      early = early.map((one) => ({ ...one, line: more(one.line) }));
      waiting = more(waiting);
    },
    async close() {
      await writing;
      return failure;
    },
  };
}

/** What is worth a record at `info`; everything else is `debug`, by its type alone. */
function factsOf(event: SmithEvent): object | undefined {
  if (event.type === "run_start") return { model: `${event.model.provider}/${event.model.model}` };
  if (event.type === "tool_start") return { id: event.id, tool: event.name };
  if (event.type === "tool_end")
    return { id: event.id, tool: event.name, failed: event.isError, mutation: event.mutation, durationMs: event.durationMs };
  if (event.type === "retry") return { attempt: event.attempt, max: event.max, delayMs: event.delayMs };
  if (event.type === "run_end")
    return { status: event.status, reason: event.reason, ...(event.usage === undefined ? {} : { usage: event.usage }) };
  return undefined;
}

const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$/iu;
/** Shorter values are words that occur by themselves. */
const MIN_SECRET = 8;

function createMask(env: Environment): (text: string) => string {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined && value.length >= MIN_SECRET ? [value] : [],
  );
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
}

export const logFailed = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "log.unwritable",
    what: `the log ${path} cannot be written`,
    why: `The system says: ${reason}.`,
    next: "Make room or make the folder writable, or set log to off.",
    severity: "warning",
    source: { type: "file", path },
  });
