import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type Clock, isJsonObject, parseJson } from "../../../base/index.js";
import type { Guard } from "../../process/index.js";
import { familyOf, MARK_NAME, signalFamily, signalProcess } from "../../process/index.js";

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
  #stderr: Buffer = Buffer.alloc(0);
  #child: ChildProcess | undefined;
  #closing: Promise<void> | undefined;
  #end: string | undefined;
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
    const { command, args, cwd, env, mark, guard } = this.#launch;
    guard?.start();
    const child = spawn(command, [...args], {
      cwd,
      env: { ...env, [MARK_NAME]: mark },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    if (child.pid !== undefined) guard?.add(child.pid);
    child.stdin.on("error", () => undefined);
    this.#read(child);
    await once(child, "spawn");
    child.once("exit", (code, signal) => {
      this.#gone(signal === null ? `It ended with status ${code ?? 0}.` : `It was ended by ${signal}.`);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === null || stdin === undefined || this.#end !== undefined || !stdin.writable)
      throw new NotSent(this.#end ?? "It does not read any more.");
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  killNow(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) signalProcess(-pid, "SIGKILL");
  }

  #read(child: ChildProcess): void {
    const { stdout, stderr } = child;
    const decoder = new StringDecoder("utf8");
    let line = "";
    let isTooLong = false;
    const take = (text: string): void => {
      const pieces = text.split("\n");
      for (const [index, piece] of pieces.entries()) {
        if (!isTooLong && line.length + piece.length <= BOUNDS.line) line += piece;
        else isTooLong = true;
        if (index === pieces.length - 1) break;
        if (isTooLong) this.#heardNoise(`(a line of more than ${BOUNDS.line} characters)`);
        else this.#line(line);
        line = "";
        isTooLong = false;
      }
    };
    stdout?.on("data", (chunk: Buffer) => {
      take(decoder.write(chunk));
    });
    stdout?.on("error", () => undefined);
    stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-BOUNDS.stderrBytes);
    });
    stderr?.on("error", () => undefined);
  }

  #line(text: string): void {
    const trimmed = text.trim();
    if (trimmed === "") return;
    const value = parseJson(trimmed);
    if (isJsonObject(value) && value["jsonrpc"] === "2.0") {
      // Its shape is checked by the protocol's own code, message by message.
      this.onmessage?.(value as unknown as JSONRPCMessage);
    } else this.#heardNoise(trimmed);
  }

  #heardNoise(text: string): void {
    if (this.#noise.length < BOUNDS.noiseLines)
      this.#noise.push(text.length > BOUNDS.noiseUnits ? `${text.slice(0, BOUNDS.noiseUnits)}…` : text);
  }

  #gone(why: string): void {
    if (this.#end !== undefined) return;
    this.#end = why;
    this.onclose?.();
    // What it started would live on.
    void this.close();
  }

  async #close(): Promise<void> {
    const child = this.#child;
    const pid = child?.pid;
    if (child === undefined || pid === undefined) return;
    const { clock, mark, guard } = this.#launch;
    child.stdin?.end();
    const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve();
    await Promise.race([exited, clock.sleep(BOUNDS.graceMs)]);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if ((await familyOf(pid, mark)).length === 0 && child.exitCode !== null) break;
      await signalFamily(pid, mark, signal);
      const deadline = clock.monotonic() + BOUNDS.graceMs;
      while (clock.monotonic() < deadline && (await familyOf(pid, mark)).length > 0) await clock.sleep(20);
    }
    guard?.remove(pid);
    child.stdout?.destroy();
    child.stderr?.destroy();
    this.#gone("It was closed.");
  }
}

/** Nothing of a message went out. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}
