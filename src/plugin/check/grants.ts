import { grantDenied, type Grants } from "../../effect/index.js";
import type { Diagnostic, SdkOperation } from "../../schema/index.js";
import type { CompiledPlugin } from "../types.js";

/** A facility as a manifest asks for it. */
interface Facility {
  /** What is wanted of it, after "may not". */
  readonly wanted: string;
  readonly word: string;
  readonly manifest: string;
  readonly has: (grants: Grants) => boolean;
}

const READ: Facility = {
  wanted: "read files",
  word: "fs read",
  manifest: 'fs read="workspace"',
  has: ({ fsRead }) => fsRead.length > 0,
};
const WRITE: Facility = {
  wanted: "write files",
  word: "fs write",
  manifest: 'fs write="workspace"',
  has: ({ fsWrite }) => fsWrite.length > 0,
};
const SEARCH: Facility = {
  wanted: "search",
  word: "search",
  manifest: 'search "workspace"',
  has: ({ search }) => search.length > 0,
};
const VCS: Facility = { wanted: "look at the repository", word: "vcs", manifest: "vcs", has: ({ vcs }) => vcs };

const PROCESS: Facility = { wanted: "run programs", word: "process", manifest: 'process "…"', has: ({ process }) => process.length > 0 };
const MCP: Facility = {
  wanted: "use servers of the Model Context Protocol",
  word: "mcp",
  manifest: 'mcp "*"',
  has: ({ mcp }) => mcp.length > 0,
};

const ui = (intent: "ask" | "choose" | "confirm", wanted: string): Facility => ({
  wanted,
  word: `ui "${intent}"`,
  manifest: `ui "${intent}"`,
  has: (grants) => grants.ui.includes(intent),
});

/** Undefined: needs none. A key of state is looked up where its scope is found, a resource by whoever answers. */
const FACILITIES: { readonly [Op in SdkOperation]: Facility | undefined } = {
  "fs.read": READ,
  "fs.write": WRITE,
  "fs.edit": WRITE,
  "fs.patch": WRITE,
  "fs.list": READ,
  "fs.stat": READ,
  "search.find": SEARCH,
  "search.grep": SEARCH,
  "process.run": PROCESS,
  "process.start": PROCESS,
  "process.jobs": PROCESS,
  "process.output": PROCESS,
  "process.kill": PROCESS,
  "net.fetch": { wanted: "send requests", word: "net", manifest: 'net "https://…"', has: ({ net }) => net.length > 0 },
  "evaluate.run": { wanted: "evaluate JavaScript", word: "evaluate", manifest: "evaluate", has: ({ evaluate }) => evaluate },
  "vcs.status": VCS,
  "vcs.diff": VCS,
  "state.get": undefined,
  "state.put": undefined,
  "state.delete": undefined,
  "ui.ask": ui("ask", "ask people for text"),
  "ui.choose": ui("choose", "let people choose"),
  "ui.confirm": ui("confirm", "let people confirm"),
  "resource.read": undefined,
  "secrets.keep": undefined,
  "clock.sleep": undefined,
  "clock.now": undefined,
  "entropy.bytes": undefined,
  "text.diff": undefined,
  "text.markdown": undefined,
  "mcp.servers": MCP,
  "mcp.call": MCP,
  "mcp.read": MCP,
  "mcp.resources": MCP,
  "mcp.prompt": MCP,
  "mcp.reconnect": MCP,
  "tools.searchable": undefined,
  "agent.run": { wanted: "have other agents work", word: "agent", manifest: "agent", has: ({ agent }) => agent },
};

/**
 * The refusal of an operation whose facility the manifest grants nothing of. Which part it grants (roots, programs, origins) is not
 * looked at: that is decided on real paths and addresses, and a test has none.
 */
export function missingFacility({ id, grants }: CompiledPlugin, operation: SdkOperation): Diagnostic | undefined {
  const facility = FACILITIES[operation];
  if (facility === undefined || facility.has(grants)) return undefined;
  const { wanted, word, manifest } = facility;
  return grantDenied({ plugin: id, wanted, why: `It has no grant ${word}.`, manifest });
}
