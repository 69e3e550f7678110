/** One conversion in a thread of its own: what hostile markup costs, it costs there. */
import { parentPort, workerData } from "node:worker_threads";
import { toMarkdown } from "./convert.js";

const { html, url } = workerData as { readonly html: string; readonly url: string | undefined };
parentPort?.postMessage(toMarkdown(html, url));
