import { type Action, type Command, isHostError, type McpServerState, type McpServerView } from "smith-agent/plugin";
import { type McpSource, type ServerOffer, serverOffers } from "../offer/offer.js";
import { clip, oneLine, plural, someNames } from "../words.js";

/** UTF-16 units of one notice that a person is shown. */
const MAX_NOTICE = 4_000;
const MAX_NOTICES = 32;
const MAX_LINE = 300;
const MAX_NOTES = 10;

/** `/mcp`: the servers and what is offered of them. `/mcp reconnect SERVER`: connects one again. */
export const mcpCommand: Command = async (args, { mcp }) => {
  const [word = "", name = "", ...others] = args.split(/\s+/u).filter((one) => one !== "");
  try {
    if (word === "") return listed({ servers: await mcp.servers() });
    if (word !== "reconnect" || name === "" || others.length > 0) return says("Write /mcp, or /mcp reconnect SERVER.", "error");
    const servers = await mcp.servers();
    if (!servers.some((one) => one.name === name))
      return says(`There is no MCP server ${name}. ${known(servers.map((one) => one.name))}`, "error");
    const view = await mcp.reconnect(name);
    const offered = serverOffers({ servers: servers.map((one) => (one.name === name ? view : one)) }).find(({ server }) => server === view);
    return says(offered === undefined ? `${name} is there.` : serverWords(offered), view.state === "connected" ? undefined : "warning");
  } catch (error) {
    if (!isHostError(error)) throw error;
    return says([error.what, error.why, error.next].join(" "), "error");
  }
};

const known = (names: readonly string[]): string => (names.length === 0 ? "None is set up." : `There are ${someNames(names, 20)}.`);

const says = (text: string, role?: "error" | "warning"): readonly Action[] => [
  { type: "notify", text: clip(text, MAX_NOTICE), ...(role === undefined ? {} : { role }) },
];

function listed(source: McpSource): readonly Action[] {
  if (source.servers.length === 0) return says("No MCP server is set up. Add one with `smith mcp-servers add`, or in .mcp.json.");
  const notices: string[] = [];
  for (const words of serverOffers(source).map(serverWords)) {
    const last = notices.at(-1);
    const shown = clip(words, MAX_NOTICE);
    if (last !== undefined && last.length + shown.length + 1 <= MAX_NOTICE) notices[notices.length - 1] = `${last}\n${shown}`;
    else notices.push(shown);
  }
  return notices.slice(0, MAX_NOTICES).flatMap((text) => says(text));
}

const STATES: { readonly [State in McpServerState]: string } = {
  off: "off",
  connecting: "connecting",
  stale: "connecting, with the tools it had last",
  connected: "connected",
  reconnecting: "connecting again",
  "sign-in": "somebody has to sign in",
  failed: "failed",
};

function serverWords(offered: ServerOffer): string {
  const { server, notes } = offered;
  const said = [...server.notes, ...notes];
  return [
    [`${server.name}: ${STATES[server.state]}`, counts(offered), ...peer(server)].join(" · "),
    ...(server.message === undefined ? [] : [`  ${server.message}`]),
    ...said.slice(0, MAX_NOTES).map((note) => `  - ${note}`),
    ...(said.length <= MAX_NOTES ? [] : [`  - and ${plural(said.length - MAX_NOTES, "more note")}`]),
  ]
    .map((line) => clip(line.replace(/\s*\n\s*/gu, " "), MAX_LINE))
    .join("\n");
}

const counts = ({ server, tools, isSearched, barred, leftOut }: ServerOffer): string =>
  [
    tools.length === 0 ? "no tools offered" : `${plural(tools.length, "tool")} ${isSearched ? "found by search" : "offered"}`,
    ...(barred === 0 ? [] : [`${barred} not allowed`]),
    ...(leftOut === 0 ? [] : [`${leftOut} left out`]),
    ...(server.prompts.length === 0 ? [] : [plural(server.prompts.length, "prompt")]),
    ...(server.resources ? ["resources"] : []),
  ].join(", ");

/** What the server calls itself, and what is spoken with it. */
function peer({ title, version, protocol }: McpServerView): readonly string[] {
  const words = [title, version, protocol === undefined ? undefined : `protocol ${protocol}`].filter((word) => word !== undefined);
  return words.length === 0 ? [] : [words.map(oneLine).join(" ")];
}
