import type { EnvView } from "../../../provider/index.js";

/**
 * What programs started by tools see: the person's environment without the keys of any provider, plus marks of the
 * session. A tool's program is asked for by a model; a key in its environment would be one `env` away from it.
 */
export function childEnvironment(
  env: EnvView,
  credentials: readonly string[],
  session: { readonly id: string; readonly model: string },
): Readonly<Record<string, string>> {
  const hidden = new Set(credentials);
  const kept = Object.entries(env).flatMap(([name, value]) => (value === undefined || hidden.has(name) ? [] : [[name, value] as const]));
  return { ...Object.fromEntries(kept), SMITH_SESSION_ID: session.id, SMITH_MODEL: session.model };
}
