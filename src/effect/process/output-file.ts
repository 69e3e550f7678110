import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { utf8Length } from "../../base/index.js";

/** All of an output, in a file. */
export interface OutputFile {
  push(text: string): void;
  /** Absolute path, once something was written to it; undefined where that failed or never came to it. */
  end(): string | undefined;
  /** Bytes so far, those after the bound too. */
  bytes(): number;
}

export const OUTPUT_FILE_BYTES = 256 * 1024 * 1024;

export interface OutputFileOptions {
  readonly path: string;
  /** Bytes that are held back before there is a file; 0: it is there from the first on. */
  readonly holdBytes: number;
  /** Bytes that are kept in all; what comes after is counted. */
  readonly maxBytes?: number;
}

/**
 * Written as it comes, so that memory does not grow with it. Synchronously: a writer that is faster than the disk is held up with us, and
 * nothing of it is kept in between. Where it cannot be written, the output is what was kept of it elsewhere.
 */
export function createOutputFile({ path, holdBytes, maxBytes = OUTPUT_FILE_BYTES }: OutputFileOptions): OutputFile {
  let held: string[] | undefined = [];
  let bytes = 0;
  let fd: number | undefined;
  let isBroken = false;
  let isFull = false;
  const write = (text: string): void => {
    if (isBroken) return;
    try {
      if (fd === undefined) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        fd = openSync(path, "w", 0o600);
      }
      writeSync(fd, text);
    } catch {
      isBroken = true;
    }
  };
  return {
    push(text) {
      bytes += utf8Length(text);
      if (isFull) return;
      if (held !== undefined && bytes <= holdBytes) {
        held.push(text);
        return;
      }
      if (held !== undefined) for (const piece of held) write(piece);
      held = undefined;
      write(text);
      if (bytes <= maxBytes) return;
      isFull = true;
      write(`\n[what came after ${maxBytes} bytes was not kept]\n`);
    },
    end() {
      if (fd !== undefined) closeSync(fd);
      return fd === undefined || isBroken ? undefined : path;
    },
    bytes: () => bytes,
  };
}
