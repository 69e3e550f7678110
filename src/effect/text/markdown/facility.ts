import { Worker } from "node:worker_threads";
import { type Clock, err, ok, utf8Length } from "../../../base/index.js";
import type { Diagnostic, SdkOperations } from "../../../schema/index.js";
import { diagnostic } from "../../../schema/index.js";
import type { Facility } from "../../types.js";
import { plainText } from "./plain.js";

const BOUNDS = {
  /** UTF-8 bytes of a page. */
  bytes: 5 * 1024 * 1024,
  timeoutMs: 3_000,
  memoryMiB: 512,
} as const;

export interface MarkdownDeps {
  readonly clock: Clock;
  /** The bundled worker; a conversion without it runs nowhere. */
  readonly markdownWorkerUrl?: URL;
}

type Output = SdkOperations["text.markdown"]["output"];

/**
 * Bounded in size, time and memory: it reaches nothing, so it needs no grant. One page at a time; what the thread cannot take apart
 * comes as plain text.
 */
export function createMarkdownFacility({ clock, markdownWorkerUrl }: MarkdownDeps): Facility<"text.markdown"> {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    authorize: async (input) => {
      const bytes = utf8Length(input.html);
      return await Promise.resolve(bytes > BOUNDS.bytes ? err(pageTooLarge(bytes)) : ok(input));
    },
    run: async (input, { signal }) => {
      if (markdownWorkerUrl === undefined) return { outcome: "not-applied", result: err(notConverted("This run has no worker for it.")) };
      const mine = tail.then(async () => (signal.aborted ? "failed" : await inThread(markdownWorkerUrl, input, { clock, signal })));
      tail = mine;
      const made = await mine;
      if (signal.aborted) return { outcome: "not-applied", result: err(notConverted("It was stopped.")) };
      // Too tangled, too deep or too large for the thread: its words are still worth reading.
      return { outcome: "not-applied", result: ok(made === "failed" ? { markdown: plainText(input.html), isPlain: true } : made) };
    },
  };
}

type Input = SdkOperations["text.markdown"]["input"];

/** Never rejects; the thread has ended when it resolves. */
async function inThread(url: URL, input: Input, { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal }) {
  const worker = new Worker(url, {
    execArgv: [],
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: BOUNDS.memoryMiB, stackSizeMb: 16 },
  });
  const over = new AbortController();
  const end = (): "failed" => "failed";
  const made = await Promise.race([answerOf(worker), clock.sleep(BOUNDS.timeoutMs, AbortSignal.any([signal, over.signal])).then(end, end)]);
  over.abort("over");
  await worker.terminate();
  return made;
}

const answerOf = async (worker: Worker): Promise<Output | "failed"> =>
  await new Promise((resolve) => {
    // What comes is made by our own worker.
    worker.once("message", (converted: Output) => resolve(converted));
    worker.once("error", () => resolve("failed"));
    worker.once("exit", () => resolve("failed"));
  });

const pageTooLarge = (bytes: number): Diagnostic =>
  diagnostic({
    code: "text.page-too-large",
    what: `The page has ${bytes} bytes.`,
    why: `At most ${BOUNDS.bytes} bytes are converted.`,
    next: "Take it as it is, in parts.",
  });

const notConverted = (why: string): Diagnostic =>
  diagnostic({
    code: "text.not-converted",
    what: "The page could not be made into Markdown.",
    why,
    next: "Take it as it is.",
  });
