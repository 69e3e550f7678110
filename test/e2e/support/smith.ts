import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/index.js";

/** The built program. */
export const SMITH = fileURLToPath(new URL("../../../dist/smith.js", import.meta.url));

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** All of standard input. Absent: a pipe that stays open and silent until `endInput`. */
  readonly input?: string | Uint8Array;
  /** Replaces the three streams; captured is what is still a pipe. */
  readonly stdio?: StdioOptions;
  /** Makes it the leader of a process group; signals then go to all of that. */
  readonly group?: boolean;
  /** Runs it as `sh -c 'script'` in which "$@" is the program with its arguments. */
  readonly script?: string;
}

export interface Ended {
  /** Exit status; `null` when a signal ended it. */
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as bytes. */
  readonly bytes: Buffer;
}

export interface Running {
  readonly pid: number;
  /** What came so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when `stream` matches; rejects when the program ends first. */
  says(pattern: RegExp | string, stream?: "stdout" | "stderr"): Promise<void>;
  /** No more bytes are read from standard output until `read`; the pipe fills up. */
  stopReading(): void;
  read(): void;
  endInput(text?: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Never rejects. Resolves when the process has ended and its pipes are read. */
  readonly ended: Promise<Ended>;
}

/** Starts the program with nothing of the environment of the tests but what `options.env` names. */
export function startSmith(
  args: readonly string[],
  options: StartOptions & { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Running {
  const [file, words] =
    options.script === undefined
      ? [process.execPath, [SMITH, ...args]]
      : ["/bin/sh", ["-c", options.script, "sh", process.execPath, SMITH, ...args]];
  const child = spawn(file, words, {
    cwd: options.cwd,
    env: options.env,
    stdio: options.stdio ?? "pipe",
    detached: options.group === true,
  });
  const captured = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (chunk: Buffer) => {
      captured[name].push(chunk);
      tell();
    });
  }
  child.stdin?.on("error", () => undefined);
  if (options.input !== undefined) child.stdin?.end(options.input);
  const text = (name: "stdout" | "stderr"): string => Buffer.concat(captured[name]).toString("utf8");
  const ended = endOf(child, captured);
  return {
    pid: child.pid ?? -1,
    stdout: () => text("stdout"),
    stderr: () => text("stderr"),
    says: (pattern, stream = "stdout") => {
      const holds = (): boolean => (typeof pattern === "string" ? text(stream).includes(pattern) : pattern.test(text(stream)));
      return new Promise((resolve, reject) => {
        const check = (): void => {
          if (!holds()) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        check();
        ended.then(() => {
          listeners.delete(check);
          if (holds()) resolve();
          else
            reject(
              new Error(
                `smith ended before its ${stream} matched ${String(pattern)}\nstdout: ${text("stdout")}\nstderr: ${text("stderr")}`,
              ),
            );
        }, reject);
      });
    },
    stopReading: () => child.stdout?.pause(),
    read: () => child.stdout?.resume(),
    endInput: (last = "") => child.stdin?.end(last),
    kill: (signal) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      process.kill(options.group === true ? -child.pid : child.pid, signal);
    },
    ended,
  };
}

function endOf(child: ChildProcess, captured: { readonly stdout: readonly Buffer[]; readonly stderr: readonly Buffer[] }): Promise<Ended> {
  return new Promise((resolve) => {
    child.once("close", (status, signal) => {
      const bytes = Buffer.concat(captured.stdout);
      resolve({ status, signal, bytes, stdout: bytes.toString("utf8"), stderr: Buffer.concat(captured.stderr).toString("utf8") });
    });
  });
}

/** The records of an `eval --json` output. Every line must be a whole JSON object. */
export function eventsOf(stdout: string): readonly JsonObject[] {
  if (stdout === "") return [];
  if (!stdout.endsWith("\n")) throw new Error(`the last line is not whole: ${stdout.slice(-200)}`);
  return stdout
    .slice(0, -1)
    .split("\n")
    .map((line) => {
      const value: unknown = JSON.parse(line);
      if (!isJsonObject(value)) throw new Error(`not an object: ${line}`);
      return value;
    });
}

/** The records of one type. */
export const eventsOfType = (stdout: string, type: string): readonly JsonObject[] =>
  eventsOf(stdout).filter((event) => event["type"] === type);

/** The last record. */
export const lastEvent = (stdout: string): JsonObject => eventsOf(stdout).at(-1) ?? {};

/** A field as text: a string as it is, anything else as JSON, nothing as nothing. */
export const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** What a run may never show a person: the inside of the program. */
export const STACK = /\n\s+at |node:internal|file:\/\/|\.js:\d+/u;

/** Byte that begins every escape sequence, and its one-byte form. */
export const ESCAPES = /[\u001b\u009b]/u;
