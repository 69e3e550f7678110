import { type Diagnostic, diagnostic } from "../../schema/index.js";
import { plainWords } from "./names.js";

const SOURCES = "Name a folder, a .tgz file, or a package of the registry as npm:name or npm:name@1.2.3.";

export const unknownSource = (spec: string, reason: string, next = SOURCES): Diagnostic =>
  diagnostic({
    code: "plugin.source",
    what: `${JSON.stringify(plainWords(spec))} cannot be installed.`,
    why: reason,
    next,
    exit: 2,
  });

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|[^/\s]+@[^/\s:]+:)/iu;
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.-]+)?$/u;

/** Nothing is at `path`. What other programs would take for a place of packages is answered with what to do here. */
export function nothingThere(spec: string, path: string): Diagnostic {
  if (spec.trim() === "") return unknownSource(spec, "It is empty.");
  if (ADDRESS.test(spec))
    return unknownSource(
      spec,
      "An address is no place to install from.",
      "Fetch it first, with git clone or a download, and name the folder or .tgz file.",
    );
  const next =
    PACKAGE.test(spec) && !/^\.|\.t?gz$/u.test(spec)
      ? `If you mean the package of the registry: npm:${plainWords(spec)}. ${SOURCES}`
      : SOURCES;
  return unknownSource(spec, `There is no file or folder ${plainWords(path, 400)}.`, next);
}

export const badPackage = (from: string, reason: string): Diagnostic =>
  diagnostic({
    code: "plugin.package",
    what: `The package ${plainWords(from, 400)} was refused; nothing of it was installed.`,
    why: `In the package: ${reason}.`,
    next: "Have its author correct it. A package holds plain files below one folder: at most 500 of them, 10 MiB together, 2 MiB each module.",
  });

export const wrongIntegrity = (url: string, expected: string, found: string): Diagnostic =>
  diagnostic({
    code: "plugin.integrity",
    what: `The archive ${plainWords(url, 400)} is not what the registry says it is.`,
    why: `The registry names ${plainWords(expected)}; what came has ${found}.`,
    next: "Try again later; when it stays so, do not use the package and tell its author.",
  });

export const noIntegrity = (name: string): Diagnostic =>
  diagnostic({
    code: "plugin.no-integrity",
    what: `The registry gives no SHA-512 for ${plainWords(name)}.`,
    why: "Without it nobody can tell whether the archive is the one that was published; SHA-1 does not tell.",
    next: "Install a version that was published with a current npm, or a folder or .tgz file you have checked yourself.",
  });

export const badRegistry = (registry: string, reason: string): Diagnostic =>
  diagnostic({
    code: "plugin.registry",
    what: `The package registry ${plainWords(registry, 400)} cannot be used.`,
    why: reason,
    next: "Correct registry= in your .npmrc or npm_config_registry, or install from a folder or .tgz file.",
  });

export const badPluginId = (id: string): Diagnostic =>
  diagnostic({
    code: "plugin.bad-id",
    what: `${JSON.stringify(plainWords(id))} is no id of a plugin.`,
    why: "An id is made of lower case words with dots between them, such as acme.lint.",
    next: "Look up the id with: smith plugins list",
    exit: 2,
  });

export const unknownPlugin = (id: string, nearest: string | undefined): Diagnostic =>
  diagnostic({
    code: "plugin.unknown",
    what: `There is no plugin ${id}.`,
    why: nearest === undefined ? "None of that id is installed or part of this project." : `Did you mean ${nearest}?`,
    next: "See what there is with: smith plugins list",
    exit: 2,
  });

export const notInstalled = (id: string): Diagnostic =>
  diagnostic({
    code: "plugin.not-installed",
    what: `The plugin ${id} is not installed.`,
    why: "Only what was installed for this user can be removed or approved.",
    next: `Disable one that comes with smith with: smith plugins disable ${id}`,
    exit: 2,
  });

export const recordBroken = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "plugin.record-broken",
    what: `${path} cannot be used; what was approved is not known.`,
    why: reason,
    next: "Restore the file from a copy. Or remove it: plugins and projects then have to be approved again.",
    source: { type: "file", path },
  });

export const recordUnwritten = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "plugin.record-unwritten",
    what: `${path} could not be changed.`,
    why: reason,
    next: "Make room, or make its folder writable, and try again. What was recorded before stays.",
    source: { type: "file", path },
  });

export const recordBusy = (path: string, waitedMs: number): Diagnostic =>
  diagnostic({
    code: "plugin.record-busy",
    what: `${path} could not be changed.`,
    why: `Another process has been changing it for more than ${String(waitedMs)} ms.`,
    next: "Try again. When it stays like this, look for a smith that hangs.",
    source: { type: "file", path },
    retry: { type: "now" },
  });

export const storeUnwritten = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "plugin.store-unwritten",
    what: `The plugin could not be put into ${path}.`,
    why: reason,
    next: "Make room, or make the folder writable, and try again. What was installed before stays.",
    source: { type: "file", path },
  });

export const installStopped = (spec: string): Diagnostic =>
  diagnostic({
    code: "plugin.install-stopped",
    what: `Fetching ${plainWords(spec)} was stopped.`,
    why: "It was aborted before the package was complete.",
    next: "Nothing was installed. Run the command again.",
    retry: { type: "now" },
  });

export const planOver = (id: string): Diagnostic =>
  diagnostic({
    code: "plugin.plan-over",
    what: `What was fetched of ${id} is not there any more.`,
    why: "It was installed or discarded already.",
    next: "Run the installation again.",
  });

export const scriptsIgnored = (id: string, scripts: readonly string[]): Diagnostic =>
  diagnostic({
    code: "plugin.scripts-ignored",
    what: `The package of ${id} has scripts for its installation: ${scripts.map((name) => plainWords(name, 40)).join(", ")}.`,
    why: "Installing a plugin runs nothing of it, and installs no dependencies.",
    next: "If the plugin does not work without them, have its author publish it built.",
    severity: "warning",
  });

export const otherId = (dir: string, id: string): Diagnostic =>
  diagnostic({
    code: "plugin.other-id",
    what: `The folder ${plainWords(dir, 400)} holds a plugin that calls itself ${plainWords(id)}.`,
    why: "Folders of plugins are named by the id of their plugin, so that each is known without being read.",
    next: "Rename the folder, or install the plugin with: smith plugins install FOLDER",
    source: { type: "file", path: dir },
  });

export const approvalMoved = (id: string): Diagnostic =>
  diagnostic({
    code: "plugin.approval-moved",
    what: `The plugin ${id} was not approved: its files have changed since its grants were shown.`,
    why: "What is approved must be what was looked at.",
    next: `Look at it again with: smith plugins info ${id}`,
  });
