import { isJsonObject, parseJson } from "../../../base/index.js";

/** What a server says of the sign-in it wants (RFC 6750, section 3; RFC 9728, section 5.1). */
export interface Challenge {
  readonly metadataUrl?: string;
  readonly scope?: string;
  /** The sign-in there is serves, but not for everything: what is wanted comes on top of it. */
  readonly isMore: boolean;
}

/** A status of HTTP that refuses a request. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, words: string, retryAfterMs: number | undefined) {
    super(words === "" ? `It answered with status ${status}.` : `It answered with status ${status}: ${words}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A person has to sign in: for anything, or for more than before. */
export class SignInWanted extends Error {
  override readonly name = "SignInWanted";
  readonly isMore: boolean;

  constructor(message: string, isMore: boolean) {
    super(message);
    this.isMore = isMore;
  }
}

/** Goes with the error of a request whose answer will not come; known by its identity, so no server can send it. */
export const ANSWER_LOST: Readonly<Record<string, never>> = Object.freeze({});

/** An answer that came and is not taken; it costs its own request alone. */
export class NotTaken extends Error {
  override readonly name = "NotTaken";
  readonly data = ANSWER_LOST;
}

/** What an error says, out of its JSON where it is that. */
export function wordsIn(text: string): string {
  const value = parseJson(text);
  const error = isJsonObject(value) ? value["error"] : undefined;
  const words = isJsonObject(error) ? error["message"] : error;
  return typeof words === "string" ? words : text.trim();
}

/** RFC 9110, section 10.2.3: seconds, or a date. */
export function retryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/u.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), 86_400_000) : undefined;
}
