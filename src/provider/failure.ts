import { clipUtf8, redactUrl } from "../base/index.js";
import type { Diagnostic, ProviderError, ResponseHead } from "../schema/index.js";
import type { HttpFailure } from "./http/types.js";

const MAX_MESSAGE_BYTES = 4096;

const CLASS_OF_REASON: { readonly [Reason in HttpFailure["reason"]]: ProviderError["class"] } = {
  aborted: "transport",
  "invalid-request": "invalid",
  // Nothing that large fits a context window: making the conversation smaller is what helps.
  "too-large": "context-overflow",
  "missing-secret": "auth",
  connect: "transport",
  timeout: "transport",
  proxy: "transport",
  reset: "transport",
  protocol: "protocol",
};

/** An exchange without a response, as a provider error. */
export const transportError = (failure: HttpFailure): ProviderError => ({
  class: CLASS_OF_REASON[failure.reason],
  message: failure.message,
});

/** A key that could not be had, in the words of whoever keeps it; they never hold a value. */
export const credentialError = ({ what, why, next }: Diagnostic): ProviderError => ({ class: "auth", message: `${what} ${why} ${next}` });

/** Class of a status when the provider plugin has nothing to say about it. The one rule for this; the words are the server's own. */
export function statusError(head: ResponseHead, text: string): ProviderError {
  const said = text.trim();
  const message = `HTTP ${String(head.status)}${said === "" ? "" : `: ${said}`}`;
  return { class: classOfStatus(head.status), status: head.status, message };
}

const BY_STATUS: ReadonlyMap<number, ProviderError["class"]> = new Map([
  [401, "auth"],
  [402, "quota"],
  [403, "auth"],
  [404, "not-found"],
  [408, "transport"],
  [429, "rate-limit"],
  [503, "overloaded"],
  [529, "overloaded"],
]);

function classOfStatus(status: number): ProviderError["class"] {
  return BY_STATUS.get(status) ?? (status >= 500 ? "transport" : status >= 400 ? "invalid" : "protocol");
}

/** A redirect is never followed, so it is the answer; it names where to point the base URL. */
export const redirectError = (head: ResponseHead): ProviderError => ({
  class: "invalid",
  status: head.status,
  message: `The server redirects to ${redactUrl(head.headers["location"] ?? "another place")}; requests are not sent on. Put that address into the base URL.`,
});

export const isHtml = (head: ResponseHead, text: string): boolean =>
  /^\s*<(?:!doctype|html|head|body)\b/i.test(text) || (/text\/html/i.test(head.headers["content-type"] ?? "") && !/^\s*[[{]/.test(text));

/** A page in place of an answer: nearly always a wrong base URL, or a proxy or login page in between. */
export function htmlError(head: ResponseHead, text: string): ProviderError {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim();
  return {
    class: head.status < 400 ? "protocol" : classOfStatus(head.status),
    status: head.status,
    message: `HTTP ${String(head.status)}: an HTML page${title === undefined ? "" : ` "${title}"`} came back, not an answer. Check the base URL, and any proxy on the way.`,
  };
}

/** A 2xx answer in which no event was found. */
export function noEventsError(head: ResponseHead, text: string): ProviderError {
  const seen = text.trim();
  if (seen === "" || seen.startsWith(":"))
    return { class: "transport", status: head.status, message: "The server answered with an empty body." };
  if (isHtml(head, seen)) return htmlError(head, seen);
  return { class: "protocol", status: head.status, message: `The answer is no event stream; it begins with: ${clipUtf8(seen, 300).text}` };
}

export const pluginError = (doing: string, cause: unknown): ProviderError => ({
  class: "plugin",
  message: `The provider plugin failed while ${doing}: ${cause instanceof Error ? cause.message : String(cause)}`,
});

export interface ErrorPlace {
  /** The URL asked, fit for display. */
  readonly url: string;
  readonly redact: (text: string) => string;
  /** What the server asked for in its headers, when the plugin has not read it. */
  readonly retryAfterMs?: number;
}

/** The error as it may be shown: secrets out, control characters out, bounded, with its URL. */
export function placed(error: ProviderError, place: ErrorPlace): ProviderError {
  const clean = place.redact(error.message).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, " ");
  const { text, omittedBytes } = clipUtf8(clean, MAX_MESSAGE_BYTES);
  const retryAfterMs = longest(error.retryAfterMs, WAITS.has(error.class) ? place.retryAfterMs : undefined);
  return {
    ...error,
    message: omittedBytes === 0 ? text : `${text}…`,
    url: place.url,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Classes of error to which a header of the answer may say when to come back. */
const WAITS: ReadonlySet<ProviderError["class"]> = new Set(["rate-limit", "quota", "overloaded", "transport"]);

/** Both are a minimum. */
function longest(one: number | undefined, other: number | undefined): number | undefined {
  const known = [one, other].filter((ms): ms is number => ms !== undefined && Number.isFinite(ms) && ms >= 0);
  return known.length === 0 ? undefined : Math.max(...known);
}
