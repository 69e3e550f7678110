import { type Diagnostic, diagnostic } from "../schema/index.js";

type Words = Pick<Diagnostic, "code" | "what" | "why" | "next"> & Partial<Diagnostic>;

/** What keeps a run from having its key. */
const refusal = (fields: Words): Diagnostic => diagnostic({ ...fields, exit: 3 });

const file = (path: string): Pick<Diagnostic, "source"> => ({ source: { type: "file", path } });

const LOGIN_AGAIN = "Log in again";

/** `looked` names every place that was looked at, with what was found there. */
export interface LookedAt {
  /** What wanted a key: a provider or a connection. */
  readonly wanted: string;
  /** What `smith auth login` stores its key by; absent: the first place in the auth file that was looked at. */
  readonly login?: string;
  readonly looked: readonly { readonly name: string; readonly found: "nothing" | "used" | "passed-over" }[];
}

const FOUND = { nothing: "not set", used: "used", "passed-over": "not used, as an earlier one is set" } as const;

const lookedWords = ({ looked }: LookedAt): string =>
  looked.length === 0
    ? "It names no place where a key could be."
    : `Looked at, in this order: ${looked.map(({ name, found }) => `${placeWords(name)} (${FOUND[found]})`).join(", ")}.`;

/** A credential's name as a person says it. */
export function placeWords(name: string): string {
  if (name.startsWith("auth:")) return `${name.slice(5)} in the auth file`;
  return name.startsWith("command:") ? `the command of ${name.slice(8)}` : name;
}

/** What gives `wanted` a key: its first variable, a login. */
function remedy({ wanted, looked, login: given }: LookedAt): string {
  const variable = looked.find(({ name }) => !name.includes(":"))?.name;
  const login = given ?? looked.find(({ name }) => name.startsWith("auth:"))?.name.slice(5) ?? wanted;
  return variable === undefined ? `Run: smith auth login ${login}.` : `Set ${variable}, or run: smith auth login ${login}.`;
}

/** Nothing that was looked at has a key. */
export const credentialMissing = (at: LookedAt): Diagnostic =>
  refusal({ code: "credential.missing", what: `There is no key for ${at.wanted}.`, why: lookedWords(at), next: remedy(at) });

/** A server did not take the key. `status` is the HTTP status. */
export const credentialRefused = (at: LookedAt & { readonly status?: number }): Diagnostic => {
  const used = at.looked.find(({ found }) => found === "used")?.name;
  return refusal({
    code: "credential.refused",
    what: `${at.wanted} refused the key${used === undefined ? "" : ` of ${placeWords(used)}`}${at.status === undefined ? "" : ` (HTTP ${String(at.status)})`}.`,
    why: `It is wrong, was withdrawn, or is for another server. ${lookedWords(at)}`,
    next: used?.startsWith("auth:") === true ? `Run: smith auth login ${used.slice(5)}.` : remedy(at),
  });
};

/** One name was asked for and there is nothing. */
export const credentialUnset = (name: string): Diagnostic =>
  refusal({
    code: "credential.unset",
    what: name.startsWith("command:") ? `There is no command for the key of ${name.slice(8)}.` : `${placeWords(name)} is not set.`,
    why: "A request was to be sent with it.",
    next: name.startsWith("auth:")
      ? `Run: smith auth login ${name.slice(5)}.`
      : name.startsWith("command:")
        ? "Give the connection a key-command in config.kdl, or another key."
        : `Set ${name} and start smith again, or run smith auth status to see which other places there are.`,
  });

/** `fault` says what is wrong with the value without showing it. */
export const credentialUnusable = (name: string, fault: string): Diagnostic =>
  refusal({
    code: "credential.unusable",
    what: `The value of ${placeWords(name)} cannot be used: ${fault}.`,
    why: "It has to be sent in a header, which takes one line of ASCII.",
    next: name.startsWith("auth:")
      ? `Store the key again with: smith auth login ${name.slice(5)}.`
      : name.startsWith("command:")
        ? "Have the command print the key alone, on its first line."
        : `Set ${name} to the key alone, as its vendor shows it.`,
  });

/** `how` is a sentence on how it ended; `words` what it said, made safe to show. */
export const commandFailed = (connection: string, how: string, words: string): Diagnostic =>
  refusal({
    code: "credential.command-failed",
    what: `The command for the key of ${connection} did not give one: ${how}.`,
    why: words === "" ? "It said nothing on standard error." : `It said on standard error: ${words}`,
    next: "Run the key-command of this connection (config.kdl) by hand: it has to print the key on its first line and to end with status 0.",
    retry: { type: "now" },
  });

export const credentialStopped = (name: string): Diagnostic =>
  refusal({
    code: "credential.stopped",
    what: `${placeWords(name)} was not waited for.`,
    why: "The work that needed it was stopped.",
    next: "Start it again.",
    retry: { type: "now" },
  });

export const loginOver = (name: string, why: string): Diagnostic =>
  refusal({
    code: "credential.login-over",
    what: `The login of ${name} is over.`,
    why,
    next: `${LOGIN_AGAIN}: smith auth login ${name}.`,
  });

/** `words` say what came instead of an answer. The login that is stored stays as it is. */
export const renewalFailed = (name: string, words: string): Diagnostic =>
  refusal({
    code: "credential.renewal-failed",
    what: `The login of ${name} could not be renewed: ${words}`,
    why: "Its access has run out or was refused, and the server that renews it gave no usable answer. What is stored was kept.",
    next: `Try again. If it stays so: smith auth login ${name}.`,
    retry: { type: "now" },
  });

export const deviceLoginFailed = (name: string, why: string): Diagnostic =>
  refusal({
    code: "credential.login-failed",
    what: `The login to ${name} did not come about.`,
    why,
    next: `Run again: smith auth login ${name}.`,
    retry: { type: "now" },
  });

export const authFileBroken = (path: string, why: string): Diagnostic =>
  refusal({
    code: "credential.file-broken",
    what: "The auth file cannot be read; it is left as it is.",
    why,
    next: "Mend it, or move it away and log in again with: smith auth login NAME.",
    ...file(path),
  });

export const authFileOpen = (path: string, mode: string): Diagnostic =>
  diagnostic({
    code: "credential.file-open",
    what: "Other users of this machine can get at the auth file.",
    why: `Its permissions are ${mode}; it holds keys and should have 0600.`,
    next: `Run: chmod 600 ${path}. The next login or logout does it too. If others may have read it, replace the keys in it.`,
    severity: "warning",
    ...file(path),
  });

export const authFileUnwritten = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "credential.file-unwritten",
    what: "The auth file could not be written; it is as it was.",
    why,
    next: "See to it that this file and its folder can be written, then try again.",
    ...file(path),
  });

export const authFileBusy = (path: string, waitedMs: number): Diagnostic =>
  diagnostic({
    code: "credential.file-busy",
    what: "The auth file is being changed by another process.",
    why: `It was still held after ${String(waitedMs / 1000)} s.`,
    next: "Wait for the other smith to end, or end it, then try again.",
    retry: { type: "now" },
    ...file(path),
  });

/** The name stands in the file and in command lines. */
export const badAuthName = (name: string): Diagnostic =>
  diagnostic({
    code: "credential.bad-name",
    what: `${JSON.stringify(name.slice(0, 100))} cannot be the name of a login.`,
    why: "A name begins with a letter or digit and has up to 100 letters, digits, dots, dashes and underscores.",
    next: "Use the id of a provider or the name of a connection: smith auth status lists them.",
    exit: 2,
  });
