import { SDK_MODULE, SDK_TEST_MODULE } from "./sdk-module.js";

/** Every module of one plugin, and what each import of each means. */
export interface GuestModules {
  /** Name of the module that is evaluated. */
  readonly entry: string;
  /** Source by name; names are what stack frames show. */
  readonly modules: ReadonlyMap<string, string>;
  /** Name of the module a specifier means, by importing module. What is not here cannot be imported. */
  readonly imports: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The entry as bytecode, of the program's own build and of nobody else: it is run as it is. */
  readonly compiled?: Uint8Array;
}

export interface ModuleResolver {
  /** Name of what `specifier` means in `base`. Throws a text, never an error: one of ours would carry the host's stack into the guest. */
  resolve(base: string, specifier: string): string;
  source(name: string): string;
}

const ENTRY = "plugin:main";
const SDK = "smith:sdk";
const AUTHOR_SDK = "smith-agent/plugin";

/** A plugin of one module that imports nothing but the SDK. */
export const oneModule = (name: string, source: string): GuestModules => ({
  entry: name,
  modules: new Map([[name, source]]),
  imports: new Map(),
});

export function createResolver(table: GuestModules | undefined, hasTests: boolean): ModuleResolver {
  return {
    resolve(base, specifier) {
      if (specifier === SDK || specifier === AUTHOR_SDK) return SDK;
      if (specifier === ENTRY && table !== undefined) return table.entry;
      const target = table?.imports.get(base)?.get(specifier);
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- an Error would show the host's stack to the guest
      if (target === undefined || table?.modules.has(target) !== true) throw refusal(base, specifier);
      return target;
    },
    source: (name) => (name === SDK ? (hasTests ? SDK_TEST_MODULE : SDK_MODULE) : (table?.modules.get(name) ?? "")),
  };
}

const refusal = (base: string, specifier: string): string =>
  `cannot import ${JSON.stringify(specifier.slice(0, 200))}${base === "" ? "" : ` from ${base.slice(0, 200)}`}: a plugin may import ` +
  `${AUTHOR_SDK} and files of its own package by relative path; anything else has to be bundled in`;

/** Reads the JSON of a module table; undefined when it is something else. Made by the host, checked since it lies in a cache. */
export function readModuleTable(text: string, entry: string): GuestModules | undefined {
  const table = parseObject(text);
  const modules = entriesOf(table?.["modules"]);
  const imports = entriesOf(table?.["imports"] ?? {});
  if (modules === undefined || imports === undefined) return undefined;
  const sources = textsOf(modules);
  const targets = imports.map(([name, value]) => [name, textsOf(entriesOf(value) ?? [["", 0]])] as const);
  if (sources === undefined || !sources.has(entry) || sources.has(SDK)) return undefined;
  const known = targets.flatMap(([name, texts]) => (texts === undefined ? [] : [[name, texts] as const]));
  return known.length === targets.length ? { entry, modules: sources, imports: new Map(known) } : undefined;
}

function parseObject(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // An object or an array: either has properties by name.
    return typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;

/** Undefined when one is no text. */
function textsOf(entries: readonly (readonly [string, unknown])[]): ReadonlyMap<string, string> | undefined {
  const texts = new Map<string, string>();
  for (const [name, value] of entries) {
    if (typeof value !== "string") return undefined;
    texts.set(name, value);
  }
  return texts;
}
