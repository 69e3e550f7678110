import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { utf8Length } from "../../../base/index.js";
import { errnoOf } from "../../paths/index.js";

/** Resolves when more can be taken; undefined: at once. */
export type Room = Promise<void> | undefined;

/** All of an output, in a file. */
export interface OutputFile {
  push(text: string): void;
  /** Whoever pushes on before there is room only costs memory. */
  room(): Room;
  /** Absolute path, once all of it is written; undefined where that failed or nothing was. */
  end(): Promise<string | undefined>;
  /** Bytes so far, those after the bound too. */
  bytes(): number;
}

export const OUTPUT_FILE_BYTES = 256 * 1024 * 1024;

/** Bytes that wait for the disk before the writer has to. */
const WAITING_BYTES = 1024 * 1024;

export interface OutputFileOptions {
  /** No file yet; its folder is made. */
  readonly path: string;
  /** Bytes that are held back before there is a file; 0: it is there from the first on. */
  readonly holdBytes: number;
  /** Bytes that are kept in all; what comes after is counted. */
  readonly maxBytes?: number;
}

/**
 * Written as it comes, in order, with at most a megabyte in memory as long as the writer waits for room. Where it cannot be written, the
 * output is what was kept of it elsewhere.
 */
export function createOutputFile({ path, holdBytes, maxBytes = OUTPUT_FILE_BYTES }: OutputFileOptions): OutputFile {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let bytes = 0;
  let handle: FileHandle | undefined;
  let writing: Promise<void> | undefined;
  let isBroken = false;
  let isFull = false;

  async function write(): Promise<void> {
    try {
      handle ??= await create(path);
      while (waiting.length > 0) {
        const text = waiting.join("");
        waiting = [];
        waitingBytes = 0;
        await handle.appendFile(text);
      }
    } catch (error) {
      // A full disk, a folder that is gone: of the command that prints it is no failure.
      if (errnoOf(error) === undefined) throw error;
      isBroken = true;
      waiting = [];
    } finally {
      writing = undefined;
    }
  }

  function add(text: string, size: number): void {
    waiting.push(text);
    waitingBytes += size;
    if (bytes > holdBytes) writing ??= write();
  }

  return {
    push(text) {
      const size = utf8Length(text);
      bytes += size;
      if (isFull || isBroken) return;
      add(text, size);
      if (bytes <= maxBytes) return;
      isFull = true;
      add(`\n[what came after ${maxBytes} bytes was not kept]\n`, 0);
    },
    room: () => (waitingBytes > WAITING_BYTES ? writing : undefined),
    async end() {
      await writing;
      await handle?.close();
      return handle === undefined || isBroken ? undefined : path;
    },
    bytes: () => bytes,
  };
}

async function create(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return await open(path, "wx", 0o600);
}
