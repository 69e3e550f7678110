import type { McpServerState, McpServerView, OfferedTool, ToolSetOffer } from "smith-agent/plugin";
import { plural } from "../words.js";
import { guide } from "./guide.js";
import { makeCommands } from "./prompts.js";
import { searchedServers } from "./select.js";
import { type MadeTools, makeTools, roomForAll } from "./tools.js";

/** What the host knows of the servers. */
export interface McpSource {
  readonly servers: readonly McpServerView[];
}

const MAX_NOTES = 100;

/** Whether what a server listed is offered: a call waits for its connection. */
const IS_OFFERED: { readonly [State in McpServerState]: boolean } = {
  connected: true,
  stale: true,
  reconnecting: true,
  connecting: true,
  off: false,
  "sign-in": false,
  failed: false,
};

export const isOffered = ({ state }: Pick<McpServerView, "state">): boolean => IS_OFFERED[state];

/** One server with what is offered of it. */
export interface ServerOffer {
  readonly server: McpServerView;
  readonly tools: readonly OfferedTool[];
  /** Whether a search has to name them first. */
  readonly isSearched: boolean;
  /** Tools its setting does not let through. */
  readonly barred: number;
  /** Tools that cannot be used, and those over the bound. */
  readonly leftOut: number;
  readonly notes: readonly string[];
}

/** What is offered of each server, in the order of their names. The same servers give the same, whatever their order and that of their tools. */
export function serverOffers({ servers }: McpSource): readonly ServerOffer[] {
  const sorted = servers.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const room = roomForAll();
  const made = sorted.map((server) => ({ server, made: isOffered(server) ? makeTools(server, room) : NOTHING }));
  const weighed = made.map(({ server, made: { tools } }) => ({
    name: server.name,
    offer: server.offer,
    units: tools.reduce((sum, { units }) => sum + units, 0),
  }));
  const searched = searchedServers(weighed);
  const taken = doubled(made.flatMap(({ made: { tools } }) => tools.map(({ tool }) => tool.name)));
  return made.map(({ server, made: { tools, barred, notes } }) => {
    const kept = tools.map(({ tool }) => tool).filter(({ name }) => !taken.has(name));
    const isSearched = searched.has(server.name);
    const double = tools.length - kept.length;
    const readers = server.resources ? 1 : 0;
    return {
      server,
      tools: kept
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .map((tool) => (isSearched ? { ...tool, offer: "search" } : tool)),
      isSearched,
      barred,
      leftOut: isOffered(server) ? server.tools.length + readers - barred - kept.length : 0,
      notes: double === 0 ? notes : [...notes, `${server.name}: ${plural(double, "tool")} left out: others have the same name.`],
    };
  });
}

const NOTHING: MadeTools = { tools: [], barred: 0, notes: [] };

/** Which of two tools with one name a call means cannot be known. */
const doubled = (names: readonly string[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
};

/** Tools, commands and a section of the system prompt, from what is known of the servers. Pure. */
export function offer(source: McpSource): ToolSetOffer {
  const offers = serverOffers(source);
  const { commands, notes } = makeCommands(offers.map(({ server }) => server).filter(isOffered));
  const prompt = guide(
    offers
      .filter(({ tools }) => tools.length > 0)
      .map(({ server, tools, isSearched }) => ({
        name: server.name,
        searched: isSearched ? tools.length : 0,
        ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
      })),
  );
  return {
    tools: offers.flatMap(({ tools }) => tools),
    ...(commands.length === 0 ? {} : { commands }),
    notes: bounded([...stateNotes(offers.map(({ server }) => server)), ...offers.flatMap((one) => one.notes), ...notes]),
    ...(prompt === undefined ? {} : { prompt }),
  };
}

/** Only what went wrong is noted: that a server is off or waits for a search is how a person set it, and `/mcp` shows it. */
function stateNotes(servers: readonly McpServerView[]): readonly string[] {
  const said = (message: string | undefined): string => (message === undefined ? "" : `: ${message}`);
  return [
    ...servers
      .filter(({ state }) => state === "failed")
      .map(({ name, message }) => `${name}: its tools are not offered, it cannot be used${said(message)}`),
    ...servers
      .filter(({ state }) => state === "sign-in")
      .map(
        ({ name, message }) => `${name}: its tools are not offered until somebody signs in, with /mcp reconnect ${name}${said(message)}`,
      ),
  ];
}

const bounded = (notes: readonly string[]): readonly string[] =>
  notes.length <= MAX_NOTES
    ? notes
    : [...notes.slice(0, MAX_NOTES), `${notes.length - MAX_NOTES} more notes on MCP servers; /mcp shows all.`];
