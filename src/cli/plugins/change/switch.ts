import type { ExitStatus } from "../../../schema/index.js";
import { refuse } from "../../output/answers.js";
import { sourceOf } from "../../output/source.js";
import { jsonLine } from "../../output/visible.js";
import { noSuchPlugin, stillDisabled } from "../diagnostics.js";
import { findPlugin } from "../find.js";
import type { SwitchInvocation } from "../invocation.js";
import { reasonLines, stateOf } from "../records.js";
import type { Administration } from "../administration.js";

/** Disables a plugin everywhere, or uses it again. Says when it stays unused all the same. */
export async function switchPlugin(
  { context, prepared, admin }: Administration,
  { id, type, json }: SwitchInvocation,
): Promise<ExitStatus> {
  const enabled = type === "plugins enable";
  const done = await admin.setEnabled(id, enabled);
  if (!done.ok) {
    const known = [...new Set((await admin.discover()).records.map((record) => record.id))];
    return refuse(context, known.includes(id) ? done.error : noSuchPlugin(id, known));
  }
  const found = findPlugin(await admin.discover(), id);
  const state = found.ok ? (found.value.inactive ?? "in-use") : null;
  context.out.write(json ? jsonLine({ id, enabled, state }) : `${enabled ? "enabled" : "disabled"} ${id}\n`);
  context.out.push();
  if (!enabled || !found.ok || found.value.inactive === undefined) return 0;
  const { disabledPlugins } = prepared.settings;
  if (found.value.inactive === "disabled" && disabledPlugins.value.includes(id))
    context.errors.diagnostic(stillDisabled(id, `in ${sourceOf(disabledPlugins)}`));
  else context.errors.line(`smith: it is not used yet (${stateOf(found.value)}): ${reasonLines(found.value).join(" ")}`);
  return 0;
}
