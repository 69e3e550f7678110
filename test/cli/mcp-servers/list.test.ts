import { expect, test } from "vitest";
import type { CommandContext } from "../../../src/cli/context.js";
import { listServers } from "../../../src/cli/mcp-servers/list.js";
import type { ServerAdmin } from "../../../src/runtime/index.js";
import type { McpServerSetting } from "../../../src/schema/index.js";

const base = { timeoutMs: 1_000, required: false, enabled: true, allow: [], deny: [], offer: "auto" } as const;
const servers: readonly McpServerSetting[] = [
  {
    ...{ ...base, name: "web", source: { from: "user", file: "/config/mcp.json" } },
    transport: {
      ...{ type: "http", url: "http://u:PASS@h/mcp?api_key=QKEY&view=all", headers: { "X-Key": "HKEY" } },
      oauth: { clientId: "c-1", clientSecret: "CKEY" },
    },
  },
];

async function listed(json: boolean): Promise<string> {
  let text = "";
  const out = {
    write: (piece: string) => {
      text += piece;
    },
    ready: async () => await Promise.resolve(),
    state: () => "open",
  };
  // All of it that this command uses.
  const desk = { context: { out, host: { env: {} } } as unknown as CommandContext, admin: { servers } as unknown as ServerAdmin };
  await listServers(desk, { type: "mcp-servers list", json, common: {} } as Parameters<typeof listServers>[1]);
  return text;
}

test.each([false, true])("a list shows no key of a server, with --json %s", async (json) => {
  const text = await listed(json);
  expect(text).toContain("h/mcp?api_key=redacted&view=all");
  expect(text).not.toMatch(/PASS|QKEY|HKEY|CKEY/u);
});

test("a record says what is set, without what is in it", async () => {
  expect(JSON.parse(await listed(true))).toMatchObject({
    transport: { headers: ["X-Key"], oauth: { clientId: "c-1", clientSecret: "<redacted>" } },
  });
});
