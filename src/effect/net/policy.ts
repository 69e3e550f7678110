import type { Grants, NetGrant } from "../types.js";

/** Methods of a grant that names none. */
const READING: readonly string[] = ["GET", "HEAD"];

/** Whether a method changes nothing by its definition (RFC 9110). */
export const isReading = (method: string): boolean => READING.includes(method);

export const methodsOf = ({ methods }: NetGrant): readonly string[] => (methods.length === 0 ? READING : methods);

const WILD = /^(https?:)\/\/\*\.(.+)$/u;

/** `*` is every origin; `https://*.example.com` every name below the host, at any depth, but not the host itself. */
function fitsOrigin(pattern: string, url: URL): boolean {
  if (pattern === "*") return true;
  const lower = pattern.toLowerCase();
  const [, scheme, host = ""] = WILD.exec(lower) ?? [];
  return scheme === undefined ? lower === url.origin : url.protocol === scheme && url.host.endsWith(`.${host}`);
}

export interface NetPermit {
  /** Addresses of this machine and of private networks, too. */
  readonly allowsPrivate: boolean;
}

/** What the grants say to one request; undefined when none lets it through. */
export function permitFor(url: URL, method: string, grants: Pick<Grants, "net">): NetPermit | undefined {
  const fitting = grants.net.filter((grant) => fitsOrigin(grant.origin, url) && methodsOf(grant).includes(method));
  return fitting.length === 0 ? undefined : { allowsPrivate: fitting.some((grant) => grant.private) };
}
