import { plural } from "../../base/index.js";
import { sanitizeLine } from "../text/index.js";
import type { AdminPort, GrantLine, PageLine, PluginApproval, PluginDeed, PluginDiscovery, PluginRecord, PluginRow } from "./types.js";

const STATES: Readonly<Record<NonNullable<PluginRecord["inactive"]>, string>> = {
  disabled: "disabled",
  "not-approved": "not approved",
  changed: "changed since it was approved",
  "grants-widened": "wants more than was approved",
  "project-untrusted": "its project is not trusted",
  overridden: "another one of this id is used",
  broken: "broken",
  "sdk-mismatch": "made for another version",
};

const WRONG: ReadonlySet<PluginRecord["inactive"]> = new Set(["changed", "grants-widened", "broken", "sdk-mismatch"]);

const ORIGINS: Readonly<Record<PluginRecord["origin"], string>> = {
  bundled: "bundled with smith",
  user: "installed by you",
  project: "of this project",
  run: "named for this run",
};

const line = (text: string, style?: PageLine["style"], indent = 0): PageLine => ({
  text: sanitizeLine(text),
  ...(style === undefined ? {} : { style }),
  ...(indent === 0 ? {} : { indent }),
});

const heading = (text: string): readonly PageLine[] => [line(""), line(text, "strong")];

/** The plugins people brought come before those that came with smith. */
export const pluginRows = (discovery: PluginDiscovery, grantsOf: AdminPort["grantsOf"]): readonly PluginRow[] =>
  [...discovery.records]
    .sort((left, right) => rank(left) - rank(right) || (left.id < right.id ? -1 : 1))
    .map((record) => {
      const { compiled, inactive, origin } = record;
      return {
        id: sanitizeLine(record.id),
        version: sanitizeLine(compiled?.version ?? ""),
        origin,
        state: inactive === undefined ? "in use" : STATES[inactive],
        isUsed: inactive === undefined,
        isWrong: WRONG.has(inactive),
        brings: brings(compiled),
        details: details(record, grantsOf),
        deeds: deedsOf(record),
      };
    });

const ORDER = ["run", "project", "user", "bundled"] as const;
const rank = ({ origin }: PluginRecord): number => ORDER.indexOf(origin);

function deedsOf({ origin, inactive }: PluginRecord): readonly PluginDeed[] {
  if (origin === "project") return inactive === "project-untrusted" || inactive === "changed" ? ["trust"] : able(inactive);
  if (origin === "run") return [];
  if (origin === "bundled") return able(inactive);
  const needsWord = inactive === "not-approved" || inactive === "changed" || inactive === "grants-widened";
  return [...able(inactive), ...(needsWord ? (["approve"] as const) : []), "remove"];
}

const able = (inactive: PluginRecord["inactive"]): readonly PluginDeed[] =>
  inactive === undefined ? ["disable"] : inactive === "disabled" ? ["enable"] : [];

/** `2 tools, 1 command`: what a person may come across. */
function brings(compiled: PluginRecord["compiled"]): string {
  if (compiled === undefined) return "";
  const counted = [
    [compiled.tools.length, "tool"],
    [compiled.commands.length, "command"],
    [compiled.providers.length, "provider"],
    [compiled.handlers.length, "handler"],
    [compiled.prompts.length, "prompt"],
    [compiled.themes.length, "theme"],
    [compiled.keys.length, "key"],
  ] as const;
  return counted.flatMap(([count, noun]) => (count === 0 ? [] : [plural(count, noun)])).join(", ");
}

function details(record: PluginRecord, grantsOf: AdminPort["grantsOf"]): readonly PageLine[] {
  const { compiled, problems } = record;
  return [
    ...(compiled === undefined ? [] : [line(compiled.description), line("")]),
    ...facts(record).map(([name, value]) => line(`${name.padEnd(9)} ${value}`)),
    ...(compiled === undefined ? [] : [...mayLines("It may", grantsOf(compiled)), ...contents(compiled)]),
    ...(problems.length === 0 ? [] : heading("What is wrong")),
    ...problems.flatMap(({ what, why, next }) => [line(what, "warning", 2), line(why, "muted", 2), line(`→ ${next}`, "text", 2)]),
  ];
}

function facts({ compiled, origin, inactive, source, dir, integrity }: PluginRecord): readonly (readonly [string, string])[] {
  const from =
    source === undefined
      ? undefined
      : source.type === "npm"
        ? `npm:${source.name}@${source.version} from ${source.registry}`
        : `${source.type} ${source.path}`;
  return [
    ["state", inactive === undefined ? "in use" : STATES[inactive]],
    ...(compiled === undefined ? [] : ([["version", `${compiled.version}, for SDK ${String(compiled.sdk)}`]] as const)),
    ["origin", ORIGINS[origin]],
    ...(from === undefined ? [] : ([["from", from]] as const)),
    ...(dir === undefined ? [] : ([["folder", dir]] as const)),
    ...(integrity === undefined ? [] : ([["integrity", integrity]] as const)),
    ...(compiled === undefined ? [] : ([["content", `sha256 ${compiled.hash.slice(0, 16)}`]] as const)),
  ];
}

function contents(compiled: NonNullable<PluginRecord["compiled"]>): readonly PageLine[] {
  const named = [
    ["Tools", compiled.tools.map(({ name }) => name)],
    ["Commands", compiled.commands.map(({ name, each }) => `/${name}${each === undefined ? "" : "…"}`)],
    ["Providers", compiled.providers.map(({ id }) => id)],
    ["Takes part in", [...new Set(compiled.handlers.map(({ event }) => event))]],
    ["Prompt parts", compiled.prompts.map(({ name }) => name)],
    ["Themes", compiled.themes.map(({ name }) => name)],
    ["Keys", compiled.keys.map(({ key, command }) => `${key} (${command === "" ? "nothing" : command})`)],
    ["Settings", compiled.options.map(({ name }) => name)],
  ] as const;
  const lines = named.flatMap(([what, names]) => (names.length === 0 ? [] : [line(`${what}: ${names.join(", ")}`)]));
  return lines.length === 0 ? [] : [...heading("It brings"), ...lines.map((each) => ({ ...each, indent: 2 }))];
}

/** What changes or sends something outside of the session stands out. */
function mayLines(title: string, grants: readonly GrantLine[]): readonly PageLine[] {
  if (grants.length === 0) return [...heading(title), line("do nothing outside of itself", "muted", 2)];
  const legend = grants.some(({ isStrong }) => isStrong) ? "  (! reaches outside of the session)" : "";
  return [
    ...heading(`${title}${legend}`),
    ...grants.map(({ words, isStrong }) => ({ ...line(`${isStrong ? "!" : "·"} ${words}`, isStrong ? "warning" : "text", 2), hang: 2 })),
  ];
}

/** All a person agrees to by approving, and of it what is new. */
export function approvalLines(approval: PluginApproval): readonly PageLine[] {
  const { description, replaces, added, grants, tools, commands, handlers, version } = approval;
  const named = [
    ["Tools", tools],
    ["Commands", commands.map((name) => `/${name}`)],
    ["Takes part in", [...new Set(handlers)]],
  ] as const;
  return [
    line(description),
    line(replaces === undefined ? `version ${version}` : `version ${version}; version ${replaces.version} was approved before`, "muted"),
    ...(added.length === 0 ? [] : mayLines("New: it may now", added)),
    ...mayLines(added.length === 0 ? "It may" : "In all it may", grants),
    ...named.flatMap(([what, names]) => (names.length === 0 ? [] : [line(`${what}: ${names.join(", ")}`, "muted", 2)])),
  ];
}

export const removalLines = ({ id, brings: what }: PluginRow): readonly PageLine[] => [
  line(`The folder of ${id} is deleted, and what was approved of it is forgotten.`),
  line("What it kept for itself stays on the disk.", "muted"),
  ...(what === "" ? [] : [line(`It brings ${what}.`, "muted")]),
];
