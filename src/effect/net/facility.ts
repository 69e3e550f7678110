import type { Clock } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Facility } from "../types.js";
import { checkReferences, type SecretPort, type SecretVault } from "../secrets/index.js";
import { netDenied } from "./failures.js";
import { fetchChecked } from "./fetch.js";
import type { LookupPort } from "./lookup.js";
import { systemLookup } from "./lookup.js";
import { permitFor } from "./policy.js";
import { recordedInput, recordedOutput } from "./record.js";
import { checkRequest } from "./request.js";

export interface NetFacilityDeps {
  readonly clock: Clock;
  /** Where the proxy variables are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secret: SecretPort;
  readonly vault: SecretVault;
  /** Default: the system's resolver. */
  readonly lookup?: LookupPort | undefined;
}

/** Where a name leads is checked when it is connected; here only what the words say. */
export function createNetFacility(deps: NetFacilityDeps): Facility<"net.fetch"> {
  const lookup = deps.lookup ?? systemLookup;
  return {
    async authorize(input, context) {
      const checked = checkRequest(input);
      if (!checked.ok) return checked;
      const { url, method, headers } = checked.value;
      const origin = new URL(url).origin;
      if (permitFor(new URL(url), method, context.grants) === undefined)
        return err(netDenied({ plugin: context.plugin, method, origin, granted: context.grants.net }));
      const problem = checkReferences(headers, context, { ...deps, reach: "remote" });
      return problem === undefined ? ok(checked.value) : err(problem);
    },
    run: async (input, context) => {
      // Narrowed by `authorize`; a request that is complete already stays as it is.
      const checked = checkRequest(input);
      return checked.ok ? fetchChecked(checked.value, context, { ...deps, lookup }) : { outcome: "not-applied", result: checked };
    },
    record: { input: recordedInput, output: recordedOutput },
  };
}
