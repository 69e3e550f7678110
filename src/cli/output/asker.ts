import type { CommandContext } from "../context.js";

/** Questions to the person at the terminal, one after the other. */
export interface Asker {
  /** Anything but y or yes, also the end of input, is no. `question` is one line, said on standard error. */
  agrees(question: string): Promise<boolean>;
  /** Ends a question that waits, as with no. Standard input is left closed. */
  readonly close: () => void;
}

/** Whether there is somebody to ask: they read standard error and type on standard input. */
export const canAsk = ({ host, errors }: Pick<CommandContext, "host" | "errors">): boolean =>
  host.stdin.kind === "terminal" && errors.isTerminal;

export function createAsker({ host, errors }: Pick<CommandContext, "host" | "errors">): Asker {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let typed = "";
  const line = async (): Promise<string> => {
    chunks ??= host.stdin.chunks();
    while (!/[\r\n]/u.test(typed)) {
      const chunk = await chunks.next();
      if (chunk.done === true) break;
      typed += Buffer.from(chunk.value).toString("utf8");
    }
    const [, own = "", rest = ""] = /^([^\r\n]*)(?:\r\n|[\r\n])?([^]*)$/u.exec(typed) ?? [];
    typed = rest;
    return own;
  };
  return {
    async agrees(question) {
      errors.line(question);
      return /^\s*y(?:es)?\s*$/iu.test(await line());
    },
    close: () => {
      host.stdin.close();
    },
  };
}
