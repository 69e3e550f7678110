import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic, ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { hint } from "../output/answers.js";
import { noKeyGiven } from "./diagnostics.js";
import { readHiddenLine } from "./hidden-line.js";
import type { AuthAccount } from "./port.js";

/** Far more than a key has. */
const MAX_BYTES = 65_536;

/** The key a person types, or that is on standard input. A status: they gave up. */
export async function givenKey(
  context: CommandContext,
  { name, title }: Pick<AuthAccount, "name" | "title">,
  signal: AbortSignal,
): Promise<Result<string, Diagnostic | ExitStatus>> {
  if (context.host.stdin.kind !== "terminal") return await keyOfInput(context, name, signal);
  context.errors.line(`Key for ${title} (not shown while it is typed or pasted), then Enter:`);
  const typed = await readHiddenLine(context.host.terminal(), signal);
  if (typed.type === "interrupted") return err(130);
  const key = typed.type === "line" ? typed.text.trim() : "";
  return key === "" ? err(noKeyGiven(name, "Nothing was typed.")) : ok(key);
}

async function keyOfInput({ host, errors }: CommandContext, name: string, signal: AbortSignal): Promise<Result<string, Diagnostic>> {
  if (host.stdin.kind === "idle-prone") hint({ errors }, "smith: the key is read from standard input");
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
    if (bytes > MAX_BYTES) return err(noKeyGiven(name, `Standard input has more than ${String(MAX_BYTES)} bytes.`));
    const key = Buffer.concat(pieces).toString("utf8").trim();
    if (key === "") return err(noKeyGiven(name, "Standard input is empty."));
    return /[\r\n]/u.test(key) ? err(noKeyGiven(name, "Standard input has several lines; which one is the key cannot be told.")) : ok(key);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
