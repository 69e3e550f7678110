import type { Stats } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { posix } from "node:path";
import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { errnoOf, linkCycle, notFolder, systemFailure } from "./failures.js";
import type { BytePath } from "./names.js";
import { bytesOf, fromBytes, showName } from "./names.js";

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** Where a path really leads. When it does not exist, `real` is where it would be made, all links on the way resolved. */
export interface RealPath {
  readonly real: BytePath;
  readonly exists: boolean;
}

// Path arithmetic keeps one character per byte, so the results are byte paths again.
export const joinPath = (folder: BytePath, name: string): BytePath => posix.join(folder, name) as BytePath;
export const parentOf = (path: BytePath): BytePath => posix.dirname(path) as BytePath;
export const baseOf = (path: BytePath): BytePath => posix.basename(path) as BytePath;
/** `path` against `folder`; `.` and `..` are taken away by spelling, before links are looked at. */
export const resolveAgainst = (folder: BytePath, path: BytePath): BytePath => posix.resolve(folder, path) as BytePath;
export const relativeTo = (folder: BytePath, path: BytePath): BytePath => posix.relative(folder, path) as BytePath;

/** Whether `path` is `root` or below it. Both must be real paths. */
export const isWithin = (root: BytePath, path: BytePath): boolean =>
  path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);

/** What was found on the way, within one check: places that its paths have in common are looked at once. */
export interface Looks {
  readonly stats: Map<BytePath, Promise<Stats>>;
  /** Where whole paths lead; undefined for one that does not lead to the end. */
  readonly ends: Map<BytePath, Promise<BytePath | undefined>>;
}

export const newLooks = (): Looks => ({ stats: new Map(), ends: new Map() });

function look(at: BytePath, { stats }: Looks): Promise<Stats> {
  const known = stats.get(at) ?? lstat(bytesOf(at));
  stats.set(at, known);
  return known;
}

/** All the way in one question to the system, where what the path names is there. Why it is not is for the walk to say. */
function endOf(path: BytePath, { ends }: Looks): Promise<BytePath | undefined> {
  const known = ends.get(path) ?? realpath(bytesOf(path), { encoding: "buffer" }).then(fromBytes, () => undefined);
  ends.set(path, known);
  return known;
}

interface Step {
  readonly at: BytePath;
  readonly pending: readonly string[];
  /** Components after the first one that does not exist are only spelled, not looked up. */
  readonly missing: boolean;
  readonly links: number;
}

const componentsOf = (path: string): readonly string[] => path.split("/").filter((part) => part !== "" && part !== ".");

/**
 * Follows every link on the way, also dangling ones to the place they point at. `path` is absolute. Fails on cycles, on a
 * file used as a folder, and on folders that may not be entered.
 */
export async function resolveReal(path: BytePath, looks: Looks = newLooks()): Promise<Result<RealPath, Diagnostic>> {
  const end = await endOf(path, looks);
  if (end !== undefined) return ok({ real: end, exists: true });
  const folder = await endOf(parentOf(path), looks);
  const isBelow = folder !== undefined && componentsOf(path).at(-1) === baseOf(path) && baseOf(path) !== "..";
  let step: Step = isBelow
    ? { at: folder, pending: [baseOf(path)], missing: false, links: 0 }
    : { at: "/" as BytePath, pending: componentsOf(path), missing: false, links: 0 };
  while (step.pending.length > 0) {
    const next = await advance(step, path, looks);
    if (!next.ok) return next;
    step = next.value;
  }
  return ok({ real: step.at, exists: !step.missing });
}

async function advance(step: Step, whole: BytePath, looks: Looks): Promise<Result<Step, Diagnostic>> {
  const [name = ".", ...pending] = step.pending;
  if (name === "..") return ok({ ...step, at: parentOf(step.at), pending });
  const at = joinPath(step.at, name);
  if (step.missing) return ok({ ...step, at, pending });
  try {
    const stats = await look(at, looks);
    if (!stats.isSymbolicLink()) {
      if (pending.length > 0 && !stats.isDirectory()) return err(notFolder(showName(at)));
      return ok({ ...step, at, pending });
    }
    const links = step.links + 1;
    if (links > MAX_LINKS) return err(linkCycle(showName(whole)));
    const target = fromBytes(await readlink(bytesOf(at), { encoding: "buffer" }));
    const from = target.startsWith("/") ? ("/" as BytePath) : step.at;
    return ok({ at: from, pending: [...componentsOf(target), ...pending], missing: false, links });
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return ok({ ...step, at, pending, missing: true });
    if (errnoOf(error) === "ENOTDIR") return err(notFolder(showName(step.at)));
    return err(systemFailure(error, showName(at), "reached"));
  }
}
