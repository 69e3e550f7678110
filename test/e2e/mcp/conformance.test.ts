import { afterEach, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/base/index.js";
import { judge } from "../../support/mcp/harness.js";
import { type HttpBridge, startHttpBridge } from "../../support/mcp/http-bridge.js";
import { calls, type RecordedRequest, say, type ScriptedCall } from "../../support/model-server.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { SMITH, textOf } from "../support/smith.js";

let here: Scripted | undefined;
let bridge: HttpBridge | undefined;
afterEach(async () => {
  await bridge?.close();
  bridge = undefined;
  await here?.quiet();
  await here?.close();
  here = undefined;
});

interface Offered {
  readonly name: string;
  readonly parameters: JsonObject;
}

/** Tools of the harness's server as the model is shown them. */
function offeredOf({ body }: RecordedRequest): readonly Offered[] {
  const tools = Array.isArray(body["tools"]) ? body["tools"] : [];
  return tools.filter(isJsonObject).flatMap(({ function: shown }) => {
    const { name, parameters } = isJsonObject(shown ?? null) ? (shown as JsonObject) : {};
    return typeof name === "string" && name.startsWith(PREFIX) && isJsonObject(parameters ?? null)
      ? [{ name, parameters: parameters as JsonObject }]
      : [];
  });
}

const PREFIX = "mcp__judge__";

/** Asks for every tool of the server once, in one response; the echoing one gets a schema back as the model was shown it. */
function everyTool(request: RecordedRequest): readonly ScriptedCall[] {
  const offered = offeredOf(request);
  const shown = offered.find(({ name }) => name === `${PREFIX}json_schema_2020_12_tool`)?.parameters ?? {};
  const args: Readonly<Record<string, JsonObject>> = {
    add_numbers: { a: 5, b: 3 },
    json_schema_2020_12_tool: { contactMethod: "email", email: "a@b.example" },
    json_schema_echo: { schema: shown },
  };
  return offered.map(({ name }) => ({ name, args: args[name.slice(PREFIX.length)] ?? {} }));
}

describe("the official harness as a server", () => {
  test.each([
    ["initialize", 0],
    ["tools_call", 1],
    ["sse-retry", 1],
    ["elicitation-sep1034-client-defaults", 1],
    ["json-schema-2020-12-preservation", 2],
  ])("passes smith eval in %s", async (scenario, tools) => {
    here = await createScripted({
      script: (request, n) => {
        const wanted = n === 0 ? everyTool(request) : [];
        return wanted.length === 0 ? say("done") : calls(wanted);
      },
    });
    // The harness puts the address of its server behind the command.
    here.file(".mcp.json", JSON.stringify({ mcpServers: { judge: { type: "http", url: "${JUDGE_URL}" } } }));
    const client = `sh -c 'JUDGE_URL="$0" exec "${process.execPath}" "${SMITH}" eval --trust "use the tools" </dev/null'`;
    const verdict = await judge(["client", "--scenario", scenario, "--command", client], { cwd: here.work, env: here.env });
    expect(verdict.words).toContain("OVERALL: PASSED");
    expect(verdict).toMatchObject({ status: 0, failed: 0, warnings: 0 });
    expect(verdict.passed).toBeGreaterThan(0);
    const { requests } = here.server;
    const results = messagesOf(requests.at(-1) ?? { body: {} }).filter(({ role }) => role === "tool");
    expect([requests.length, results.length]).toEqual([tools === 0 ? 1 : 2, tools]);
    for (const { content } of results) expect(textOf(content)).not.toMatch(/^Error/u);
  });
});

/** Its other server scenarios ask for tools and resources of a server made for them, of HTTP itself, or of a later revision. */
describe("the official harness as a client", () => {
  test.each([
    "server-initialize",
    "server-session-lifecycle",
    "logging-set-level",
    "ping",
    "completion-complete",
    "tools-list",
    "tools-call-error",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
  ])("passes smith mcp in %s", async (scenario) => {
    here = await createScripted({ script: [] });
    bridge = await startHttpBridge({
      command: process.execPath,
      args: [SMITH, "mcp"],
      cwd: here.work,
      env: { ...here.env },
      stderr: "ignore",
    });
    const verdict = await judge(["server", "--url", bridge.url, "--scenario", scenario], { cwd: here.work, env: here.env });
    expect(verdict.words).not.toContain("FAILURE");
    expect(verdict).toMatchObject({ status: 0, failed: 0, warnings: 0 });
    expect(verdict.passed).toBeGreaterThan(0);
  });
});
