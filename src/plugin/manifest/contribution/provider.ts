import type { KdlNode } from "../../../config/index.js";
import type { ConnectionContribution, OauthContribution, ProviderContribution } from "../../types.js";
import { missingInManifest } from "../diagnostics.js";
import { ENV_NAME, SECRET_NAME, WORD } from "../names.js";
import { compileCatalog } from "./catalog.js";
import {
  type ManifestScope,
  nameOf,
  onlyOne,
  placeOf,
  readChildren,
  readList,
  readName,
  readProperties,
  rejectDuplicates,
  rejectProperty,
  requireValue,
} from "../node-reader.js";

/** `provider "id" title="..." { connection "name" rank=20 ...; catalog "catalog.kdl"; oauth ... }` */
export async function compileProvider(scope: ManifestScope, plugin: string, node: KdlNode): Promise<ProviderContribution> {
  const id = readName(scope, node, WORD);
  const { title } = readProperties(scope, node, { title: "text" });
  const { connection, catalog: catalogs, oauth: oauths } = readChildren(scope, node, ["connection", "catalog", "oauth"]);
  const catalog = await compileCatalog(scope, catalogs);
  const oauth = compileOauth(scope, oauths);
  if (connection.length === 0) scope.problems.push(missingInManifest(placeOf(scope, node), nameOf(node), "connection"));
  rejectDuplicates(scope, connection);
  return {
    id,
    plugin,
    title: requireValue(scope, node, { name: "title", value: title, fallback: "" }),
    connections: connection.map((child) => compileConnection(scope, child)),
    ...(catalog === undefined ? {} : { catalog }),
    ...(oauth === undefined ? {} : { oauth }),
  };
}

const NEEDS = ["credential", "base-url", "answer", "nothing"] as const;

/** `oauth client-id= token-url= device-url= scopes="a,b"` */
function compileOauth(scope: ManifestScope, nodes: readonly KdlNode[]): OauthContribution | undefined {
  const node = onlyOne(scope, nodes);
  if (node === undefined) return undefined;
  readChildren(scope, node, []);
  const given = readProperties(scope, node, { "client-id": "text", "token-url": "text", "device-url": "text", scopes: "text" });
  const url = (name: "token-url" | "device-url"): string => {
    const value = given[name];
    // A token is sent there.
    if (value !== undefined && !(URL.canParse(value) && isSafe(new URL(value)))) rejectProperty(scope, node, name, "an https URL");
    return requireValue(scope, node, { name, value, fallback: "" });
  };
  return {
    clientId: requireValue(scope, node, { name: "client-id", value: given["client-id"], fallback: "" }),
    tokenUrl: url("token-url"),
    deviceUrl: url("device-url"),
    scopes: readList(scope, node, { name: "scopes", value: given.scopes }, SCOPE),
  };
}

/** RFC 6749, section 3.3, but for the comma that separates them here. */
const SCOPE = { pattern: /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/u, expected: "a scope" };

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));

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
    credentialEnvs: readList(scope, node, { name: "credential-env", value: properties["credential-env"] }, SECRET_NAME),
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

function readUrl(scope: ManifestScope, node: KdlNode, value: string | undefined): string | undefined {
  if (value !== undefined && !URL.canParse(value)) rejectProperty(scope, node, "default-url", "a URL");
  return value;
}

interface NeedProperties {
  readonly needs?: string;
  readonly "credential-env"?: string;
  readonly "base-url-env"?: string;
  readonly "default-url"?: string;
}

function readNeeds(scope: ManifestScope, node: KdlNode, properties: NeedProperties): ConnectionContribution["needs"] {
  const word = requireValue(scope, node, { name: "needs", value: properties.needs, fallback: "nothing" });
  const needs = NEEDS.find((known) => known === word);
  if (needs === undefined) rejectProperty(scope, node, "needs", NEEDS.join(", "));
  if (needs === undefined || needs === "nothing") return "nothing";
  const source = needs === "answer" ? "default-url" : (`${needs}-env` as const);
  requireValue(scope, node, { name: source, value: properties[source], fallback: "" });
  return needs;
}
