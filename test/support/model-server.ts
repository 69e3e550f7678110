/**
 * A scripted model server on loopback, for every test that needs a model over a real socket.
 * Replies are data (`say`, `call`, `calls`, `answer`, `sse`, `hang`, `cut`); requests are recorded; order is controlled
 * by gates (promises), never by waiting for time.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/index.js";
import { complaintsOf } from "./vendors/strict.js";

/** A piece of a body: text or bytes to write, a promise to wait for first, or a number of ms to pace the stream by. */
export type Piece = string | Uint8Array | Promise<unknown> | number;

export interface Reply {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  /** `false` sends nothing at all, not even a status line. */
  readonly head?: boolean;
  /** Waited for before anything is sent, the status line included. */
  readonly hold?: Promise<unknown>;
  readonly pieces: readonly Piece[];
  /** `end` closes the body properly, `destroy` resets the connection, `hang` keeps it open. */
  readonly finish?: "end" | "destroy" | "hang";
}

export interface RecordedRequest {
  readonly method: string;
  /** Path and query exactly as asked for. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The parsed JSON body; an empty object when there was none or it did not parse. */
  readonly body: JsonObject;
  readonly rawBody: string;
  /** Tells connections apart: one port, one connection. */
  readonly remotePort: number | undefined;
  /** Resolves when the connection of this exchange is done with it, also by an abort of the client. */
  readonly closed: Promise<void>;
}

export type Script = readonly Reply[] | ((request: RecordedRequest, n: number) => Reply | Promise<Reply>);

export interface ModelServerOptions {
  /** Answers to chat requests, `n` from 0. A list that is used up goes on with `say("done")`. */
  readonly script: Script;
  /** Default: any free one. */
  readonly port?: number;
  /** Ids that `GET …/models` lists. Default: `scripted`. */
  readonly models?: readonly string[];
  /**
   * Refuse with 400 what the vendors refuse, and fail in `close` with their words; see vendors/strict.ts. `tell` only lists it among the
   * complaints, for tests that ask wrongly on purpose. Default: true.
   */
  readonly strict?: boolean | "tell";
  /** Replaces the answer to `GET …/models`. */
  readonly modelsReply?: Reply;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT/v1` */
  readonly url: string;
  readonly port: number;
  /** Chat requests in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Every request, model lists included. */
  readonly all: readonly RecordedRequest[];
  /** Resolves with the n-th chat request (from 0) once it has arrived. */
  request(n: number): Promise<RecordedRequest>;
  /** Messages of the 400s that strict mode gave. */
  readonly complaints: readonly string[];
  /** Opens a named gate; see {@link ModelServer.gate}. Also `POST /__gates/NAME`, for another process. */
  open(name: string): void;
  /** A promise that resolves when `open(name)` is called; usable as a {@link Piece}. */
  gate(name: string): Promise<void>;
  /** Rejects with what was complained of. */
  close(): Promise<void>;
}

export interface SayOptions {
  /** Deltas the text is cut into; default every 4 characters. */
  readonly chunks?: readonly string[];
  /** Text of `reasoning_content` deltas before it. */
  readonly reasoning?: string;
  readonly usage?: JsonValue;
  readonly finish?: string;
  /** Put between two deltas, e.g. a gate or a pace in ms. */
  readonly between?: Piece;
  /** Waited for before the first delta, after the head. */
  readonly before?: Piece;
}

export interface ScriptedCall {
  readonly name: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly args: JsonValue;
  readonly id?: string;
}

const USAGE: JsonObject = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** One SSE event of a chat completion stream with this object merged into the envelope. */
export const chunk = (fields: JsonObject): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-test", object: "chat.completion.chunk", created: 0, model: "scripted", ...fields })}\n\n`;

/** {@link chunk} of one choice. */
export const delta = (fields: JsonObject, finish: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });

export const DONE = "data: [DONE]\n\n";

const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,4}/gu) ?? [];

function stream(body: readonly Piece[], finish: string, usage: JsonValue | undefined): Reply {
  return {
    headers: { "content-type": "text/event-stream" },
    pieces: [...body, delta({}, finish), ...(usage === null ? [] : [chunk({ choices: [], usage: usage ?? USAGE })]), DONE],
  };
}

function textPieces(text: string, options: SayOptions): readonly Piece[] {
  const deltas: readonly Piece[] = [
    ...pieces(options.reasoning ?? "").map((part) => delta({ reasoning_content: part })),
    ...(options.chunks ?? pieces(text)).map((part) => delta({ content: part })),
  ];
  const spaced = options.between === undefined ? deltas : deltas.flatMap((part) => [part, options.between ?? ""]);
  return [...(options.before === undefined ? [] : [options.before]), delta({ role: "assistant", content: "" }), ...spaced];
}

/** Streams `text`, then the finish reason, usage and the terminator. `usage: null` leaves usage out. */
export const say = (text: string, options: SayOptions = {}): Reply =>
  stream(textPieces(text, options), options.finish ?? "stop", options.usage);

/** One tool call, its arguments in two pieces. */
export const call = (name: string, args: JsonValue, options: SayOptions & { readonly id?: string; readonly text?: string } = {}): Reply =>
  calls([{ name, args, ...(options.id === undefined ? {} : { id: options.id }) }], options);

/** Several tool calls of one response, with text before them when given. Ids are `call_NAME_INDEX` unless given. */
export function calls(list: readonly ScriptedCall[], options: SayOptions & { readonly text?: string } = {}): Reply {
  const parts = list.flatMap((item, index) => {
    const args = typeof item.args === "string" ? item.args : JSON.stringify(item.args);
    const half = Math.ceil(args.length / 2);
    const open: JsonObject = {
      index,
      id: item.id ?? callId(item, index),
      type: "function",
      function: { name: item.name, arguments: args.slice(0, half) },
    };
    const rest: JsonObject = { index, function: { arguments: args.slice(half) } };
    return [delta({ tool_calls: [open] }), delta({ tool_calls: [rest] })];
  });
  return stream([...textPieces(options.text ?? "", options), ...parts], options.finish ?? "tool_calls", options.usage);
}

const callId = (item: ScriptedCall, index: number): string => `call_${item.name}_${String(index)}`;

/** Any status with a body; an object is sent as JSON. */
export const answer = (status: number, body: JsonValue, headers: { readonly [name: string]: string } = {}): Reply => ({
  status,
  headers: { "content-type": typeof body === "string" ? "text/plain" : "application/json", ...headers },
  pieces: [typeof body === "string" ? body : JSON.stringify(body)],
});

/** An error in the shape OpenAI-compatible servers use. */
export const refuse = (status: number, message: string, headers: { readonly [name: string]: string } = {}): Reply =>
  answer(status, { error: { message, type: "test_error" } }, headers);

/** Raw pieces of an event stream. */
export const sse = (body: readonly Piece[], finish: "end" | "destroy" | "hang" = "end"): Reply => ({
  headers: { "content-type": "text/event-stream" },
  pieces: body,
  finish,
});

/** Takes the request and never answers. */
export const hang = (): Reply => ({ head: false, pieces: [], finish: "hang" });

/** Streams `text` without finish reason, then ends (`end`) or resets (`destroy`) the connection. */
export const cut = (text: string, finish: "end" | "destroy" = "end"): Reply => sse(textPieces(text, {}), finish);

/** The same reply, of which nothing is sent before `gate`. */
export const after = (gate: Promise<unknown>, held: Reply): Reply => ({ ...held, hold: gate });

interface ServerState {
  readonly options: ModelServerOptions;
  readonly requests: RecordedRequest[];
  readonly all: RecordedRequest[];
  readonly complaints: string[];
  readonly waiting: Map<number, (request: RecordedRequest) => void>;
  readonly gates: Map<string, { readonly opened: Promise<void>; readonly open: () => void }>;
}

/** Starts the server on a free loopback port. Close it in `finally` or `afterEach`. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const state: ServerState = { options, requests: [], all: [], complaints: [], waiting: new Map(), gates: new Map() };
  const server = createServer((req, res) => {
    handle(state, req, res).catch((error: unknown) => {
      res.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    port,
    requests: state.requests,
    all: state.all,
    complaints: state.complaints,
    request: (n) => nthRequest(state, n),
    open: (name) => {
      gateOf(state, name).open();
    },
    gate: (name) => gateOf(state, name).opened,
    close: async () => {
      await closeServer(server);
      if (state.complaints.length > 0 && options.strict !== "tell")
        throw new Error(`requests that a vendor refuses were made:\n${[...new Set(state.complaints)].join("\n")}`);
    },
  };
}

function nthRequest(state: ServerState, n: number): Promise<RecordedRequest> {
  const there = state.requests[n];
  if (there !== undefined) return Promise.resolve(there);
  return new Promise((resolve) => {
    state.waiting.set(n, resolve);
  });
}

function gateOf(state: ServerState, name: string): { readonly opened: Promise<void>; readonly open: () => void } {
  const known = state.gates.get(name);
  if (known !== undefined) return known;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const gate = { opened, open };
  state.gates.set(name, gate);
  return gate;
}

function listen(server: Server, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(wanted, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

async function handle(state: ServerState, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const recorded = await record(req, res);
  const path = recorded.path.split("?")[0] ?? "";
  if (path.startsWith("/__")) {
    control(state, path, res);
    return;
  }
  state.all.push(recorded);
  if (recorded.method === "GET" && path.endsWith("/models")) {
    await send(res, state.options.modelsReply ?? modelList(state.options.models ?? ["scripted"]));
    return;
  }
  const n = state.requests.push(recorded) - 1;
  state.waiting.get(n)?.(recorded);
  state.waiting.delete(n);
  const complaints = state.options.strict === false ? [] : complaintsOf(recorded);
  state.complaints.push(...complaints);
  await send(res, complaints.length === 0 ? await reply(state.options.script, recorded, n) : refuse(400, complaints.join("; ")));
}

const reply = async (script: Script, request: RecordedRequest, n: number): Promise<Reply> =>
  typeof script === "function" ? script(request, n) : (script[n] ?? say("done"));

const modelList = (ids: readonly string[]): Reply => answer(200, { object: "list", data: ids.map((id) => ({ id, object: "model" })) });

function control(state: ServerState, path: string, res: ServerResponse): void {
  if (path.startsWith("/__gates/")) gateOf(state, decodeURIComponent(path.slice("/__gates/".length))).open();
  const plain = state.all.map(({ method, path: asked, headers, body }) => ({ method, path: asked, headers, body }));
  res.setHeader("content-type", "application/json").end(JSON.stringify({ requests: plain, complaints: state.complaints }));
}

async function record(req: IncomingMessage, res: ServerResponse): Promise<RecordedRequest> {
  const closed = new Promise<void>((resolve) => {
    res.once("close", resolve);
  });
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  const rawBody = Buffer.concat(parts).toString("utf8");
  const { method = "", url: path = "", headers } = req;
  return { method, path, headers, body: parseObject(rawBody), rawBody, remotePort: req.socket.remotePort, closed };
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function send(res: ServerResponse, answered: Reply): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    res.once("close", resolve);
  });
  if (answered.hold !== undefined) await Promise.race([answered.hold, gone]);
  if (res.destroyed) return;
  if (answered.head !== false) {
    res.writeHead(answered.status ?? 200, answered.headers);
    res.flushHeaders();
  }
  for (const piece of answered.pieces) {
    if (res.destroyed) return;
    if (typeof piece === "string" || piece instanceof Uint8Array) await write(res, piece, gone);
    else await Promise.race([typeof piece === "number" ? pause(piece) : piece, gone]);
  }
  if (answered.finish === "destroy") await flushed(res, gone).then(() => res.destroy());
  else if (answered.finish !== "hang") res.end();
}

/** Resolves when what was written has left this process: a connection destroyed before would take it along. */
function flushed(res: ServerResponse, gone: Promise<void>): Promise<void> {
  const { socket } = res;
  if (socket === null || socket.destroyed) return Promise.resolve();
  const written = new Promise<void>((resolve) => {
    setImmediate(() => {
      if (socket.writableLength === 0) resolve();
      else socket.once("drain", resolve);
    });
  });
  return Promise.race([written, gone]);
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

async function write(res: ServerResponse, piece: string | Uint8Array, gone: Promise<void>): Promise<void> {
  if (piece.length === 0 || res.write(piece)) return;
  const drained = new Promise<void>((resolve) => {
    res.once("drain", resolve);
  });
  await Promise.race([drained, gone]);
}
