import { definePlugin, failure, isHostError, result } from "smith-agent/plugin";
import type { FetchOutput, HostError, Tool, ToolContext, ToolOutput } from "smith-agent/plugin";
import { isHtml, type Kind, kindOf } from "./content.js";

export interface FetchArgs {
  readonly url: string;
  readonly offset?: number;
  readonly raw?: boolean;
  readonly head?: boolean;
}

const MAX_BYTES = 3 * 1024 * 1024;
/** What still gets through to a plugin when every byte has to be escaped on its way. */
const SAFE_BYTES = 640 * 1024;
const WINDOW = 30_000;
const TIMEOUT_MS = 30_000;
/** Attempts in all, and the waits between them; a server that names another one is given that, up to the last. Library seed, WebFetch. */
const ATTEMPTS = 3;
const WAITS_MS = [500, 1_500] as const;
const MAX_WAIT_MS = 10_000;

/** One page or piece of data. What the web answers is an answer: also a refusal is told with what can be done about it. */
export const fetch: Tool<FetchArgs> = async (args, context) => {
  const { url, offset = 0, head = false } = args;
  const problem = urlProblem(url);
  if (problem !== undefined) return failure(problem);
  if (offset < 0) return failure(`offset is ${offset}; characters count from 0.`);
  const got = await get({ url, method: head ? "HEAD" : "GET" }, context);
  if (!("status" in got)) return failure(`${got.what}\n${got.why}\n${got.next}`, { summary: "no answer" });
  if (head) return got.status >= 400 ? refused(got, "") : headersOf(got);
  return await contentOf(got, args, context);
};

async function contentOf(got: FetchOutput, { offset = 0, raw = false }: FetchArgs, context: ToolContext): Promise<ToolOutput> {
  const kind = kindOf(got);
  if (kind.type === "binary") return binary(got, kind);
  const page = isHtml(kind) && !raw ? await markdown(got.body, got.url, context) : { text: got.body };
  return got.status >= 400 ? refused(got, page.text) : windowOf(got, page, offset);
}

function urlProblem(url: string): string | undefined {
  if (!/^https?:\/\//iu.test(url))
    return `url must begin with http:// or https://, not ${JSON.stringify(url.slice(0, 60))}. Files of this machine are for read.`;
  return undefined;
}

interface Asked {
  readonly url: string;
  readonly method: "GET" | "HEAD";
}

/** Transient failures are tried again; the last one is the answer. */
async function get(asked: Asked, context: ToolContext): Promise<FetchOutput | HostError> {
  for (let attempt = 1; ; attempt += 1) {
    const got = await once(asked, context);
    const wait = waitAfter(got, attempt);
    if (wait === undefined) return got;
    context.ui.progress(`trying again in ${Math.round(wait / 100) / 10} s`);
    await context.clock.sleep(wait);
  }
}

/** One attempt; an answer that is too much for a plugin once it is escaped is asked for again, with less of it. */
async function once(asked: Asked, context: ToolContext): Promise<FetchOutput | HostError> {
  const got = await exchange(asked, MAX_BYTES, context);
  return !("status" in got) && got.code === "plugin.answer-size" ? await exchange(asked, SAFE_BYTES, context) : got;
}

async function exchange({ url, method }: Asked, maxBytes: number, { net }: ToolContext): Promise<FetchOutput | HostError> {
  try {
    return await net.fetch({
      url,
      method,
      headers: { accept: "text/html,application/xhtml+xml,application/json,text/*;q=0.9,*/*;q=0.5", "accept-language": "en,*;q=0.5" },
      timeoutMs: TIMEOUT_MS,
      maxBytes,
    });
  } catch (error) {
    if (!isHostError(error)) throw error;
    return error;
  }
}

const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const TRANSIENT_CODES: ReadonlySet<string> = new Set(["net.timeout", "net.unreachable", "net.no-answer", "net.broken-body"]);

/** How long to wait before another attempt; undefined: this is the answer. */
function waitAfter(got: FetchOutput | HostError, attempt: number): number | undefined {
  if (attempt >= ATTEMPTS) return undefined;
  const wait = WAITS_MS[attempt - 1] ?? MAX_WAIT_MS;
  if (!("status" in got)) return TRANSIENT_CODES.has(got.code) ? wait : undefined;
  if (!TRANSIENT.has(got.status)) return undefined;
  const wanted = retryAfterMs(got);
  return wanted === undefined ? wait : wanted <= MAX_WAIT_MS ? Math.max(wait, wanted) : undefined;
}

function retryAfterMs({ headers }: FetchOutput): number | undefined {
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

interface Page {
  readonly text: string;
  readonly title?: string;
  readonly note?: string;
}

/** Of a plugin's calls side by side only so much is taken at once, which pages of several megabytes come to: how often to look again. */
const TURNS = 30;
const TURN_MS = 200;

async function inTurn<T>(call: () => Promise<T>, { clock }: ToolContext): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isHostError(error) || error.code !== "plugin.call-credit" || turn === TURNS) throw error;
      await clock.sleep(TURN_MS);
    }
  }
}

/** A page that cannot be converted is shown as it is. */
async function markdown(html: string, url: string, context: ToolContext): Promise<Page> {
  try {
    const made = await inTurn(async () => await context.text.markdown({ html, url }), context);
    return {
      text: made.markdown,
      ...(made.title === undefined ? {} : { title: made.title }),
      ...(made.isPlain === true ? { note: "the page could not be taken apart; these are its words without structure" } : {}),
    };
  } catch (error) {
    if (!isHostError(error)) throw error;
    return { text: html, note: `shown as it is: ${error.why}` };
  }
}

function windowOf(got: FetchOutput, { text, title, note }: Page, offset: number): ToolOutput {
  if (text === "")
    return result(`${got.url} answered ${got.status} with nothing to read.`, { summary: `${got.status}, empty`, details: dataOf(got, 0) });
  if (offset >= text.length) return failure(`${got.url} has ${text.length} characters; there is nothing at offset ${offset}.`);
  const shown = text.slice(offset, offset + WINDOW).replace(/[\uD800-\uDBFF]$/u, "");
  const end = offset + shown.length;
  const notes = [
    ...(end < text.length ? [`characters ${offset}-${end} of ${text.length}; continue with offset=${end}`] : []),
    ...(got.omittedBytes > 0 ? [`the answer was longer: ${got.omittedBytes} bytes at its end were not taken`] : []),
    ...(note === undefined ? [] : [note]),
  ];
  const head = [got.url, ...(title === undefined ? [] : [title])].join("\n");
  return result([`${head}\n`, shown, ...notes.map((line) => `[${line}]`)].join("\n"), {
    summary: `${text.length.toLocaleString("en")} characters${title === undefined ? "" : ` · ${title.slice(0, 80)}`}`,
    details: dataOf(got, text.length),
  });
}

const MAX_HEADERS = 60;

function headersOf(got: FetchOutput): ToolOutput {
  const all = Object.entries(got.headers);
  const lines = all.slice(0, MAX_HEADERS).map(([name, value]) => `${name}: ${value.slice(0, 500)}`);
  const rest = all.length > lines.length ? [`[${all.length - lines.length} more headers]`] : [];
  return result([`${got.url} answered ${got.status}.`, ...lines, ...rest].join("\n"), {
    summary: `${got.status}, ${got.headers["content-type"] ?? "no type"}`,
    details: dataOf(got, 0),
  });
}

const ADVICE: Readonly<Record<number, string>> = {
  401: "It wants credentials, which this tool has none of.",
  403: "It does not serve programs, or not this page. Look for the same elsewhere: an API, a raw file, a mirror.",
  404: "There is no such page. Check the address, or look for it from the site's start page.",
  410: "The page is gone for good.",
  429: "It wants fewer requests. Do something else first, or use another source.",
};

function refused(got: FetchOutput, text: string): ToolOutput {
  const wait = got.headers["retry-after"];
  const advice = ADVICE[got.status] ?? (got.status >= 500 ? "The server has a problem of its own; another attempt later may help." : "");
  const said = text.trim().slice(0, 1_000);
  const lines = [
    `${got.url} answered ${got.status}.`,
    advice,
    ...(wait === undefined ? [] : [`Retry-After: ${wait}`]),
    ...(said === "" ? [] : [`It said:\n${said}`]),
  ];
  return failure(lines.filter((line) => line !== "").join("\n"), { summary: String(got.status), details: dataOf(got, said.length) });
}

function binary(got: FetchOutput, kind: Kind): ToolOutput {
  const length = got.headers["content-length"];
  const size = length === undefined ? "of unknown size" : `${length} bytes`;
  return result(`${got.url} is ${kind.mediaType}, ${size}. It is no text, and is not shown. A command such as curl -o can store it.`, {
    summary: `${kind.mediaType}, ${size}`,
    details: dataOf(got, 0),
  });
}

const dataOf = (got: FetchOutput, characters: number) => ({
  data: { url: got.url, status: got.status, characters, contentType: got.headers["content-type"] ?? "" },
});

export default definePlugin({ tools: { fetch } });
