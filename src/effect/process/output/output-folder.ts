import type { Stats } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../../base/index.js";
import { errnoOf } from "../../paths/index.js";

export const OUTPUT_FOLDER_BOUNDS = {
  /** A folder nothing was written to for so long is removed … */
  keepMs: 7 * 24 * 3_600_000,
  /** … and so are the oldest, while all together have more bytes than this … */
  totalBytes: 2 * 1024 * 1024 * 1024,
  /** … but none that somebody may be writing to. */
  freshMs: 3_600_000,
} as const;

/** Numbered files of one session, below a folder that all sessions share. */
export interface OutputFolder {
  /** A name that no file of the session has or had, also in an earlier process. */
  next(kind: "command" | "job"): Promise<OutputName>;
  /** Where an earlier process kept what a job printed, if it is still there. */
  former(number: number): Promise<string | undefined>;
  /** Settles when old folders of others are gone; the first `next` begins that. */
  swept(): Promise<void>;
}

export interface OutputName {
  readonly number: number;
  readonly path: string;
}

type Counts = Record<"command" | "job", number>;

/** `folder` need not exist; only files make it. */
export function createOutputFolder({ folder, clock }: { readonly folder: string; readonly clock: Clock }): OutputFolder {
  let counting: Promise<Counts> | undefined;
  let sweeping: Promise<void> | undefined;
  const pathOf = (kind: "command" | "job", number: number): string => join(folder, `${kind}-${number}.log`);
  const counts = async (): Promise<Counts> => await (counting ??= countOf(folder));
  return {
    async next(kind) {
      sweeping ??= sweep(dirname(folder), basename(folder), clock.now());
      const numbers = await counts();
      numbers[kind] += 1;
      return { number: numbers[kind], path: pathOf(kind, numbers[kind]) };
    },
    async former(number) {
      const path = pathOf("job", number);
      return (await statOf(path)) === undefined ? undefined : path;
    },
    swept: async () => {
      await sweeping;
    },
  };
}

async function countOf(folder: string): Promise<Counts> {
  const numbers = { command: 0, job: 0 };
  for (const name of await namesIn(folder)) {
    const [, kind, number] = /^(command|job)-(\d{1,9})\.log$/u.exec(name) ?? [];
    if (kind === "command" || kind === "job") numbers[kind] = Math.max(numbers[kind], Number(number));
  }
  return numbers;
}

interface Used {
  readonly path: string;
  readonly bytes: number;
  readonly lastMs: number;
}

async function sweep(parent: string, own: string, now: number): Promise<void> {
  const folders: Used[] = [];
  for (const name of await namesIn(parent)) {
    const used = await useOf(join(parent, name));
    if (used !== undefined && name !== own) folders.push(used);
  }
  let total = folders.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, bytes, lastMs } of folders.toSorted((left, right) => left.lastMs - right.lastMs)) {
    const age = now - lastMs;
    const isOld = age > OUTPUT_FOLDER_BOUNDS.keepMs || (total > OUTPUT_FOLDER_BOUNDS.totalBytes && age > OUTPUT_FOLDER_BOUNDS.freshMs);
    if (!isOld) continue;
    total -= bytes;
    // One that cannot be removed is tried again the next time.
    await rm(path, { recursive: true, force: true }).catch(orErrno);
  }
}

/** Size and last change of a folder with its files. */
async function useOf(path: string): Promise<Used | undefined> {
  const facts = await statOf(path);
  if (facts?.isDirectory() !== true) return undefined;
  const files = await Promise.all((await namesIn(path)).map((name) => statOf(join(path, name))));
  const known = files.filter((file) => file !== undefined);
  return {
    path,
    bytes: known.reduce((sum, { size }) => sum + size, 0),
    lastMs: known.reduce((last, { mtimeMs }) => Math.max(last, mtimeMs), facts.mtimeMs),
  };
}

const orErrno = (error: unknown): undefined => {
  if (errnoOf(error) === undefined) throw error;
  return undefined;
};

const namesIn = async (folder: string): Promise<readonly string[]> => (await readdir(folder).catch(orErrno)) ?? [];

const statOf = async (path: string): Promise<Stats | undefined> => await stat(path).catch(orErrno);
