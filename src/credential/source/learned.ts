import { trimmed } from "../value.js";

/** Every value that was known at any time of this process: what hides them must hide the former ones too. */
export interface Learned {
  readonly learn: (values: readonly (string | undefined)[]) => void;
  readonly values: () => ReadonlySet<string>;
  /** Told at once of what is known, then of each value as it comes. Returns the unsubscribe function. */
  readonly onValue: (listener: (values: readonly string[]) => void) => () => void;
}

export function createLearned(): Learned {
  const known = new Set<string>();
  const listeners = new Set<(values: readonly string[]) => void>();
  return {
    learn(values) {
      const fresh = [...new Set(values.flatMap((value) => trimmed(value) ?? []))].filter((value) => !known.has(value));
      if (fresh.length === 0) return;
      for (const value of fresh) known.add(value);
      for (const listener of [...listeners]) listener(fresh);
    },
    values: () => known,
    onValue(listener) {
      listeners.add(listener);
      if (known.size > 0) listener([...known]);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
