import { err, ok } from "../../base/index.js";
import type { Facility } from "../types.js";
import { secretBadName, secretOrdinary } from "./failures.js";
import type { SecretVault } from "./vault.js";

const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,99}$/u;

/**
 * A plugin hands a value over that it came by, once: from then on it is hidden like every other secret, and this plugin may use its
 * reference in this session. It needs no grant: the value was the plugin's.
 */
export function createKeepFacility(vault: SecretVault): Facility<"secrets.keep"> {
  return {
    authorize: async (input) => await Promise.resolve(NAME.test(input.name) ? ok(input) : err(secretBadName(input.name))),
    run: async ({ name, value }, { plugin }) => {
      const reference = vault.keep(plugin, name, value);
      return await Promise.resolve(
        reference === undefined
          ? { outcome: "not-applied", result: err(secretOrdinary(name)) }
          : { outcome: "applied", result: ok({ reference }) },
      );
    },
    // Also what was refused: it may be a secret all the same.
    record: { input: ({ name }) => ({ name }) },
  };
}
