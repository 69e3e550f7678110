import { shortPath } from "../output/path.js";
import { visibleLine } from "../output/visible.js";
import type { Diagnostic } from "../../schema/index.js";
import type { PluginAdmin } from "../../runtime/index.js";

export type Discovery = Awaited<ReturnType<PluginAdmin["discover"]>>;
export type PluginRecord = Discovery["records"][number];
export type Approval = Extract<Awaited<ReturnType<PluginAdmin["approval"]>>, { readonly ok: true }>["value"];
export type InstallPlan = Extract<Awaited<ReturnType<PluginAdmin["plan"]>>, { readonly ok: true }>["value"];
export type GrantLine = Approval["grants"][number];
export type CheckStep = Parameters<Parameters<PluginAdmin["check"]>[1]["report"]>[0];
export type InactiveReason = NonNullable<PluginRecord["inactive"]>;

/** Why a plugin is not used, in a word or two. */
const STATES: Readonly<Record<InactiveReason, string>> = {
  disabled: "disabled",
  "not-approved": "not approved",
  changed: "changed",
  "grants-widened": "wants more",
  "project-untrusted": "not trusted",
  overridden: "overridden",
  broken: "broken",
  "sdk-mismatch": "other SDK",
};

export const stateOf = ({ inactive }: PluginRecord): string => (inactive === undefined ? "in use" : STATES[inactive]);

/** What to do about it, where the record brings no words of its own. */
const HINTS: Readonly<Record<InactiveReason, (id: string) => string>> = {
  disabled: (id) => `It was disabled. To use it: smith plugins enable ${id}`,
  "not-approved": (id) => `Nobody approved it. See smith plugins info ${id}, then: smith plugins trust ${id}`,
  changed: () => "The project has changed since it was trusted. See what it would do with: smith plugins trust",
  "grants-widened": (id) => `It wants more than was approved. See smith plugins info ${id}, then: smith plugins trust ${id}`,
  "project-untrusted": () => "The project is not trusted. See what it would do with: smith plugins trust",
  overridden: () => "Another plugin of this id is used.",
  broken: () => "It cannot be read.",
  "sdk-mismatch": () => "It is written for another version of the plugin contract. Update it, or smith.",
};

/** Why a plugin is not used and what to do, a line each; none for one that is. */
export const reasonLines = ({ id, inactive, problems }: PluginRecord): readonly string[] => {
  if (problems.length > 0) return problems.map(problemLine);
  return inactive === undefined ? [] : [HINTS[inactive](visibleLine(id))];
};

/** A problem on one line, with its place where it has one. */
export function problemLine({ what, next, source }: Diagnostic): string {
  const place = source?.type === "file" && source.line !== undefined ? `${placeOf(source)}: ` : "";
  return visibleLine(`${place}${sentence(what)} ${next}`);
}

const placeOf = ({ path, line, column }: { readonly path: string; readonly line?: number; readonly column?: number }): string =>
  [path, line, column].filter((part) => part !== undefined).join(":");

const sentence = (text: string): string => (/[.!?]$/u.test(text) ? text : `${text}.`);

export const versionOf = ({ compiled }: PluginRecord): string => compiled?.version ?? "-";

/** Where its files came from, for a person. */
export function sourceWords({ source, origin, dir }: Pick<PluginRecord, "source" | "origin" | "dir">, home: string | undefined): string {
  if (source === undefined) return origin === "bundled" ? "comes with smith" : dir === undefined ? "unknown" : shortPath(dir, home);
  return installedFrom(source, home);
}

export function installedFrom(source: NonNullable<PluginRecord["source"]>, home: string | undefined): string {
  switch (source.type) {
    case "folder":
      return `the folder ${shortPath(source.path, home)}`;
    case "archive":
      return `the file ${shortPath(source.path, home)}`;
    case "npm":
      return `npm ${source.name}@${source.version}, ${source.registry}`;
  }
}

/** A plugin as one record of `--json`. */
export function recordOf({ id, origin, compiled, dir, source, integrity, inactive, problems }: PluginRecord): object {
  return {
    id,
    version: compiled?.version ?? null,
    origin,
    state: inactive ?? "in-use",
    tools: compiled?.tools.map(({ name }) => name) ?? [],
    commands: compiled?.commands.map(({ name }) => name) ?? [],
    ...(dir === undefined ? {} : { dir }),
    ...(source === undefined ? {} : { source }),
    ...(integrity === undefined ? {} : { integrity }),
    problems,
  };
}
