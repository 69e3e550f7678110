import { isSecretHeader, secretsInUrl } from "../../../base/index.js";
import type { McpHubDeps } from "../types.js";
import type { VariableSources } from "../variables.js";

/** Whose value it is that a header's name says is secret, beyond the names that are known. */
const TELLING = /key|token|secret|auth|pass|credential/iu;
const SCHEME = /^(?:Bearer|Basic|Token) +/iu;

type LearningDeps = Pick<McpHubDeps, "env" | "secret" | "onSecret">;

/** Where the references of a setting are looked up: what is referred to as a secret is hidden from then on, wherever it is put. */
export const sourcesOf = (server: string, { env, secret, onSecret }: LearningDeps): VariableSources => ({
  server,
  env,
  secret: (name) => {
    const value = secret(name);
    if (value !== undefined) onSecret(`mcp-${server}`, value);
    return value;
  },
});

/** What was filled in, as it is used. */
interface Filled {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Values of a target that nobody else may see. Too ordinary ones are left out by whoever hides them. */
export function secretsOf(
  { url, headers }: Filled,
  written: Readonly<Record<string, string>>,
  env: VariableSources["env"],
): readonly string[] {
  const found = [...secretsInUrl(url), url.password, decoded(url.password)];
  for (const [header, value] of Object.entries(headers)) {
    const text = written[header] ?? "";
    const names = [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/gu)].flatMap(([, name]) => name ?? []);
    if (isSecretHeader(header) || TELLING.test(header) || names.length > 0 || text.includes("{secret:")) {
      found.push(value, value.replace(SCHEME, ""));
      // A part of the value may be told without the rest.
      found.push(...names.flatMap((name) => env[name] ?? []));
    }
  }
  return [...new Set(found)].filter((value) => value !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
