import type { RecordedRequest } from "../model-server.js";

/** The four APIs that models are asked by. */
export const APIS = ["chat", "anthropic", "responses", "google"] as const;
export type Api = (typeof APIS)[number];

export type Asked = Pick<RecordedRequest, "path" | "body" | "rawBody">;

/** Which API a path belongs to; `undefined` for lists of models and for nothing known. */
export function apiOf(path: string): Api | undefined {
  const [address = ""] = path.split("?");
  if (address.endsWith("/chat/completions")) return "chat";
  if (address.endsWith("/messages")) return "anthropic";
  if (address.endsWith("/responses")) return "responses";
  return /:(?:stream)?generateContent$/iu.test(address) ? "google" : undefined;
}

/** The model that is asked: in the body, of Google in the address. */
export function modelOf({ path, body }: Pick<RecordedRequest, "path" | "body">): string {
  const { model } = body;
  if (typeof model === "string") return model;
  return decodeURIComponent(/\/models\/([^/:?]+):/u.exec(path)?.[1] ?? "");
}

/** Whether the answer is wanted as it is made. */
export const wantsStream = ({ path, body }: Pick<RecordedRequest, "path" | "body">): boolean =>
  apiOf(path) === "google" ? path.includes(":streamGenerateContent") : body["stream"] === true;
