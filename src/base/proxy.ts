/** The variables of an environment. */
type EnvView = { readonly [name: string]: string | undefined };

/** How to reach a URL: straight, or by a proxy. `auth` is the value of `Proxy-Authorization`. */
export type Route =
  | { readonly type: "direct" }
  | { readonly type: "proxy"; readonly url: URL; readonly auth?: string; readonly variable: string }
  /** A proxy variable that cannot be used; nothing is sent past it. */
  | { readonly type: "unusable"; readonly variable: string; readonly problem: string };

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY as curl does: the lower-case name first, the variable of the
 * target's scheme before ALL_PROXY, no scheme in the value means http. Loopback targets are always direct: a local model
 * server must work behind a company proxy without further settings.
 */
export function routeFor(url: URL, env: EnvView): Route {
  const host = bareHost(url);
  if (isLoopback(host) || bypassed(host, portOf(url), setting(env, "no_proxy")?.value ?? "")) return { type: "direct" };
  const chosen = setting(env, url.protocol === "https:" ? "https_proxy" : "http_proxy") ?? setting(env, "all_proxy");
  if (chosen === undefined) return { type: "direct" };
  return proxyRoute(chosen.name, chosen.value);
}

function proxyRoute(variable: string, value: string): Route {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) return { type: "unusable", variable, problem: "it is not a URL" };
  const proxy = new URL(text);
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:")
    return { type: "unusable", variable, problem: `proxies of type ${proxy.protocol.slice(0, -1)} are not supported` };
  const auth = authOf(proxy);
  return { type: "proxy", url: proxy, variable, ...(auth === undefined ? {} : { auth }) };
}

function setting(env: EnvView, lower: string): { readonly name: string; readonly value: string } | undefined {
  for (const name of [lower, lower.toUpperCase()]) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== "") return { name, value };
  }
  return undefined;
}

function authOf(proxy: URL): string | undefined {
  if (proxy.username === "" && proxy.password === "") return undefined;
  const pair = `${decode(proxy.username)}:${decode(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** A stray `%` in a password is the character itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Host name without the brackets of an IPv6 literal and without a final dot. */
export const bareHost = (url: URL): string =>
  url.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();

const portOf = (url: URL): string => (url.port !== "" ? url.port : url.protocol === "https:" ? "443" : "80");

/** `localhost`, `*.localhost`, 127.0.0.0/8, `::1` (also as a mapped IPv4 address). */
export const isLoopback = (host: string): boolean =>
  host === "localhost" ||
  host.endsWith(".localhost") ||
  host === "::1" ||
  host.startsWith("::ffff:7f") ||
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

function bypassed(host: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((rule) => rule !== "")
    .some((rule) => matches(host, port, rule.toLowerCase()));
}

function matches(host: string, port: string, rule: string): boolean {
  if (rule === "*") return true;
  if (rule.includes("/")) return inNetwork(host, rule);
  const { name, port: wanted } = splitPort(rule);
  if (wanted !== undefined && wanted !== port) return false;
  const bare = name.replace(/^\*?\./, "");
  return bare !== "" && (host === bare || host.endsWith(`.${bare}`));
}

function splitPort(rule: string): { readonly name: string; readonly port?: string } {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(rule);
  const plain = bracketed ?? /^([^:]*):(\d+)$/.exec(rule);
  if (plain === null) return { name: rule };
  return { name: plain[1] ?? "", ...(plain[2] === undefined ? {} : { port: plain[2] }) };
}

function inNetwork(host: string, rule: string): boolean {
  const [base = "", bits = ""] = rule.split("/");
  const [address, network, length] = [ipv4(host), ipv4(base), Number(bits)];
  if (address === undefined || network === undefined || bits === "" || !(length >= 0 && length <= 32)) return false;
  const size = 2 ** (32 - length);
  return Math.floor(address / size) === Math.floor(network / size);
}

function ipv4(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split(".").map(Number);
  return parts.every((part) => part <= 255) ? parts.reduce((sum, part) => sum * 256 + part, 0) : undefined;
}
