import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema, type RequestId } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, parseJson } from "../../base/index.js";
import { isDeeper } from "./depth.js";
import { LineReader } from "./lines.js";
import { paramsProblem } from "./params.js";
import type { McpServerPorts } from "../types.js";

/** Levels of one message: no tool takes as many, and what checks and writes messages needs stack for each. */
const MAX_LEVELS = 200;

const TOO_DEEP = `Invalid request: it is nested in more than ${String(MAX_LEVELS)} levels.`;
const NO_REQUEST = "Invalid request: this is no JSON-RPC 2.0 request.";

/**
 * One JSON-RPC message a line each way. A line that is no message is told and passed over, whatever it holds; a request that is none by
 * its shape is answered as invalid. Batches, which one revision of the protocol has, are taken one by one.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the input is at its end and all its requests have had time to be answered, or when it was closed. */
  readonly ended: Promise<void>;
  readonly #ports: Pick<McpServerPorts, "input" | "output">;
  readonly #unanswered = new Set<RequestId>();
  #end: () => void = () => undefined;
  #onAnswered: () => void = () => undefined;
  #isClosed = false;

  constructor(ports: Pick<McpServerPorts, "input" | "output">) {
    this.#ports = ports;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    ports.output.onBroken(this.#end);
  }

  async start(): Promise<void> {
    this.#read().then(this.#end, (error: unknown) => {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      this.#end();
    });
    await Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    this.#ports.output.write(`${JSON.stringify(message)}\n`);
    if ("id" in message && !("method" in message) && message.id !== undefined) this.#answered(message.id);
    await Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#end();
    this.onclose?.();
    await Promise.resolve();
  }

  /** Resolves when every request that came has been answered or was cancelled. */
  async answered(): Promise<void> {
    if (this.#unanswered.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onAnswered = resolve;
    });
  }

  async #read(): Promise<void> {
    const lines = new LineReader(() => {
      this.onerror?.(new Error("A line that is longer than any message was left out."));
    });
    for (;;) {
      const next = await this.#ports.input.next();
      if (next.done === true || this.#isClosed) return;
      for (const line of lines.push(next.value)) this.#take(line);
    }
  }

  #take(line: string): void {
    const parsed = parseJson(line);
    if (parsed === undefined) this.#passOver(line);
    else if (Array.isArray(parsed) && parsed.length > 0) for (const one of parsed as readonly unknown[]) this.#message(one);
    else this.#message(parsed);
  }

  #message(value: unknown): void {
    if (isDeeper(value, MAX_LEVELS)) {
      this.#refuse(value, TOO_DEEP);
      return;
    }
    const message = JSONRPCMessageSchema.safeParse(value);
    if (!message.success) {
      this.#refuse(value, NO_REQUEST);
      return;
    }
    const { data } = message;
    if ("method" in data && "id" in data) {
      const problem = paramsProblem(data);
      if (problem !== undefined) {
        this.#fail(data.id, { code: ErrorCode.InvalidParams, message: problem });
        return;
      }
      this.#unanswered.add(data.id);
    }
    if ("method" in data && data.method === "notifications/cancelled") this.#cancelled(data.params);
    this.onmessage?.(data);
  }

  /** A cancelled request is answered by nobody. */
  #cancelled(params: unknown): void {
    const id = typeof params === "object" && params !== null && "requestId" in params ? params.requestId : undefined;
    if (typeof id === "string" || typeof id === "number") this.#answered(id);
  }

  #answered(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onAnswered();
  }

  /** Who gave it an id waits for an answer. */
  #refuse(value: unknown, message: string): void {
    const id = isJsonObject(value) && "method" in value ? value["id"] : undefined;
    if (typeof id === "string" || (typeof id === "number" && Number.isInteger(id))) {
      this.#fail(id, { code: ErrorCode.InvalidRequest, message });
    } else this.#passOver(message === TOO_DEEP ? TOO_DEEP : JSON.stringify(value));
  }

  #fail(id: RequestId, error: { readonly code: number; readonly message: string }): void {
    this.#ports.output.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  }

  #passOver(text: string): void {
    const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
    this.onerror?.(new Error(`A line that is no message was passed over: ${shown}`));
  }
}
