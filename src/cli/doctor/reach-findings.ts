import { plural } from "../../base/index.js";
import type { Machine, ServerAdmin } from "../../runtime/index.js";
import type { McpServerSetting } from "../../schema/index.js";
import { shortPath } from "../output/path.js";
import { type Discovery, type PluginRecord, reasonLines, stateOf } from "../plugins/records.js";
import { type Finding, findingOf } from "./finding.js";

/** Programs that tools need, and where they are. */
export async function toolFindings(machine: Machine, { active }: Discovery): Promise<readonly Finding[]> {
  const tools = active.flatMap(({ compiled }) => compiled.tools);
  const git = await machine.program("git");
  const needed = await Promise.all(
    tools.flatMap(({ name, program, programFrom }) =>
      program === undefined ? [] : [machine.program(program).then((path) => ({ name, program, path, from: programFrom }))],
    ),
  );
  return [
    { group: "tools", name: "tools", state: tools.length === 0 ? "warning" : "ok", text: plural(tools.length, "tool") },
    { group: "tools", name: "shell", state: "ok", text: await machine.shell() },
    git === undefined
      ? { group: "tools", name: "git", state: "note", text: "not on the PATH: the state of a repository is not known" }
      : { group: "tools", name: "git", state: "ok", text: git },
    ...needed.map(({ name, program, path, from }): Finding => {
      if (path !== undefined) return { group: "tools", name, state: "ok", text: path };
      const next = from === undefined ? {} : { next: `It comes with ${from}.` };
      return { group: "tools", name, state: "note", text: `not offered: the program ${program} is not on the PATH`, ...next };
    }),
    machine.hasTerminals()
      ? { group: "tools", name: "pty", state: "ok", text: "commands can be run on a terminal of their own" }
      : {
          group: "tools",
          name: "pty",
          state: "note",
          text: "commands cannot be run on a terminal of their own: the optional package @lydell/node-pty is not there or does not fit",
          next: "Install smith again without leaving optional packages out.",
        },
  ];
}

/** Told once, with the settings of the project. */
const OF_THE_PROJECT: ReadonlySet<string> = new Set(["plugin.project-untrusted", "plugin.project-changed", "plugin.used-for-run"]);

/** Plugins that are used, and why others are not. */
export function pluginFindings({ records, active, diagnostics }: Discovery): readonly Finding[] {
  const own = records.filter(({ origin, inactive }) => inactive === undefined && origin !== "bundled").map(({ id }) => id);
  const rest = own.length === 0 ? "" : `, of them not bundled: ${own.join(", ")}`;
  const unused = records.filter((record) => record.inactive !== undefined);
  const told = new Set(unused.flatMap(({ problems }) => problems));
  return [
    {
      group: "plugins",
      name: "plugins",
      state: active.length === 0 ? "warning" : "ok",
      text: `${plural(active.length, "plugin")} in use${rest}`,
    },
    ...unused.map(unusedFinding),
    ...diagnostics
      .filter((problem) => !OF_THE_PROJECT.has(problem.code) && !told.has(problem))
      .map((problem, index) => findingOf("plugins", `problem ${String(index + 1)}`, problem, "warning")),
  ];
}

/** A person wanted these not to be used, or decided so by having another. */
const CHOSEN: ReadonlySet<PluginRecord["inactive"]> = new Set(["disabled", "overridden"]);

function unusedFinding(record: PluginRecord): Finding {
  const [problem] = record.problems;
  const state = CHOSEN.has(record.inactive) ? "note" : "warning";
  if (problem !== undefined) return findingOf("plugins", record.id, problem, state);
  return { group: "plugins", name: record.id, state, text: stateOf(record), next: reasonLines(record).join(" ") };
}

/** Servers of the Model Context Protocol, as far as can be said without starting or asking them. */
export async function serverFindings(admin: Pick<ServerAdmin, "servers" | "look">, home: string | undefined): Promise<readonly Finding[]> {
  const on = admin.servers.filter(({ enabled }) => enabled);
  const off = admin.servers.length - on.length;
  const found = await Promise.all(on.map(async (server) => await serverFinding(admin, server, home)));
  const tried = found.some(({ state }) => state === "ok") ? { next: "Try them with: smith mcp-servers check" } : {};
  return [
    {
      group: "servers",
      name: "servers",
      state: on.length === 0 ? "note" : "ok",
      text: admin.servers.length === 0 ? "none is set up" : `${String(on.length)} on${off === 0 ? "" : `, ${String(off)} off`}`,
      ...tried,
    },
    ...found,
  ];
}

async function serverFinding(admin: Pick<ServerAdmin, "look">, server: McpServerSetting, home: string | undefined): Promise<Finding> {
  const { name, required, source } = server;
  const place = `${shortPath(source.file, home)}${source.line === undefined ? "" : `:${String(source.line)}`}`;
  const reach = await admin.look(server);
  if (reach.ok) return { group: "servers", name, state: "ok", text: `${reach.value} (${place})` };
  const finding = findingOf("servers", name, reach.error, required ? "error" : "warning");
  const next = `Mend it in that file, or take the server out with: smith mcp-servers remove ${name}`;
  return { ...finding, text: `${finding.text} (${place})`, next };
}
