import { describe, expect, test } from "vitest";
import { createSecretProxy } from "../../src/secret/index.js";

const KEY = "hunter2-Zebra/+99";

function proxyOf(...values: readonly string[]) {
  const proxy = createSecretProxy();
  values.forEach((value, index) => proxy.register({ name: `S${String(index + 1)}`, value, kind: "user" }));
  return proxy;
}

/** Puts back everything. */
const restore = (proxy: ReturnType<typeof createSecretProxy>, text: string): string => proxy.fill(text, ({ text: plain }) => plain);

/** A source of numbers that is the same each time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe("forms", () => {
  const quoted = `pa"ss\\wo'rd <&> äö/1`;
  test.each([
    ["itself", KEY, "{secret:S1}"],
    ["base64", Buffer.from(KEY).toString("base64"), "{secret:S1|base64}"],
    ["base64url", Buffer.from(KEY).toString("base64url"), "{secret:S1|base64-bare}"],
    ["url", encodeURIComponent(KEY), "{secret:S1|url}"],
    ["hex", Buffer.from(KEY).toString("hex"), "{secret:S1|hex}"],
  ])("%s is replaced by a reference that says which", (_, text, reference) => {
    expect(proxyOf(KEY).conceal(`a ${text} b`)).toBe(`a ${reference} b`);
  });

  test.each([
    ["JSON", JSON.stringify({ a: quoted })],
    ["JSON in ASCII", JSON.stringify({ a: quoted }).replace(/[^\x20-\x7e]/gu, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`)],
    ["a query", `?${new URLSearchParams({ k: quoted }).toString()}&z=1`],
    ["a component", encodeURIComponent(quoted)],
    ["a component in small letters", encodeURIComponent(quoted).replace(/%../gu, (code) => code.toLowerCase())],
    ["a quoted word of a shell", `'${quoted.replaceAll("'", `'\\''`)}'`],
    ["upper case hex", Buffer.from(quoted).toString("hex").toUpperCase()],
  ])("%s is found and can be restored exactly", (_, text) => {
    const proxy = proxyOf(quoted);
    const hidden = proxy.conceal(text);
    expect(hidden).toContain("{secret:S1|");
    expect(restore(proxy, hidden)).toBe(text);
  });

  test.each([0, 1, 2, 3, 4])("base64 of a text with %i bytes before it holds none of it", (before) => {
    const proxy = proxyOf(KEY);
    for (const encoding of ["base64", "base64url"] as const) {
      const text = Buffer.from(`${"x".repeat(before)}${KEY}:y`).toString(encoding);
      const hidden = proxy.conceal(text);
      expect(hidden).toContain("{secret:S1|");
      expect(restore(proxy, hidden)).toBe(text);
      expect(Buffer.from(hidden.replace(/\{[^}]*\}/gu, ""), encoding).toString("latin1")).not.toContain(KEY.slice(2, 8));
    }
  });

  test("several lines keep their number, alone and together", () => {
    const pem = "-----BEGIN KEY-----\nMIIEowIBAAKCAQEA7d\nq8xX2mZvQ9\nab==\n-----END KEY-----";
    const proxy = proxyOf(pem);
    const hidden = proxy.conceal(`A\n${pem}\nB`);
    expect(hidden.split("\n")).toHaveLength(7);
    expect(hidden).not.toMatch(/MIIE|q8xX|ab==/u);
    expect(restore(proxy, hidden)).toBe(`A\n${pem}\nB`);
    expect(proxy.conceal("2\tMIIEowIBAAKCAQEA7d")).toBe("2\t{secret:S1|line2}");
    const crlf = pem.replaceAll("\n", "\r\n");
    expect(restore(proxy, proxy.conceal(crlf))).toBe(crlf);
    expect(proxy.conceal(crlf)).not.toContain("ab==");
  });
});

describe("several secrets", () => {
  test("a value within another is hidden as the longer one", () => {
    expect(proxyOf("abcdefgh-1", "abcdefgh-1234").conceal("abcdefgh-1234 abcdefgh-1")).toBe("{secret:S2} {secret:S1}");
  });

  test("of values that overlap nothing is left, and all comes back", () => {
    const proxy = proxyOf("abcdefgh12", "gh12345678");
    const hidden = proxy.conceal("<abcdefgh12345678>");
    expect(hidden).toBe("<{secret:S1}{secret:S2|raw+4}>");
    expect(restore(proxy, hidden)).toBe("<abcdefgh12345678>");
  });

  test("the same name for another value gets a number, the same value one name", () => {
    const proxy = createSecretProxy();
    expect(proxy.register({ name: "A", value: "value-one-1", kind: "user" })).toBe("{secret:A}");
    expect(proxy.register({ name: "A", value: "value-two-2", kind: "user" })).toBe("{secret:A~2}");
    expect(proxy.register({ name: "B", value: "value-one-1", kind: "provider" })).toBe("{secret:A}");
    expect(proxy.resolve({ text: "", name: "B", tag: "", from: 0 })?.secret.kinds).toEqual(new Set(["user", "provider"]));
  });

  test("a value that is in a reference does not break it", () => {
    const proxy = createSecretProxy();
    proxy.register({ name: "DATABASE_URL", value: "s3cr3t-value", kind: "user" });
    proxy.register({ name: "X", value: "DATABASE_URL", kind: "user" });
    const hidden = proxy.conceal("s3cr3t-value DATABASE_URL");
    expect(hidden).toBe("{secret:DATABASE_URL} {secret:X}");
    expect(proxy.conceal(hidden)).toBe(hidden);
  });
});

describe("JSON", () => {
  test("nested values, names of members and numbers are hidden; the rest is the same object", () => {
    const proxy = proxyOf(KEY, "9876543210");
    const same = { deep: [1, { x: "y" }] };
    const value = { [KEY]: [{ a: `x${KEY}` }], same, n: 9_876_543_210 };
    const hidden = proxy.concealJson(value) as Record<string, unknown>;
    expect(hidden).toEqual({ "{secret:S1}": [{ a: "x{secret:S1}" }], same, n: "{secret:S2}" });
    expect(hidden["same"]).toBe(same);
  });

  test("__proto__ is a name like any other", () => {
    const value = JSON.parse(`{"__proto__": {"a": "${KEY}"}}`) as object;
    const hidden = proxyOf(KEY).concealJson(value);
    expect(JSON.stringify(hidden)).toBe('{"__proto__":{"a":"{secret:S1}"}}');
    expect(Object.getPrototypeOf(hidden)).toBe(Object.prototype);
  });

  test("without secrets, and without one in it, it is the very same value", () => {
    const value = { a: ["b"] };
    expect(createSecretProxy().concealJson(value)).toBe(value);
    expect(proxyOf(KEY).concealJson(value)).toBe(value);
    expect(proxyOf(KEY).concealKnown(value)).toBe(value);
  });

  test("what is remembered is forgotten when another secret is learned", () => {
    const proxy = proxyOf(KEY);
    const message = { text: `later-secret ${KEY}` };
    expect(proxy.concealKnown(message)).toBe(proxy.concealKnown(message));
    proxy.register({ name: "L", value: "later-secret", kind: "user" });
    expect(proxy.concealKnown(message)).toEqual({ text: "{secret:L} {secret:S1}" });
  });
});

describe("pieces", () => {
  test("split at every place the text is the same, and nothing waits that cannot be a secret", () => {
    const proxy = proxyOf(KEY, "abcdefgh12", "gh12345678");
    const text = `one ${KEY} two ${Buffer.from(`ab${KEY}c`).toString("base64")} abcdefgh12345678 hunter2-Zeb`;
    const whole = proxy.conceal(text);
    for (let at = 0; at <= text.length; at += 1) {
      const stream = proxy.stream();
      expect(stream.push(text.slice(0, at)) + stream.push(text.slice(at)) + stream.end()).toBe(whole);
    }
    const single = proxy.stream();
    expect([...text].map((mark) => single.push(mark)).join("") + single.end()).toBe(whole);
    expect(proxy.stream().push("plain words.")).toBe("plain words.");
  });

  test("no piece shows any part of a secret", () => {
    const proxy = proxyOf(KEY);
    const stream = proxy.stream();
    expect(stream.push("a hunt")).toBe("a ");
    expect(stream.push("er2-Ze")).toBe("");
    expect(stream.push("bra/+99!")).toBe("{secret:S1}!");
  });
});

test("random texts with random secrets hold none of them, whole or in pieces, and come back exactly", () => {
  const random = seeded(7);
  const letters = `abcAB12/+-_"\\ '&%äß=`;
  const word = (length: number): string => Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join("");
  const encodings: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify(text),
    encodeURIComponent,
    (text) => Buffer.from(word(Math.floor(random() * 3)) + text).toString("base64"),
    (text) => Buffer.from(text).toString("base64url"),
    (text) => Buffer.from(text).toString("hex"),
  ];
  for (let round = 0; round < 300; round += 1) {
    const values = Array.from({ length: 1 + Math.floor(random() * 4) }, () => word(8 + Math.floor(random() * 20)).trim()).filter(
      (value) => value.length >= 8 && new Set(value).size >= 4,
    );
    const proxy = proxyOf(...values);
    const text = Array.from({ length: 12 }, () => {
      const value = values[Math.floor(random() * values.length)] ?? "";
      return random() < 0.5 ? word(5) : (encodings[Math.floor(random() * encodings.length)] ?? String)(value);
    }).join("");
    const hidden = proxy.conceal(text);
    for (const value of values) for (const encode of [encodings[0], encodings[5]]) expect(hidden).not.toContain(encode?.(value) ?? "");
    expect(restore(proxy, hidden)).toBe(text);
    const stream = proxy.stream();
    let shown = "";
    for (let at = 0; at < text.length;) {
      const length = 1 + Math.floor(random() * 9);
      shown += stream.push(text.slice(at, at + length));
      at += length;
    }
    shown += stream.end();
    for (const value of values) expect(shown).not.toContain(value);
    expect(restore(proxy, shown)).toBe(text);
  }
});

test("values that are words of every text are not hidden", () => {
  for (const value of ["short", "localhost", "aaaaaaaaaaaa", "http://localhost:3000", "production", "  tiny  "])
    expect(createSecretProxy().register({ name: "A", value, kind: "user" })).toBeUndefined();
});

test("time is linear in the text, and small with twenty secrets", () => {
  const random = seeded(3);
  const proxy = proxyOf(
    ...Array.from(
      { length: 20 },
      (_, index) => `sk-${String(index)}-${Array.from({ length: 40 }, () => Math.floor(random() * 36).toString(36)).join("")}`,
    ),
  );
  const line = 'const value = await fetchThings(client, { retries: 3, timeoutMs: 1000 }); // sk-not-one "and so on"\n';
  const textOf = (bytes: number): string => line.repeat(Math.ceil(bytes / line.length));
  const timeOf = (text: string): number => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 7; round += 1) {
      const started = performance.now();
      proxy.conceal(text);
      best = Math.min(best, performance.now() - started);
    }
    return best;
  };
  timeOf(textOf(1 << 18));
  const [small, large] = [timeOf(textOf(1 << 20)), timeOf(textOf(1 << 23))];
  expect(small).toBeLessThan(60);
  expect(large).toBeLessThan(Math.max(small, 1) * 8 * 4);
});
