import { readdir, readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errnoOf } from "../paths/index.js";

/** Environment variable that marks everything started by one command, wherever it went since. */
export const MARK_NAME = "SMITH_COMMAND";

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "latin1");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** From `/proc/<pid>/stat`; dead processes that nobody has collected yet are left out. The name in it may hold anything. */
function parseStat(pid: number, text: string): ProcessFacts | undefined {
  const [state, parent, group, session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X" || state === undefined) return undefined;
  // Threads of the kernel have no group, and no environment to wait for.
  if (group === "0") return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

async function runningProcesses(): Promise<readonly ProcessFacts[]> {
  const names = await readdir("/proc").catch((error: unknown) => {
    if (errnoOf(error) === undefined) throw error;
    return [];
  });
  const facts = await Promise.all(
    names
      .filter((name) => /^\d+$/u.test(name))
      .map(async (name) => {
        const text = await readText(`/proc/${name}/stat`);
        return text === undefined ? undefined : parseStat(Number(name), text);
      }),
  );
  return facts.filter((fact) => fact !== undefined);
}

/**
 * Living descendants of a command: its group, its session, children of those, and whoever carries its mark in the
 * environment (also after a double fork into a session of its own). Empty where there is no `/proc`.
 */
export async function familyOf(leader: number, mark: string): Promise<readonly number[]> {
  const all = await runningProcesses();
  const family = new Set(
    all.filter(({ pid, group, session }) => pid === leader || group === leader || session === leader).map(({ pid }) => pid),
  );
  for (const { pid } of all) {
    if (!family.has(pid) && pid !== 1 && (await carriesMark(pid, mark))) family.add(pid);
  }
  for (let size = -1; size !== family.size;) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

/** When a process started, in the words of the system: it tells two that had the same number apart. Undefined: none runs. */
export async function processStart(pid: number): Promise<string | undefined> {
  const text = await readText(`/proc/${pid}/stat`);
  return text === undefined || parseStat(pid, text) === undefined ? undefined : text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
}

/** Members of the command's own group that are certainly its own: a number that was given anew to others does not count. */
export async function markedGroup(leader: number, mark: string): Promise<readonly number[]> {
  const members = (await runningProcesses()).filter(({ group }) => group === leader);
  const marked = await Promise.all(members.map(({ pid }) => carriesMark(pid, mark)));
  return members.filter((_, index) => marked[index] === true).map(({ pid }) => pid);
}

/** Whoever carries the mark, in whichever group. */
export async function marked(mark: string): Promise<readonly number[]> {
  const all = await runningProcesses();
  const carrying = await Promise.all(all.map(({ pid }) => carriesMark(pid, mark)));
  return all.filter((_, index) => carrying[index] === true).map(({ pid }) => pid);
}

/** Looks at a process that just goes on as another program, until that has its environment: some thousandths of a second. */
const LOOKS = 50;

async function carriesMark(pid: number, mark: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look += 1) {
    const environment = await readText(`/proc/${pid}/environ`);
    if (environment !== "") return environment?.split("\0").includes(`${MARK_NAME}=${mark}`) === true;
    await nextTurn();
  }
  return false;
}

/** Sends a signal; a process that is gone already, or belongs to somebody else, is not an error. */
export function signalProcess(pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Ends a whole family: the group by its number, the others one by one. */
export async function signalFamily(leader: number, mark: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  signalProcess(-leader, signal);
  for (const pid of await familyOf(leader, mark)) if (pid !== process.pid) signalProcess(pid, signal);
}
