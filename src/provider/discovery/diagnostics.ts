import { redactUrl } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const noModels = (provider: string, url: string, why: string): Diagnostic =>
  diagnostic({
    code: "provider.no-models",
    what: `No model is chosen, and ${redactUrl(url)} does not tell one.`,
    why,
    next: `Name it: --model ${provider}/MODEL.`,
    source: { type: "provider", id: provider, url: redactUrl(url) },
    exit: 2,
  });

export const snapshotDamaged = (path: string, problem: string): Diagnostic =>
  diagnostic({
    code: "models.snapshot-damaged",
    what: `What servers said of their models is not used: ${path}`,
    why: `It was read, and ${problem}.`,
    next: "Run smith models refresh; until then the shipped catalogs count, or an earlier list where there is one.",
    source: { type: "file", path },
    severity: "warning",
  });

export const snapshotTooLarge = (bytes: number, most: number): Diagnostic =>
  diagnostic({
    code: "models.snapshot-too-large",
    what: `The lists of models are not kept: they have ${String(bytes)} bytes.`,
    why: `At most ${String(most)} are, and the servers listed more than fits.`,
    next: "Leave out the connection with the longest list; the previous lists still count.",
  });

export const snapshotUnwritten = (dir: string, problem: string): Diagnostic =>
  diagnostic({
    code: "models.snapshot-unwritten",
    what: `The lists of models could not be kept in ${dir}: ${problem}`,
    why: "The file system refused it; the previous lists still count.",
    next: "Make the folder writable for you and run smith models refresh again.",
    source: { type: "file", path: dir },
  });
