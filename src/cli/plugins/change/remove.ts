import type { ExitStatus } from "../../../schema/index.js";
import { refuse } from "../../output/answers.js";
import { createAsker } from "../../output/asker.js";
import { shortPath } from "../../output/path.js";
import { jsonLine, visibleLine } from "../../output/visible.js";
import { agrees, canAgree } from "../consent.js";
import { cannotAskForAgreement } from "../diagnostics.js";
import { findPlugin } from "../find.js";
import type { RemoveInvocation } from "../invocation.js";
import { sourceWords, versionOf } from "../records.js";
import type { Administration } from "../administration.js";

/** Takes an installed plugin away, once that is agreed to. */
export async function removePlugin({ context, admin }: Administration, request: RemoveInvocation): Promise<ExitStatus> {
  if (!canAgree(context, request.yes)) return refuse(context, cannotAskForAgreement("Removing a plugin deletes its folder."));
  const { records } = await admin.discover();
  const installed = records.filter(({ id, origin }) => id === request.id && origin === "user");
  const found = findPlugin({ records: installed.length > 0 ? installed : records }, request.id);
  if (!found.ok) return refuse(context, found.error);
  if (found.value.origin === "user") {
    const { dir } = found.value;
    const home = context.host.env["HOME"];
    const lines = [
      visibleLine(`${request.id} ${versionOf(found.value)}, from ${sourceWords(found.value, home)}`),
      ...(dir === undefined ? [] : [`  ${visibleLine(shortPath(dir, home))} and all that is in it is deleted`]),
    ];
    const asker = createAsker(context);
    const agreed = await agrees(context, { asker, ...request }, { lines, question: `Remove ${visibleLine(request.id)}?` });
    asker.close();
    if (!agreed) {
      context.errors.line("smith: nothing was removed");
      return 1;
    }
  }
  // One that was not installed is refused here, with what can be done about it instead.
  const removed = await admin.remove(request.id);
  if (!removed.ok) return refuse(context, removed.error);
  context.out.write(request.json ? jsonLine(removed.value) : `removed ${removed.value.removed}\n`);
  return 0;
}
