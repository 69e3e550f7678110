import type { Machine, MachineFolder } from "../../runtime/index.js";
import type { CommandContext, Prepared } from "../context.js";
import { shortPath } from "../output/path.js";
import { VERSION } from "../version.js";
import { type Finding, findingOf } from "./finding.js";
import type { Diagnostic } from "../../schema/index.js";

/** What runs, and on what. */
export function programFindings({ host, errors }: Pick<CommandContext, "host" | "errors">): readonly Finding[] {
  const { env, nodeVersion, platform, stdout } = host;
  const size = stdout.columns === undefined || stdout.columns === 0 ? "" : `, ${String(stdout.columns)} columns`;
  const isShown = stdout.isTerminal || errors.isTerminal;
  const term = env["TERM"] === undefined || env["TERM"] === "" ? "TERM is not set" : `TERM is ${env["TERM"]}`;
  return [
    { group: "program", name: "version", state: "ok", text: `smith ${VERSION}, Node.js ${nodeVersion}, ${platform}` },
    {
      group: "program",
      name: "terminal",
      state: "note",
      text: isShown ? `${term}${size}` : "no terminal here: smith eval works, the interface needs one",
    },
  ];
}

const MEBIBYTE = 2 ** 20;
const GIBIBYTE = 2 ** 30;
/** A long session with its outputs is tens of megabytes. */
const LITTLE_BYTES = 100 * MEBIBYTE;

/** The folders of smith, and whether it can write there. */
export async function placeFindings(
  machine: Machine,
  { paths }: Pick<Prepared, "paths">,
  home: string | undefined,
): Promise<readonly Finding[]> {
  const places = [
    ["configuration", paths.config, "warning"],
    ["sessions", paths.sessions, "error"],
    ["state", paths.state, "warning"],
    ["cache", paths.cache, "warning"],
  ] as const;
  return await Promise.all(
    places.map(async ([name, path, weight]) => {
      const folder = await machine.folder(path);
      return {
        group: "places",
        name,
        ...folderWords(folder, shortPath(path, home), name === "sessions"),
        ...weighed(folder, weight),
      } as const;
    }),
  );
}

const weighed = ({ state }: MachineFolder, weight: Finding["state"]): Partial<Pick<Finding, "state">> =>
  state === "writable" || state === "none" ? {} : { state: weight };

const NEXT = "Give yourself the right to write there, or name another folder with SMITH_HOME.";

function folderWords({ state, freeBytes }: MachineFolder, path: string, isForMuch: boolean): Pick<Finding, "state" | "text" | "next"> {
  const free = freeBytes === undefined ? "" : `, ${sizeWords(freeBytes)} free`;
  switch (state) {
    case "read-only":
      return { state: "error", text: `${path} cannot be written to`, next: NEXT };
    case "blocked":
      return { state: "error", text: `${path} is not there and cannot be made`, next: NEXT };
    case "no-folder":
      return { state: "error", text: `${path} is there and is no folder`, next: "Move it away, or name another folder with SMITH_HOME." };
    case "writable":
    case "none":
      if (isForMuch && freeBytes !== undefined && freeBytes < LITTLE_BYTES)
        return {
          state: "warning",
          text: `${path}: only ${sizeWords(freeBytes)} free`,
          next: "Make room: a session that cannot be written stops.",
        };
      return { state: "ok", text: `${path}${state === "none" ? ", made when it is needed" : ""}${isForMuch ? free : ""}` };
  }
}

const sizeWords = (bytes: number): string =>
  bytes >= GIBIBYTE ? `${(bytes / GIBIBYTE).toFixed(1)} GiB` : `${String(Math.floor(bytes / MEBIBYTE))} MiB`;

/** What was read, and what is wrong in it. */
export function settingFindings(
  prepared: Pick<Prepared, "sources" | "cwd" | "trusted" | "toldOfProject">,
  problems: readonly Diagnostic[],
  home: string | undefined,
): readonly Finding[] {
  const { sources, cwd } = prepared;
  const files = [...(sources?.files ?? []), ...(sources?.mcpFiles ?? [])].map(({ path }) => shortPath(path, home));
  const read = files.length === 0 ? "no file; everything is as it comes" : files.join(", ");
  const isBroken = problems.some(({ severity }) => severity === "error");
  return [
    { group: "settings", name: "files", state: isBroken ? "note" : "ok", text: `read: ${read}` },
    { group: "settings", name: "project", state: "note", text: `${shortPath(cwd, home)}${trustWords(prepared)}` },
    ...problems.map((problem, index) => findingOf("settings", `problem ${String(index + 1)}`, problem)),
  ];
}

function trustWords({ trusted, toldOfProject }: Pick<Prepared, "trusted" | "toldOfProject">): string {
  if (trusted !== undefined) return trusted ? ", trusted for this run" : ", what it brings is left unused";
  return toldOfProject === undefined ? "" : ", not trusted";
}
