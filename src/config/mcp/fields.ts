import type { CredentialSource, McpServerSetting, McpServerSource, McpTransportSetting } from "../../schema/index.js";

/** A `mcp.json` file as it was read. */
export interface McpFile {
  readonly path: string;
  readonly from: "user" | "project";
  readonly text: string;
}

/** What both forms of file come to, before what was left out is filled in. */
export interface GivenServer {
  readonly transport: McpTransportSetting;
  readonly timeoutMs?: number;
  readonly required?: boolean;
  readonly enabled?: boolean;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly offer?: McpServerSetting["offer"];
}

const DEFAULT_TIMEOUT_MS = 30_000;
export const TIMEOUT_MS = { least: 1_000, most: 3_600_000 } as const;
export const OFFERS = ["auto", "always", "search"] as const;

/** A name stands in names of tools, in commands and on command lines. */
export const SERVER_NAME = /^[^\s\p{C}"'\\]{1,100}$/u;
export const NAME_EXPECTED = "1 to 100 characters without blanks, quotes and backslashes";

/** RFC 9110, section 5.6.2. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/u;
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/u;

export const serverOf = (name: string, given: GivenServer, source: McpServerSource): McpServerSetting => ({
  name,
  transport: given.transport,
  timeoutMs: given.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  required: given.required ?? false,
  enabled: given.enabled ?? true,
  allow: given.allow ?? [],
  deny: given.deny ?? [],
  offer: given.offer ?? "auto",
  source,
});

export const envCredential = (names: string): CredentialSource | undefined => {
  const all = names.split(",").map((name) => name.trim());
  return all.every((name) => VARIABLE.test(name)) ? { type: "env", names: all } : undefined;
};

/** Whether a text may be the address of a server. With a reference in it, it is one only when that is filled in: what connects looks then. */
export const isServerUrl = (text: string): boolean =>
  /\$\{\w|\{secret:/u.test(text) || (URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol));

/** A field that is there only where it has a value. */
export const optional = <const Name extends string, Value>(name: Name, value: Value | undefined): { readonly [N in Name]?: Value } =>
  // A computed name widens to any string; it is exactly this one.
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: Value };
