import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ok, type Result } from "../../../base/index.js";
import type { Diagnostic, McpServerSetting } from "../../../schema/index.js";
import type { Guard } from "../../process/index.js";
import type { SignedIn } from "../oauth/client.js";
import type { FetchLike } from "../transport/fetch.js";
import type { Challenge } from "../transport/refusals.js";
import type { ServerNoise } from "../transport/stdio.js";
import type { McpHubDeps } from "../types.js";
import { httpTarget, stdioTarget } from "./target.js";

export type OpenTransport = Transport & Partial<ServerNoise> & { readonly end?: string | undefined };

export interface OpenPorts {
  readonly deps: McpHubDeps;
  readonly guard: Guard | undefined;
  /** Child processes that may still run. */
  readonly live: Set<{ killNow(): void }>;
  readonly fetch: () => Promise<FetchLike>;
  /** Signs requests with a sign-in that is kept, and renews it; undefined where there is none. */
  readonly signedIn: (setting: McpServerSetting, url: string) => Promise<SignedIn | undefined>;
  /** What a server said about the sign-in it wants. */
  readonly onChallenge: (server: string, challenge: Challenge) => void;
}

/** Whether its setting says who it is asked by: no sign-in is used then, and none would help. */
export const sendsToken = ({ transport }: McpServerSetting): boolean =>
  transport.type === "http" &&
  (transport.bearer !== undefined || Object.keys(transport.headers).some((header) => header.toLowerCase() === "authorization"));

/** The way to a server, not begun yet. */
export async function openTransport(
  setting: McpServerSetting,
  ports: OpenPorts,
  signal: AbortSignal,
): Promise<Result<OpenTransport, Diagnostic>> {
  const { transport } = setting;
  return transport.type === "stdio" ? await openStdio(setting, ports) : await openHttp(setting, ports, signal);
}

async function openHttp(setting: McpServerSetting, ports: OpenPorts, signal: AbortSignal): Promise<Result<OpenTransport, Diagnostic>> {
  const { deps } = ports;
  const target = await httpTarget(setting, deps, signal);
  if (!target.ok) return target;
  const { url, headers } = target.value;
  const authProvider = sendsToken(setting) ? undefined : await ports.signedIn(setting, url.href);
  const { HttpTransport } = await import("../transport/http.js");
  const plain = await ports.fetch();
  // Only a sign-in that is renewed asks others than the server.
  const isAlone = authProvider === undefined;
  const fetch = isAlone ? plain : (await import("../oauth/exchanges.js")).besideServer({ clock: deps.clock, fetch: plain, server: url });
  return ok(
    await HttpTransport.create({
      ...{ url, headers, fetch, clock: deps.clock },
      onChallenge: async (challenge) => {
        ports.onChallenge(setting.name, challenge);
        if (challenge.isMore && challenge.scope !== undefined) await authProvider?.want(challenge.scope);
      },
      ...(authProvider === undefined ? {} : { authProvider }),
    }),
  );
}

async function openStdio(setting: McpServerSetting, { deps, guard, live }: OpenPorts): Promise<Result<OpenTransport, Diagnostic>> {
  const target = await stdioTarget(setting, deps);
  if (!target.ok) return target;
  const { StdioTransport } = await import("../transport/stdio.js");
  return ok(new StdioTransport({ ...target.value, mark: randomUUID(), clock: deps.clock, guard, live }));
}
