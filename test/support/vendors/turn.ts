import type { JsonObject, JsonValue } from "../../../src/base/index.js";
import type { Piece, Reply, ScriptedCall } from "../model-server.js";

/** One answer of a model, whatever API it is given by. */
export interface Turn {
  /** What it thinks first; signed where the vendor signs. */
  readonly thinking?: string;
  /** Thinking that is not shown comes with it, where the vendor has that. */
  readonly hidesThinking?: boolean;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Why it stopped, when neither for calls nor at its own end. */
  readonly stop?: "limit" | "refusal" | "filter";
  /** Tokens: all of the prompt, those of it from a cache, those of the answer. */
  readonly usage?: { readonly input: number; readonly cached?: number; readonly output: number };
  /** Stands between two deltas: a gate, or a pace in ms. */
  readonly between?: Piece;
  /** The stream breaks off after the text: the body ends, or the connection is reset, or it stays open. */
  readonly cut?: "end" | "destroy" | "hang";
  /** The server says in the stream, after the text, that it is overloaded. */
  readonly fails?: boolean;
}

export const USAGE = { input: 10, output: 5 } as const;

/** For whom an answer is made. */
export interface Asking {
  readonly model: string;
  readonly stream: boolean;
  /** Number of the request: ids of one answer differ from those of every other. */
  readonly n: number;
}

/** One vendor's way to answer. */
export interface Voice {
  answer(turn: Turn, asking: Asking): Reply;
  /** Body of a refusal. */
  refusal(status: number, message: string): JsonObject;
}

/** Deltas of a text, four characters each. */
export const inPieces = (text: string): readonly string[] => text.match(/[\s\S]{1,4}/gu) ?? [];

/** An event stream that begins with `head` and `text`, and goes on as the turn says: with its rest, an error, or nothing. */
export function streamed(
  turn: Turn,
  body: { readonly head: readonly Piece[]; readonly rest: readonly Piece[]; readonly error: string },
): Reply {
  const spaced = turn.between === undefined ? body.head : body.head.flatMap((piece) => [piece, turn.between ?? ""]);
  const isCut = turn.cut !== undefined || turn.fails === true;
  return {
    headers: { "content-type": "text/event-stream" },
    pieces: [...spaced, ...(turn.fails === true ? [body.error] : []), ...(isCut ? [] : body.rest)],
    finish: turn.cut ?? "end",
  };
}

export const json = (body: JsonObject, status = 200): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  pieces: [JSON.stringify(body)],
});

/** An id of a call that is the only one of its name and place in the whole session. */
export const idOf = (call: ScriptedCall, place: number, n: number): string => call.id ?? `call_${String(n)}_${call.name}_${String(place)}`;

export const argsText = ({ args }: ScriptedCall): string => (typeof args === "string" ? args : JSON.stringify(args));

export const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
