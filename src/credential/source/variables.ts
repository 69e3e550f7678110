import { err, ok } from "../../base/index.js";
import { credentialUnset, credentialUnusable } from "../diagnostics.js";
import { faultOf, maskOf, trimmed } from "../value.js";
import type { Learned } from "./learned.js";
import type { CredentialSource } from "./source.js";

export type EnvironmentView = Readonly<Record<string, string | undefined>>;

export interface VariableSource extends CredentialSource {
  /** These hold keys: their values are learned. */
  declare(names: readonly string[]): void;
}

/** Variables of the process. They do not change while it runs, so one that was refused stays what it is. */
export function createVariableSource(env: EnvironmentView, learned: Learned): VariableSource {
  const declared = new Set<string>();
  const valueOf = (name: string): string | undefined => (Object.hasOwn(env, name) ? trimmed(env[name]) : undefined);
  const usable = (name: string): string | undefined => {
    const value = valueOf(name);
    if (value === undefined) return undefined;
    learned.learn([value]);
    return faultOf(value) === undefined ? value : undefined;
  };
  return {
    declare(names) {
      for (const name of names) declared.add(name);
      learned.learn(names.map(valueOf));
    },
    has: (name) => valueOf(name) !== undefined,
    async ready(name) {
      const value = valueOf(name);
      if (value === undefined) return err(credentialUnset(name));
      learned.learn([value]);
      const fault = faultOf(value);
      return fault === undefined ? ok(undefined) : err(credentialUnusable(name, fault));
    },
    value: usable,
    refused: () => undefined,
    describe(name) {
      const value = valueOf(name);
      if (value === undefined) return { isSet: false };
      const fault = faultOf(value);
      const masked = fault === undefined ? maskOf(value) : undefined;
      return { isSet: true, kind: "key", ...(masked === undefined ? {} : { masked }), ...(fault === undefined ? {} : { fault }) };
    },
    keys: () => [...declared].filter((name) => valueOf(name) !== undefined),
    close: () => Promise.resolve(),
  };
}
