import type { JsonObject } from "../../base/index.js";
import type { ServerPlace } from "../../runtime/index.js";
import type { CommonFlags } from "../given-flags.js";

interface Common {
  readonly common: CommonFlags;
}

export interface ListServersInvocation extends Common {
  readonly type: "mcp-servers list";
  readonly json: boolean;
}

export interface AddServerInvocation extends Common {
  readonly type: "mcp-servers add";
  readonly name: string;
  /** As it is written to the file. */
  readonly server: JsonObject;
  readonly place: ServerPlace;
}

export interface RemoveServerInvocation extends Common {
  readonly type: "mcp-servers remove";
  readonly name: string;
  readonly place: ServerPlace;
}

export interface CheckServersInvocation extends Common {
  readonly type: "mcp-servers check";
  readonly names: readonly string[];
  readonly json: boolean;
}

export interface SignInvocation extends Common {
  readonly type: "mcp-servers login" | "mcp-servers logout";
  readonly name: string;
}

export type ServersInvocation =
  ListServersInvocation | AddServerInvocation | RemoveServerInvocation | CheckServersInvocation | SignInvocation;
