import type { ProgressToken } from "@modelcontextprotocol/sdk/types.js";
import type { SmithEvent } from "../schema/index.js";

/** A request as its handler is given it, as far as it is used here. */
export interface RequestExtra {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: ProgressToken | undefined } | undefined;
  sendNotification(notification: ProgressNotification): Promise<void>;
}

export interface ProgressNotification {
  readonly method: "notifications/progress";
  readonly params: { readonly progressToken: ProgressToken; readonly progress: number; readonly message: string };
}

/** UTF-16 units of one message. */
const MAX_MESSAGE = 2_000;

/** Tells how far a request is, where the client asked to hear it; each time with a greater number, as the protocol wants. */
export function progressOf(extra: RequestExtra, isBehind: () => boolean): ((message: string) => void) | undefined {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    if (isBehind() || message === "") return;
    progress += 1;
    const params = { progressToken, progress, message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message };
    // Nobody is left to be told when it cannot be sent.
    extra.sendNotification({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

/** Text is told in pieces of at least so many UTF-16 units. */
const PIECE = 160;

/** A run as a person would follow it: its rounds, its calls of tools, its text. */
export function tellRun(tell: (message: string) => void): (event: SmithEvent) => void {
  let rounds = 0;
  let text = "";
  const flush = (): void => {
    if (text.trim() !== "") tell(text);
    text = "";
  };
  return (event) => {
    if (event.type === "assistant_delta") {
      text += event.text;
      if (text.length >= PIECE) flush();
      return;
    }
    if (event.type === "assistant_start") rounds += 1;
    const words = wordsOf(event, rounds);
    if (words === undefined && event.type !== "assistant") return;
    flush();
    if (words !== undefined) tell(words);
  };
}

function wordsOf(event: SmithEvent, rounds: number): string | undefined {
  if (event.type === "assistant_start") return `round ${rounds}`;
  if (event.type === "tool_start") return `${event.name} ${event.argsSummary}`.trim();
  if (event.type === "tool_end")
    return [`${event.name}: ${event.isError ? "failed" : "done"}`, event.resultSummary].filter((part) => part !== "").join(", ");
  return event.type === "retry" ? `trying again: ${event.reason}` : undefined;
}
