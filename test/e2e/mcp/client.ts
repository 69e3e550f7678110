import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { Place } from "../support/place.js";
import { SMITH } from "../support/smith.js";

export interface Connected {
  readonly client: Client;
  readonly stderr: () => string;
}

/** The official client, connected to `smith mcp` started in the place. */
export async function connect(place: Place, args: readonly string[] = [], capabilities: ClientCapabilities = {}): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SMITH, "mcp", ...args],
    cwd: place.work,
    env: { ...place.env },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  const client = new Client({ name: "tester", version: "1" }, { capabilities });
  await client.connect(transport);
  return { client, stderr: () => stderr };
}

/** Text of a result's first part. */
export function textIn(result: unknown): string {
  const { content } = result as { readonly content: readonly { readonly text?: string }[] };
  return content[0]?.text ?? "";
}
