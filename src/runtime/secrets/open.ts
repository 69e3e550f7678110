import { join } from "node:path";
import { findProjectRoot } from "../../config/index.js";
import { createSecretStore, type NewSecret, readSecretFiles, type SecretFile, type SecretStore } from "../../secret/index.js";
import { createLocker } from "../../session/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { RuntimeDeps } from "../deps.js";
import { createSecrets, type DeclaredSecrets, type Secrets } from "./secrets.js";

export type SecretPlaceDeps = Pick<RuntimeDeps, "clock" | "cwd" | "paths" | "settings">;

export const secretStoreOf = ({ clock, paths }: Pick<RuntimeDeps, "clock" | "paths">): SecretStore =>
  createSecretStore({ path: join(paths.data, "secrets.json"), clock, lock: createLocker() });

/** Where a person's secrets are, in the order in which they get their names. */
export interface SecretPlaces {
  readonly files: readonly SecretFile[];
  readonly stored: ReadonlyMap<string, string>;
  readonly problems: readonly Diagnostic[];
}

export async function readSecretPlaces(deps: SecretPlaceDeps, store = secretStoreOf(deps)): Promise<SecretPlaces> {
  const wanted = deps.settings.secretFiles.value;
  const [files, stored] = await Promise.all([
    wanted.length === 0 ? [] : readSecretFiles(wanted, (await findProjectRoot(deps.cwd)) ?? deps.cwd),
    store.read(),
  ]);
  return {
    files,
    stored: stored.ok ? stored.value.values : new Map(),
    problems: [
      ...files.flatMap(({ problem }) => problem ?? []),
      ...(stored.ok ? stored.value.warnings : [{ ...stored.error, severity: "warning" as const }]),
    ],
  };
}

const secretsIn = ({ files, stored }: SecretPlaces): readonly NewSecret[] => [
  ...files.flatMap(({ entries }) => entries.map(({ name, value }): NewSecret => ({ name, value, kind: "user" }))),
  ...[...stored].map(([name, value]): NewSecret => ({ name, value, kind: "user" })),
];

/** Knows all secrets that are known at the start, and tells what could not be read. */
export async function openSecrets(
  deps: SecretPlaceDeps & Pick<RuntimeDeps, "env" | "onDiagnostic">,
  declared: DeclaredSecrets,
): Promise<Secrets> {
  const places = await readSecretPlaces(deps);
  const secrets = createSecrets({ env: deps.env, declared, variables: deps.settings.secretEnv.value, stored: secretsIn(places) });
  for (const problem of places.problems) deps.onDiagnostic(secrets.concealJson(problem));
  return secrets;
}

/** What the runtime tells the process it lives in holds no secret either. */
export function discreet(deps: RuntimeDeps, secrets: Secrets): RuntimeDeps {
  const { onDiagnostic, onWire, onPluginLog } = deps;
  deps.onSecrets?.(secrets.conceal);
  return {
    ...deps,
    onDiagnostic: (problem) => {
      onDiagnostic(secrets.concealJson(problem));
    },
    ...(onWire === undefined
      ? {}
      : {
          onWire: (event) => {
            onWire(secrets.concealJson(event));
          },
        }),
    ...(onPluginLog === undefined
      ? {}
      : {
          onPluginLog: (line) => {
            onPluginLog(secrets.concealJson(line));
          },
        }),
  };
}
