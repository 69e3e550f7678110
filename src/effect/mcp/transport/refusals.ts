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
