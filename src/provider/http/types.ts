import type { Result } from "../../base/index.js";
import type { BodyOutcome, FramedEvent, ResponseHead } from "../../schema/index.js";

/** Environment as a value: the proxy variables and, elsewhere in this folder, base URLs and key names are read from it. */
export type EnvView = { readonly [name: string]: string | undefined };

/** Limits of one exchange. Specification, "Network transport"; `connectMs` and `headerBytes` are ours. */
export interface HttpBounds {
  readonly requestBytes: number;
  readonly bodyBytes: number;
  /** All response headers together. */
  readonly headerBytes: number;
  /** Until the connection (through a proxy: the tunnel) stands. */
  readonly connectMs: number;
  /** From the start of the exchange to the response head. */
  readonly headMs: number;
  /** Between two chunks of the body. */
  readonly gapMs: number;
}

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** A value may hold `{secret:NAME}`; it is filled in at the edge and never handed back. */
  readonly headers: { readonly [name: string]: string };
  /** What a person configured for this server: added last and as it is, whatever the case of the names. */
  readonly added?: { readonly [name: string]: string };
  readonly body?: string;
  /** Names that `{secret:…}` may use in this exchange; any other name is refused. */
  readonly secrets: readonly string[];
}

/** Why there is no response. A response with any status is not a failure. */
export interface HttpFailure {
  readonly reason: "aborted" | "invalid-request" | "too-large" | "missing-secret" | "connect" | "timeout" | "proxy" | "reset" | "protocol";
  /** One sentence without credentials, naming host or proxy. */
  readonly message: string;
}

export interface BodyEnd {
  readonly outcome: BodyOutcome;
  /** Why, when the outcome is not `complete`. */
  readonly detail?: string;
}

/** The body of one response, pulled by one reader. Not reading is back-pressure to the socket. */
export interface HttpBody {
  /** What has arrived since the last read, waiting for the first byte; `undefined` at the end. Never rejects. */
  read(): Promise<Uint8Array | undefined>;
  /** Set exactly once, before `read` gives `undefined` for the first time. */
  readonly end: BodyEnd | undefined;
  /** Ends the body as `cancelled` and frees the connection. No effect after the end. */
  cancel(): void;
  /** The reader has all it wants: the rest is drained for a moment so that the connection can be used again. */
  release(): void;
}

export interface HttpResponse {
  /** Header names in lower case; repeated headers joined with `, `. */
  readonly head: ResponseHead;
  readonly body: HttpBody;
  /** Replaces the secrets that were sent by `[redacted]`, for text that came back. */
  readonly redact: (text: string) => string;
  /** What was read of the body, for whoever watches the wire. Absent when nobody does. */
  readonly trace?: (event: FramedEvent) => void;
}

/** What went over the wire, in order, for a log of level `trace`. Holds no secret; texts are bounded. `exchange` counts from 1. */
export type WireEvent =
  | {
      readonly type: "request";
      readonly exchange: number;
      readonly method: string;
      readonly url: string;
      readonly headers: { readonly [name: string]: string };
      readonly body?: string;
    }
  | {
      readonly type: "response";
      readonly exchange: number;
      readonly status: number;
      readonly headers: { readonly [name: string]: string };
    }
  | { readonly type: "frame"; readonly exchange: number; readonly event?: string; readonly data: string }
  | { readonly type: "failure"; readonly exchange: number; readonly reason: HttpFailure["reason"]; readonly message: string };

export interface HttpEngine {
  /** Never rejects. After an abort nothing more is delivered and the connection is closed. */
  exchange(request: HttpRequest, signal: AbortSignal): Promise<Result<HttpResponse, HttpFailure>>;
  /** Closes every connection; exchanges still going on end as failed. */
  close(): void;
}
