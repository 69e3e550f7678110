import { err, ok, orAborted, utf8Length } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, StateInput } from "../../schema/index.js";
import type { EffectContext, Facility, StateGrant, StatePort } from "../types.js";
import { badKey, portStopped, stateDenied, stateTooLarge } from "./failures.js";

export interface StateFacilities {
  readonly "state.get": Facility<"state.get">;
  readonly "state.put": Facility<"state.put">;
  readonly "state.delete": Facility<"state.delete">;
}

const KEY_BYTES = 256;

/** Values of a plugin by declared key. A write that has begun is not taken back by an abort, so it is waited for. */
export function createStateFacilities(state: StatePort): StateFacilities {
  return {
    "state.get": {
      authorize: async (input, context) => permitted(input, context),
      run: async ({ key, scope }, { plugin, signal }) => {
        const got = await orAborted(state.get(plugin, { key, scope }), signal);
        if (got === "aborted") return { outcome: "not-applied", result: err(portStopped("state.get")) };
        return { outcome: "not-applied", result: got.ok ? ok({ ...got.value, value: got.value.value ?? null }) : got };
      },
    },
    "state.put": {
      authorize: async (input, context) => {
        const permit = permitted(input, context);
        if (!permit.ok) return permit;
        const bytes = utf8Length(JSON.stringify(input.value));
        const most = grantFor(input, context)?.maxBytes ?? 0;
        return bytes > most ? err(stateTooLarge(input.key, bytes, most)) : permit;
      },
      run: async ({ key, scope, value }, { plugin }) => {
        const stored = await state.put(plugin, { key, scope }, value);
        return stored.ok ? { outcome: "applied", result: ok({ stored: true }) } : { outcome: "not-applied", result: stored };
      },
    },
    "state.delete": {
      authorize: async (input, context) => permitted(input, context),
      run: async ({ key, scope }, { plugin }) => {
        const deleted = await state.delete(plugin, { key, scope });
        if (!deleted.ok) return { outcome: "not-applied", result: deleted };
        return { outcome: deleted.value ? "applied" : "not-applied", result: ok({ existed: deleted.value }) };
      },
    },
  };
}

/** The widest of its scope. */
const grantFor = ({ scope }: StateInput, { grants }: EffectContext): StateGrant | undefined =>
  grants.state.filter((grant) => grant.scope === scope).toSorted((left, right) => right.maxBytes - left.maxBytes)[0];

/** Which keys are declared is known to the port. */
function permitted<Input extends StateInput>(input: Input, context: EffectContext): Result<Input, Diagnostic> {
  if (grantFor(input, context) === undefined) return err(stateDenied(context.plugin, input, context.grants.state));
  const isKey = input.key !== "" && utf8Length(input.key) <= KEY_BYTES && !/[\u0000-\u001f\u007f]/u.test(input.key);
  return isKey ? ok(input) : err(badKey(input.key));
}
