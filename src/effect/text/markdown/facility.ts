import { Worker } from "node:worker_threads";
import { type Clock, err, ok, type Result, utf8Length } from "../../../base/index.js";
import type { Diagnostic, SdkOperations } from "../../../schema/index.js";
import { diagnostic } from "../../../schema/index.js";
import type { Facility } from "../../types.js";

const BOUNDS = {
  /** UTF-8 bytes of a page. */
  bytes: 5 * 1024 * 1024,
  timeoutMs: 5_000,
  memoryMiB: 512,
} as const;

export interface MarkdownDeps {
  readonly clock: Clock;
  /** The bundled worker; a conversion without it runs nowhere. */
  readonly markdownWorkerUrl?: URL;
}

type Output = SdkOperations["text.markdown"]["output"];

/** Bounded in size, time and memory: it reaches nothing, so it needs no grant. */
export function createMarkdownFacility({ clock, markdownWorkerUrl }: MarkdownDeps): Facility<"text.markdown"> {
  return {
    authorize: async (input) => {
      const bytes = utf8Length(input.html);
      return await Promise.resolve(bytes > BOUNDS.bytes ? err(pageTooLarge(bytes)) : ok(input));
    },
    run: async (input, { signal }) => {
      if (markdownWorkerUrl === undefined) return { outcome: "not-applied", result: err(notConverted("This run has no worker for it.")) };
      const worker = new Worker(markdownWorkerUrl, {
        workerData: input,
        resourceLimits: { maxOldGenerationSizeMb: BOUNDS.memoryMiB, stackSizeMb: 64 },
      });
      const over = new AbortController();
      const result = await Promise.race([
        answerOf(worker),
        clock
          .sleep(BOUNDS.timeoutMs, AbortSignal.any([signal, over.signal]))
          .then((): Result<Output, Diagnostic> =>
            err(notConverted(signal.aborted ? "It was stopped." : `It took more than ${BOUNDS.timeoutMs / 1_000} s.`)),
          ),
      ]);
      over.abort("over");
      await worker.terminate();
      return { outcome: "not-applied", result };
    },
  };
}

const answerOf = async (worker: Worker): Promise<Result<Output, Diagnostic>> =>
  await new Promise((resolve) => {
    // What comes is made by our own worker.
    worker.once("message", (converted: Output) => resolve(ok(converted)));
    worker.once("error", (error) => resolve(err(notConverted(error.message))));
    worker.once("exit", () => resolve(err(notConverted("Its thread ended."))));
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
