import { closeSync, constants, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import type { Readable } from "node:stream";
import { ReadStream } from "node:tty";
import { errnoOf } from "../paths/index.js";
import { TERMINAL_SIZE } from "./output/index.js";

/** A terminal for one program, seen from the side of the person. */
export interface Terminal {
  /** What the program opens. */
  readonly path: string;
  readonly output: Readable;
  /** As if it was typed, and then the end of input. */
  type(text: string): void;
  /**
   * The program has ended: hands over what is left. Whether nobody else has the terminal: then that was all, and it is closed. Else its
   * output goes on.
   */
  finish(this: void, take: (chunk: Buffer) => void): boolean;
  close(this: void): void;
}

/** Undefined where the system has none to give. */
export type OpenTerminal = () => Terminal | undefined;

/** The part of the package that asks the system; its own reader loses the end of an output when the program ends. */
interface Binding {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
}

/** Undefined where its native part is missing or does not fit the machine: it is an optional package. */
export function loadTerminals(): OpenTerminal | undefined {
  try {
    const require = createRequire(import.meta.url);
    const loaded = require("@lydell/node-pty/requireBinary.js") as { readonly requireBinary: (file: string) => Partial<Binding> };
    const { open } = loaded.requireBinary("pty.node");
    return open === undefined ? undefined : () => openTerminal(open);
  } catch {
    return undefined;
  }
}

/** What a person types at the end of input. */
const END_OF_INPUT = "\x04";

/** It counts only at the beginning of a line; elsewhere the first hands over what was typed. */
const typed = (text: string): string => `${text}${text === "" || text.endsWith("\n") ? "" : END_OF_INPUT}${END_OF_INPUT}`;

type Ends = ReturnType<Binding["open"]>;

function openTerminal(open: Binding["open"]): Terminal | undefined {
  let ends: Ends;
  try {
    ends = open(TERMINAL_SIZE.columns, TERMINAL_SIZE.rows);
  } catch {
    // Its errors are words alone.
    return undefined;
  }
  try {
    // While the other side is open here, no reader is told that it is over before all was read. This one is not inherited by programs.
    return terminalOf(ends, openSync(ends.pty, constants.O_RDWR | constants.O_NOCTTY));
  } catch (error) {
    closeSync(ends.master);
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  } finally {
    closeSync(ends.slave);
  }
}

function terminalOf({ master, pty: path }: Ends, other: number): Terminal {
  let isOtherOpen = true;
  const release = (): void => {
    if (isOtherOpen) closeSync(other);
    isOtherOpen = false;
  };
  const output = new ReadStream(master);
  // Its last reading fails where the other side is gone.
  output.on("error", () => undefined);
  return {
    path,
    output,
    type(text) {
      output.write(typed(text));
    },
    finish(take) {
      output.pause();
      for (let chunk: unknown = output.read(); chunk !== null; chunk = output.read()) if (Buffer.isBuffer(chunk)) take(chunk);
      release();
      const isOver = readAll(master, take);
      if (isOver) output.destroy();
      else output.resume();
      return isOver;
    },
    close() {
      release();
      output.destroy();
    },
  };
}

/** Most that is read at once of a terminal that others go on writing to. */
const READ_BYTES = 4 * 1024 * 1024;

/** Whether it came to the end, which is when the last program has closed it. */
function readAll(fd: number, take: (chunk: Buffer) => void): boolean {
  for (let read = 0; read < READ_BYTES;) {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    try {
      const size = readSync(fd, buffer);
      if (size === 0) return true;
      take(buffer.subarray(0, size));
      read += size;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return errnoOf(error) !== "EAGAIN";
    }
  }
  return false;
}
