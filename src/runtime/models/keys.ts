import { join } from "node:path";
import { err, ok } from "../../base/index.js";
import { type AuthStore, createAuthStore, createCredentials, type Credentials, NO_AUTH, type PostForm } from "../../credential/index.js";
import { createShellLines } from "../../effect/index.js";
import type { CompiledPlugin } from "../../plugin/index.js";
import type { HttpBody, HttpEngine } from "../../provider/index.js";
import type { ModelSettings } from "../../schema/index.js";
import { createLocker } from "../../session/index.js";
import type { RuntimeDeps } from "../deps.js";
import { tokenServerSilent } from "./diagnostics.js";

export type KeyDeps = Pick<RuntimeDeps, "clock" | "cwd" | "env" | "ids" | "onDiagnostic" | "paths"> & { readonly models: ModelSettings };

export interface Keys {
  readonly credentials: Credentials;
  readonly store: AuthStore;
  readonly post: PostForm;
  close(): Promise<void>;
}

export const authPath = (paths: KeyDeps["paths"]): string => join(paths.data, "auth.json");

/** What servers said of their models. */
export const modelsDir = (paths: Pick<KeyDeps["paths"], "cache">): string => join(paths.cache, "models");

/** The keys of this process. Reads the auth file; what runs commands and renews logins is loaded when one has to be. */
export async function createKeys(deps: KeyDeps, engine: () => HttpEngine): Promise<Keys> {
  const { clock, env, models } = deps;
  const store = createAuthStore({ path: authPath(deps.paths), clock, lock: createLocker() });
  const read = await store.read();
  for (const warning of read.ok ? read.value.warnings : [{ ...read.error, severity: "warning" as const }]) deps.onDiagnostic(warning);
  const lines = createShellLines({ clock, ids: deps.ids, env: definedOf(env) });
  const post = postBy(engine);
  const credentials = createCredentials({
    env,
    variables: models.connections.flatMap(({ credential }) => (credential?.type === "env" ? credential.names : [])),
    store,
    auth: read.ok ? read.value : NO_AUTH,
    commands: new Map(
      models.connections.flatMap(({ name, credential }) => (credential?.type === "command" ? [[name, credential.command] as const] : [])),
    ),
    clock,
    run: async (run, signal) => await lines.run({ ...run, cwd: deps.cwd }, signal),
    post,
  });
  return {
    ...{ credentials, store, post },
    close: async () => {
      await Promise.all([credentials.close(), lines.close()]);
    },
  };
}

const definedOf = (env: RuntimeDeps["env"]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));

/** Variables that hold keys of providers, as manifests name them. */
export const keyVariables = (plugins: readonly Pick<CompiledPlugin, "providers">[]): readonly string[] =>
  plugins.flatMap(({ providers }) => providers.flatMap(({ connections }) => connections.flatMap(({ credentialEnvs }) => credentialEnvs)));

const MAX_ANSWER = 1024 * 1024;

const postBy =
  (engine: () => HttpEngine): PostForm =>
  async (url, form, signal) => {
    const exchanged = await engine().exchange(
      {
        method: "POST",
        url,
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: new URLSearchParams(form).toString(),
        secrets: [],
      },
      signal,
    );
    if (!exchanged.ok) return err(tokenServerSilent(url, exchanged.error.message));
    const { head, body } = exchanged.value;
    return ok({ status: head.status, body: await textOf(body) });
  };

async function textOf(body: HttpBody): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await body.read(); chunk !== undefined && bytes < MAX_ANSWER; chunk = await body.read()) {
    chunks.push(chunk);
    bytes += chunk.length;
  }
  body.release();
  return Buffer.concat(chunks).toString("utf8", 0, MAX_ANSWER);
}
