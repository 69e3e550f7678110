import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { call, refuse, type RecordedRequest, type Reply, say } from "../../support/model-server.js";
import { createScripted, KEY, lastOf, type Scripted } from "../support/scripted.js";

const TOKEN = "tok/en+9f-Q2\"x'z%41";
const FILED = "file-secret-77aa&b=c";

let here: Scripted;
let script: (request: RecordedRequest, n: number) => Reply;

beforeEach(async () => {
  script = () => say("done");
  here = await createScripted({ script: (request, n) => script(request, n) }, { DEPLOY_TOKEN: TOKEN, SMITH_SECRETS_ENV: "DEPLOY_TOKEN" });
  here.file("dot.env", `# mine\nexport FILED='${FILED}'\nPORT=8080\n`);
});
afterEach(() => here.close());

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  here.run(["--log", "trace", "--config", "secrets.files=dot.env", "eval", ...args], { env });

/** Every written form whose bytes would give the value away. */
const formsOf = (value: string): readonly string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").replace(/=+$/u, "").slice(0, -1),
  Buffer.from(value).toString("base64url").slice(0, -1),
  Buffer.from(value).toString("hex"),
];

/** All that lies below the home but the files secrets are kept in. */
function recordedFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !/(?:auth|secrets)\.json/u.test(name))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

function expectNowhere(values: readonly string[], more: readonly string[] = []): void {
  const texts = [
    ...recordedFiles(here.home).map((path) => [path, readFileSync(path, "latin1")] as const),
    ...here.server.requests.map(({ rawBody, path }, n) => [`request ${String(n)}`, `${path} ${rawBody}`] as const),
    ...more.map((text, n) => [`output ${String(n)}`, text] as const),
  ];
  const found = values.flatMap((value) =>
    formsOf(value).flatMap((form) =>
      texts.flatMap(([place, text]) =>
        text.includes(Buffer.from(form).toString("latin1")) || text.includes(form) ? [`${place}: ${form}`] : [],
      ),
    ),
  );
  expect(found).toEqual([]);
}

describe("no byte of a secret leaves", () => {
  test("from the prompt, AGENTS.md, files, names, output of commands in every form, and what the model says", async () => {
    here.file("AGENTS.md", `Deploy with ${TOKEN}.\n`);
    here.file("notes.json", JSON.stringify({ [FILED]: [TOKEN, { url: `https://x/?k=${encodeURIComponent(TOKEN)}` }] }));
    here.file(`log-${Buffer.from(FILED).toString("hex")}.txt`, `${Buffer.from(`a${TOKEN}b`).toString("base64")}\n`);
    const calls = [
      call("read", { path: "notes.json" }),
      call("read", { path: "AGENTS.md" }),
      call("shell", { command: "ls; cat log-*; cat dot.env; head -c 30 dot.env; sleep 0; env | grep -c DEPLOY || true" }),
      call("grep", { pattern: "Deploy" }),
      say(`It is ${TOKEN} and ${FILED}, coded ${Buffer.from(TOKEN).toString("base64")}.`),
    ];
    script = (_request, n) => calls[n] ?? say("done");
    const ended = await run([`use ${TOKEN} and ${FILED} or ${encodeURIComponent(TOKEN)}`]);
    expect(ended.status).toBe(0);
    expect(here.server.requests).toHaveLength(5);
    expect(ended.stdout).toContain("It is {secret:DEPLOY_TOKEN} and {secret:FILED}, coded {secret:DEPLOY_TOKEN|base64}.");
    const exported = await here.run(["sessions", "list", "--json"]);
    const id = /[0-9a-f-]{36}/u.exec(exported.stdout)?.[0] ?? "";
    const others = [
      ["export", id, "--format", "md"],
      ["export", id, "--format", "html"],
      ["export", id],
      ["get", id],
    ];
    const outputs = await Promise.all(others.map(async (words) => await here.run(["sessions", ...words])));
    expect(outputs.map(({ status, stdout }) => [status, stdout.includes("{secret:DEPLOY_TOKEN}")])).toEqual(others.map(() => [0, true]));
    const [session = ""] = readdirSync(here.sessions).filter((name) => name.endsWith(".smith"));
    expect(readFileSync(join(here.sessions, session), "latin1")).toContain("{secret:DEPLOY_TOKEN}");
    expect(recordedFiles(here.home).some((path) => readFileSync(path, "utf8").includes('"what":"wire"'))).toBe(true);
    expectNowhere([TOKEN, FILED, KEY], [ended.stdout, ended.stderr, exported.stdout, ...outputs.map(({ stdout }) => stdout)]);
  });

  test("keys: a success that prints one, a refusal that echoes it, a network error", async () => {
    const sent = call("shell", { command: `echo ${KEY}; printf %s 'Proxy DDD444-proxy-password'` });
    script = (_request, n) => (n === 0 ? sent : n === 1 ? say(`saw ${KEY}`) : refuse(401, `Incorrect API key provided: ${KEY}.`));
    const first = await run(["one"]);
    const second = await run(["two"]);
    const proxy = { HTTP_PROXY: "http://user:DDD444-proxy-password@127.0.0.1:9", NO_PROXY: "" };
    const third = await run(["--config", "retry.attempts=0", "three"], { ...proxy, OPENAI_BASE_URL: "http://models.invalid/v1" });
    expect([first.status, second.status]).toEqual([0, 3]);
    expect(third.status).not.toBe(0);
    expectNowhere(
      [KEY],
      [first, second, third].flatMap(({ stdout, stderr }) => [stdout, stderr]),
    );
    expect(third.stderr).not.toContain("DDD444");
  });
});

describe("restored for local effects", () => {
  test("a file that holds a secret survives being edited by a model that only sees the reference", async () => {
    here.file("config.ini", `user=a\ntoken=${FILED}\nmode=old\n`);
    const calls = [
      call("read", { path: "config.ini" }),
      call("edit", { path: "config.ini", edits: [{ old: "token={secret:FILED}\nmode=old", new: "token={secret:FILED}\nmode=new" }] }),
      call("write", { path: "copy.ini", content: "token={secret:FILED}\nencoded={secret:FILED|base64}\n{secret:UNKNOWN}\n" }),
    ];
    script = (_request, n) => calls[n] ?? say("done");
    expect((await run(["edit it"])).status).toBe(0);
    expect(lastOf(here.server.requests[1] ?? { body: {} }, "tool")).toContain("token={secret:FILED}");
    expect(here.read("config.ini")).toBe(`user=a\ntoken=${FILED}\nmode=new\n`);
    expect(here.read("copy.ini")).toBe(`token=${FILED}\nencoded=${Buffer.from(FILED).toString("base64")}\n{secret:UNKNOWN}\n`);
    expectNowhere([FILED]);
  });

  test("a command gets the value by a variable, quoted as its place wants it, and never as an argument of its shell", async () => {
    const command = `printf '%s|' {secret:DEPLOY_TOKEN} "a{secret:DEPLOY_TOKEN}" 'b{secret:DEPLOY_TOKEN}' > out.txt; tr '\\0' ' ' < /proc/$$/cmdline > cmd.txt`;
    script = (_request, n) => (n === 0 ? call("shell", { command }) : say("done"));
    expect((await run(["run it"])).status).toBe(0);
    expect(here.read("out.txt")).toBe(`${TOKEN}|a${TOKEN}|b${TOKEN}|`);
    expect(here.read("cmd.txt")).toContain("SMITH_SECRET_1");
    expect(here.read("cmd.txt")).not.toContain(TOKEN);
    expectNowhere([TOKEN]);
  });

  test("where a shell would not put it in exactly it is refused, and so is the key of a provider", async () => {
    const calls = [
      call("shell", { command: "cat <<X\n{secret:DEPLOY_TOKEN}\nX" }),
      call("write", { path: "k", content: "{secret:OPENAI_API_KEY}" }),
    ];
    script = (_request, n) => calls[n] ?? say("done");
    expect((await run(["run it"])).status).toBe(0);
    expect(lastOf(here.server.requests[1] ?? { body: {} }, "tool")).toContain("here-document");
    expect(lastOf(here.server.requests[2] ?? { body: {} }, "tool")).toContain("key of a model provider");
    expect(() => here.read("k")).toThrow("ENOENT");
  });
});

test("smith secrets: a stored value is hidden from the next start on, listed without its value, and can be removed", async () => {
  const added = await here.run(["secrets", "add", "STORED"], { input: "stored-value-123\n" });
  expect([added.status, added.stdout]).toEqual([0, expect.stringContaining("Stored STORED in ")]);
  expect((await here.run(["secrets", "add", "SHORT"], { input: "short" })).status).toBe(2);
  const listed = await here.run(["--config", "secrets.files=dot.env", "secrets", "list"]);
  expect(listed.stdout).toContain("STORED");
  expect(listed.stdout).toMatch(/PORT +.*not hidden/u);
  expect(listed.stdout + added.stdout).not.toMatch(/stored-value|file-secret/u);
  expect((await run(["say stored-value-123"])).status).toBe(0);
  expect(lastOf(here.server.requests[0] ?? { body: {} }, "user")).toContain("say {secret:STORED}");
  const wrong = await here.run(["secrets", "remove", "STORD"]);
  expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining("Did you mean STORED?")]);
  expect((await here.run(["secrets", "remove", "STORED"])).status).toBe(0);
});
