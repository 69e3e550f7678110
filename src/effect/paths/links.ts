import type { JsonValue } from "../../base/index.js";
import type { ArgumentLink } from "../../schema/index.js";
import { locatePath } from "./grants.js";
import type { BytePath } from "./names.js";
import { fromText, parseName, showName } from "./names.js";
import type { Looks } from "./resolve.js";
import { isWithin, newLooks, relativeTo, resolveAgainst } from "./resolve.js";

/** Texts of one call that are looked at, and UTF-16 units of one: longer ones are content, not names. */
const MAX_TEXTS = 256;
const MAX_UNITS = 4096;

/**
 * Texts among the arguments of a call that would lead elsewhere than they say, taken as paths: through symbolic links. Whoever judges a
 * call by its paths has to know. `real` is absolute; below the workspace it is spelled as `cwd` is. Looks at names and reads no file.
 */
export async function argumentLinks(args: JsonValue, cwd: string): Promise<readonly ArgumentLink[]> {
  const found: ArgumentLink[] = [];
  const looks = newLooks();
  for (const path of new Set(textsOf(args).slice(0, MAX_TEXTS))) {
    const real = await leadsTo(path, cwd, looks);
    if (real !== undefined) found.push({ path, real });
  }
  return found;
}

function textsOf(value: JsonValue): readonly string[] {
  if (typeof value === "string") return value !== "" && value.length <= MAX_UNITS && !/[\0\n]/u.test(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part: JsonValue) => textsOf(part));
}

async function leadsTo(path: string, cwd: string, looks: Looks): Promise<string | undefined> {
  const located = await locatePath(path, { cwd }, looks);
  // What cannot be followed cannot be opened either.
  if (!located.ok) return undefined;
  const { real, cwd: realCwd } = located.value;
  const root = fromText(cwd);
  const named: BytePath = isWithin(realCwd, real) ? resolveAgainst(root, relativeTo(realCwd, real)) : real;
  const spellings = [parseName(path), fromText(path)].map((name) => resolveAgainst(root, name));
  return spellings.includes(named) ? undefined : showName(named);
}
