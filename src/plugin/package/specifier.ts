import { builtinModules } from "node:module";
import { posix } from "node:path";
import { closest } from "../../base/index.js";

/** What an import means. Names are of modules in the package. */
export type Resolution =
  | { readonly type: "sdk" }
  | { readonly type: "module"; readonly name: string }
  | { readonly type: "missing"; readonly nearest: string | undefined }
  | { readonly type: "bare" | "node" | "outside" | "not-a-module" | "test" };

export const TEST_FOLDER = "test/";

const SDK: ReadonlySet<string> = new Set(["smith-agent/plugin", "smith:sdk"]);
const NODE: ReadonlySet<string> = new Set(builtinModules);

/** In the order they are tried after a name without one. */
const EXTENSIONS = [".ts", ".mts", ".js", ".mjs", ".json"] as const;
export type ModuleExtension = (typeof EXTENSIONS)[number];

export function moduleExtension(name: string): ModuleExtension | undefined {
  if (/\.d\.m?ts$/u.test(name)) return undefined;
  return EXTENSIONS.find((extension) => name.endsWith(extension));
}

/**
 * Resolves an import of the module `from`, as TypeScript and bundlers do: the file itself, the source of a `.js` name, the name with
 * an extension, the index of a folder. `names` are the files of the package.
 */
export function resolveSpecifier(from: string, specifier: string, names: ReadonlySet<string>): Resolution {
  if (SDK.has(specifier)) return { type: "sdk" };
  if (!isRelative(specifier)) return { type: kindOfForeign(specifier) };
  const path = posix.join(posix.dirname(from), specifier);
  if (path === ".." || path.startsWith("../")) return { type: "outside" };
  const name = candidates(path).find((candidate) => names.has(candidate));
  if (name === undefined) return { type: "missing", nearest: nearest(from, path, names) };
  if (moduleExtension(name) === undefined) return { type: "not-a-module" };
  return isTest(name) && !isTest(from) ? { type: "test" } : { type: "module", name };
}

export const isTest = (name: string): boolean => name.startsWith(TEST_FOLDER);

const isRelative = (specifier: string): boolean => /^\.\.?(\/|$)/u.test(specifier);

function kindOfForeign(specifier: string): "node" | "outside" | "bare" {
  if (specifier.startsWith("node:") || NODE.has(specifier)) return "node";
  return /^([/\\]|[A-Za-z][A-Za-z0-9+.-]*:)/u.test(specifier) ? "outside" : "bare";
}

function candidates(path: string): readonly string[] {
  if (path === "." || path.endsWith("/")) return indexes(path === "." ? "" : path);
  const source = /^(.*)\.(m?)js$/u.exec(path);
  return [
    path,
    ...(source === null ? [] : [`${source[1] ?? ""}.${source[2] ?? ""}ts`]),
    ...EXTENSIONS.map((extension) => path + extension),
    ...indexes(`${path}/`),
  ];
}

const indexes = (folder: string): readonly string[] => EXTENSIONS.map((extension) => `${folder}index${extension}`);

/** As it would be written in `from`. */
function nearest(from: string, path: string, names: ReadonlySet<string>): string | undefined {
  const modules = [...names].filter((name) => moduleExtension(name) !== undefined && (isTest(from) || !isTest(name)));
  const meant = closest(path, modules);
  if (meant === undefined) return undefined;
  const relative = posix.relative(posix.dirname(from), meant);
  return relative.startsWith("../") ? relative : `./${relative}`;
}
