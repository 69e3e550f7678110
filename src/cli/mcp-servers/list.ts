import { redactUrl } from "../../base/index.js";
import type { McpServerSetting } from "../../schema/index.js";
import type { ExitStatus } from "../../schema/index.js";
import { put } from "../output/answers.js";
import { visibleLine } from "../output/visible.js";
import { placeOf, reachedBy, type ServerDesk } from "./desk.js";
import type { ListServersInvocation } from "./invocation.js";

/** What is set up. Starts nothing. */
export async function listServers(desk: ServerDesk, { json }: ListServersInvocation): Promise<ExitStatus> {
  const { context, admin } = desk;
  if (json) {
    await put(context, admin.servers.map((server) => `${JSON.stringify(recordOf(server))}\n`).join(""));
    return 0;
  }
  if (admin.servers.length === 0) context.errors.line("smith: none is set up; add one with: smith mcp-servers add NAME -- COMMAND");
  const width = Math.max(0, ...admin.servers.map(({ name }) => name.length));
  const lines = admin.servers.map((server) =>
    visibleLine(`${server.name.padEnd(width)}  ${server.enabled ? "on " : "off"}  ${reachedBy(server)}  (${placeOf(server, desk)})`),
  );
  await put(context, lines.map((line) => `${line}\n`).join(""));
  return 0;
}

/** Names of variables and headers, never what is in them; nothing of a client's secret, and of the url what everyone may see. */
function recordOf({ transport, ...server }: McpServerSetting): object {
  if (transport.type === "stdio") return { ...server, transport: { ...transport, env: Object.keys(transport.env) } };
  const { oauth, ...rest } = transport;
  const shown = oauth?.clientSecret === undefined ? oauth : { ...oauth, clientSecret: "<redacted>" };
  return {
    ...server,
    transport: {
      ...{ ...rest, url: redactUrl(transport.url), headers: Object.keys(transport.headers) },
      ...(shown === undefined ? {} : { oauth: shown }),
    },
  };
}
