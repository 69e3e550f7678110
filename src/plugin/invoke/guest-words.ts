import type { DestroyReason } from "../cell/index.js";
import { type GuestError, guestError, readJson } from "../shape/index.js";

const MAX_FRAMES = 8;
const MAX_STACK = 2_048;
const MAX_MESSAGE = 4_096;

/** Reads what a guest says of its error. A guest that says nonsense is quoted as having said nothing. */
export function readGuestError(json: string): GuestError {
  const read = readJson(guestError, json, "error");
  return read.ok ? read.value : { name: "Error", message: "(it said nothing that can be read)", stack: "" };
}

/** Only the plugin's own frames: the prelude's and the engine's say nothing to anybody. */
function trimStack(stack: string): string {
  const frames = stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at ") && !line.includes("smith:") && !line.includes("(native)") && !line.endsWith("native"));
  return frames.slice(0, MAX_FRAMES).join("\n").slice(0, MAX_STACK);
}

/** Names that plugins reach for and that are absent on purpose, with what there is instead. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["fetch", "Use context.net.fetch; it needs the grant net. A provider returns a plan instead and the host makes the exchange."],
  ["process", "Nothing of Node exists in a plugin; run programs with context.process.run."],
  ["require", "Use import; packages have to be bundled into the plugin."],
  ["Buffer", "Use Uint8Array with TextEncoder and TextDecoder."],
  ["setTimeout", "There are no timers in a plugin; wait with context.clock.sleep, bound work with timeout-ms."],
  ["setInterval", "There are no timers in a plugin; wait with context.clock.sleep, bound work with timeout-ms."],
  ["crypto", "Use context.entropy.bytes for random bytes."],
  ["performance", "The clock stands still during a call; context.now is its time."],
]);

/** One error of a plugin in words for a model or an author: what was thrown, what there is instead, then its own frames. */
export function errorWords(error: GuestError): string {
  const missing = /^'?([A-Za-z]+)'? is not defined$/u.exec(error.message)?.[1];
  return thrownWords(error, missing === undefined ? undefined : INSTEAD.get(missing));
}

/** The same of code that is no plugin's, to which nothing of a plugin's context is there instead. */
export function thrownWords({ name, message, stack, what, why, next }: GuestError, advice = ""): string {
  if (what !== undefined && what !== "") return [what, why, next].filter((part) => part !== undefined && part !== "").join("\n");
  const head = `${name.slice(0, 100)}: ${message}`.slice(0, MAX_MESSAGE);
  return [head, advice, trimStack(stack)].filter((part) => part !== "").join("\n");
}

/** Why an instance is gone, as the rest of the sentence "its plugin ...". `detail` of a busy one is the time it had, ms. */
export function destroyWords(reason: DestroyReason, detail: string): string {
  switch (reason) {
    case "busy":
      return `was stopped: it ran for ${Number(detail).toLocaleString("en")} ms without yielding`;
    case "memory":
      return "was stopped: it used more memory than a plugin may have";
    case "killed":
      return "was stopped while it ran";
    case "sibling":
      return "went down with another call that had to be stopped";
    case "crashed":
      return `crashed with its thread: ${detail}`;
    case "trap":
      return `crashed: ${detail}`;
    case "closed":
      return "was closed with the session";
    case "load":
      return `could not be loaded: ${errorWords(readGuestError(detail))}`;
  }
}

/** What to do about it. */
export function destroyAdvice(reason: DestroyReason): string {
  switch (reason) {
    case "busy":
      return "Leave searching, comparing and cutting of large texts to host operations, and split long loops.";
    case "memory":
      return "Ask for less at a time: a smaller window, a lower limit.";
    case "load":
      return "Correct the plugin's module, or disable the plugin.";
    case "sibling":
    case "killed":
    case "closed":
      return "Nothing is wrong with this call; make it again if it is still wanted.";
    case "crashed":
    case "trap":
      return "Try once more; if it happens again, disable the plugin and report it.";
  }
}
