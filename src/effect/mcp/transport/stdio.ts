import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { type Clock, parseJson } from "../../../base/index.js";
import type { Guard } from "../../process/index.js";
import { MARK_NAME, signalProcess } from "../../process/index.js";
import { FamilyEnd } from "./family-end.js";
import { LineReader } from "./lines.js";
import { cancelledIn, NotSent, tidy } from "./message.js";
import { tooManyWait, WAITING } from "./outbox.js";
import { ANSWER_LOST } from "./refusals.js";
import { Turns } from "./turns.js";

export interface StdioLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it; the mark of its family is added. */
  readonly env: Readonly<Record<string, string>>;
  /** What its family is known by. */
  readonly mark: string;
  readonly clock: Clock;
  readonly guard: Guard | undefined;
  /** It is in there while anything of it may run. */
  readonly live: Set<{ killNow(): void }>;
}

/** What a server wrote that is no message. */
export interface ServerNoise {
  /** The end of its standard error, at most 4 KiB. */
  stderr(): string;
  /** The first few lines on its standard output that were none, cut. */
  lines(): readonly string[];
}

const BOUNDS = {
  /** UTF-16 units of one message. */
  line: 16 * 1024 * 1024,
  stderrBytes: 4 * 1024,
  noiseLines: 5,
  noiseUnits: 200,
  /** Between closing its input, SIGTERM and SIGKILL. */
  graceMs: 500,
  /** What is in the pipe at its exit is still read, if somebody it started holds the pipe for so long. */
  drainMs: 100,
  /** A write of so few bytes is carried out whole or not at all (POSIX, PIPE_BUF). */
  wholeBytes: 4 * 1024,
} as const;

/**
 * A server as a child process: one message a line each way. It has a session and group of its own without a terminal and is ended with
 * everything it started. Lines that are no messages are kept for whoever asks, and passed over.
 */
export class StdioTransport implements Transport, ServerNoise {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #launch: StdioLaunch;
  readonly #noise: string[] = [];
  readonly #pending = new Set<RequestId>();
  /** What comes in is handled a few messages at a time; no more is read meanwhile. */
  readonly #turns = new Turns(() => this.#child?.stdout?.resume());
  /** Messages that are written and not taken yet. */
  #untaken = 0;
  #stderr: Buffer = Buffer.alloc(0);
  #child: ChildProcess | undefined;
  #closing: Promise<void> | undefined;
  #end: string | undefined;
  #exit: string | undefined;
  /** Resolves when its standard error is at the end. */
  #allRead: Promise<void> = Promise.resolve();
  #protocol: string | undefined;

  constructor(launch: StdioLaunch) {
    this.#launch = launch;
  }

  /** Why it is gone, once it is. */
  get end(): string | undefined {
    return this.#end;
  }

  /** Revision that was agreed on. */
  get protocolVersion(): string | undefined {
    return this.#protocol;
  }

  setProtocolVersion(version: string): void {
    this.#protocol = version;
  }

  stderr(): string {
    return this.#stderr.toString("utf8");
  }

  lines(): readonly string[] {
    return this.#noise;
  }

  async start(): Promise<void> {
    const { command, args, cwd, env, mark, guard, live } = this.#launch;
    guard?.start();
    const child = spawn(command, [...args], {
      cwd,
      env: { ...env, [MARK_NAME]: mark },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    live.add(this);
    if (child.pid !== undefined) guard?.add(child.pid, mark);
    child.stdin.on("error", () => undefined);
    const exited = new Promise<void>((resolve) => {
      child.once("exit", (code, signal) => {
        this.#exit ??= signal === null ? `It ended with status ${code ?? 0}.` : `It was ended by ${signal}.`;
        resolve();
      });
    });
    this.#watch(this.#read(child), exited);
    try {
      await once(child, "spawn");
    } catch (error) {
      live.delete(this);
      throw error;
    } finally {
      child.on("error", () => undefined);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#input();
    const line = Buffer.from(`${JSON.stringify(message)}\n`);
    if (this.#untaken >= WAITING.messages || (this.#untaken > 0 && stdin.writableLength + line.length > WAITING.units)) {
      this.#gone(tooManyWait);
      throw new NotSent(tooManyWait);
    }
    if ("id" in message && "method" in message) this.#pending.add(message.id);
    const cancelled = cancelledIn(message);
    if (cancelled !== undefined) this.#pending.delete(cancelled);
    await this.#write(stdin, line);
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  killNow(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) signalProcess(-pid, "SIGKILL");
  }

  #input(): Writable {
    const stdin = this.#child?.stdin;
    const gone = this.#end ?? this.#exit;
    if (stdin?.writable !== true || gone !== undefined) throw new NotSent(gone ?? "It does not read any more.");
    return stdin;
  }

  async #write(stdin: Writable, line: Buffer): Promise<void> {
    const isWhole = stdin.writableLength === 0 && line.length <= BOUNDS.wholeBytes;
    this.#untaken += 1;
    await new Promise<void>((resolve, reject) => {
      stdin.write(line, (error) => {
        this.#untaken -= 1;
        if (error === null || error === undefined) resolve();
        else if (isWhole || stdin.destroyed) reject(new NotSent("It does not read any more."));
        else reject(error);
      });
    });
  }

  /** Resolves when its output is at the end; all of it is read by then. */
  #read(child: ChildProcess): Promise<void> {
    const { stdout, stderr } = child;
    const lines = new LineReader(
      BOUNDS.line,
      (line) => {
        this.#line(line);
      },
      (ends) => {
        this.#tooLong(ends);
      },
    );
    stdout?.on("data", (chunk: Buffer) => {
      lines.push(chunk);
      if (!this.#turns.isIdle) stdout.pause();
    });
    stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk.subarray(-BOUNDS.stderrBytes)]).subarray(-BOUNDS.stderrBytes);
    });
    this.#allRead = endOf(stderr);
    return endOf(stdout).then(() => {
      lines.end();
    });
  }

  /** It is gone when it ended and all it wrote is read; also when it closed its output, or somebody it started holds that open. */
  #watch(closed: Promise<void>, exited: Promise<void>): void {
    const gone = Promise.race([closed, exited]).then(async () => {
      await this.#within(Promise.all([closed, exited]), BOUNDS.drainMs);
      this.#gone(this.#exit ?? "It closed its output.");
    });
    gone.catch(() => undefined);
  }

  #line(text: string): void {
    const trimmed = text.trim();
    if (trimmed === "" || this.#end !== undefined) return;
    const message = tidy(parseJson(trimmed));
    if (message === undefined) {
      this.#heardNoise(trimmed);
      return;
    }
    if ("id" in message && !("method" in message) && message.id !== undefined) this.#pending.delete(message.id);
    this.#deliver(message);
  }

  /** Each in a turn of its own: what is told before an answer is heard before it. */
  #deliver(message: JSONRPCMessage): void {
    this.#turns.add(() => this.onmessage?.(message));
  }

  /** Nobody waits for an answer that is passed over; its id stands at one of its ends. */
  #tooLong(ends: string): void {
    this.#heardNoise(`(a line of more than ${BOUNDS.line} characters)`);
    const found = /^\{[^{]*"id": ?(\d+)|"id": ?(\d+)[^{}]*\}\s*$/u.exec(ends);
    const id = Number(found?.[1] ?? found?.[2]);
    if (!this.#pending.delete(id)) return;
    const message = `Its answer has more than ${BOUNDS.line} characters, and was not taken.`;
    this.#deliver({ jsonrpc: "2.0", id, error: { code: -32_000, message, data: ANSWER_LOST } });
  }

  #heardNoise(text: string): void {
    if (this.#noise.length < BOUNDS.noiseLines)
      this.#noise.push(text.length > BOUNDS.noiseUnits ? `${text.slice(0, BOUNDS.noiseUnits)}…` : text);
  }

  #gone(why: string): void {
    if (this.#end !== undefined) return;
    this.#end = why;
    this.#turns.add(() => this.onclose?.());
    // What it started would live on.
    this.close().catch(() => undefined);
  }

  async #close(): Promise<void> {
    const child = this.#child;
    const pid = child?.pid;
    if (child === undefined || pid === undefined) return;
    const { guard, live, clock, mark } = this.#launch;
    const family = new FamilyEnd(pid, { clock, mark, graceMs: BOUNDS.graceMs });
    // Whoever it leaves behind as it ends is known by it alone.
    await family.look();
    child.stdin?.end();
    if (!hasExited(child)) await this.#within(new Promise((resolve) => child.once("exit", resolve)), BOUNDS.graceMs);
    await this.#within(this.#allRead, hasExited(child) ? BOUNDS.drainMs : 0);
    await family.end();
    guard?.remove(pid);
    live.delete(this);
    child.stdout?.destroy();
    child.stderr?.destroy();
    this.#gone(this.#exit ?? "It was closed.");
  }

  async #within(event: Promise<unknown>, ms: number): Promise<void> {
    const over = new AbortController();
    await Promise.race([event, this.#launch.clock.sleep(ms, over.signal)]);
    over.abort("over");
  }
}

const endOf = (pipe: Readable | null): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      resolve();
    };
    if (pipe === null) end();
    pipe?.once("end", end).once("close", end).on("error", end);
  });

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
