import type { KnownSecret } from "../../runtime/index.js";
import type { ExitStatus } from "../../schema/index.js";
import { put } from "../output/answers.js";
import { shortPath } from "../output/path.js";
import { visibleLine } from "../output/visible.js";
import type { ListSecretsInvocation } from "./invocation.js";
import type { SecretDesk } from "./desk.js";

/** Names and places; of a value not even its length. */
export async function listSecrets({ context, admin }: SecretDesk, { json }: ListSecretsInvocation): Promise<ExitStatus> {
  const { secrets, file, problems } = await admin.list();
  for (const problem of problems) context.errors.diagnostic(problem);
  const home = context.host.env["HOME"];
  if (json) {
    await put(
      context,
      `${JSON.stringify({ file, secrets: secrets.map((secret) => ({ ...secret, hidden: secret.passedOver === undefined })) })}\n`,
    );
    return 0;
  }
  if (secrets.length === 0) context.errors.line("smith: there are none; store one with: smith secrets add NAME");
  const width = Math.max(0, ...secrets.map(({ name }) => name.length));
  const lines = secrets.map((secret) => visibleLine(`${secret.name.padEnd(width)}  ${placeOf(secret, home)}${noteOf(secret)}`));
  await put(context, lines.map((line) => `${line}\n`).join(""));
  return 0;
}

function placeOf({ from, path }: KnownSecret, home: string | undefined): string {
  switch (from) {
    case "stored":
      return "stored";
    case "environment":
      return "variable (secrets.env)";
    case "file":
      return path === undefined ? "file" : shortPath(path, home);
  }
}

const noteOf = ({ passedOver }: KnownSecret): string => (passedOver === undefined ? "" : `  not hidden: ${passedOver}`);
