import { redactUrl } from "../base/index.js";
import { type Diagnostic, diagnostic, type ProviderError } from "../schema/index.js";

/** Who was asked, for the source of a diagnostic. */
export interface ProviderPlace {
  readonly provider: string;
  readonly model?: string;
  /** Base URL of the endpoint; the error's own URL is preferred. */
  readonly url?: string;
  /** What holds the key: a variable's name, `auth:NAME`, `command:CONNECTION`. */
  readonly credential?: string;
  /** Names that were looked at for a key, whether or not one was found. */
  readonly lookedAt?: readonly string[];
}

type Common = Pick<Diagnostic, "source" | "retry">;

/** A failed response as people and programs see it. Exit status 3 for credentials, 2 for a model or path that does not exist, 1 for the rest. */
export function providerDiagnostic(error: ProviderError, place: ProviderPlace): Diagnostic {
  const at = error.url ?? (place.url === undefined || place.url === "" ? undefined : redactUrl(place.url));
  const common: Common = {
    source: {
      type: "provider",
      id: place.provider,
      ...(at === undefined ? {} : { url: at }),
      ...(error.status === undefined ? {} : { status: error.status }),
    },
    retry: retryOf(error),
  };
  const from = at === undefined ? place.provider : `${place.provider} at ${at}`;
  return BY_CLASS[error.class](error, { place, common, from });
}

interface Context {
  readonly place: ProviderPlace;
  readonly common: Common;
  readonly from: string;
}

function retryOf(error: ProviderError): Diagnostic["retry"] {
  if (error.retryAfterMs !== undefined) return { type: "after", delayMs: error.retryAfterMs };
  return error.class === "rate-limit" || error.class === "overloaded" || error.class === "transport" ? { type: "now" } : { type: "never" };
}

const statusWords = (error: ProviderError): string => (error.status === undefined ? "" : ` (HTTP ${String(error.status)})`);

function authRefused(error: ProviderError, { place, common, from }: Context): Diagnostic {
  const { provider } = place;
  // Without a status nobody is known to have refused anything: most likely the key could not be filled in.
  const wasSent = error.status !== undefined;
  const key = keyWords(place);
  return diagnostic({
    code: "provider.auth",
    what: wasSent
      ? `${provider} refused the credentials${statusWords(error)}: ${error.message}`
      : `There is no usable key for ${provider}: ${error.message}`,
    why: wasSent ? key.sent(from) : `${from} wants a key.${key.looked}`,
    next: key.next,
    ...common,
    exit: 3,
  });
}

interface KeyWords {
  sent(from: string): string;
  /** Which names were looked at, as a sentence of its own, or nothing. */
  readonly looked: string;
  readonly next: string;
}

function keyWords({ provider, credential, lookedAt = [] }: ProviderPlace): KeyWords {
  const looked = lookedAt.length === 0 ? "" : ` Looked at: ${lookedAt.join(", ")}.`;
  const [kind, name = ""] = splitName(credential);
  if (kind === "auth")
    return {
      sent: (from) => `The key stored for ${name} was sent to ${from}.${looked}`,
      looked,
      next: `Store a valid one: smith auth login ${name}.`,
    };
  if (kind === "command")
    return {
      sent: (from) => `What the command of the connection ${name} prints was sent to ${from}.${looked}`,
      looked,
      next: `Run the command of the connection ${name} by hand: it must print a valid key for this server.`,
    };
  if (credential !== undefined)
    return {
      sent: (from) => `The key in ${credential} was sent to ${from}.${looked}`,
      looked,
      next: `Check ${credential}: it must hold a valid key for this server.`,
    };
  const [first] = lookedAt;
  const next =
    first === undefined ? "Set the key of this server and try again." : `Set ${first}, or store a key: smith auth login ${provider}.`;
  return { sent: (from) => `No key was sent to ${from}.${looked}`, looked, next };
}

/** The kind of a credential's name and the rest of it; a plain name is that of a variable. */
function splitName(credential: string | undefined): readonly [kind: string, name?: string] {
  const found = /^(auth|command):(.*)$/.exec(credential ?? "");
  return found === null ? ["variable"] : [found[1] ?? "", found[2] ?? ""];
}

const notFound = (error: ProviderError, { place, common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.not-found",
    what: `${place.model === undefined ? "What was asked for" : `The model ${place.model}`} was not found${statusWords(error)}: ${error.message}`,
    why: `${from} does not know the model, or there is no such path.`,
    next: "Choose another model with --model PROVIDER/MODEL, or correct the base URL if the path of that address is wrong.",
    ...common,
    exit: 2,
  });

const rateLimited = (error: ProviderError, { common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.rate-limit",
    what: `The rate limit is reached${statusWords(error)}: ${error.message}`,
    why: `${from} refused more requests for now.`,
    next: "Wait and send the prompt again, or choose another model with --model.",
    ...common,
  });

const quotaUsedUp = (error: ProviderError, { common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.quota",
    what: `The quota of this account is used up${statusWords(error)}: ${error.message}`,
    why: `${from} answers nothing more until it is raised or its period ends; asking again does not help.`,
    next: "Add credit or raise the limit where the account is kept, or choose a model of another account with --model.",
    ...common,
  });

const overloaded = (error: ProviderError, { common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.overloaded",
    what: `The server is overloaded${statusWords(error)}: ${error.message}`,
    why: `${from} could not take the request, also when asked again.`,
    next: "Try again later, or choose another model with --model.",
    ...common,
  });

const unreachableProvider = (error: ProviderError, { common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.unreachable",
    what: `No answer came${statusWords(error)}: ${error.message}`,
    why: `The exchange with ${from} failed.`,
    next: "Check that the server runs and that its address and your proxy settings are right, then try again.",
    ...common,
  });

const tooLong = (error: ProviderError, { common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.context-overflow",
    what: `The conversation is too long for the model${statusWords(error)}: ${error.message}`,
    why: `${from} refused it before answering.`,
    next: "Start a new session, or choose a model with a larger context window with --model.",
    ...common,
  });

const filtered = (error: ProviderError, { common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.content-filter",
    what: `The provider's content filter stopped the answer${statusWords(error)}: ${error.message}`,
    why: `${from} filters requests and answers.`,
    next: "Word the request differently, or choose another model with --model.",
    ...common,
  });

const refusedRequest = (error: ProviderError, { common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.invalid-request",
    what: `The request was refused${statusWords(error)}: ${error.message}`,
    why: `${from} does not accept it, so the same request would fail again.`,
    next: "Read the server's words above; another model (--model) or other settings may be accepted.",
    ...common,
  });

const protocolFault = (error: ProviderError, { common, from }: Context): Diagnostic =>
  diagnostic({
    code: "provider.protocol",
    what: `The answer cannot be understood${statusWords(error)}: ${error.message}`,
    why: `${from} did not answer in the form this provider uses.`,
    next: "Check that the base URL names an API of this kind and that no proxy or login page answers in its place.",
    ...common,
  });

const pluginFault = (error: ProviderError, { place, common }: Context): Diagnostic =>
  diagnostic({
    code: "provider.plugin",
    what: error.message,
    why: `The plugin that contributes ${place.provider} did not do its part; nothing else was affected.`,
    next: "Choose a model of another provider with --model, and report this to the plugin's author.",
    ...common,
  });

const BY_CLASS: { readonly [Class in ProviderError["class"]]: (error: ProviderError, context: Context) => Diagnostic } = {
  auth: authRefused,
  invalid: refusedRequest,
  "not-found": notFound,
  "context-overflow": tooLong,
  "rate-limit": rateLimited,
  quota: quotaUsedUp,
  overloaded,
  transport: unreachableProvider,
  "content-filter": filtered,
  protocol: protocolFault,
  plugin: pluginFault,
};
