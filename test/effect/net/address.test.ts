import { describe, expect, test } from "vitest";
import { isPrivateAddress } from "../../../src/effect/net/address.js";
import { type Address, guardedLookup, PrivateAddressError, publicAddresses } from "../../../src/effect/net/lookup.js";

describe("addresses that are not public", () => {
  test.each([
    ["this machine", "127.0.0.1"],
    ["this machine, another number", "127.255.255.254"],
    ["no address", "0.0.0.0"],
    ["private 10", "10.1.2.3"],
    ["private 172.16, first", "172.16.0.0"],
    ["private 172.16, last", "172.31.255.255"],
    ["private 192.168", "192.168.1.1"],
    ["carrier", "100.64.0.1"],
    ["carrier, last", "100.127.255.255"],
    ["link-local: cloud metadata", "169.254.169.254"],
    ["protocol assignments", "192.0.0.9"],
    ["documents", "203.0.113.7"],
    ["benchmarks", "198.19.0.1"],
    ["multicast", "224.0.0.1"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["IPv6: this machine", "::1"],
    ["IPv6: no address", "::"],
    ["IPv6: unique local", "fd00::1"],
    ["IPv6: link-local", "fe80::1"],
    ["IPv6: link-local with a zone", "fe80::1%eth0"],
    ["IPv6: site-local", "fec0::1"],
    ["IPv6: multicast", "ff02::1"],
    ["IPv6: documents", "2001:db8::1"],
    ["IPv6: Teredo", "2001:0:4136:e378::1"],
    ["mapped", "::ffff:127.0.0.1"],
    ["mapped, as hexadecimal", "::ffff:a9fe:a9fe"],
    ["mapped, long", "0:0:0:0:0:ffff:10.0.0.1"],
    ["compatible", "::127.0.0.1"],
    ["NAT64", "64:ff9b::10.0.0.1"],
    ["NAT64 of one network", "64:ff9b:1::808:808"],
    ["6to4", "2002:7f00:1::"],
    ["6to4 of a private address", "2002:c0a8:0101::1"],
    ["discarded", "100::1"],
    ["no address at all", "example.com"],
    ["nothing", ""],
  ])("%s: %s", (_name, address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });
});

describe("public addresses", () => {
  test.each(["8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0", "169.253.1.1", "223.255.255.255", "1.1.1.1"])(
    "%s",
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
      expect(isPrivateAddress(`::ffff:${address}`)).toBe(false);
      expect(isPrivateAddress(`64:ff9b::${address}`)).toBe(false);
    },
  );

  test.each(["2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "2002:808:808::1"])("%s", (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});

describe("the resolver of a connection", () => {
  const answering =
    (...addresses: readonly string[]) =>
    async (): Promise<readonly Address[]> =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

  test("hands out the public addresses of a name only", async () => {
    const found = await publicAddresses("x.test", answering("10.0.0.1", "8.8.8.8", "::1", "2606:4700:4700::1111"), false);
    expect(found.map(({ address }) => address)).toEqual(["8.8.8.8", "2606:4700:4700::1111"]);
  });

  test("fails when every address is private, and names one", async () => {
    const failure = await publicAddresses("x.test", answering("10.0.0.1", "fd00::1"), false).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PrivateAddressError);
    expect(failure).toMatchObject({ host: "x.test", address: "10.0.0.1" });
  });

  test("hands out all of them where the grant says private", async () => {
    expect(await publicAddresses("x.test", answering("10.0.0.1", "8.8.8.8"), true)).toHaveLength(2);
  });

  test("a name without an address is not known", async () => {
    await expect(publicAddresses("x.test", answering(), false)).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  test.each([
    { all: true, given: [[{ address: "8.8.8.8", family: 4 }]] },
    { all: false, given: ["8.8.8.8", 4] },
  ])("answers Node as it asks, all: $all", async ({ all, given }) => {
    const lookup = guardedLookup(answering("8.8.8.8"), false);
    const got = await new Promise<readonly unknown[]>((resolve) => {
      lookup("x.test", { all }, (_error, ...rest) => {
        resolve(rest.filter((value) => value !== undefined));
      });
    });
    expect(got).toEqual(given);
  });

  test("a failing resolver fails the connection", async () => {
    const lookup = guardedLookup(() => Promise.reject(new Error("down")), false);
    const error = await new Promise((resolve) => {
      lookup("x.test", { all: true }, resolve);
    });
    expect(error).toMatchObject({ message: "down" });
  });
});
