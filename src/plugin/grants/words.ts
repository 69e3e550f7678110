import type { GrantRoot, Grants, NetGrant, StateGrant } from "../../effect/index.js";
import type { StateScope, UiIntentType } from "../../schema/index.js";
import type { GrantLine } from "../types.js";
import { methodsOf, READING_METHODS } from "./covers.js";

/** A facility of grants with what is said of it. Lines come in this order, what reaches furthest first. */
export function describeGrants(grants: Grants): readonly GrantLine[] {
  return [
    ...processLines(grants.process, grants.processEnv),
    ...rootLines("fs-write", grants.fsWrite),
    ...grants.net.map(netLine),
    ...mcpLines(grants.mcp),
    ...(grants.agent ? [line("agent", "have other agents work, with no more than the session may do", true)] : []),
    ...secretLines(grants.secrets),
    ...rootLines("fs-read", grants.fsRead),
    ...rootLines("search", grants.search),
    ...(grants.vcs ? [line("vcs", "see the state of the repository and its changes")] : []),
    ...(grants.evaluate ? [line("evaluate", "run JavaScript in a sandbox without files or network")] : []),
    ...grants.state.map(stateLine),
    ...uiLines(grants.ui),
  ];
}

const line = (facility: string, words: string, isStrong = false): GrantLine => ({ facility, words, isStrong });

const VERBS = { "fs-read": "read", "fs-write": "create, change and delete", search: "search" } as const;

const PLACES: Readonly<Record<Extract<GrantRoot, string>, string>> = {
  workspace: "files of the workspace",
  temp: "temporary files",
  anywhere: "any file of this user, anywhere",
  "plugin-data": "files in the plugin's own folder",
  resources: "the files it collects and what lies beside them",
};

/** Writing below the plugin's own folder touches nothing of anybody else. */
const isStrongRoot = (facility: keyof typeof VERBS, root: GrantRoot): boolean => facility === "fs-write" && root !== "plugin-data";

const rootLines = (facility: keyof typeof VERBS, roots: readonly GrantRoot[]): readonly GrantLine[] =>
  roots.map((root) => {
    const place = typeof root === "string" ? PLACES[root] : `files below ${root.path}`;
    return line(facility, `${VERBS[facility]} ${place}`, isStrongRoot(facility, root));
  });

function processLines(programs: readonly string[], env: readonly string[]): readonly GrantLine[] {
  if (programs.length === 0 && env.length === 0) return [];
  const run = programs.includes("*") ? "run any command" : `run ${programs.length === 0 ? "programs" : programs.join(", ")}`;
  return [line("process", `${run}${envWords(env)}`, true)];
}

const envWords = (env: readonly string[]): string => {
  if (env.length === 0) return "";
  return env.includes("*") ? " with your environment, credentials left out" : ` with ${env.join(", ")} of your environment`;
};

function netLine(grant: NetGrant): GrantLine {
  const methods = methodsOf(grant);
  const isReading = methods.every((method) => READING_METHODS.includes(method));
  const where = grant.origin === "*" ? "any server" : grant.origin;
  const local = grant.private ? ", this machine and private networks included" : "";
  return line("net", `${isReading ? "fetch from" : "exchange data with"} ${where} (${methods.join(", ")})${local}`, true);
}

function secretLines(granted: readonly string[]): readonly GrantLine[] {
  const names = granted.filter((name) => name !== "*");
  const all = "put any of your secrets into files and commands of this machine, without seeing them";
  return [
    ...(granted.includes("*") ? [line("secrets", all, true)] : []),
    ...(names.length === 0
      ? []
      : [line("secrets", `use ${names.join(", ")} in requests and commands, without seeing ${them(names)}`, true)]),
  ];
}

function mcpLines(servers: readonly string[]): readonly GrantLine[] {
  if (servers.length === 0) return [];
  const which = servers.includes("*") ? "every MCP server that is set up" : `the MCP servers ${servers.join(", ")}`;
  return [line("mcp", `use ${which}`, true)];
}

const them = (names: readonly string[]): string => (names.length === 1 ? "it" : "them");

const SCOPES: Readonly<Record<StateScope, string>> = {
  session: "for the session",
  branch: "for the branch of a session",
  project: "for the project",
  user: "for all your sessions",
};

const stateLine = ({ scope, maxBytes }: StateGrant): GrantLine =>
  line("state", `keep up to ${Math.ceil(maxBytes / 1024).toLocaleString("en")} KiB ${SCOPES[scope]}`);

const INTENTS: Readonly<Record<UiIntentType, string>> = {
  notify: "show notices",
  status: "show items in the status line",
  progress: "show progress",
  ask: "ask you for text",
  choose: "ask you to choose",
  confirm: "ask you yes or no",
};

const uiLines = (intents: readonly UiIntentType[]): readonly GrantLine[] =>
  intents.length === 0 ? [] : [line("ui", intents.map((intent) => INTENTS[intent]).join(", "))];
