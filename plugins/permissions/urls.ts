import { type TextMatcher, textMatcher } from "./glob.js";
import { resolvePath } from "./paths.js";

const SHAPE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)([^?#]*)(.*)$/iu;
const HOST = /^[a-z0-9.-]+(?::[0-9]+)?$/u;
const DEFAULT_PORT: Readonly<Record<string, string>> = { http: ":80", https: ":443" };

interface Address {
  readonly text: string;
  /** It can be read in one way only. */
  readonly isPlain: boolean;
}

/** One spelling for each address: host in small letters, no default port, no name and password, no dots in the path. */
function address(given: string): Address | undefined {
  const tidy = given.replace(/[\u0000-\u0020\u007f]/gu, "");
  const [, scheme = "", authority = "", path = "", rest = ""] = SHAPE.exec(tidy) ?? [];
  if (scheme === "") return undefined;
  const host = hostOf(scheme.toLowerCase(), authority);
  const isPlain = tidy === given && !authority.includes("@") && HOST.test(host) && !/\\|%2f/iu.test(path);
  return { text: `${scheme.toLowerCase()}://${host}${plainPath(path)}${rest}`, isPlain };
}

function hostOf(scheme: string, authority: string): string {
  const named = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  const port = DEFAULT_PORT[scheme];
  return (port !== undefined && named.endsWith(port) ? named.slice(0, -port.length) : named).replace(/\.$/u, "");
}

function plainPath(path: string): string {
  const slashed = path.replace(/\\/gu, "/").replace(/%2e/giu, ".");
  const resolved = resolvePath("/", slashed);
  return resolved !== "/" && /\/\.{0,2}$/u.test(slashed) ? `${resolved}/` : resolved;
}

export function allowedUrl(pattern: string): TextMatcher {
  const matches = textMatcher(pattern);
  return (url) => {
    const read = address(url);
    return read?.isPlain === true && matches(read.text);
  };
}

export function heldUrl(pattern: string): TextMatcher {
  const matches = textMatcher(pattern.toLowerCase());
  return (url) => {
    const spellings = /^[a-z][a-z0-9+.-]*:\/\//iu.test(url) ? [url] : [url, `https://${url}`, `http://${url}`];
    return spellings
      .flatMap((spelling) => [spelling, address(spelling)?.text ?? spelling])
      .some((spelling) => matches(spelling.toLowerCase()));
  };
}

/** All of a host, as a pattern; undefined for an address that can be read in several ways. */
export function hostPattern(url: string): string | undefined {
  const read = address(url);
  return read?.isPlain === true ? `${/^[^/]*\/\/[^/]*/u.exec(read.text)?.[0] ?? ""}/*` : undefined;
}
