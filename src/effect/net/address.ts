import { isIPv4, isIPv6 } from "node:net";

/** Networks that lead to no public host: of this machine, private, of a provider's inside, for documents and tests, reserved. */
const SPECIAL_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // The metadata service of cloud machines is among them.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Parts of the public IPv6 space (2000::/3) that are not: Teredo and other protocol assignments, documents. */
const SPECIAL_V6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
];

/**
 * Whether an address is of this machine or of a network that is not public (IANA special-purpose registries). IPv6 forms that
 * carry an IPv4 address (mapped, NAT64, 6to4) are what that one is. Anything that is no address counts as not public.
 */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return isPrivateV4(v4Number(address));
  if (!isIPv6(address)) return true;
  const groups = v6Groups(address);
  const [first = 0, second = 0, third = 0] = groups;
  const embedded = (at: number): number => (groups[at] ?? 0) * 0x1_0000 + (groups[at + 1] ?? 0);
  if (startsWith(groups, [0, 0, 0, 0, 0, 0xffff])) return isPrivateV4(embedded(6));
  if (startsWith(groups, [0x64, 0xff9b, 0, 0, 0, 0])) return isPrivateV4(embedded(6));
  if (first === 0x2002) return isPrivateV4(second * 0x1_0000 + third);
  if (first >> 13 !== 1) return true;
  return SPECIAL_V6.some(([network, bits]) => v6Prefix(groups, bits) === v6Prefix(v6Groups(network), bits));
}

const isPrivateV4 = (address: number): boolean =>
  SPECIAL_V4.some(([network, bits]) => Math.floor(address / 2 ** (32 - bits)) === Math.floor(v4Number(network) / 2 ** (32 - bits)));

const v4Number = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const startsWith = (groups: readonly number[], start: readonly number[]): boolean => start.every((group, at) => groups[at] === group);

const v6Prefix = (groups: readonly number[], bits: number): bigint =>
  groups.reduce((sum, group) => sum * 0x1_0000n + BigInt(group), 0n) >> BigInt(128 - bits);

/** The eight groups of a valid address; its zone is dropped. */
function v6Groups(address: string): readonly number[] {
  const bare = address.replace(/%.*$/u, "").replace(/[\d.]+$/u, (tail) => {
    if (!tail.includes(".")) return tail;
    const number = v4Number(tail);
    return `${Math.floor(number / 0x1_0000).toString(16)}:${(number % 0x1_0000).toString(16)}`;
  });
  const [head = "", tail] = bare.split("::");
  const groupsOf = (text: string): readonly number[] => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
