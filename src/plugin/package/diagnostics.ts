import { plural } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { MAX_DEPTH, MAX_FILES, MAX_FOLDERS, MAX_MODULE_BYTES, MAX_TOTAL_BYTES } from "./limits.js";

/** A place in a file of a package. Lines and columns count from 1. */
export interface PackagePlace {
  /** Absolute. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
}

const at = ({ path, line, column }: PackagePlace): Pick<Diagnostic, "source" | "exit"> => ({
  source: { type: "file", path, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) },
  exit: 2,
});

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200));
const mebibytes = (bytes: number): string => `${String(Math.round((bytes / (1024 * 1024)) * 10) / 10)} MiB`;

export const noPackage = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "package.no-folder",
    what: `There is no plugin folder at ${path}.`,
    why: reason,
    next: "Name a folder that holds a manifest.kdl; `smith plugins new NAME` makes one.",
    ...at({ path }),
  });

export const noManifest = (path: string): Diagnostic =>
  diagnostic({
    code: "package.no-manifest",
    what: `${path} has no manifest.kdl.`,
    why: "The manifest says what a plugin is and what it may do; without one nothing of the folder is used.",
    next: "Add manifest.kdl, or name the folder that holds it.",
    ...at({ path }),
  });

export const packageTooLarge = (path: string, found: { readonly unit: "files" | "folders" | "bytes" | "levels" }): Diagnostic => {
  const bound = {
    files: plural(MAX_FILES, "file"),
    folders: plural(MAX_FOLDERS, "folder"),
    bytes: mebibytes(MAX_TOTAL_BYTES),
    levels: plural(MAX_DEPTH, "level"),
  }[found.unit];
  return diagnostic({
    code: "package.too-large",
    what: `The plugin folder ${path} holds more than ${bound}.`,
    why: "Every file of a package is read and hashed before it runs; node_modules, .git and hidden files do not count.",
    next: "Move what the plugin does not need out of the folder.",
    ...at({ path }),
  });
};

export const moduleTooLarge = (path: string, name: string, bytes: number): Diagnostic =>
  diagnostic({
    code: "package.module-size",
    what: `The module ${name} has ${mebibytes(bytes)}.`,
    why: `A module may have ${mebibytes(MAX_MODULE_BYTES)}.`,
    next: "Split it, or leave data out of it.",
    ...at({ path }),
  });

export const linkOutside = (path: string, name: string, target: string): Diagnostic =>
  diagnostic({
    code: "package.link-outside",
    what: `${quoted(name)} is a link to ${quoted(target)}.`,
    why: "A link in a package must lead to a file or folder of the package: what is approved has to be in it.",
    next: "Copy the file into the package, or remove the link.",
    ...at({ path }),
  });

export const linkBroken = (path: string, name: string, reason: string): Diagnostic =>
  diagnostic({
    code: "package.link-broken",
    what: `${quoted(name)} is a link that leads nowhere.`,
    why: reason,
    next: "Correct or remove the link.",
    ...at({ path }),
  });

export const notAFile = (path: string, name: string): Diagnostic =>
  diagnostic({
    code: "package.not-a-file",
    what: `${quoted(name)} is neither a file nor a folder.`,
    why: "Pipes, sockets and devices cannot be part of a package.",
    next: "Remove it from the folder.",
    ...at({ path }),
  });

export const oddName = (path: string, name: string): Diagnostic =>
  diagnostic({
    code: "package.odd-name",
    what: `The name ${quoted(name)} cannot be used in a package.`,
    why: "Names of files must be valid UTF-8 without control characters and without backslashes, so that they are the same on every machine.",
    next: "Rename the file.",
    ...at({ path }),
  });

export const unreadable = (path: string, name: string, reason: string): Diagnostic =>
  diagnostic({
    code: "package.unreadable",
    what: `${name === "" ? "The folder" : quoted(name)} cannot be read.`,
    why: reason,
    next: "Make it readable, or remove it from the folder.",
    ...at({ path }),
  });

export const notText = (path: string, name: string): Diagnostic =>
  diagnostic({
    code: "package.not-text",
    what: `${quoted(name)} is not UTF-8 text.`,
    why: "Manifests and modules are read as UTF-8.",
    next: "Save it as UTF-8.",
    ...at({ path }),
  });

export const moduleSyntax = (place: PackagePlace, name: string, reason: string): Diagnostic =>
  diagnostic({
    code: "package.syntax",
    what: `${name} cannot be parsed: ${reason}`,
    why: "Modules are TypeScript or JavaScript without JSX, or JSON.",
    next: "Correct it at the place named.",
    ...at(place),
  });

export const parseTime = (path: string, name: string, time: string): Diagnostic =>
  diagnostic({
    code: "package.parse-time",
    what: `${name} was not parsed within ${time}.`,
    why: "Some code takes a parser exponentially long, such as generic arrow functions inside of each other's parameters.",
    next: "Simplify the module, or compile it to JavaScript first. On a very busy machine, try again.",
    retry: { type: "now" },
    ...at({ path }),
  });

export const typeScriptOnly = (place: PackagePlace, name: string, construct: string): Diagnostic =>
  diagnostic({
    code: "package.typescript-construct",
    what: `${name} uses ${construct}.`,
    why: "Types are removed and the rest runs as it is written; this construct would need a compiler.",
    next: "Write it as a plain ES module: import, export, objects and functions.",
    ...at(place),
  });

export const bareImport = (place: PackagePlace, name: string, specifier: string): Diagnostic =>
  diagnostic({
    code: "package.bare-import",
    what: `${name} imports ${quoted(specifier)}, which is not part of the package.`,
    why: "A plugin runs without node_modules: it has its own files and the SDK.",
    next: "Bundle it into the package, or import from smith-agent/plugin.",
    ...at(place),
  });

export const nodeImport = (place: PackagePlace, name: string, specifier: string): Diagnostic =>
  diagnostic({
    code: "package.node-import",
    what: `${name} imports ${quoted(specifier)}, a module of Node.`,
    why: "Plugins run in a sandbox without Node; files, processes and the network are reached through the context of a call.",
    next: "Use the context (context.fs, context.process, context.net) and ask for the grant in manifest.kdl.",
    ...at(place),
  });

export const outsideImport = (place: PackagePlace, name: string, specifier: string): Diagnostic =>
  diagnostic({
    code: "package.outside-import",
    what: `${name} imports ${quoted(specifier)}, which lies outside of the package.`,
    why: "Modules import each other by relative paths, and only within the package's folder.",
    next: "Copy the file into the package and import it by a path that begins with ./ or ../.",
    ...at(place),
  });

export const missingImport = (
  place: PackagePlace,
  name: string,
  missing: { readonly specifier: string; readonly nearest: string | undefined },
): Diagnostic =>
  diagnostic({
    code: "package.missing-import",
    what: `${name} imports ${quoted(missing.specifier)}, and there is no such module in the package.`,
    why: "A module is a file that ends in .ts, .mts, .js, .mjs or .json; capital letters count; hidden files and node_modules do not belong to it.",
    next: missing.nearest === undefined ? "Create the file, or correct the path." : `Did you mean ${missing.nearest}?`,
    ...at(place),
  });

export const notAModule = (place: PackagePlace, name: string, specifier: string): Diagnostic =>
  diagnostic({
    code: "package.not-a-module",
    what: `${name} imports ${quoted(specifier)}, which is no module.`,
    why: "A module is a file that ends in .ts, .mts, .js, .mjs or .json; declarations (.d.ts) have types only.",
    next: "Put the content into a module, or import its types with `import type`.",
    ...at(place),
  });

export const testImport = (place: PackagePlace, name: string, specifier: string): Diagnostic =>
  diagnostic({
    code: "package.test-import",
    what: `${name} imports ${quoted(specifier)} from the folder of the tests.`,
    why: "The folder test is there for `smith plugins check`; it is not part of what runs.",
    next: "Move the module out of test.",
    ...at(place),
  });

export const escapedSpecifier = (place: PackagePlace, name: string): Diagnostic =>
  diagnostic({
    code: "package.escaped-specifier",
    what: `${name} has an import whose path is written with a backslash.`,
    why: "Paths of imports are taken as they are written, with / between folders.",
    next: "Write the path without escapes.",
    ...at(place),
  });

export const badEntry = (path: string, entry: string, nearest: string | undefined): Diagnostic =>
  diagnostic({
    code: "package.no-entry",
    what: `The entry ${quoted(entry)} of the manifest is no module of the package.`,
    why: "It must name a file that ends in .ts, .mts, .js or .mjs, relative to the manifest and outside of the folder test.",
    next: nearest === undefined ? "Create the file, or correct entry in manifest.kdl." : `Did you mean ${nearest}?`,
    ...at({ path }),
  });

export const cacheUnwritable = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "package.cache",
    what: `The prepared modules of the plugin cannot be written to ${path}.`,
    why: reason,
    next: "Make the cache folder writable, or set SMITH_HOME or XDG_CACHE_HOME to one that is.",
    ...at({ path }),
    exit: 1,
  });
