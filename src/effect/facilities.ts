import { randomFillSync } from "node:crypto";
import type { Clock, IdSource } from "../base/index.js";
import type { FileTracker, PathLocks } from "./fs/index.js";
import type { LookupPort } from "./net/index.js";
import { kept, onDemand } from "./on-demand.js";
import type { PathPolicy } from "./paths/index.js";
import type { Supervisor } from "./process/index.js";
import type { Search } from "./search/index.js";
import { createKeepFacility, NO_VAULT, type SecretPort, type SecretVault } from "./secrets/index.js";
import type { AgentPort, EvaluatePort, Facilities, McpPort, ResourcePort, StatePort, ToolsPort, UiPort } from "./types.js";

export interface FacilityDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** All that programs may inherit, and the proxy variables; the composition has taken credentials out. */
  readonly env: Readonly<Record<string, string>>;
  readonly policy: PathPolicy;
  /** Shared by all sessions of the process; closed by whoever made it. */
  readonly search: Search;
  /** The built `src/effect/fs/compute/worker.ts`. Left out: large files are changed in the thread that asks. */
  readonly changeWorkerUrl?: URL;
  /** Turns pages into Markdown; left out: nothing does. */
  readonly markdownWorkerUrl?: URL;
  /** Shared by all sessions of the process, so that they do not undo each other's changes. */
  readonly locks: PathLocks;
  /** One per session. */
  readonly tracker: FileTracker;
  readonly ui: UiPort;
  readonly state: StatePort;
  readonly evaluate: EvaluatePort;
  readonly resources: ResourcePort;
  /** Left out: there are no servers. */
  readonly mcp?: McpPort;
  /** Left out: no other agent can be asked. */
  readonly agents?: AgentPort;
  /** Left out: no tool waits to be found. */
  readonly tools?: ToolsPort;
  /** Folder of the session's own for whole outputs of commands, absolute; made when it is needed; removed when it is old, with those beside it. */
  readonly outputs: string;
  /** Value of a secret by name. Asked only for names that the grant of the plugin lists. */
  readonly secret: SecretPort;
  /** All secrets that are known. Default: none. */
  readonly vault?: SecretVault;
  /** Default: the system's resolver. */
  readonly lookup?: LookupPort;
  /** Fills with bytes nobody can guess. Default: the system's source. */
  readonly random?: (into: Uint8Array) => void;
}

/** Everything a plugin can ask for, for one session. */
export interface FacilitySet {
  readonly table: Facilities;
  /** Ends what was started and not shared: commands and what they left in the background. */
  close(): Promise<void>;
  /** Ends running commands at once and synchronously, for a process about to end. */
  killNow(): void;
}

const systemRandom = (into: Uint8Array): void => {
  randomFillSync(into);
};

type Vaulted = FacilityDeps & { readonly vault: SecretVault };

/** No facility is loaded before it is asked for: most runs need few of them, many none. */
export function createFacilities(given: FacilityDeps): FacilitySet {
  const deps: Vaulted = { vault: NO_VAULT, ...given };
  let running: Supervisor | undefined;
  const supervised = kept(async () => (running = (await import("./process/index.js")).createSupervisor(deps)));
  return {
    table: { ...filesOf(deps), ...programsOf(deps, supervised), ...portsOf(deps), ...workOf(deps) },
    close: async () => {
      await running?.close();
    },
    killNow: () => {
      running?.killNow();
    },
  };
}

const filesOf = (deps: Vaulted) => ({
  ...onDemand(["fs.read", "fs.write", "fs.edit", "fs.patch", "fs.stat"], async () =>
    (await import("./fs/index.js")).createFileFacilities(deps),
  ),
  ...onDemand(["search.find", "search.grep", "fs.list"], async () => (await import("./search/index.js")).createSearchFacilities(deps)),
});

const programsOf = (deps: Vaulted, supervised: () => Promise<Supervisor>) => {
  const foldered = kept(async () => (await import("./process/index.js")).createOutputFolder({ ...deps, folder: deps.outputs }));
  const running = async () => ({ ...deps, supervisor: await supervised(), outputFolder: await foldered() });
  return {
    ...onDemand(["process.run"], async () => {
      const { createProcessFacility, createProcessRunner } = await import("./process/index.js");
      return { "process.run": createProcessFacility({ ...deps, runner: createProcessRunner(await running()) }) };
    }),
    ...onDemand(["process.start", "process.jobs", "process.output", "process.kill"], async () =>
      (await import("./process/index.js")).createJobFacilities(await running()),
    ),
    ...onDemand(["vcs.status", "vcs.diff"], async () =>
      (await import("./vcs/index.js")).createVcsFacilities({ ...deps, supervisor: await supervised() }),
    ),
  };
};

const portsOf = (deps: Vaulted) => ({
  ...onDemand(["net.fetch"], async () => ({ "net.fetch": (await import("./net/index.js")).createNetFacility(deps) })),
  ...onDemand(["evaluate.run"], async () => ({
    "evaluate.run": (await import("./ports/index.js")).createEvaluateFacility(deps.evaluate),
  })),
  ...onDemand(["state.get", "state.put", "state.delete"], async () => (await import("./ports/index.js")).createStateFacilities(deps.state)),
  ...onDemand(["ui.ask", "ui.choose", "ui.confirm"], async () => (await import("./ports/index.js")).createUiFacilities(deps.ui)),
  ...onDemand(["mcp.servers", "mcp.call", "mcp.read", "mcp.resources", "mcp.prompt", "mcp.reconnect"], async () =>
    (await import("./ports/index.js")).createMcpFacilities(deps),
  ),
  ...onDemand(["tools.searchable"], async () => (await import("./ports/index.js")).createToolsFacility(deps.tools)),
  ...onDemand(["agent.run"], async () => (await import("./ports/index.js")).createAgentFacility(deps.agents)),
  ...onDemand(["resource.read"], async () => ({ "resource.read": (await import("./ports/index.js")).createResourceFacility(deps) })),
});

const workOf = ({ clock, vault, random = systemRandom, ...deps }: Vaulted) => ({
  "secrets.keep": createKeepFacility(vault),
  ...onDemand(["clock.sleep", "clock.now", "entropy.bytes"], async () =>
    (await import("./ambient/index.js")).createAmbientFacilities({ clock, random }),
  ),
  ...onDemand(["text.diff", "text.markdown"], async () => (await import("./text/index.js")).createTextFacilities({ ...deps, clock })),
});
