import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf } from "./paths/index.js";
import { findCommandShell, findProgram, type GivenEnvironment, loadTerminals } from "./process/index.js";

/** A folder as one who wants to write there finds it. */
export interface MachineFolder {
  /** `none`: it is not there and can be made; `blocked`: it is not there and cannot be. */
  readonly state: "writable" | "read-only" | "none" | "blocked" | "no-folder";
  /** Of its file system, for who may not use what is reserved; undefined where that cannot be found out. */
  readonly freeBytes: number | undefined;
}

/** What this machine has of what smith can use. Starts no program and changes nothing. */
export interface Machine {
  /** Absolute path; undefined when it is not on the PATH, or not there. */
  program(name: string): Promise<string | undefined>;
  /** The shell that runs command lines, absolute. */
  shell(): Promise<string>;
  folder(path: string): Promise<MachineFolder>;
  /** Whether commands can be run on a terminal of their own. */
  hasTerminals(): boolean;
}

export const createMachine = ({ env, cwd }: { readonly env: GivenEnvironment; readonly cwd: string }): Machine => ({
  program: async (name) => await findProgram(name, env, cwd),
  shell: async () => (await findCommandShell(env)).file,
  folder: folderAt,
  hasTerminals: () => loadTerminals() !== undefined,
});

async function folderAt(path: string): Promise<MachineFolder> {
  const type = await typeOf(path);
  if (type === "none") {
    const above = dirname(path) === path ? undefined : await folderAt(dirname(path));
    const canBeMade = above?.state === "writable" || above?.state === "none";
    return { state: canBeMade ? "none" : "blocked", freeBytes: above?.freeBytes };
  }
  if (type === "no-folder") return { state: "no-folder", freeBytes: undefined };
  return { state: (await mayWrite(path)) ? "writable" : "read-only", freeBytes: await freeBytesOf(path) };
}

async function typeOf(path: string): Promise<"folder" | "no-folder" | "none"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "no-folder";
  } catch (error) {
    // What may not be looked at is there, or cannot be made: the folder above tells which.
    if (errnoOf(error) === undefined) throw error;
    return "none";
  }
}

async function mayWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

async function freeBytesOf(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
