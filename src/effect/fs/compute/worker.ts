/** Entry of the thread for one large change of a file: its task comes with it, it answers once. */
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../../../base/index.js";
import { type ChangeTask, computeChange } from "./task.js";

const port = parentPort;
invariant(port !== null, "a change is worked out in a thread");
// A cast: the host starts this thread with nothing else.
const result = computeChange(workerData as ChangeTask);
const buffer = result.ok ? result.value.bytes.buffer : undefined;
// Small buffers are parts of a pool, which cannot move.
const isOwn = result.ok && buffer?.byteLength === result.value.bytes.byteLength;
port.postMessage(result, isOwn && buffer instanceof ArrayBuffer ? [buffer] : []);
