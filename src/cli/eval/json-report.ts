import type { Diagnostic, SmithEvent } from "../../schema/index.js";
import { jsonLine } from "../output/visible.js";
import type { Writer } from "../output/writer.js";
import type { RunReport } from "./report.js";

/**
 * Events as JSON, one a line, `run_end` last in every case. While the reader is behind, progress is merged or dropped, as the
 * vocabulary allows: deltas that follow each other become one, `tool_progress` and `run_metrics` are left out.
 */
export function createJsonReport(out: Writer): RunReport {
  let held: SmithEvent | undefined;
  let ended = false;
  const put = (record: object): void => {
    out.write(jsonLine(record));
  };
  const release = (): void => {
    if (held !== undefined) put(held);
    held = undefined;
  };
  return {
    event(event) {
      if (ended) return;
      ended = event.type === "run_end";
      const isBehind = out.isBehind();
      if (isBehind && (event.type === "tool_progress" || event.type === "run_metrics")) return;
      const merged = held === undefined ? undefined : mergeDeltas(held, event);
      if (merged === undefined) release();
      if (isBehind && isDelta(event)) held = merged ?? event;
      else {
        held = undefined;
        put(merged ?? event);
      }
    },
    settled({ session, submission, end, time }) {
      if (ended) return;
      release();
      ended = true;
      put({ type: "run_end", session, time, ...end, receipt: submission ?? null });
    },
    failed([error], time) {
      if (ended) return;
      release();
      ended = true;
      put({ type: "run_end", session: null, time, ...startupEnd(error), reply: "", receipt: null });
    },
  };
}

type Delta = Extract<SmithEvent, { readonly type: "assistant_delta" | "thinking_delta" }>;

const isDelta = (event: SmithEvent): event is Delta => event.type === "assistant_delta" || event.type === "thinking_delta";

/** Two deltas of one kind as one, or undefined when the events do not join. */
function mergeDeltas(first: SmithEvent, second: SmithEvent): SmithEvent | undefined {
  if (!isDelta(first) || !isDelta(second) || first.type !== second.type || first.session !== second.session) return undefined;
  return { ...first, text: first.text + second.text };
}

/** How a run that never began ended: by a signal when there is no error. */
function startupEnd(error: Diagnostic | undefined): object {
  if (error === undefined) return { status: "aborted", reason: "abort" };
  return { status: "error", reason: error.code === "internal.bug" ? "bug" : "startup", error };
}
