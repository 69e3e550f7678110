/** The examples an author may copy, and what each is meant to be: pinned, so that a change of one is seen. */
import { fileURLToPath } from "node:url";

export interface Example {
  readonly name: string;
  readonly dir: string;
  readonly brings: { readonly [kind: string]: readonly string[] | number };
  /** What people are told that it reaches, by kind, sorted. */
  readonly grants: readonly string[];
  readonly tests: number;
}

const example = (name: string, meant: Omit<Example, "name" | "dir">): Example => ({
  name,
  dir: fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url)),
  ...meant,
});

export const EXAMPLES: readonly Example[] = [
  example("tool-licenses", { brings: { tools: ["licenses"], commands: ["licenses"] }, grants: ["fs-read", "search", "ui"], tests: 9 }),
  example("provider-ollama", { brings: { providers: ["ollama"] }, grants: ["net", "provider"], tests: 20 }),
  example("policy-guard", {
    brings: { handlers: ["tool-proposed", "tool-settled", "request-prepared", "turn-ended", "session-opened"] },
    grants: ["handler", "state", "ui"],
    tests: 10,
  }),
  example("theme-ember", { brings: { themes: ["ember", "ember-day"], keys: 6 }, grants: [], tests: 0 }),
];
