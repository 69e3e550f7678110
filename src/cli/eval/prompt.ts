import { isAbsolute, join } from "node:path";
import { type Clock, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { fileNotIncluded, inputNotText, inputTooLong, inputUnreadable, noPrompt } from "../diagnostics.js";
import type { InputPort } from "../host.js";
import type { LineWord } from "../program.js";

/** Of standard input and of each included file. */
export const MAX_INPUT_BYTES = 10 * 1_048_576;
/** How long a pipe beside a prompt may stay silent. */
export const IDLE_PIPE_MS = 1000;

export interface PromptPorts {
  readonly stdin: InputPort;
  readonly clock: Clock;
  readonly cwd: string;
  readFile(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Takes an image along, beside the words that stand for it. Undefined: the bytes are none; an error says why they cannot be shown. */
  attach?(bytes: Uint8Array): Promise<Result<string, string> | undefined>;
  /** Told to the person at once: it may explain why nothing happens. */
  notice(text: string): void;
  readonly signal: AbortSignal;
}

/**
 * The prompt by the rules of `smith eval --help`. Words are joined by one blank and otherwise kept as they are. Of standard
 * input that is the whole prompt one final line end is dropped. Standard input is left closed. After an abort: no prompt.
 */
export async function readPrompt(words: readonly LineWord[], ports: PromptPorts): Promise<Result<string, Diagnostic>> {
  const asksForInput = words.some(({ text, literal }) => !literal && text === "-");
  const given = words.filter(({ text, literal }) => literal || text !== "-");
  try {
    if (given.length === 0) return await promptFromInput(asksForInput, ports);
    const parts = await readWords(given, ports);
    if (!parts.ok) return parts;
    const input = await attachedInput(asksForInput, ports);
    if (!input.ok) return input;
    const spoken = parts.value.spoken.join(" ");
    const attached = [...parts.value.files, ...(input.value === "" ? [] : [enclose("stdin", "", input.value)])];
    if (spoken.trim() === "" && parts.value.files.length === 0) return err(noPrompt("The words given hold nothing but white space."));
    return ok([...(spoken.trim() === "" ? [] : [spoken]), ...attached].join("\n\n"));
  } finally {
    ports.stdin.close();
  }
}

async function promptFromInput(asked: boolean, ports: PromptPorts): Promise<Result<string, Diagnostic>> {
  if (ports.stdin.kind === "terminal" && !asked) return err(noPrompt("There are no words, and standard input is a terminal."));
  const text = await readInput(ports, "wait");
  if (!text.ok) return text;
  return text.value.trim() === ""
    ? err(noPrompt("There are no words, and standard input is empty."))
    : ok(text.value.replace(/\r?\n$/u, ""));
}

function attachedInput(asked: boolean, ports: PromptPorts): Promise<Result<string, Diagnostic>> {
  if (ports.stdin.kind === "terminal" && !asked) return Promise.resolve(ok(""));
  return readInput(ports, asked || ports.stdin.kind === "file" ? "wait" : "give-up");
}

async function readInput(ports: PromptPorts, whenIdle: "wait" | "give-up"): Promise<Result<string, Diagnostic>> {
  const chunks = ports.stdin.chunks();
  const first = chunks.next();
  if (!(await arrives(first, ports))) {
    if (whenIdle === "give-up") {
      ports.notice("standard input has brought nothing for 1 s and is left out; give - as a word to wait for it");
      return ok("");
    }
    ports.notice("waiting for standard input");
  }
  const bytes = await collect(chunks, first, ports.signal);
  return bytes.ok ? decodeInput(bytes.value, ports) : bytes;
}

async function collect(
  chunks: AsyncIterator<Uint8Array>,
  first: Promise<IteratorResult<Uint8Array>>,
  signal: AbortSignal,
): Promise<Result<Uint8Array, Diagnostic>> {
  const collected: Uint8Array[] = [];
  let bytes = 0;
  const stopped = aborted(signal);
  try {
    for (let next = first; ; next = chunks.next()) {
      const chunk = await Promise.race([next, stopped]);
      if (chunk === undefined || chunk.done === true) return ok(Buffer.concat(collected));
      bytes += chunk.value.byteLength;
      if (bytes > MAX_INPUT_BYTES) return err(inputTooLong(MAX_INPUT_BYTES));
      collected.push(chunk.value);
    }
  } catch (error) {
    return err(inputUnreadable(error instanceof Error ? error.message : String(error)));
  }
}

/** Whether anything, a chunk or the end, comes before the idle time is over. */
async function arrives(next: Promise<unknown>, ports: PromptPorts): Promise<boolean> {
  const quiet = new AbortController();
  const settled = next.then(
    () => true,
    () => true,
  );
  const idle = ports.clock.sleep(IDLE_PIPE_MS, AbortSignal.any([quiet.signal, ports.signal])).then(() => ports.signal.aborted);
  const came = await Promise.race([settled, idle]);
  quiet.abort();
  return came;
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else
      signal.addEventListener(
        "abort",
        () => {
          resolve(undefined);
        },
        { once: true },
      );
  });

function decodeInput(bytes: Uint8Array, ports: PromptPorts): Result<string, Diagnostic> {
  if (bytes.includes(0)) return err(inputNotText());
  const text = new TextDecoder().decode(bytes);
  if (text.includes("\ufffd") && !Buffer.from(text).equals(bytes))
    ports.notice("standard input is not all UTF-8; the bytes that are not became \ufffd");
  return ok(text);
}

interface Spoken {
  readonly spoken: readonly string[];
  readonly files: readonly string[];
}

async function readWords(words: readonly LineWord[], ports: PromptPorts): Promise<Result<Spoken, Diagnostic>> {
  const spoken: string[] = [];
  const files: string[] = [];
  for (const { text, literal } of words) {
    if (literal || !/^@./u.test(text)) {
      spoken.push(text);
      continue;
    }
    const path = text.slice(1);
    const content = await readIncluded(path, ports);
    if (!content.ok) return content;
    files.push(enclose("file", ` path=${JSON.stringify(path)}`, content.value));
  }
  return ok({ spoken, files });
}

async function readIncluded(path: string, ports: PromptPorts): Promise<Result<string, Diagnostic>> {
  try {
    const bytes = await ports.readFile(isAbsolute(path) ? path : join(ports.cwd, path), MAX_INPUT_BYTES);
    if (bytes.includes(0)) return await attached(path, bytes, ports);
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return err(fileNotIncluded(path, REASONS[String(code)] ?? (error instanceof TypeError ? "It is not UTF-8 text." : String(error))));
  }
}

/** What is no text can be an image. */
async function attached(path: string, bytes: Uint8Array, ports: PromptPorts): Promise<Result<string, Diagnostic>> {
  const image = await ports.attach?.(bytes);
  if (image?.ok === true) return image;
  return err(fileNotIncluded(path, image?.error ?? "It is not a text file, and no PNG, JPEG, GIF or WebP image."));
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file.",
  ENOTDIR: "There is no such file.",
  EISDIR: "It is a folder.",
  EACCES: "It may not be read.",
  ERR_TOO_LARGE: `It has more than ${String(MAX_INPUT_BYTES)} bytes.`,
  ERR_NAMED_PIPE: "It is a named pipe; nobody may ever write into it.",
  ERR_ENCODING_INVALID_ENCODED_DATA: "It is not UTF-8 text.",
};

const enclose = (tag: string, attributes: string, text: string): string =>
  `<${tag}${attributes}>\n${text.endsWith("\n") ? text : `${text}\n`}</${tag}>`;
