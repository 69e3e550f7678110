import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import { isPrivateAddress } from "./address.js";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name; rejects when it has none. */
export type LookupPort = (host: string) => Promise<readonly Address[]>;

/** The system's own resolver, as every program of this machine sees names. */
export const systemLookup: LookupPort = async (host) => {
  const { lookup } = await import("node:dns/promises");
  return lookup(host, { all: true, verbatim: true });
};

/** A host leads to this machine or a private network, and the grant does not. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
  readonly host: string;
  readonly address: string;
  constructor(host: string, address: string) {
    super(`${host} leads to ${address}`);
    this.host = host;
    this.address = address;
  }
}

/**
 * The resolver of one connection: it hands out only addresses that may be connected, so there is no moment between the check of a
 * name and its use. Fails when none is left.
 */
export const guardedLookup =
  (lookup: LookupPort, allowsPrivate: boolean): LookupFunction =>
  (host, options, callback) => {
    publicAddresses(host, lookup, allowsPrivate).then(
      (found) => {
        const [first] = found;
        if (options.all === true) callback(null, [...found]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), []);
      },
    );
  };

/** Addresses of a host that may be connected; a literal address is checked as it stands, since nobody looks it up. */
export async function publicAddresses(host: string, lookup: LookupPort, allowsPrivate: boolean): Promise<readonly Address[]> {
  const literal = isIP(host);
  const found = literal === 0 ? await lookup(host) : [{ address: host, family: literal }];
  const [first] = found;
  if (first === undefined) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
  const usable = allowsPrivate ? found : found.filter(({ address }) => !isPrivateAddress(address));
  if (usable.length === 0) throw new PrivateAddressError(host, first.address);
  return usable;
}
