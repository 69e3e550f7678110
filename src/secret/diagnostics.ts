import { type Diagnostic, diagnostic } from "../schema/index.js";

const at = (path: string): Pick<Diagnostic, "source"> => ({ source: { type: "file", path } });

/** A file of `secrets.files` that is there and cannot be read: what is in it is not hidden. */
export const secretFileUnread = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "secret.file-unread",
    what: `The secrets of ${path} are not known.`,
    why: `${why} What is in it is sent to models and recorded like any other text.`,
    next: "Make it readable, or take it out of the setting secrets.files.",
    severity: "warning",
    ...at(path),
  });

export const secretStoreBroken = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "secret.store-broken",
    what: "The file with your secrets cannot be read; it is left as it is.",
    why: `${why} What is in it is not hidden.`,
    next: "Mend it, or move it away and store the secrets again with: smith secrets add NAME.",
    ...at(path),
  });

export const secretStoreOpen = (path: string, mode: string): Diagnostic =>
  diagnostic({
    code: "secret.store-open",
    what: "Other users of this machine can get at the file with your secrets.",
    why: `Its permissions are ${mode}; it should have 0600.`,
    next: `Run: chmod 600 ${path}. The next smith secrets add or remove does it too. If others may have read it, replace what is in it.`,
    severity: "warning",
    ...at(path),
  });

export const secretStoreUnwritten = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "secret.store-unwritten",
    what: "The file with your secrets could not be written; it is as it was.",
    why,
    next: "See to it that this file and its folder can be written, then try again.",
    ...at(path),
  });

export const secretStoreBusy = (path: string, waitedMs: number): Diagnostic =>
  diagnostic({
    code: "secret.store-busy",
    what: "The file with your secrets is being changed by another process.",
    why: `It was still held after ${String(waitedMs / 1000)} s.`,
    next: "Wait for the other smith to end, or end it, then try again.",
    retry: { type: "now" },
    ...at(path),
  });

/** `why` is a sentence that does not show the value. */
export const secretNotTaken = (name: string, why: string): Diagnostic =>
  diagnostic({
    code: "secret.not-taken",
    what: `The value given for ${name} is not stored.`,
    why: `${why} Replacing it would garble ordinary text and hide nothing.`,
    next: "Give a value that can be told from other words, or keep it without this command.",
    exit: 2,
  });

export const badSecretName = (name: string): Diagnostic =>
  diagnostic({
    code: "secret.bad-store-name",
    what: `${JSON.stringify(name.slice(0, 100))} cannot be the name of a secret.`,
    why: "A name begins with a letter or underscore and has up to 100 letters, digits, dots, dashes and underscores.",
    next: "Name it as a variable would be named: smith secrets add DEPLOY_TOKEN.",
    exit: 2,
  });
