export type * from "./types.js";
import { invariant } from "../../base/index.js";
import type { McpHub, McpHubDeps } from "./types.js";

export function createMcpHub(deps: McpHubDeps): McpHub {
  invariant(deps === undefined, "no hub yet");
}
