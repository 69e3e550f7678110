import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import type { EffectContext, GrantRoot } from "../types.js";
import { badPath, movedAway } from "./failures.js";
import type { BytePath } from "./names.js";
import { fromText, parseName, showName } from "./names.js";
import type { RealPath } from "./resolve.js";
import { isWithin, relativeTo, resolveAgainst, resolveReal } from "./resolve.js";

/** What holds for every plugin, whatever it was granted. */
export interface PathPolicy {
  /** What the grant root `temp` means. Absolute. */
  readonly tempDir: string;
  /** Folders and files no plugin reads, lists, searches or changes: smith's own sessions, credentials, plugin store. Absolute. */
  readonly denied: readonly string[];
}

export type PathAccess = "read" | "write" | "search";

/** A path that passed the check. */
export interface Place extends RealPath {
  /** Shown form: relative to the workspace when inside, else absolute. Always of the real path. */
  readonly shown: string;
  /** Shown form, always absolute: the narrowed input that is recorded and run. */
  readonly recorded: string;
}

const GRANTS = {
  read: { key: "fsRead", word: "fs read", verb: "read" },
  write: { key: "fsWrite", word: "fs write", verb: "write" },
  search: { key: "search", word: "search", verb: "search" },
} as const;

const rootWord = (root: GrantRoot): string => (typeof root === "string" ? root : root.path);

export function grantDenied(request: {
  readonly plugin: string;
  readonly access: PathAccess;
  readonly real: string;
  readonly asked: string;
  readonly grant: readonly GrantRoot[];
}): Diagnostic {
  const { word, verb } = GRANTS[request.access];
  const through = request.asked === request.real ? "" : ` (asked for as ${request.asked})`;
  const grant = request.grant.length === 0 ? `it has no grant ${word}` : `its grant is ${word}=${request.grant.map(rootWord).join(", ")}`;
  return diagnostic({
    code: "grant.denied",
    what: `${request.plugin} may not ${verb} ${request.real}${through}.`,
    why: `The path really lies outside: ${grant}. Symbolic links are followed before the check.`,
    next: "Use a path inside that grant, or ask the user to do it or to widen the grant of the plugin.",
    source: { type: "plugin", id: request.plugin },
  });
}

const innerDenied = (plugin: string, real: string): Diagnostic =>
  diagnostic({
    code: "grant.internal",
    what: `${plugin} may not touch ${real}.`,
    why: "It belongs to smith itself (sessions, credentials or installed plugins), which no plugin reads or changes.",
    next: "Work on other files; smith has commands of its own for its data.",
    source: { type: "plugin", id: plugin },
  });

/** Shown form of a real path for this invocation. */
export function displayPath(real: BytePath, realCwd: BytePath): string {
  if (!isWithin(realCwd, real)) return showName(real);
  const relative = relativeTo(realCwd, real);
  return relative === "" ? "." : showName(relative);
}

/** The workspace root with its links resolved. */
export async function realWorkspace(context: EffectContext): Promise<BytePath> {
  const resolved = await resolveReal(fromText(context.cwd));
  return resolved.ok ? resolved.value.real : fromText(context.cwd);
}

async function realRoot(root: GrantRoot, cwd: BytePath, policy: PathPolicy): Promise<BytePath> {
  if (root === "workspace") return cwd;
  if (root === "anywhere") return fromText("/");
  const resolved = await resolveReal(fromText(root === "temp" ? policy.tempDir : root.path));
  return resolved.ok ? resolved.value.real : fromText("/\0");
}

/** The denied places with their links resolved, for walkers that must stay out of them. */
export async function realDenied(policy: PathPolicy): Promise<readonly BytePath[]> {
  const resolved = await Promise.all(policy.denied.map((path) => resolveReal(fromText(path))));
  return resolved.flatMap((result) => (result.ok ? [result.value.real] : []));
}

/**
 * The shown form is read back first, so that every name a tool printed leads to its file; a spelling that only exists
 * when its backslashes are taken literally is accepted too.
 */
async function locate(asked: string, cwd: BytePath): Promise<Result<RealPath, Diagnostic>> {
  const parsed = await resolveReal(resolveAgainst(cwd, parseName(asked)));
  if (!asked.includes("\\") || (parsed.ok && parsed.value.exists)) return parsed;
  const literal = await resolveReal(resolveAgainst(cwd, fromText(asked)));
  return literal.ok && literal.value.exists ? literal : parsed;
}

/**
 * Resolves `asked` against the workspace, follows links, and checks the real path against the granted roots. A hard link
 * counts where its name is: its other names cannot be known, and writing replaces the name, never the shared content.
 */
export async function authorizePath(
  asked: string,
  access: PathAccess,
  context: EffectContext,
  policy: PathPolicy,
): Promise<Result<Place, Diagnostic>> {
  if (asked === "" || asked.includes("\0") || parseName(asked).includes("\0")) return err(badPath(asked));
  const cwd = await realWorkspace(context);
  const located = await locate(asked, cwd);
  if (!located.ok) return located;
  const { real } = located.value;
  const shown = displayPath(real, cwd);
  const granted = context.grants[GRANTS[access].key];
  const roots = await Promise.all(granted.map((root) => realRoot(root, cwd, policy)));
  if (!roots.some((root) => isWithin(root, real)))
    return err(grantDenied({ plugin: context.plugin, access, real: showName(real), asked: showName(parseName(asked)), grant: granted }));
  const denied = await realDenied(policy);
  if (denied.some((root) => isWithin(root, real))) return err(innerDenied(context.plugin, showName(real)));
  return ok({ ...located.value, shown, recorded: showName(real) });
}

/** A path that was authorized before its intent was recorded must still be what it was: no link may stand on it now. */
export async function confirmPlace(recorded: string, context: EffectContext): Promise<Result<Place, Diagnostic>> {
  const path = parseName(recorded);
  const resolved = await resolveReal(path);
  if (!resolved.ok) return resolved;
  if (resolved.value.real !== path) return err(movedAway(recorded));
  return ok({ ...resolved.value, shown: displayPath(path, await realWorkspace(context)), recorded });
}
