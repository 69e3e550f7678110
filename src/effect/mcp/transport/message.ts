import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../../base/index.js";

/** Nothing of a message went out. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

const MEMBERS = ["id", "method", "params"] as const;

/**
 * A message as the protocol's own code takes it, from what servers write: members it does not know are left out, an `error` of null beside a
 * result too, and a server that leaves out what it is called is called something. Undefined: it is no message.
 */
export function tidy(value: unknown): JSONRPCMessage | undefined {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return undefined;
  const message: Record<string, JsonValue> = { jsonrpc: "2.0" };
  for (const member of MEMBERS) {
    const found = value[member];
    if (found !== undefined && found !== null) message[member] = found;
  }
  const { error, result } = value;
  if (isJsonObject(error)) message["error"] = error;
  else if (result !== undefined) message["result"] = isJsonObject(result) ? introduced(result) : {};
  // Its shape is checked by the protocol's own code, message by message.
  return message as unknown as JSONRPCMessage;
}

/** The answer to `initialize` has to say more than some servers do. */
function introduced(result: JsonObject): JsonObject {
  if (typeof result["protocolVersion"] !== "string") return result;
  const { serverInfo, capabilities } = result;
  const about = isJsonObject(serverInfo) ? serverInfo : {};
  const named = (key: "name" | "version"): string => (typeof about[key] === "string" ? about[key] : "unknown");
  return {
    ...result,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    serverInfo: { ...about, name: named("name"), version: named("version") },
  };
}

/** The request that a message gives up. */
export function cancelledIn(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** The id of the request a body holds. */
export function requestIn(body: RequestInit["body"]): RequestId | undefined {
  const message = typeof body === "string" ? parseJson(body) : undefined;
  const id = isJsonObject(message) && typeof message["method"] === "string" ? message["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
