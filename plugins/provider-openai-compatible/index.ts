import { definePlugin, type Provider } from "smith-agent/plugin";
import { close, events, open } from "./decode.js";
import { fail } from "./errors.js";
import { listedModels, listPlans } from "./list/index.js";
import { PROFILE_OF, providerProfile } from "./profile/index.js";
import { plan } from "./request.js";

/** One implementation under many names: what differs is in the profiles. */
const provider = (id: string): Provider => ({
  plan,
  fail,
  open: (head) => open(head, providerProfile(id).inlineThinking),
  events,
  close,
  models: (endpoint) => listPlans(id, endpoint),
  parseModels: (bodies) => listedModels(id, bodies),
});

export default definePlugin({ providers: Object.fromEntries(Object.keys(PROFILE_OF).map((id) => [id, provider(id)])) });
