import type { KdlNode } from "../../../config/index.js";
import type { ConnectionContribution, ProviderContribution } from "../../types.js";
import { missingInManifest } from "../diagnostics.js";
import { ENV_NAME, isSecretName, SECRET_EXPECTED, WORD } from "../names.js";
import {
  type ManifestScope,
  nameOf,
  placeOf,
  readChildren,
  readName,
  readProperties,
  rejectDuplicates,
  rejectProperty,
  requireValue,
} from "../node-reader.js";

/** `provider "id" title="..." { connection "name" rank=20 ... }` */
export function compileProvider(scope: ManifestScope, plugin: string, node: KdlNode): ProviderContribution {
  const id = readName(scope, node, WORD);
  const { title } = readProperties(scope, node, { title: "text" });
  const { connection } = readChildren(scope, node, ["connection"]);
  if (connection.length === 0) scope.problems.push(missingInManifest(placeOf(scope, node), nameOf(node), "connection"));
  rejectDuplicates(scope, connection);
  return {
    id,
    plugin,
    title: requireValue(scope, node, { name: "title", value: title, fallback: "" }),
    connections: connection.map((child) => compileConnection(scope, child)),
  };
}

const NEEDS = ["credential", "base-url", "nothing"] as const;

function compileConnection(scope: ManifestScope, node: KdlNode): ConnectionContribution {
  const name = readName(scope, node, WORD);
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, {
    rank: "integer",
    "base-url-env": "text",
    "default-url": "text",
    "credential-env": "text",
    needs: "text",
    profile: "text",
    "default-model": "text",
  });
  return {
    name,
    rank: requireValue(scope, node, { name: "rank", value: properties.rank, fallback: 0 }),
    needs: readNeeds(scope, node, properties),
    ...present("baseUrlEnv", readEnv(scope, node, "base-url-env", properties["base-url-env"])),
    ...present("defaultUrl", readUrl(scope, node, properties["default-url"])),
    ...present("credentialEnv", readCredential(scope, node, properties["credential-env"])),
    ...present("profile", properties.profile),
    ...present("defaultModel", properties["default-model"]),
  };
}

/** The field, unless its value is absent. */
const present = <const Name extends string>(name: Name, value: string | undefined): { readonly [N in Name]?: string } =>
  // A computed name widens to any string; it is exactly this one.
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: string };

function readEnv(scope: ManifestScope, node: KdlNode, name: string, value: string | undefined): string | undefined {
  if (value !== undefined && !ENV_NAME.test(value)) rejectProperty(scope, node, name, "the name of an environment variable, in capitals");
  return value;
}

/** Its name is a secret's name. */
function readCredential(scope: ManifestScope, node: KdlNode, value: string | undefined): string | undefined {
  if (value !== undefined && !isSecretName(value)) rejectProperty(scope, node, "credential-env", SECRET_EXPECTED);
  return value;
}

function readUrl(scope: ManifestScope, node: KdlNode, value: string | undefined): string | undefined {
  if (value !== undefined && !URL.canParse(value)) rejectProperty(scope, node, "default-url", "a URL");
  return value;
}

interface NeedProperties {
  readonly needs?: string;
  readonly "credential-env"?: string;
  readonly "base-url-env"?: string;
}

function readNeeds(scope: ManifestScope, node: KdlNode, properties: NeedProperties): ConnectionContribution["needs"] {
  const word = requireValue(scope, node, { name: "needs", value: properties.needs, fallback: "nothing" });
  const needs = NEEDS.find((known) => known === word);
  if (needs === undefined) rejectProperty(scope, node, "needs", NEEDS.join(", "));
  if (needs === undefined || needs === "nothing") return "nothing";
  const source = `${needs}-env` as const;
  requireValue(scope, node, { name: source, value: properties[source], fallback: "" });
  return needs;
}
