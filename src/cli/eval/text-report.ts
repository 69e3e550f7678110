import { shortId } from "../../base/index.js";
import { type Diagnostic, type SmithEvent, spendWords, targetName } from "../../schema/index.js";
import type { ErrorReport } from "../context.js";
import { runStopped } from "../diagnostics.js";
import { localTime } from "../output/time.js";
import { visible, visibleLine } from "../output/visible.js";
import type { Writer } from "../output/writer.js";
import type { RunReport } from "./report.js";

/**
 * The model's text on standard output as it comes, each message ended by a line end. Thinking is not shown. Tools and retries
 * are told on standard error when that is a terminal; notices, effects of unknown outcome, errors and failovers that a person has to see
 * to always.
 */
export function createTextReport(out: Writer, errors: ErrorReport): RunReport {
  const message = createMessageText(out);
  let shown: Diagnostic | undefined;
  const show = (problem: Diagnostic): void => {
    if (shown?.code === problem.code && shown.what === problem.what) return;
    shown = problem;
    out.push();
    errors.diagnostic(problem);
  };
  const note = ({ what }: Diagnostic): void => {
    out.push();
    errors.line(`note: ${what}`);
  };
  return {
    event(event) {
      message.event(event);
      if (event.type === "error" && isNote(event.diagnostic)) note(event.diagnostic);
      else if (event.type === "error") show(event.diagnostic);
      const text = newsOf(event) ?? (errors.isTerminal ? progressOf(event) : undefined);
      if (text === undefined) return;
      out.push();
      // Later lines stand under the first, so that each is seen to be of the same voice.
      for (const [index, line] of text.trimEnd().split("\n").entries()) errors.line(index === 0 ? line : `  ${line}`);
    },
    settled({ end }) {
      message.finish();
      const cost = errors.isTerminal && end.cost !== undefined ? spendWords(end) : undefined;
      if (cost !== undefined) errors.line(`cost ${cost}`);
      if (end.error !== undefined) show(end.error);
      else if (end.status !== "ok" && end.status !== "aborted") show(runStopped(end.reason));
    },
    failed() {
      message.finish();
    },
  };
}

/** What is not as it was wished and keeps nothing from being done: a line is enough. */
const isNote = ({ code, severity }: Diagnostic): boolean => severity === "warning" && code.startsWith("route.");

interface MessageText {
  event(event: SmithEvent): void;
  /** Ends an unfinished line. */
  finish(): void;
}

function createMessageText(out: Writer): MessageText {
  let streamed = "";
  const write = (text: string): void => {
    streamed += text;
    out.write(visible(text));
  };
  const finish = (): void => {
    if (streamed !== "" && !streamed.endsWith("\n")) out.write("\n");
    streamed = "";
  };
  return {
    event(event) {
      if (event.type === "assistant_start") finish();
      else if (event.type === "assistant_delta") write(event.text);
      else if (event.type === "assistant") {
        // The end of a message is authoritative: what did not come as a delta is written now.
        if (!event.text.startsWith(streamed)) finish();
        write(event.text.slice(streamed.length));
        finish();
      }
    },
    finish,
  };
}

/** What a person has to know wherever standard error leads. */
function newsOf(event: SmithEvent): string | undefined {
  // Whose words these are: a plugin must not speak as smith.
  if (event.type === "notice") return event.plugin === undefined ? event.text : `${event.plugin}: ${event.text}`;
  // It happens again with every run until somebody sees to the key, the account or the name.
  if (event.type === "failover" && LASTING.has(event.failure)) return `smith: ${failoverLine(event).trimStart()}`;
  if (event.type !== "unknown_effect") return undefined;
  const effect = visibleLine(`effect ${shortId(event.effect)} ${event.operation} ${event.summary}`.trimEnd());
  return `smith: outcome unknown, since its end was not recorded: ${effect}; it was not run again, check before repeating it`;
}

function progressOf(event: SmithEvent): string | undefined {
  if (event.type === "tool_start") return visibleLine(`· ${event.name} ${event.argsSummary}`.trimEnd());
  if (event.type === "tool_end") return toolEndLine(event);
  if (event.type === "retry")
    return visibleLine(
      `  retry ${String(event.attempt)}/${String(event.max)} in ${String(Math.ceil(event.delayMs / 1000))} s: ${event.reason}`,
    );
  return event.type === "failover" ? failoverLine(event) : undefined;
}

const LASTING: ReadonlySet<Extract<SmithEvent, { readonly type: "failover" }>["failure"]> = new Set([
  "auth",
  "quota",
  "not-found",
] as const);

/** A time until which it is left alone is that of a rate limit. */
function failoverLine({ from, to, reason, until }: Extract<SmithEvent, { readonly type: "failover" }>): string {
  const left = targetName(from);
  const why = until === undefined ? `${left} could not answer (${reason})` : `rate limited by ${left} until ${localTime(until)}`;
  return visibleLine(`  ${why}, continuing on ${targetName(to)}`);
}

function toolEndLine({ isError, resultSummary }: Extract<SmithEvent, { readonly type: "tool_end" }>): string | undefined {
  if (isError) return visibleLine(`  failed: ${resultSummary}`.trimEnd());
  return resultSummary === "" ? undefined : visibleLine(`  → ${resultSummary}`);
}
