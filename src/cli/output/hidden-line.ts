import { StringDecoder } from "node:string_decoder";
import type { TerminalPort } from "../host.js";

export type HiddenLine =
  | { readonly type: "line"; readonly text: string }
  /** Ctrl-C, or the end of input before any line. */
  | { readonly type: "interrupted" | "ended" };

/** Keys a person can type or paste. */
const MAX_CHARACTERS = 65_536;
const ENDS = /[\r\n\u0003\u0004]/u;
/** Arrow keys, marks around what is pasted, and other keys that are no text. */
const SEQUENCES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~])/gu;

/**
 * A line typed at the terminal that is not shown. Backspace, Ctrl-U, Ctrl-C and Ctrl-D do what they always do. The terminal is as it was
 * when this resolves, and also when the process ends before. An abort ends it as the end of input does.
 */
export async function readHiddenLine(
  { input, process }: Pick<TerminalPort, "input" | "process">,
  signal: AbortSignal,
): Promise<HiddenLine> {
  const decoder = new StringDecoder("utf8");
  let typed = "";
  const restore = (): void => {
    input.setRawMode?.(false);
  };
  const forget = process.onExitRestore(restore);
  let finish: (text: string) => void = () => undefined;
  const end = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const onData = (chunk: Uint8Array): void => {
    typed += decoder.write(Buffer.from(chunk));
    if (ENDS.test(typed) || typed.length > MAX_CHARACTERS) finish(typed);
  };
  const onEnd = (): void => {
    finish(typed);
  };
  input.setRawMode?.(true);
  input.on("data", onData);
  input.on("end", onEnd);
  input.on("error", onEnd);
  signal.addEventListener("abort", onEnd, { once: true });
  if (signal.aborted) onEnd();
  input.resume();
  try {
    return lineOf(await end);
  } finally {
    signal.removeEventListener("abort", onEnd);
    input.off("data", onData);
    input.off("end", onEnd);
    input.off("error", onEnd);
    input.pause();
    restore();
    forget();
  }
}

/** What was meant by all that was typed. */
export function lineOf(typed: string): HiddenLine {
  const at = typed.search(ENDS);
  const last = at === -1 ? "" : typed.charAt(at);
  if (last === "\u0003") return { type: "interrupted" };
  const kept = (at === -1 ? typed : typed.slice(0, at)).replace(SEQUENCES, "");
  const characters: string[] = [];
  for (const character of kept) {
    if (character === "\u007f" || character === "\b") characters.pop();
    else if (character === "\u0015") characters.length = 0;
    else characters.push(character);
  }
  const text = characters.join("");
  return text === "" && last !== "\r" && last !== "\n" ? { type: "ended" } : { type: "line", text };
}
