import { type Clock, err, ok, type Result } from "../../base/index.js";
import { type Download, isLoopback } from "../../plugin/index.js";
import type { EnvView, HttpBody, HttpEngine, HttpFailure } from "../../provider/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

export interface DownloadDeps {
  readonly env: EnvView;
  readonly clock: Clock;
  readonly version: string;
}

export interface Downloader {
  readonly download: Download;
  close(): void;
}

/** Between two bytes; all of it may take longer. */
const WAITS = { connectMs: 20_000, headMs: 30_000, gapMs: 30_000 };
const TOTAL_MS = 180_000;
const MAX_REDIRECTS = 5;

/** Fetches files of a package registry by the program's HTTP engine, which is loaded when something is first fetched. Sends no credentials. */
export function createDownloader(deps: DownloadDeps): Downloader {
  let engine: HttpEngine | undefined;
  const load = async (): Promise<HttpEngine> => {
    const { createHttpEngine } = await import("../../provider/index.js");
    engine ??= createHttpEngine({ ...deps, secret: () => undefined, bounds: WAITS });
    return engine;
  };
  return {
    download: async (url, { signal, maxBytes }) => {
      const over = new AbortController();
      const limit = AbortSignal.any([signal, over.signal]);
      const done = new AbortController();
      const late = deps.clock.sleep(TOTAL_MS, done.signal).then(() => {
        if (!done.signal.aborted) over.abort("late");
      });
      try {
        const fetched = await fetchFile(await load(), url, { signal: limit, maxBytes });
        return over.signal.aborted ? err(downloadFailed(url, `It took longer than ${String(TOTAL_MS / 1000)} s.`)) : fetched;
      } finally {
        done.abort("done");
        await late;
      }
    },
    close: () => {
      engine?.close();
    },
  };
}

type Options = Parameters<Download>[1];

async function fetchFile(engine: HttpEngine, first: string, options: Options): Promise<Result<Uint8Array, Diagnostic>> {
  let url = first;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answered = await engine.exchange({ method: "GET", url, headers: { accept: "*/*" }, secrets: [] }, options.signal);
    if (!answered.ok) return err(downloadFailed(url, sentence(answered.error)));
    const { head, body } = answered.value;
    if (head.status === 200) return await readBody(url, body, options);
    body.release();
    const location = head.headers["location"];
    if (head.status < 300 || head.status > 399 || location === undefined) return err(badAnswer(url, head.status));
    const next = redirectOf(url, location);
    if (next === undefined) return err(downloadFailed(url, `It sends on to ${location.slice(0, 200)}, which is not https.`));
    url = next;
  }
  return err(downloadFailed(first, `It sends on more than ${String(MAX_REDIRECTS)} times.`));
}

/** Where a redirect leads: to https, or on this machine from this machine. */
function redirectOf(from: string, location: string): string | undefined {
  if (!URL.canParse(location, from)) return undefined;
  const [origin, next] = [new URL(from), new URL(location, from)];
  if (next.username !== "" || next.password !== "") return undefined;
  const isLocal = next.protocol === "http:" && isLoopback(next.hostname) && isLoopback(origin.hostname);
  return next.protocol === "https:" || isLocal ? next.href : undefined;
}

async function readBody(url: string, body: HttpBody, { maxBytes }: Options): Promise<Result<Uint8Array, Diagnostic>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const piece = await body.read();
    if (piece === undefined) break;
    length += piece.length;
    if (length > maxBytes) {
      body.cancel();
      return err(downloadFailed(url, `It is larger than the ${String(maxBytes)} bytes allowed.`));
    }
    pieces.push(piece);
  }
  const { end } = body;
  if (end?.outcome === "complete") return ok(Buffer.concat(pieces, length));
  return err(downloadFailed(url, `The answer is not whole: ${end?.detail ?? "it was stopped"}.`));
}

const sentence = ({ message }: HttpFailure): string => `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;

const downloadFailed = (url: string, why: string): Diagnostic =>
  diagnostic({
    code: "plugin.download",
    what: `${url} could not be fetched.`,
    why,
    next: "Check the network, the proxy variables and the registry in your .npmrc, and try again.",
    retry: { type: "now" },
  });

const badAnswer = (url: string, status: number): Diagnostic =>
  diagnostic({
    code: "plugin.download-status",
    what: `${url} could not be fetched.`,
    why: status === 404 ? "The registry has no such package or version (404)." : `The registry answers with status ${String(status)}.`,
    next:
      status === 401 || status === 403
        ? "Registries that need a login are not supported: fetch the package with npm pack and install the .tgz file."
        : "Check the name and version of the package.",
  });
