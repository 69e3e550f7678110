import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FetchInput } from "../../../src/schema/index.js";
import type { Grants, NetGrant } from "../../../src/effect/index.js";
import { permitFor } from "../../../src/effect/net/policy.js";
import { checkRequest, NET_BOUNDS } from "../../../src/effect/net/request.js";
import { createBench, errorOf, NOTHING, type Bench, valueOf } from "../support.js";
import { lookup } from "./server.js";

const grant = (origin: string, ...methods: readonly string[]): NetGrant => ({ origin, methods, private: false });

describe("what a grant net lets through", () => {
  test.each<readonly [string, NetGrant, string, string, boolean]>([
    ["the origin", grant("https://api.example.com"), "GET", "https://api.example.com/v1?x=1", true],
    ["its default port, written out", grant("https://api.example.com"), "GET", "https://api.example.com:443/", true],
    ["upper case in the URL", grant("https://api.example.com"), "GET", "HTTPS://API.Example.COM/", true],
    ["upper case in the grant", grant("https://API.example.com"), "GET", "https://api.example.com/", true],
    ["HEAD without methods", grant("https://api.example.com"), "HEAD", "https://api.example.com/", true],
    ["another port", grant("https://api.example.com"), "GET", "https://api.example.com:8443/", false],
    ["another scheme", grant("https://api.example.com"), "GET", "http://api.example.com/", false],
    ["a name below", grant("https://example.com"), "GET", "https://api.example.com/", false],
    ["a name that ends alike", grant("https://example.com"), "GET", "https://evilexample.com/", false],
    ["a name that begins alike", grant("https://example.com"), "GET", "https://example.com.evil.org/", false],
    ["POST without methods", grant("https://api.example.com"), "POST", "https://api.example.com/", false],
    ["a listed method", grant("https://api.example.com", "POST"), "POST", "https://api.example.com/", true],
    ["GET when only POST is listed", grant("https://api.example.com", "POST"), "GET", "https://api.example.com/", false],
    ["a subdomain", grant("https://*.example.com"), "GET", "https://a.example.com/", true],
    ["a subdomain two levels down", grant("https://*.example.com"), "GET", "https://a.b.example.com/", true],
    ["the host of a wildcard itself", grant("https://*.example.com"), "GET", "https://example.com/", false],
    ["a look-alike of a wildcard", grant("https://*.example.com"), "GET", "https://aexample.com/", false],
    ["a wildcard with a port", grant("https://*.example.com:8443"), "GET", "https://a.example.com:8443/", true],
    ["a wildcard with another port", grant("https://*.example.com"), "GET", "https://a.example.com:8443/", false],
    ["everything", grant("*"), "GET", "http://anything.org:81/", true],
    ["everything, but POST", grant("*"), "POST", "http://anything.org:81/", false],
  ])("%s", (_name, net, ...request) => {
    const [method, url, verdict] = request;
    expect(permitFor(new URL(url), method, { net: [net] }) !== undefined).toBe(verdict);
  });

  test("of several grants one is enough, and private counts only where it fits", () => {
    const net = [grant("https://a.org"), { ...grant("https://b.org"), private: true }];
    expect(permitFor(new URL("https://a.org"), "GET", { net })).toEqual({ allowsPrivate: false });
    expect(permitFor(new URL("https://b.org"), "GET", { net })).toEqual({ allowsPrivate: true });
    expect(permitFor(new URL("https://c.org"), "GET", { net })).toBeUndefined();
  });
});

describe("words of a request that are refused before anything is resolved", () => {
  const URL_OK = "https://api.example.com/";
  test.each<readonly [string, FetchInput, string, RegExp]>([
    ["a relative URL", { url: "/v1" }, "net.bad-url", /not an absolute URL/u],
    ["a file URL", { url: "file:///etc/passwd" }, "net.bad-url", /scheme is file/u],
    ["a data URL", { url: "data:text/plain,x" }, "net.bad-url", /scheme is data/u],
    ["credentials in the URL", { url: "https://me:secret@api.example.com/" }, "net.bad-url", /user name or a password/u],
    ["a user name in the URL", { url: "https://me@api.example.com/" }, "net.bad-url", /user name or a password/u],
    ["CONNECT", { url: URL_OK, method: "connect" }, "net.bad-method", /connect/u],
    ["TRACE", { url: URL_OK, method: "TRACE" }, "net.bad-method", /TRACE/u],
    ["a method of two words", { url: URL_OK, method: "GET /x" }, "net.bad-method", /GET/u],
    ["an empty method", { url: URL_OK, method: "" }, "net.bad-method", /""/u],
    ["host", { url: URL_OK, headers: { Host: "evil" } }, "net.bad-header", /the host sets it itself/u],
    ["content-length", { url: URL_OK, headers: { "content-length": "3" } }, "net.bad-header", /the host sets it/u],
    ["transfer-encoding", { url: URL_OK, headers: { "Transfer-Encoding": "chunked" } }, "net.bad-header", /the host sets it/u],
    ["connection", { url: URL_OK, headers: { connection: "upgrade" } }, "net.bad-header", /the host sets it/u],
    ["proxy-authorization", { url: URL_OK, headers: { "Proxy-Authorization": "x" } }, "net.bad-header", /the host sets it/u],
    ["a line end in a value", { url: URL_OK, headers: { a: "b\r\nc: d" } }, "net.bad-header", /line ends/u],
    ["a blank in a name", { url: URL_OK, headers: { "a b": "c" } }, "net.bad-header", /its name/u],
    ["a header twice", { url: URL_OK, headers: { a: "1", A: "2" } }, "net.bad-header", /twice/u],
    ["a body over its bound", { url: URL_OK, body: "x".repeat(NET_BOUNDS.requestBytes + 1) }, "net.request-too-large", /1048577 bytes/u],
    ["headers over their bound", { url: URL_OK, headers: { a: "x".repeat(70_000) } }, "net.request-too-large", /header/u],
  ])("%s", (_name, input, code, words) => {
    const error = errorOf(checkRequest(input));
    expect([error.code, error.what]).toEqual([code, expect.stringMatching(words)]);
  });

  test("what was left out is filled in, and bounds are kept", () => {
    expect(valueOf(checkRequest({ url: "https://a.org/x#part", method: "post", headers: { "X-A": "1" } }))).toEqual({
      url: "https://a.org/x",
      method: "POST",
      headers: { "x-a": "1" },
      timeoutMs: 30_000,
      maxBytes: 1024 * 1024,
      as: "text",
    });
    expect(valueOf(checkRequest({ url: URL_OK, timeoutMs: 1e9, maxBytes: 1e9 }))).toMatchObject({
      timeoutMs: 600_000,
      maxBytes: 8 * 1024 * 1024,
    });
  });
});

describe("refusals say what to ask for", () => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench("/", { lookup });
  });
  afterEach(() => bench.close());
  const grants = (...net: readonly NetGrant[]): { readonly grants: Grants } => ({ grants: { ...NOTHING, net } });

  test.each<readonly [string, readonly NetGrant[], FetchInput, Partial<Record<"code" | "what" | "why" | "next", RegExp>>]>([
    [
      "no grant",
      [],
      { url: "https://api.example.com/x" },
      {
        code: /^grant\.denied$/u,
        what: /GET to https:\/\/api\.example\.com\./u,
        why: /no grant net/u,
        next: /net "https:\/\/api\.example\.com" \}/u,
      },
    ],
    [
      "another method",
      [grant("https://api.example.com")],
      { url: "https://api.example.com/x", method: "DELETE" },
      { code: /^grant\.denied$/u, why: /api\.example\.com \(GET, HEAD\)/u, next: /methods="DELETE"/u },
    ],
    [
      "a private address",
      [grant("http://127.0.0.1:9")],
      { url: "http://127.0.0.1:9/" },
      { code: /^net\.private-address$/u, what: /127\.0\.0\.1/u, next: /net "http:\/\/127\.0\.0\.1:9" private=#true/u },
    ],
    ["an address in another form", [grant("*")], { url: "http://0x7f.1/" }, { code: /^net\.private-address$/u, what: /127\.0\.0\.1/u }],
    [
      "an address as a number",
      [grant("*")],
      { url: "http://2852039166/" },
      { code: /^net\.private-address$/u, what: /169\.254\.169\.254/u },
    ],
    ["an IPv6 address", [grant("*")], { url: "http://[::1]/" }, { code: /^net\.private-address$/u }],
    ["a mapped address", [grant("*")], { url: "http://[::ffff:10.0.0.1]/" }, { code: /^net\.private-address$/u }],
    [
      "a name that leads to one",
      [grant("*")],
      { url: "http://inside.test/" },
      { code: /^net\.private-address$/u, what: /inside\.test leads to 127\.0\.0\.1/u },
    ],
    ["a name nobody knows", [grant("*")], { url: "http://unknown.invalid/" }, { code: /^net\.unreachable$/u, what: /not known/u }],
    [
      "a secret that is not granted",
      [grant("*")],
      { url: "http://a.public/", headers: { authorization: "Bearer {secret:OTHER}" } },
      { code: /^grant\.denied$/u, what: /the secret OTHER/u, next: /secrets "OTHER"/u },
    ],
  ])("%s", async (_name, net, input, expected) => {
    const { outcome, result } = await bench.call("net.fetch", input, grants(...net));
    const error = errorOf(result);
    expect(outcome).toBe("not-applied");
    for (const [field, words] of Object.entries(expected)) expect(error[field as "code"]).toMatch(words);
  });
});
