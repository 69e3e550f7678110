import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { err, ok, parseJson, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { badRegistry, noIntegrity, unknownSource, wrongIntegrity } from "../diagnostics.js";
import { isMissing } from "../tree.js";
import { MAX_ARCHIVE_BYTES } from "./archive.js";
import { isLoopback } from "./loopback.js";

/**
 * Gets the whole body of a GET, or says why not. Obeys proxies, follows redirects only to https or, from a loopback address, to a
 * loopback address; gives up after a time of its own. After an abort it resolves soon, as an error.
 */
export type Download = (
  url: string,
  options: { readonly signal: AbortSignal; readonly maxBytes: number },
) => Promise<Result<Uint8Array, Diagnostic>>;

export interface RegistryDeps {
  readonly download: Download;
  readonly env: { readonly [name: string]: string | undefined };
}

/** A package as asked for: `tag` is an exact version or the name of one. */
export interface PackageName {
  readonly name: string;
  readonly tag: string;
}

export interface FetchedArchive {
  readonly version: string;
  readonly registry: string;
  readonly integrity: string;
  readonly bytes: Uint8Array;
}

const PUBLIC_REGISTRY = "https://registry.npmjs.org/";
const MAX_METADATA_BYTES = 2 * 1024 * 1024;
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/u;
const TAG = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,127}$/u;

/** `name`, `@scope/name`, each with `@version` or `@tag`. */
export function parsePackageName(text: string): Result<PackageName, Diagnostic> {
  const at = text.indexOf("@", 1);
  const [name, tag] = at === -1 ? [text, "latest"] : [text.slice(0, at), text.slice(at + 1)];
  if (name.length > 214 || !NAME.test(name)) return err(unknownSource(`npm:${text}`, "This is no name of a package of the npm registry."));
  if (!TAG.test(tag)) return err(unknownSource(`npm:${text}`, "After the name comes one exact version or tag, not a range."));
  return ok({ name, tag });
}

/** One version's document of the registry; foreign and wide, so only what is used is looked at. */
const versionSchema = z.looseObject({
  name: z.string(),
  version: z.string().max(256),
  dist: z.looseObject({ tarball: z.string(), integrity: z.string().optional() }),
});

/** Asks the user's registry for the archive and proves that it is the one the registry means, by SHA-512. */
export async function fetchPackage(
  deps: RegistryDeps,
  { name, tag }: PackageName,
  signal: AbortSignal,
): Promise<Result<FetchedArchive, Diagnostic>> {
  const registry = await registryOf(deps.env, name);
  if (!registry.ok) return registry;
  const where = new URL(`${name.replace("/", "%2f")}/${encodeURIComponent(tag)}`, registry.value);
  const answer = await deps.download(where.href, { signal, maxBytes: MAX_METADATA_BYTES });
  if (!answer.ok) return answer;
  const parsed = versionSchema.safeParse(parseJson(Buffer.from(answer.value).toString("utf8")));
  if (!parsed.success) return err(badRegistry(where.href, "Its answer does not describe a version of a package."));
  const { version, dist } = parsed.data;
  if (parsed.data.name !== name || (/^\d/u.test(tag) && version !== tag))
    return err(badRegistry(where.href, `It answers with ${parsed.data.name}@${version} where ${name}@${tag} was asked for.`));
  const expected = sha512Of(dist.integrity);
  if (expected === undefined) return err(noIntegrity(`${name}@${version}`));
  const tarball = tarballUrl(dist.tarball, registry.value);
  if (!tarball.ok) return tarball;
  const bytes = await deps.download(tarball.value, { signal, maxBytes: MAX_ARCHIVE_BYTES });
  if (!bytes.ok) return bytes;
  const found = integrityOf(bytes.value);
  if (found !== expected) return err(wrongIntegrity(tarball.value, expected, found));
  return ok({ version, registry: registry.value.href, integrity: found, bytes: bytes.value });
}

/** Subresource integrity of an archive. */
export const integrityOf = (bytes: Uint8Array): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

/** The SHA-512 among the hashes given, without options. */
const sha512Of = (integrity: string | undefined): string | undefined =>
  integrity
    ?.split(/\s+/u)
    .map((hash) => hash.replace(/\?.*$/u, ""))
    .find((hash) => /^sha512-[A-Za-z0-9+/]{86}==$/u.test(hash));

/** Of the registry's own origin, or of another one by https. */
function tarballUrl(text: string, registry: URL): Result<string, Diagnostic> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isFit = url !== undefined && url.username === "" && (url.origin === registry.origin || url.protocol === "https:");
  return isFit ? ok(url.href) : err(badRegistry(registry.href, `It sends to ${text} for the archive, which is neither its own nor https.`));
}

/**
 * The registry of the environment, else of the user's `.npmrc` (one for the scope first), else the public one. A project's `.npmrc`
 * has no say, and neither have credentials.
 */
async function registryOf(env: RegistryDeps["env"], name: string): Promise<Result<URL, Diagnostic>> {
  const settings = await readNpmrc(env);
  const scoped = name.startsWith("@") ? settings.get(`${name.slice(0, name.indexOf("/"))}:registry`) : undefined;
  return checkRegistry(scoped ?? npmVariable(env, "registry") ?? settings.get("registry") ?? PUBLIC_REGISTRY);
}

function checkRegistry(text: string): Result<URL, Diagnostic> {
  if (!URL.canParse(text)) return err(badRegistry(text, "It is no URL."));
  const url = new URL(text.endsWith("/") ? text : `${text}/`);
  if (url.username !== "" || url.password !== "")
    return err(badRegistry(url.origin, "Its URL holds a password, which would be sent and recorded."));
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return ok(url);
  return err(badRegistry(url.href, "Packages are fetched by https only, except from this machine."));
}

/** npm takes its variables in both cases; one that is empty counts as not set. */
function npmVariable(env: RegistryDeps["env"], name: string): string | undefined {
  const found = [env[`npm_config_${name}`], env[`NPM_CONFIG_${name.toUpperCase()}`]];
  return found.find((value) => value !== undefined && value !== "");
}

const MAX_NPMRC_LENGTH = 256 * 1024;

async function readNpmrc(env: RegistryDeps["env"]): Promise<ReadonlyMap<string, string>> {
  const home = env["HOME"] ?? env["USERPROFILE"];
  const path = npmVariable(env, "userconfig") ?? (home === undefined ? undefined : join(home, ".npmrc"));
  if (path === undefined) return new Map();
  const text = await readText(path);
  const lines = text.slice(0, MAX_NPMRC_LENGTH).split(/\r?\n/u);
  return new Map(lines.flatMap((line) => readLine(line, env)));
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    // npm, too, goes on without a file that cannot be read.
    if (isMissing(error) || (error instanceof Error && "code" in error)) return "";
    throw error;
  }
}

function readLine(line: string, env: RegistryDeps["env"]): readonly (readonly [string, string])[] {
  const found = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/u.exec(line);
  const [, key = "", value = ""] = found ?? [];
  if (key !== "registry" && !/^@[^:]+:registry$/u.test(key)) return [];
  const bare = value.replace(/^(["'])(.*)\1$/u, "$2").replace(/\$\{([^}]+)\}/gu, (whole, name: string) => env[name] ?? whole);
  return [[key, bare]];
}
