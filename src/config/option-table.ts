import { closest, type JsonValue } from "../base/index.js";
import { type DeclaredOption, kindOf, variableOf } from "./declared.js";
import type { Kind } from "./kinds.js";
import { type AnyOption, anyOption, SETTING_NAMES } from "./options.js";

/** An option of a plugin, ready to be read. */
export interface PluginOption {
  readonly key: string;
  readonly env: string;
  readonly kind: Kind<JsonValue>;
  readonly secret: boolean;
  readonly declared: DeclaredOption;
}

export type TableOption = AnyOption | PluginOption;

export const isPluginOption = (option: TableOption): option is PluginOption => "declared" in option;

/** Every option there is in a run. The core's come first and cannot be taken. */
export interface OptionTable {
  readonly options: readonly TableOption[];
  find(key: string): TableOption | undefined;
  /** Whether options are below this key. */
  isGroup(key: string): boolean;
  /** The key a person most likely meant: a near one, or the one that ends in what they wrote. In a file it may be that of a group. */
  suggest(key: string, where?: "file"): string | undefined;
}

const CORE: readonly AnyOption[] = SETTING_NAMES.map(anyOption);

/** The first words of the core's keys: no option of a plugin begins with one of them. */
export const CORE_GROUPS: ReadonlySet<string> = new Set(CORE.map(({ key }) => key.split(".")[0] ?? key));

export const isCoreVariable = (name: string): boolean => CORE.some(({ env }) => env === name);

/** Of two declarations of one key the first counts, and none that is the core's. */
export function createOptionTable(declared: readonly DeclaredOption[] = []): OptionTable {
  const byKey = new Map<string, TableOption>(CORE.map((option) => [option.key, option]));
  for (const option of declared) {
    const key = option.name;
    const isFree = !byKey.has(key) && !CORE_GROUPS.has(key.split(".")[0] ?? key);
    if (isFree) byKey.set(key, { key, env: variableOf(key), kind: kindOf(option), secret: option.secret, declared: option });
  }
  const keys = [...byKey.keys()];
  const groups = new Set(keys.filter((key) => key.includes(".")).map((key) => key.slice(0, key.lastIndexOf("."))));
  return {
    options: [...byKey.values()],
    find: (key) => byKey.get(key),
    isGroup: (key) => groups.has(key),
    suggest(key, where) {
      const leafOf = (whole: string): string => whole.slice(whole.lastIndexOf(".") + 1);
      const near = closest(leafOf(key), keys.map(leafOf));
      return (
        closest(key, where === "file" ? [...keys, ...groups] : keys) ??
        keys.find((candidate) => near !== undefined && leafOf(candidate) === near)
      );
    },
  };
}
