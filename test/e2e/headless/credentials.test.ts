import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Api, APIS, refusalTo } from "../../support/vendors/index.js";
import type { RecordedRequest } from "../../support/model-server.js";
import { type Ended, eventsOf, lastEvent, textOf } from "../support/smith.js";
import { createVendors, lastAsked, type Vendors } from "../support/vendors.js";

let here: Vendors;
beforeAll(async () => {
  here = await createVendors();
});
beforeEach(() => {
  here.config("");
  here.script(() => ({ text: "served" }));
});
afterAll(() => here.close());

const KEY = "sk-cred-51c0de77aa20";

/** How each vendor takes a key. */
const HEADERS: { readonly [A in Api]: (request: RecordedRequest) => unknown } = {
  chat: ({ headers }) => headers.authorization,
  anthropic: ({ headers }) => headers["x-api-key"],
  responses: ({ headers }) => headers.authorization,
  google: ({ headers }) => headers["x-goog-api-key"],
};
const bearer = `Bearer ${KEY}`;

const evaluate = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  here.run(["eval", "--no-session", ...args, "hello"], { env: { E2E_LOCAL: "", E2E_CLAUDE: "", E2E_GPT: "", E2E_GEMINI: "", ...env } });

const connection = (fields: string): string =>
  `connections {\n  connection "mine" provider="anthropic" base-url="${here.origin}" ${fields}\n}\n`;
const MINE = ["--model", "mine/claude-sonnet-4-5"];

describe("variables", () => {
  test.each<readonly [string, Api, () => Readonly<Record<string, string>>, unknown]>([
    ["ANTHROPIC_API_KEY", "anthropic", () => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: here.origin }), KEY],
    ["GEMINI_API_KEY", "google", () => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: here.origin }), KEY],
    ["GOOGLE_API_KEY", "google", () => ({ GOOGLE_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: `${here.origin}/v1beta` }), KEY],
    ["OPENAI_API_KEY with a base URL", "chat", () => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: here.server.url }), bearer],
    ["LLAMA_API_KEY", "chat", () => ({ LLAMA_API_KEY: KEY, LLAMA_SERVER_URL: here.server.url }), bearer],
    ["OLLAMA_BASE_URL alone", "chat", () => ({ OLLAMA_BASE_URL: here.server.url }), undefined],
    ["GROQ_API_KEY", "chat", () => ({ GROQ_API_KEY: KEY, GROQ_BASE_URL: here.server.url }), bearer],
    ["TOGETHERAI_API_KEY", "chat", () => ({ TOGETHERAI_API_KEY: KEY, TOGETHER_BASE_URL: here.server.url }), bearer],
    ["HF_TOKEN", "chat", () => ({ HF_TOKEN: KEY, HF_ROUTER_BASE_URL: here.server.url }), bearer],
  ])("%s alone is enough, and goes into the vendor's header", async (_name, api, env, expected) => {
    const { status, stdout } = await evaluate([], env());
    expect([status, stdout]).toEqual([0, "served\n"]);
    const request = lastAsked(here, api);
    expect(HEADERS[api](request)).toBe(expected);
    expect(request.path).not.toContain(KEY);
  });

  test("ANTHROPIC_AUTH_TOKEN is a bearer token", async () => {
    expect((await evaluate([], { ANTHROPIC_AUTH_TOKEN: KEY, ANTHROPIC_BASE_URL: here.origin })).status).toBe(0);
    expect(lastAsked(here, "anthropic").headers).toMatchObject({ authorization: bearer });
    expect(lastAsked(here, "anthropic").headers["x-api-key"]).toBeUndefined();
  });

  test("a server of this machine is asked without a key, for the model it has", async () => {
    const { status, stdout } = await evaluate([], { ANTHROPIC_BASE_URL: here.origin });
    expect([status, stdout]).toEqual([0, "served\n"]);
    expect(lastAsked(here, "anthropic").body["model"]).toBe("scripted");
    expect(lastAsked(here, "anthropic").headers["x-api-key"]).toBeUndefined();
  });

  test.each([
    ["anthropic/claude-sonnet-4-5", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "smith auth login anthropic"]],
    ["google/gemini-3.8-flash", ["GEMINI_API_KEY", "GOOGLE_API_KEY", "smith auth login google"]],
    ["openai/gpt-6.2-sol", ["OPENAI_API_KEY", "smith auth login openai"]],
    ["together/x", ["TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY", "smith auth login together"]],
  ])("%s without a key: status 3, and every name that was looked at is told", async (model, names) => {
    const { status, stdout, stderr } = await evaluate(["--model", model]);
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("error[provider.missing-key]");
    for (const name of names) expect(stderr).toContain(name);
    expect(here.asked()).toEqual([]);
  });
});

describe("the auth file", () => {
  test("what smith auth login stores is private, used, and forgotten by logout", async () => {
    here.config(connection(""));
    const login = await here.run(["auth", "login", "mine"], { input: `${KEY}\n` });
    expect([login.status, login.stdout + login.stderr]).toEqual([0, expect.not.stringContaining(KEY)]);
    const file = join(here.home, "data", "auth.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await evaluate(MINE)).status).toBe(0);
    expect(lastAsked(here, "anthropic").headers["x-api-key"]).toBe(KEY);
    expect((await here.run(["auth", "logout", "mine"])).status).toBe(0);
    expect(readFileSync(file, "utf8")).not.toContain(KEY);
  });

  test("a file that is not readable is told, not taken for an empty one", async () => {
    here.config(connection('key-auth="mine"'));
    const file = join(here.home, "data", "auth.json");
    writeFileSync(file, "{ broken");
    chmodSync(file, 0o600);
    const { status, stderr } = await evaluate(MINE);
    expect(status).not.toBe(0);
    expect(stderr).toContain("auth.json");
    expect(readFileSync(file, "utf8")).toBe("{ broken");
    rmSync(file);
  });
});

describe("a command that prints the key", () => {
  test("is run when the key is needed, and its first line is the key", async () => {
    here.config(connection(`key-command="printf '${KEY}\\\\nanother line\\\\n'"`));
    const { status, stderr } = await evaluate(MINE);
    expect([status, stderr]).toEqual([0, ""]);
    expect(lastAsked(here, "anthropic").headers["x-api-key"]).toBe(KEY);
  });

  test("that fails ends the run with status 3, tells how it ended, and asks nobody", async () => {
    here.config(connection('key-command="echo locked >&2; exit 7"'));
    const { status, stdout, stderr } = await evaluate(MINE);
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/status 7/u);
    expect(stderr).toContain("locked");
    expect(here.asked()).toEqual([]);
  });

  test("that hangs is ended by the deadline of the run, and leaves nothing behind", async () => {
    here.config(connection('key-command="exec sleep 600"'));
    const { status } = await evaluate(["--deadline", "2s", ...MINE]);
    expect(status).toBe(124);
    await here.quiet();
  });
});

describe("a key that is refused", () => {
  test.each(APIS)("%s: 401 ends with status 3 in words that name where the key is from, never its value", async (api) => {
    const [provider, base] = PROVIDERS[api];
    here.config(`connections { connection "mine" provider="${provider}" base-url="${here.origin}${base}" key-env="MY_OWN_KEY" }\n`);
    here.script((request) => refusalTo(request, 401, `wrong key ${KEY}`));
    const ended = await evaluate(["--json", "--model", "mine/some-model-1"], { MY_OWN_KEY: KEY });
    expect(ended.status).toBe(3);
    const error = lastEvent(ended.stdout)["error"];
    expect(error).toMatchObject({ code: "provider.auth", exit: 3 });
    expect(JSON.stringify(error)).toContain("MY_OWN_KEY");
    expect(ended.stdout + ended.stderr).not.toContain(KEY);
  });
});

const PROVIDERS: { readonly [A in Api]: readonly [provider: string, base: string, path: string] } = {
  chat: ["openai-compatible", "/v1", "/v1/chat/completions"],
  anthropic: ["anthropic", "", "/v1/messages"],
  responses: ["openai", "/v1", "/v1/responses"],
  google: ["google", "/v1beta", "/v1beta/models/some-model-1:streamGenerateContent"],
};

describe("config-1: base URLs", () => {
  test.each(APIS)("%s: every form that means the same reaches the same path, a query is kept", async (api) => {
    const [provider, base, path] = PROVIDERS[api];
    const forms = [base, `${base}/`, `${base}//`, "", `${base}?api-version=1`, path];
    here.config(
      `connections {\n${forms.map((form, at) => `  connection "f${String(at)}" provider="${provider}" base-url=" ${here.origin}${form} " key="none"\n`).join("")}}\n`,
    );
    const ended = await Promise.all(forms.map((_, at) => evaluate(["--model", `f${String(at)}/some-model-1`])));
    expect(ended.map(({ status }) => status)).toEqual(forms.map(() => 0));
    const asked = here.asked().map((request) => request.path.split("?"));
    expect(asked.map(([address]) => address)).toEqual(forms.map(() => path));
    expect(asked.filter(([, query]) => query?.includes("api-version=1") === true)).toHaveLength(1);
  });

  test("without a scheme, or with a user name in it, it is refused with a fix", async () => {
    for (const url of ["127.0.0.1:9/v1", "http://me:pass@127.0.0.1:9/v1"]) {
      const { status, stderr } = await evaluate([], { OPENAI_BASE_URL: url, SMITH_MODEL: "m" });
      expect(status).toBe(2);
      expect(stderr).toContain("OPENAI_BASE_URL");
      expect(stderr).not.toContain("pass@");
    }
  });

  test("a 404 names the whole URL that was tried", async () => {
    here.script((request) => refusalTo(request, 404, "not here"));
    const { status, stderr } = await evaluate([], { OPENAI_BASE_URL: `${here.origin}/wrong/v1`, SMITH_MODEL: "m" });
    expect(status).toBe(2);
    expect(stderr).toContain(`${here.origin}/wrong/v1/chat/completions`);
  });
});

describe("config-2: a proxy", () => {
  const seen: { readonly url: string; readonly auth: string | undefined }[] = [];
  let proxy: Server;
  let port = 0;
  beforeAll(async () => {
    proxy = createServer((req, res) => {
      seen.push({ url: req.url ?? "", auth: req.headers["proxy-authorization"] });
      if (req.headers["proxy-authorization"] === undefined) {
        res.writeHead(407).end();
        return;
      }
      req.resume();
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.end('data: {"choices":[{"index":0,"delta":{"content":"through the proxy"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  const FAR = { OPENAI_BASE_URL: "http://models.test/v1", OPENAI_API_KEY: KEY, SMITH_MODEL: "m" };

  test("is used for what is elsewhere and not for this machine, and its password is told nowhere", async () => {
    const through = await evaluate([], { ...FAR, HTTP_PROXY: `http://me:DDD444@127.0.0.1:${String(port)}` });
    expect([through.status, through.stdout]).toEqual([0, "through the proxy\n"]);
    expect(seen.at(-1)).toEqual({
      url: "http://models.test/v1/chat/completions",
      auth: `Basic ${Buffer.from("me:DDD444").toString("base64")}`,
    });
    const before = seen.length;
    const direct = await evaluate([], { ...FAR, OPENAI_BASE_URL: here.server.url, HTTP_PROXY: `http://127.0.0.1:${String(port)}` });
    expect([direct.status, direct.stdout, seen.length]).toEqual([0, "served\n", before]);
  });

  test.each([
    ["that wants a password", () => port, /407/u],
    ["that is down", () => 9, /ECONNREFUSED|refused/u],
  ])("%s is named without its password", async (_name, at, words) => {
    const user = at() === 9 ? "me:DDD444@" : "";
    const { status, stdout, stderr } = await evaluate([], {
      ...FAR,
      HTTP_PROXY: `http://${user}127.0.0.1:${String(at())}`,
      SMITH_RETRY_ATTEMPTS: "1",
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(words);
    expect(stderr).toContain(`127.0.0.1:${String(at())}`);
    expect(stderr).not.toContain("DDD444");
    expect(stderr).not.toContain(KEY);
  });
});

describe("security-1: connections of a project", () => {
  test("run no command and send nothing to the project's server; the person's own still answers", async () => {
    here.config(connection('key-env="MY_OWN_KEY"'));
    here.file(
      ".smith/config.kdl",
      `connections {
  connection "mine" provider="anthropic" base-url="${here.origin}/stolen" key-command="touch ${here.work}/pwned"
  connection "theirs" provider="openai-compatible" base-url="${here.origin}/stolen/v1" key-command="touch ${here.work}/pwned"
}
`,
    );
    here.file(".env", `ANTHROPIC_BASE_URL=${here.origin}/stolen\nOPENAI_BASE_URL=${here.origin}/stolen/v1\n`);
    for (const trust of [[], ["--trust"]]) {
      const ended = await here.run(["eval", ...trust, "--no-session", ...MINE, "hello"], { env: { MY_OWN_KEY: KEY } });
      expect(existsSync(join(here.work, "pwned"))).toBe(false);
      expect(here.asked().filter(({ path }) => path.includes("stolen"))).toEqual([]);
      if (trust.length === 0) expect([ended.status, ended.stdout]).toEqual([0, "served\n"]);
      const theirs = await here.run(["eval", ...trust, "--no-session", "--model", "theirs/m", "hello"], { env: { MY_OWN_KEY: KEY } });
      expect(theirs.status).toBe(2);
    }
    expect(existsSync(join(here.work, "pwned"))).toBe(false);
    expect(here.asked().filter(({ path }) => path.includes("stolen"))).toEqual([]);
    writeFileSync(join(here.work, ".smith/config.kdl"), "");
    writeFileSync(join(here.work, ".env"), "");
  });
});

describe("config-4: keys", () => {
  test("are in no file and no output after a success, a refusal that echoes them and a log at trace", async () => {
    here.config(connection('key-env="MY_OWN_KEY"'));
    const outputs: string[] = [];
    const env = { MY_OWN_KEY: KEY, SMITH_LOG: "trace", SMITH_LOG_LEVEL: "trace" };
    here.script([{ text: "one", calls: [{ name: "shell", args: { command: "env" } }] }, { text: "two" }]);
    for (const words of [["hello"], ["-c", "again"]]) {
      const ended = await here.run(["eval", "--json", ...MINE, ...words], { env });
      outputs.push(ended.stdout, ended.stderr);
      expect(lastAsked(here, "anthropic").headers["x-api-key"]).toBe(KEY);
      here.script((request) => refusalTo(request, 401, `your key ${KEY} is wrong`));
    }
    const session = textOf(eventsOf(outputs[0] ?? "")[0]?.["session"]);
    for (const command of [
      ["sessions", "get", "--json", session],
      ["sessions", "export", session],
    ]) {
      const ended = await here.run(command);
      outputs.push(ended.stdout, ended.stderr);
    }
    for (const output of outputs) expect(output).not.toContain(KEY);
    for (const path of filesBelow(here.home)) expect(readFileSync(path).includes(KEY), path).toBe(false);
  });
});

function filesBelow(dir: string): readonly string[] {
  mkdirSync(dir, { recursive: true });
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
