import type { Handler } from "smith-agent/plugin";
import { countsOf, storing } from "./counts.js";
import { fits, relativePath } from "./pattern.js";

/**
 * Denies a call that would write a protected file. It is judged by the path the call names: a shell command or a link is not seen here.
 * The model reads why, so it says what to do instead.
 */
export const protect: Handler<"tool-proposed"> = (event, { config, values }) => {
  const named = event.args["path"];
  const path = relativePath(typeof named === "string" ? named : "", event.cwd);
  const protectedBy = config["guard.protect"];
  const pattern = (Array.isArray(protectedBy) ? protectedBy.map(String) : []).find((one) => fits(path, one));
  if (pattern === undefined) return undefined;
  const counts = countsOf(values);
  const why = `${path} is protected by the pattern ${pattern} of guard.protect. Leave it as it is; when it has to change, say how, and the person does it.`;
  return [{ type: "deny-tool", call: event.call, why }, storing({ ...counts, denied: counts.denied + 1 })];
};
