const PREFIX = "mcp__";
/** What every vendor takes as a tool's name. */
const MAX_NAME = 64;
const MARK = "_x";
const HASH_DIGITS = 10;
/** Characters of a server's name that stay in a name that has to be cut. */
const SERVER_UNITS = 20;
const PLAIN = /^[A-Za-z0-9_-]+$/u;
/** How a name ends that was cleaned or cut. A name that ends so by itself is treated the same, so that nobody can take another's. */
const MARKED = /_x[0-9a-f]{10}$/u;

/**
 * Name of a tool for models: `mcp__server__tool` where that is legal and can be read in only one way, else cleaned, cut, and told apart by a
 * hash of both. It depends on nothing but the two names, so that no other tool, order or run can change it.
 */
export function toolName(server: string, tool: string): string {
  const plain = `${PREFIX}${server}__${tool}`;
  return isUnambiguous(server) && PLAIN.test(tool) && plain.length <= MAX_NAME && !MARKED.test(plain) ? plain : markedName(server, tool);
}

/** Where a server has a tool of its own with the name that smith's reader would have, the reader gives way. */
export const readerName = (server: string, tools: readonly { readonly name: string }[]): string =>
  tools.some(({ name }) => name === READER) ? markedName(server, READER, "reader") : toolName(server, READER);

export const READER = "read_resource";

/** The first `__` after the prefix is where the server's name ends. */
const isUnambiguous = (server: string): boolean => PLAIN.test(server) && !server.includes("__") && !server.endsWith("_");

function markedName(server: string, tool: string, kind = ""): string {
  const suffix = `${MARK}${hash(`${kind}${server.length}:${server}${tool}`)}`;
  const room = MAX_NAME - PREFIX.length - 2 - suffix.length;
  const [cleanServer, cleanTool] = [cleaned(server, "server"), cleaned(tool, "tool")];
  const serverPart = cleanServer.slice(0, Math.max(SERVER_UNITS, room - cleanTool.length));
  return `${PREFIX}${serverPart}__${cleanTool.slice(0, room - serverPart.length)}${suffix}`;
}

const cleaned = (name: string, fallback: string): string => {
  const clean = name
    .replace(/[^A-Za-z0-9_-]+/gu, "_")
    .replace(/_{2,}/gu, "_")
    .replace(/^_|_$/gu, "");
  return clean === "" ? fallback : clean;
};

/** 40 bits of two FNV-1a sums of the UTF-16 units, well mixed. Tells names apart; hides nothing. */
function hash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 15), 0x85ebca6b);
  }
  const hex = (sum: number): string => (mixed(sum) >>> 0).toString(16).padStart(8, "0");
  return `${hex(low)}${hex(high)}`.slice(0, HASH_DIGITS);
}

function mixed(sum: number): number {
  let value = sum;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
