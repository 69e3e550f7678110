import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { err, ok, type Result } from "../../src/base/index.js";
import { type AuthEntry, type CommandEnd, pollDeviceLogin, startDeviceLogin, type TokenAnswer } from "../../src/credential/index.js";
import { type Diagnostic, diagnostic } from "../../src/schema/index.js";
import { createManualClock } from "../support/manual-clock.js";
import { credentialsOf, never } from "./support.js";

/** Long enough not to be a word of ours, of every kind of character; some of them make a value that cannot be sent. */
const secret = fc
  .string({ unit: fc.constantFrom(..."abcXYZ019-_.+/=$&\\'\"{}[]^*? \n\0é"), minLength: 12, maxLength: 40 })
  .map((text) => `q${text.trim()}9`)
  .filter((text) => text.length >= 12);

/** Words around a value, as a careless program or server has them. */
const around = fc.constantFrom(
  (value: string) => value,
  (value: string) => `error: bad key '${value}'`,
  (value: string) => `${value}${value}`,
  (value: string) => JSON.stringify({ error: value, error_description: `x ${value}` }),
  (value: string) => JSON.stringify({ error: "invalid_grant", error_description: value }),
  (value: string) => JSON.stringify({ access_token: `${value}\n${value}`, token_type: value }),
);

/** All that a diagnostic says, as text. */
const told = (result: Result<unknown, Diagnostic>): string => (result.ok ? "" : Object.values(flat(result.error)).join("\n"));
const flat = (data: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null ? Object.values(flat(value as object)).join("\n") : String(value),
    ]),
  );

describe("no diagnostic holds a value", () => {
  test("of a variable, a key of the auth file or a command, whatever the value is and whatever the command says", async () => {
    await fc.assert(
      fc.asyncProperty(secret, secret, around, fc.constantFrom(0, 1, null), async (value, other, words, status) => {
        const end: CommandEnd = { type: "exit", status, stdout: value, stderr: words(`${value} ${other}`) };
        const entry: AuthEntry = { type: "key", key: other };
        const credentials = credentialsOf({
          env: { A_KEY: value },
          variables: ["A_KEY"],
          auth: { entries: new Map([["a", entry]]), warnings: [] },
          commands: new Map([["work", "x"]]),
          run: async () => end,
        });
        const said = await Promise.all(["A_KEY", "auth:a", "command:work"].map(async (name) => told(await credentials.ready(name, never))));
        const shown = JSON.stringify(["A_KEY", "auth:a", "command:work"].map((name) => credentials.describe(name)));
        for (const text of [...said, shown]) {
          expect(text).not.toContain(value);
          expect(text).not.toContain(other);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("of a login, whatever its server answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        secret,
        secret,
        around,
        fc.record({ status: fc.constantFrom(200, 302, 400, 401, 500), reached: fc.boolean() }),
        async (access, refresh, words, { status, reached }) => {
          const body = words(`${refresh} ${access}`);
          const answer: Result<TokenAnswer, Diagnostic> = reached
            ? ok({ status, body })
            : err(diagnostic({ code: "test.unreachable", what: body, why: body, next: body }));
          const entry: AuthEntry = {
            type: "oauth",
            access,
            refresh,
            expiresAt: 0,
            tokenUrl: "https://id.example/token",
            clientId: "c",
            scopes: [],
          };
          const auth = { entries: new Map([["a", entry]]), warnings: [] };
          const credentials = credentialsOf({
            auth,
            store: {
              path: "/x/auth.json",
              read: async () => ok(auth),
              update: async (change) => {
                const changed = await change(auth.entries);
                return changed.ok ? ok(changed.value.value) : changed;
              },
            },
            post: async () => answer,
          });
          const text = told(await credentials.ready("auth:a", never));
          expect(text).not.toBe("");
          expect(text).not.toContain(access);
          expect(text).not.toContain(refresh);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of a device's code, whatever the server answers", async () => {
    await fc.assert(
      fc.asyncProperty(secret, around, fc.constantFrom(200, 400, 401), async (code, words, status) => {
        const data = { clientId: "c", tokenUrl: "https://id.example/token", deviceUrl: "https://id.example/device", scopes: [] };
        const clock = createManualClock();
        const ports = {
          post: async () => ok({ status, body: words(code) }),
          clock: { ...clock, sleep: async () => undefined },
          signal: never,
        };
        const login = { userCode: "A", url: "https://id.example", expiresAt: clock.now() + 60_000, intervalMs: 1000, deviceCode: code };
        const texts = [await startDeviceLogin("a", data, ports), await pollDeviceLogin("a", data, login, ports)].map(told);
        for (const text of texts) expect(text).not.toContain(code);
      }),
      { numRuns: 300 },
    );
  });

  test("which could be seen to fail: a diagnostic with a value in a cause is found by this very check", () => {
    const cause = diagnostic({ code: "test.cause", what: "the-value", why: "w", next: "n" });
    expect(told(err(diagnostic({ code: "test.one", what: "w", why: "w", next: "n", causes: [cause] })))).toContain("the-value");
  });
});
