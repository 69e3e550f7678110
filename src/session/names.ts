import type { Result, SessionId } from "../base/index.js";
import { err, isUuid, ok } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import { folderUnreadable, sessionAmbiguous, sessionUnknown } from "./diagnostics.js";
import type { FileOperations } from "./log/index.js";
import { errorCode } from "./log/index.js";
import { SessionStorageError } from "./types.js";

const EXTENSION = ".smith";
const OWNER = ".owner";
const SHORTEST = 4;

export const sessionPath = (dir: string, id: SessionId): string => `${dir}/${id}${EXTENSION}`;

/** Ids of all session files in a directory; none when the directory is not there. Other files are ignored. */
export const sessionIds = async (ops: FileOperations, dir: string): Promise<readonly SessionId[]> => (await sessionsIn(ops, dir)).ids;

/** The same, and whether a note on who writes a session lies beside its file: one look into the directory for all of them. */
export async function sessionsIn(
  ops: FileOperations,
  dir: string,
): Promise<{ readonly ids: readonly SessionId[]; readonly hasOwner: (id: SessionId) => boolean }> {
  try {
    const names = await ops.readdir(dir);
    const owners = new Set(names.filter((name) => name.endsWith(OWNER)));
    const ids = names.filter((name) => name.endsWith(EXTENSION) && isUuid(name.slice(0, -EXTENSION.length))).map(idOf);
    return { ids, hasOwner: (id) => owners.has(`${id}${OWNER}`) };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { ids: [], hasOwner: () => false };
    throw new SessionStorageError(folderUnreadable(dir, error));
  }
}

/** The name of a session file is its id; the caller has checked the form. */
const idOf = (name: string): SessionId => name.slice(0, -EXTENSION.length) as SessionId;

const SHORT = 8;
const HEX_DIGITS = 32;

/** What to call the sessions whose last 8 digits are another one's too: the shortest end of the id that is theirs alone. */
export function longerNames(ids: readonly SessionId[]): ReadonlyMap<SessionId, string> {
  const names = new Map<SessionId, string>();
  for (let groups = [...groupsOf(ids, SHORT).values()], digits = SHORT + 1; digits <= HEX_DIGITS; digits += 1) {
    groups = groups.filter(({ length }) => length > 1);
    if (groups.length === 0) break;
    groups = groups.flatMap((group) => [...groupsOf(group, digits).values()]);
    for (const [one, ...others] of groups) if (one !== undefined && others.length === 0) names.set(one, endOf(one, digits));
  }
  return names;
}

function groupsOf(ids: readonly SessionId[], digits: number): ReadonlyMap<string, SessionId[]> {
  const groups = new Map<string, SessionId[]>();
  for (const id of ids) {
    const end = endOf(id, digits);
    const group = groups.get(end);
    if (group === undefined) groups.set(end, [id]);
    else group.push(id);
  }
  return groups;
}

/** The last digits of an id, with the hyphens between them. */
function endOf(id: SessionId, digits: number): string {
  let at = id.length;
  for (let left = digits; left > 0 && at > 0;) {
    at -= 1;
    if (id[at] !== "-") left -= 1;
  }
  return id.slice(at);
}

/** The one id that is `name` or ends with it. Case and hyphens do not matter. */
export function resolveName(name: string, ids: readonly SessionId[], dir: string): Result<SessionId, Diagnostic> {
  const digits = name.toLowerCase().replaceAll("-", "");
  if (digits.length < SHORTEST || !/^[0-9a-f]+$/u.test(digits)) return err(sessionUnknown(name, dir));
  const matches = ids.filter((id) => id.replaceAll("-", "").endsWith(digits));
  const [first] = matches;
  if (first === undefined) return err(sessionUnknown(name, dir));
  return matches.length === 1 ? ok(first) : err(sessionAmbiguous(name, matches));
}
