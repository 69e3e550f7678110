import type { Endpoint, ExchangePlan, ProviderRequest } from "smith-agent/plugin";
import { requestBody } from "./body/index.js";
import { type Profile, profileOf } from "./profile/index.js";
import { endpointUrl } from "./url.js";

/** One Chat Completions exchange. Contents are plain strings wherever that is enough: every server and chat template takes those. */
export function plan(request: ProviderRequest): ExchangePlan {
  const profile = profileOf(request.provider, request.endpoint);
  const common = {
    type: "http",
    method: "POST",
    url: endpointUrl(request.endpoint, "/chat/completions", profile),
    headers: {
      "content-type": "application/json",
      accept: request.stream ? "text/event-stream" : "application/json",
      ...authorization(request.endpoint, profile),
      ...cacheHeader(request, profile),
    },
    body: JSON.stringify(requestBody(request, profile)),
  } as const;
  return request.stream ? { ...common, framing: "sse", merge: ["choices", 0, "delta", "content"] } : { ...common, framing: "json" };
}

/** The header with the key; the host puts the secret in place of its name. */
export function authorization({ credential }: Endpoint, { auth }: Pick<Profile, "auth">): { readonly [name: string]: string } {
  if (credential === undefined || credential === "") return {};
  return auth === "api-key" ? { "api-key": `{secret:${credential}}` } : { authorization: `Bearer {secret:${credential}}` };
}

const cacheHeader = ({ cacheKey }: ProviderRequest, profile: Profile): { readonly [name: string]: string } =>
  cacheKey === undefined || !profile.cacheKey.startsWith("x-") ? {} : { [profile.cacheKey]: cacheKey };
