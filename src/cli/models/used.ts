import type { Result } from "../../base/index.js";
import type { Route } from "../../runtime/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { shortPath } from "../output/path.js";
import { sourceOf } from "../output/source.js";
import type { ModelDesk, Target } from "./desk.js";

/** What answers when a run names no model. */
export interface Used {
  /** What was chosen by configuration or a variable; absent: nothing was. */
  readonly selection?: string;
  /** Where the choice is from, or what made it this one. */
  readonly why: string;
  readonly route: Result<Route, Diagnostic>;
}

/** When nothing is set up at all, servers of this machine are looked for first, as a run does. */
export async function usedByDefault({ context, prepared, admin }: ModelDesk): Promise<Used> {
  const { model, thinking } = prepared.settings;
  if (model.value !== undefined) {
    const place = shortPath(sourceOf(model), context.host.env["HOME"]);
    return {
      selection: model.value,
      why: `chosen ${model.layer === "user" || model.layer === "project" ? "in" : "by"} ${place}`,
      route: admin.route(model.value, thinking.value),
    };
  }
  await admin.lookAround();
  const route = admin.route(undefined, thinking.value);
  return { why: route.ok ? reasonOf(route.value.targets[0], admin) : "nothing is set up", route };
}

function reasonOf({ endpoint, source, routing }: Target, admin: ModelDesk["admin"]): string {
  if (endpoint.baseUrl === "") return "nothing else is set up";
  const { credential } = routing;
  if (credential?.startsWith("auth:") === true) return `a key is stored for ${credential.slice(5)}`;
  if (source === credential || source !== routing.connection) return `${source} is set`;
  const isConfigured = admin.connections().some(({ connection, isConfigured: configured }) => connection === source && configured);
  return isConfigured ? `the connection ${source} is configured` : `${source} answers on this machine`;
}
