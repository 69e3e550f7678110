import { ordinary } from "../../secret/index.js";
import type { RuntimeDeps } from "../deps.js";
import { readSecretPlaces, type SecretPlaceDeps, secretStoreOf } from "./open.js";
import type { KnownSecret, SecretAdmin } from "./types.js";

/** Reads the files; opens nothing else. */
export function createSecretAdmin(deps: SecretPlaceDeps & Pick<RuntimeDeps, "env">): SecretAdmin {
  const store = secretStoreOf(deps);
  return {
    async list() {
      const { files, stored, problems } = await readSecretPlaces(deps, store);
      return {
        secrets: [
          ...[...stored].map(([name, value]) => known({ name, from: "stored" }, value)),
          ...files.flatMap(({ path, entries }) => entries.map(({ name, value }) => known({ name, from: "file", path }, value))),
          ...deps.settings.secretEnv.value.map((name) => known({ name, from: "environment" }, deps.env[name])),
        ],
        file: store.path,
        problems,
      };
    },
    add: async (name, value) => await store.add(name, value),
    remove: async (name) => await store.remove(name),
  };
}

function known(secret: KnownSecret, value: string | undefined): KnownSecret {
  const passedOver = value === undefined ? "It is not set." : ordinary(value);
  return passedOver === undefined ? secret : { ...secret, passedOver };
}
