import { afterEach, describe, expect, test } from "vitest";
import type { Result } from "../../../src/base/index.js";
import { type DeviceLogin, type OauthEntry, pollDeviceLogin, type PostForm, startDeviceLogin } from "../../../src/credential/index.js";
import type { Diagnostic } from "../../../src/schema/index.js";
import { createManualClock } from "../../support/manual-clock.js";
import { never, problem, realPost, type TokenServer, tokenServer, value } from "../support.js";

const servers: TokenServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.close()));
});

const CODE = {
  device_code: "device-secret-0123",
  user_code: "ABCD-EFGH",
  verification_uri: "https://id.example/device",
  expires_in: 600,
  interval: 2,
};
const DONE = { status: 200, body: { access_token: "access", token_type: "Bearer", refresh_token: "refresh", expires_in: 100 } };
const refused = (error: string): { readonly status: number; readonly body: unknown } => ({ status: 400, body: { error } });

/** A server that gives a code and then these answers, the last one again and again. */
async function serverOf(code: unknown, ...answers: readonly { readonly status: number; readonly body: unknown }[]): Promise<TokenServer> {
  let asked = 0;
  const server = await tokenServer(async (_form, path) => {
    if (path === "/device") return { status: 200, body: code };
    asked += 1;
    return answers[Math.min(asked, answers.length) - 1] ?? { status: 500, body: "" };
  });
  servers.push(server);
  return server;
}

const dataOf = ({ url }: TokenServer) => ({
  clientId: "smith",
  tokenUrl: `${url}/token`,
  deviceUrl: `${url}/device`,
  scopes: ["models", "offline"],
});

interface Polled {
  readonly end: Result<OauthEntry, Diagnostic>;
  /** How long was waited before each question. */
  readonly waits: readonly number[];
}

/** The whole login, every wait skipped as it begins. */
async function loginTo(server: TokenServer, signal: AbortSignal = never, post: PostForm = realPost): Promise<Polled> {
  const clock = createManualClock();
  const waits: number[] = [];
  const skipping = {
    ...clock,
    sleep: async (ms: number, own?: AbortSignal) => {
      // The limit of an exchange is aborted, never waited for.
      if (ms === 20_000) {
        await clock.sleep(ms, own);
        return;
      }
      waits.push(ms);
      await clock.advance(ms);
    },
  };
  const login = value(await startDeviceLogin("a", dataOf(server), { post: realPost, clock: skipping, signal: never }));
  return { end: await pollDeviceLogin("a", dataOf(server), login, { post, clock: skipping, signal }), waits };
}

describe("a device login", () => {
  test("asks for a code with the client's id and scopes", async () => {
    const server = await serverOf({ ...CODE, verification_uri_complete: "https://id.example/device?code=ABCD-EFGH" });
    const clock = createManualClock();
    const login = value(await startDeviceLogin("a", dataOf(server), { post: realPost, clock, signal: never }));
    expect(server.forms).toEqual([{ client_id: "smith", scope: "models offline" }]);
    expect(login).toEqual<DeviceLogin>({
      userCode: "ABCD-EFGH",
      url: "https://id.example/device",
      completeUrl: "https://id.example/device?code=ABCD-EFGH",
      expiresAt: clock.now() + 600_000,
      intervalMs: 2000,
      deviceCode: "device-secret-0123",
    });
  });

  test.each([
    ["no device code", { ...CODE, device_code: undefined }],
    ["no user code", { ...CODE, user_code: "" }],
    ["an address that is none", { ...CODE, verification_uri: "javascript:alert(1)" }],
    ["an address in the open", { ...CODE, verification_uri: "http://id.example/" }],
    ["a code that acts on a terminal", { ...CODE, user_code: "\u001b[2J" }],
    ["no JSON", "device-secret-0123"],
  ])("to a server that gives %s does not come about", async (_name, code) => {
    const server = await serverOf(code);
    const told = problem(await startDeviceLogin("a", dataOf(server), { post: realPost, clock: createManualClock(), signal: never }));
    expect(told).toMatchObject({ code: "credential.login-failed", exit: 3 });
    expect(JSON.stringify(told)).not.toContain("device-secret");
  });

  test("asks at the server's pace until the person has agreed, and is all that is needed to renew it", async () => {
    const server = await serverOf(CODE, refused("authorization_pending"), refused("authorization_pending"), DONE);
    const { end, waits } = await loginTo(server);
    expect(waits).toEqual([2000, 2000, 2000]);
    expect(server.forms.slice(1)).toEqual(
      Array.from({ length: 3 }, () => ({
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: "device-secret-0123",
        client_id: "smith",
      })),
    );
    expect(value(end)).toEqual({
      type: "oauth",
      access: "access",
      refresh: "refresh",
      expiresAt: createManualClock().now() + 106_000,
      tokenUrl: `${server.url}/token`,
      clientId: "smith",
      scopes: ["models", "offline"],
    });
  });

  test("asks every 5 s where no pace is given, and 5 s slower each time it is told to", async () => {
    const { interval: _interval, ...code } = CODE;
    const { end, waits } = await loginTo(await serverOf(code, refused("slow_down"), refused("slow_down"), DONE));
    expect([end.ok, waits]).toEqual([true, [5000, 10_000, 15_000]]);
  });

  test("asks a server that is out of order at half the pace, up to a minute", async () => {
    const broken = { status: 503, body: "" };
    const { end, waits } = await loginTo(await serverOf({ ...CODE, interval: 25 }, broken, broken, broken, DONE));
    expect([end.ok, waits]).toEqual([true, [25_000, 50_000, 60_000, 60_000]]);
  });

  test.each([
    ["was denied", "access_denied", "denied"],
    ["ran out", "expired_token", "ran out"],
    ["is not for this client", "invalid_client", "invalid_client"],
  ])("whose code %s is over", async (_name, error, words) => {
    const { end, waits } = await loginTo(await serverOf(CODE, refused(error)));
    expect(problem(end)).toMatchObject({ code: "credential.login-failed", exit: 3 });
    expect(problem(end).why).toContain(words);
    expect(waits).toHaveLength(1);
  });

  test("is over when its code runs out, and no question is asked after that", async () => {
    const server = await serverOf({ ...CODE, expires_in: 7, interval: 3 }, refused("authorization_pending"));
    const { end, waits } = await loginTo(server);
    expect(problem(end).why).toContain("ran out");
    expect(waits).toEqual([3000, 3000, 1000]);
  });

  test("ends with an abort, during a wait and during an exchange", async () => {
    const server = await serverOf(CODE, refused("authorization_pending"));
    const clock = createManualClock();
    const login = value(await startDeviceLogin("a", dataOf(server), { post: realPost, clock, signal: never }));
    const stop = new AbortController();
    const waiting = pollDeviceLogin("a", dataOf(server), login, { post: realPost, clock, signal: stop.signal });
    await clock.sleeping();
    stop.abort();
    expect(problem(await waiting).code).toBe("credential.stopped");
    const again = new AbortController();
    const post: PostForm = async (url, form, signal) => {
      again.abort();
      return await realPost(url, form, signal);
    };
    expect(problem((await loginTo(server, again.signal, post)).end).code).toBe("credential.stopped");
  });

  test("goes to https alone, or to this machine", async () => {
    const asked: string[] = [];
    const post: PostForm = async (url, form, signal) => {
      asked.push(url);
      return await realPost(url, form, signal);
    };
    const data = { clientId: "c", tokenUrl: "https://id.example/token", deviceUrl: "http://id.example/device", scopes: [] };
    const told = problem(await startDeviceLogin("a", data, { post, clock: createManualClock(), signal: never }));
    expect([told.code, asked]).toEqual(["credential.login-failed", []]);
  });
});
