import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";
import type { EffectContext, GrantRoot } from "../types.js";
import { badPath, movedAway } from "./failures.js";
import type { BytePath } from "./names.js";
import { fromText, parseName, showName } from "./names.js";
import type { Looks, RealPath } from "./resolve.js";
import { isWithin, newLooks, parentOf, relativeTo, resolveAgainst, resolveReal } from "./resolve.js";

/** What holds for every plugin, whatever it was granted. */
export interface PathPolicy {
  /** What the grant root `temp` means. Absolute. */
  readonly tempDir: string;
  /** Folders and files no plugin reads, lists, searches or changes: smith's own sessions, credentials, plugin store. Absolute. */
  readonly denied: readonly string[];
  /** Folders that whoever may read or search the workspace may read and search too: whole outputs of its commands. Absolute. */
  readonly readable?: readonly string[];
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
  read: { key: "fsRead", word: "fs read", verb: "read", manifest: (root: string) => `fs read="${root}"` },
  write: { key: "fsWrite", word: "fs write", verb: "write", manifest: (root: string) => `fs write="${root}"` },
  search: { key: "search", word: "search", verb: "search", manifest: (root: string) => `search "${root}"` },
} as const;

const rootWord = (root: GrantRoot): string => (typeof root === "string" ? root : `path:${root.path}`);

/** What the refused path is compared with. */
interface Refused {
  readonly plugin: string;
  readonly access: PathAccess;
  readonly real: BytePath;
  readonly asked: string;
  readonly grant: readonly GrantRoot[];
  readonly cwd: BytePath;
}

function pathDenied({ plugin, access, real, asked, grant, cwd }: Refused): Diagnostic {
  const { word, verb, manifest } = GRANTS[access];
  const shown = showName(real);
  const through = asked === shown ? "" : ` (asked for as ${asked})`;
  const has = grant.length === 0 ? `it has no grant ${word}` : `its grant is ${word}=${grant.map(rootWord).join(", ")}`;
  const readOnly = access === "write" && grant.includes("resources") ? " Resources are only read." : "";
  return grantDenied({
    plugin,
    wanted: `${verb} ${shown}${through}`,
    why: `The path really lies outside: ${has}. Symbolic links are followed before the check.${readOnly}`,
    instead: "Use a path inside the grant",
    manifest: manifest(isWithin(cwd, real) ? "workspace" : `path:${showName(parentOf(real))}`),
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

const gitDenied = (plugin: string, real: string): Diagnostic =>
  diagnostic({
    code: "grant.git-internal",
    what: `${plugin} may not write ${real}.`,
    why: "It belongs to the internals of a git repository: its hooks and settings are run by git, and a change past git can break it.",
    next: "Use git itself through a command, for example git config or git commit.",
    source: { type: "plugin", id: plugin },
  });

/**
 * What the system tells of processes: environments with keys in them, memory, open files. Of this one as of the shell it was started
 * from, so all are out of reach.
 */
const OF_PROCESSES = /^\/proc\/(?:\d+|self|thread-self)(?:\/|$)/u;

const processDenied = (plugin: string, real: string): Diagnostic =>
  diagnostic({
    code: "grant.process-internal",
    what: `${plugin} may not touch ${real}.`,
    why: "It shows the inside of a running program, such as its environment with the keys in it, whatever files were granted.",
    next: "Run a program that tells what is needed, such as ps, or do without it.",
    source: { type: "plugin", id: plugin },
  });

/** A folder, or the file of a linked work tree, of that name; some file systems do not tell upper from lower case. */
const GIT_INTERNAL = /\/\.git(?:\/|$)/iu;

/** Shown form of a real path for this invocation. */
export function displayPath(real: BytePath, realCwd: BytePath): string {
  if (!isWithin(realCwd, real)) return showName(real);
  const relative = relativeTo(realCwd, real);
  return relative === "" ? "." : showName(relative);
}

/** The workspace root with its links resolved. */
export async function realWorkspace(context: Pick<EffectContext, "cwd">, looks?: Looks): Promise<BytePath> {
  const resolved = await resolveReal(fromText(context.cwd), looks);
  return resolved.ok ? resolved.value.real : fromText(context.cwd);
}

async function realRoots(root: GrantRoot, scope: RootScope): Promise<readonly BytePath[]> {
  const { context, policy, looks } = scope;
  if (typeof root !== "string") return resolveAll([root.path], looks);
  switch (root) {
    case "workspace":
      return scope.access === "write" ? [scope.cwd] : [scope.cwd, ...(await resolveAll(policy.readable ?? [], looks))];
    case "anywhere":
      return [fromText("/")];
    case "temp":
      return resolveAll([policy.tempDir], looks);
    case "plugin-data":
      return resolveAll([context.dataDir], looks);
    case "resources":
      return scope.access === "write" ? [] : resolveAll(context.resources, looks);
  }
}

interface RootScope {
  readonly context: EffectContext;
  readonly policy: PathPolicy;
  readonly cwd: BytePath;
  readonly access: PathAccess;
  readonly looks: Looks;
}

/** Real paths of absolute ones; one that leads nowhere is left out. */
async function resolveAll(paths: readonly string[], looks: Looks): Promise<readonly BytePath[]> {
  const resolved = await Promise.all(paths.map((path) => resolveReal(fromText(path), looks)));
  return resolved.flatMap((result) => (result.ok ? [result.value.real] : []));
}

/** The denied places with their links resolved, for walkers that must stay out of them, and what the system tells of processes. */
export const realDenied = async (policy: PathPolicy): Promise<readonly BytePath[]> => [
  ...(await resolveAll(policy.denied, newLooks())),
  fromText("/proc"),
];

/**
 * The shown form is read back first, so that every name a tool printed leads to its file; a spelling that only exists
 * when its backslashes are taken literally is accepted too.
 */
async function locate(asked: string, cwd: BytePath, looks: Looks): Promise<Result<RealPath, Diagnostic>> {
  const parsed = await resolveReal(resolveAgainst(cwd, parseName(asked)), looks);
  if (!asked.includes("\\") || (parsed.ok && parsed.value.exists)) return parsed;
  const literal = await resolveReal(resolveAgainst(cwd, fromText(asked)), looks);
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
  const looks = newLooks();
  const found = await locatePath(asked, context, looks);
  if (!found.ok) return found;
  const { real, cwd } = found.value;
  const granted = context.grants[GRANTS[access].key];
  const scope = { context, policy, cwd, access, looks };
  const [roots, denied] = await Promise.all([
    Promise.all(granted.map(async (root) => await realRoots(root, scope))),
    resolveAll(policy.denied, looks),
  ]);
  if (!roots.flat().some((root) => isWithin(root, real)))
    return err(pathDenied({ plugin: context.plugin, access, real, asked: showName(parseName(asked)), grant: granted, cwd }));
  if (OF_PROCESSES.test(real)) return err(processDenied(context.plugin, showName(real)));
  if (denied.some((root) => isWithin(root, real))) return err(innerDenied(context.plugin, showName(real)));
  if (access === "write" && GIT_INTERNAL.test(real)) return err(gitDenied(context.plugin, showName(real)));
  return ok({ real, exists: found.value.exists, shown: displayPath(real, cwd), recorded: showName(real) });
}

/** Where `asked` really leads, with the real workspace it was resolved against; nothing is checked but its spelling. */
export async function locatePath(
  asked: string,
  context: Pick<EffectContext, "cwd">,
  looks: Looks = newLooks(),
): Promise<Result<RealPath & { readonly cwd: BytePath }, Diagnostic>> {
  if (asked === "" || asked.includes("\0") || parseName(asked).includes("\0")) return err(badPath(asked));
  const cwd = await realWorkspace(context, looks);
  const located = await locate(asked, cwd, looks);
  return located.ok ? ok({ ...located.value, cwd }) : located;
}

/** A path that was authorized before its intent was recorded must still be what it was: no link may stand on it now. */
export async function confirmPlace(recorded: string, context: EffectContext): Promise<Result<Place, Diagnostic>> {
  const looks = newLooks();
  const path = parseName(recorded);
  const resolved = await resolveReal(path, looks);
  if (!resolved.ok) return resolved;
  if (resolved.value.real !== path) return err(movedAway(recorded));
  return ok({ ...resolved.value, shown: displayPath(path, await realWorkspace(context, looks)), recorded });
}
