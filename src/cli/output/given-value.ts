import type { CommandContext } from "../context.js";
import { hint } from "./answers.js";
import { readHiddenLine } from "./hidden-line.js";

/** Far more than a key has. */
const MAX_BYTES = 65_536;

/** `text` without blanks around it. `why` is a sentence. */
export type GivenValue =
  { readonly type: "text"; readonly text: string } | { readonly type: "nothing"; readonly why: string } | { readonly type: "interrupted" };

/** A value nobody should see: typed by a person without being shown, or all of standard input. Never an argument. */
export async function givenValue(
  context: CommandContext,
  { noun, title }: { readonly noun: string; readonly title: string },
  signal: AbortSignal,
): Promise<GivenValue> {
  if (context.host.stdin.kind !== "terminal") return await valueOfInput(context, noun, signal);
  context.errors.line(`${title} (not shown while it is typed or pasted), then Enter:`);
  const typed = await readHiddenLine(context.host.terminal(), signal);
  if (typed.type === "interrupted") return { type: "interrupted" };
  const text = typed.type === "line" ? typed.text.trim() : "";
  return text === "" ? { type: "nothing", why: "Nothing was typed." } : { type: "text", text };
}

async function valueOfInput({ host, errors }: CommandContext, noun: string, signal: AbortSignal): Promise<GivenValue> {
  if (host.stdin.kind === "idle-prone") hint({ errors }, `smith: the ${noun} is read from standard input`);
  const stop = (): void => {
    host.stdin.close();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (const chunks = host.stdin.chunks(); bytes <= MAX_BYTES;) {
      const chunk = await chunks.next();
      if (chunk.done === true) break;
      pieces.push(chunk.value);
      bytes += chunk.value.byteLength;
    }
    if (bytes > MAX_BYTES) return { type: "nothing", why: `Standard input has more than ${String(MAX_BYTES)} bytes.` };
    const text = Buffer.concat(pieces).toString("utf8").trim();
    return text === "" ? { type: "nothing", why: "Standard input is empty." } : { type: "text", text };
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
