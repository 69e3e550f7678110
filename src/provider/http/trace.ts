import { clipUtf8, redactHeaders, redactJsonText, redactUrl } from "../../base/index.js";
import type { FramedEvent, ResponseHead } from "../../schema/index.js";
import type { HttpFailure, HttpRequest, WireEvent } from "./types.js";

/** Most of one text that is told. */
const MAX_TEXT = 64 * 1024;

/** Tells of one exchange after the other. */
export interface Tracer {
  begin(request: HttpRequest, redact: (text: string) => string): Traced;
}

export interface Traced {
  response(head: ResponseHead): void;
  failure(failure: HttpFailure): void;
  readonly frame: (event: FramedEvent) => void;
}

/** Headers, JSON keys and the very values that were sent are all taken out, in this order: none of them alone is enough. */
export function createTracer(onWire: (event: WireEvent) => void): Tracer {
  let exchanges = 0;
  return {
    begin: ({ method, url, headers, body }, redact) => {
      const exchange = (exchanges += 1);
      const clean = (text: string): string => bounded(redact(redactJsonText(text)));
      const cleanHeaders = (all: { readonly [name: string]: string }): { readonly [name: string]: string } =>
        Object.fromEntries(Object.entries(redactHeaders(all)).map(([name, value]) => [name, clean(value)]));
      onWire({
        type: "request",
        exchange,
        method,
        url: redact(redactUrl(url)),
        headers: cleanHeaders(headers),
        ...(body === undefined ? {} : { body: clean(body) }),
      });
      return {
        response: (head) => {
          onWire({ type: "response", exchange, status: head.status, headers: cleanHeaders(head.headers) });
        },
        failure: ({ reason, message }) => {
          onWire({ type: "failure", exchange, reason, message });
        },
        frame: ({ event, data }) => {
          onWire({ type: "frame", exchange, ...(event === undefined ? {} : { event }), data: clean(data) });
        },
      };
    },
  };
}

function bounded(text: string): string {
  const { text: kept, omittedBytes } = clipUtf8(text, MAX_TEXT);
  return omittedBytes === 0 ? kept : `${kept}… (${String(omittedBytes)} bytes more)`;
}
