import type { ExitStatus } from "../../schema/index.js";
import { put, refuse } from "../output/answers.js";
import { shortPath } from "../output/path.js";
import { visibleLine } from "../output/visible.js";
import { accountOf, type AuthDesk, placeWords, usedPlace } from "./administration.js";
import { nothingStored } from "./diagnostics.js";
import type { LogoutInvocation } from "./invocation.js";

/** Takes an entry out of the auth file; what still gives a key is told. */
export async function logout({ context, admin }: AuthDesk, { name }: LogoutInvocation): Promise<ExitStatus> {
  const removed = await admin.remove(name);
  if (!removed.ok) return refuse(context, removed.error);
  const overview = await admin.overview();
  if (!removed.value) return refuse(context, nothingStored(name, overview.stored));
  const file = shortPath(overview.file, context.host.env["HOME"]);
  await put(context, visibleLine(`Removed ${name} from ${file}.`) + "\n");
  const account = accountOf(overview, name);
  const used = account === undefined ? undefined : usedPlace(account);
  if (used !== undefined) context.errors.line(`smith: ${name} still has a key: ${placeWords(used.name)}`);
  return 0;
}
