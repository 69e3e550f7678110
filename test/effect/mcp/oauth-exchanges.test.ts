import { describe, expect, test } from "vitest";
import { besideServer, Exchanges } from "../../../src/effect/mcp/oauth/exchanges.js";
import { realClock } from "../support.js";

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "outside.example": ["93.184.216.34"],
  "auth.example": ["93.184.216.35"],
  "inside.example": ["10.0.0.7"],
  "both.example": ["93.184.216.36", "10.0.0.7"],
  "rebound.example": ["::ffff:127.0.0.1"],
};

function ports(server: string) {
  const asked: string[] = [];
  return {
    asked,
    clock: realClock,
    server: new URL(server),
    fetch: async (url: string | URL) => {
      asked.push(String(url));
      return await Promise.resolve(new Response("{}"));
    },
    lookup: async (host: string) => {
      const found = ADDRESSES[host];
      if (found === undefined) throw new Error("ENOTFOUND");
      return await Promise.resolve(found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
    },
  };
}

describe("a server names others for signing in", () => {
  test.each([
    ["https://outside.example/mcp", "https://auth.example/token", true],
    ["https://outside.example/mcp", "https://outside.example/token", true],
    ["https://outside.example/mcp", "https://nobody-here-knows.example/token", true],
    ["https://outside.example/mcp", "http://169.254.169.254/latest", false],
    ["https://outside.example/mcp", "http://localhost.example@127.0.0.1:8080/", false],
    ["https://outside.example/mcp", "http://[fd00::1]/", false],
    ["https://outside.example/mcp", "https://inside.example/token", false],
    ["https://outside.example/mcp", "https://both.example/token", false],
    ["https://outside.example/mcp", "https://rebound.example/token", false],
    ["https://both.example/mcp", "https://inside.example/token", false],
    ["https://inside.example/mcp", "http://10.0.0.8/token", true],
    ["http://127.0.0.1:80/mcp", "http://127.0.0.1:81/token", true],
  ])("%s: %s is asked: %s", async (server, url, isAsked) => {
    const there = ports(server);
    const exchanges = new Exchanges(there);
    const one = await exchanges.fetch(url).then(
      async (response) => await response.text(),
      () => "refused",
    );
    expect([one, there.asked]).toEqual(isAsked ? ["{}", [url]] : ["refused", []]);
    expect(exchanges.problem === undefined).toBe(isAsked);
    // A renewal is held to the same.
    const beside = ports(server);
    await besideServer(beside)(url).catch(() => undefined);
    expect(beside.asked).toEqual(isAsked ? [url] : []);
  });

  test("after one that is refused nothing is asked, so that no other way is taken instead", async () => {
    const there = ports("https://outside.example/mcp");
    const exchanges = new Exchanges(there);
    await expect(exchanges.fetch("http://169.254.169.254/")).rejects.toThrow("169.254.169.254");
    await expect(exchanges.fetch("https://outside.example/register")).rejects.toBe(exchanges.problem);
    expect(there.asked).toEqual([]);
  });
});
