import type {
  StreamableHTTPClientTransport,
  StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic, McpServerSetting } from "../../../schema/index.js";
import type { McpHubDeps } from "../types.js";
import { expand, expandAll, type VariableSources } from "../variables.js";
import type { FetchLike } from "./fetch.js";

type HttpSetting = Extract<McpServerSetting["transport"], { readonly type: "http" }>;

export interface HttpLaunch {
  readonly server: string;
  readonly setting: HttpSetting;
  readonly deps: McpHubDeps;
  readonly fetch: FetchLike;
  readonly authProvider?: NonNullable<StreamableHTTPClientTransportOptions["authProvider"]>;
  readonly signal: AbortSignal;
}

const RECONNECTION = { maxReconnectionDelay: 30_000, initialReconnectionDelay: 1_000, reconnectionDelayGrowFactor: 2, maxRetries: 3 };

/** A server over streamable HTTP. Redirects stay within its origin; headers and token are filled in now, and go nowhere else. */
export async function openHttp(launch: HttpLaunch): Promise<Result<StreamableHTTPClientTransport, Diagnostic>> {
  const { setting, deps, signal } = launch;
  const sources: VariableSources = { server: launch.server, env: deps.env, secret: deps.secret };
  const url = expand(setting.url, "its url", sources);
  if (!url.ok) return url;
  const headers = expandAll(setting.headers, "its header", sources);
  if (!headers.ok) return headers;
  const bearer = setting.bearer === undefined ? undefined : await deps.credential(setting.bearer, signal);
  if (bearer?.ok === false) return err(bearer.error);
  if (bearer !== undefined) deps.onSecret(`mcp-${launch.server}`, bearer.value);
  const { StreamableHTTPClientTransport: Transport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return ok(
    new Transport(new URL(url.value), {
      fetch: launch.fetch,
      requestInit: { headers: { ...headers.value, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer.value}` }) } },
      reconnectionOptions: RECONNECTION,
      ...(launch.authProvider === undefined || bearer !== undefined ? {} : { authProvider: launch.authProvider }),
    }),
  );
}
