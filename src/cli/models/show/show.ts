import { closest } from "../../../base/index.js";
import type { ModelEntry } from "../../../runtime/index.js";
import { type Diagnostic, type ExitStatus, targetName } from "../../../schema/index.js";
import { put, refuse } from "../../output/answers.js";
import { jsonLine } from "../../output/visible.js";
import type { ModelDesk } from "../desk.js";
import type { ShowModelInvocation } from "../invocation.js";
import { usedByDefault } from "../used.js";
import { wrap } from "../../output/wrap.js";
import { recordOf } from "./record.js";
import { linesOf } from "./text.js";
import type { Shown, ShownTarget } from "./types.js";

/** What a selection means now, and all that is known of what it means. */
export async function showModel(desk: ModelDesk, { selection, json }: ShowModelInvocation): Promise<ExitStatus> {
  const { context, admin, prepared } = desk;
  const used = selection === undefined ? await usedByDefault(desk) : undefined;
  const route = used?.route ?? admin.route(selection, prepared.settings.thinking.value);
  if (!route.ok) return await showUnready(desk, { selection: used?.selection ?? selection, problem: route.error, json });
  const name = used === undefined ? selection : used.selection;
  const shown: Shown = {
    ...(name === undefined ? {} : { selection: name }),
    ...(used === undefined ? {} : { why: used.why }),
    targets: route.value.targets.map((target): ShownTarget => ({
      target,
      ...(target.needsModel ? {} : entryOf(admin, admin.find(target.ref, target.routing.connection))),
    })),
    notes: route.value.notes,
  };
  await write(desk, shown, json);
  if (!json) for (const note of shown.notes) context.errors.diagnostic(note);
  return 0;
}

const entryOf = (admin: ModelDesk["admin"], entry: ModelEntry): Pick<ShownTarget, "entry" | "facts"> => ({
  entry,
  facts: admin.describe(entry),
});

interface Unready {
  readonly selection: string | undefined;
  readonly problem: Diagnostic;
  readonly json: boolean;
}

/** What is known of a model does not depend on whether it can be asked. */
async function showUnready(desk: ModelDesk, { selection = "", problem, json }: Unready): Promise<ExitStatus> {
  const { context, admin } = desk;
  const entry = problem.exit === 3 ? known(admin, selection) : undefined;
  if (entry !== undefined)
    await write(desk, { selection, targets: [{ ...entryOf(admin, entry), lack: problem.what }], notes: [problem] }, json);
  return refuse(context, problem);
}

/** The one model that is called that, whatever its provider lacks. */
function known(admin: ModelDesk["admin"], selection: string): ModelEntry | undefined {
  const text = selection.replace(/:[a-z]+$/u, "");
  const called = ({ ref, also = [] }: ModelEntry): boolean =>
    [selection, text].some((name) => [targetName(ref), ref.model, ...also].includes(name));
  const entries = admin.entries();
  const near = entries.filter((entry) => admin.isMatch(text, targetName(entry.ref)));
  return (
    entries.find(called) ??
    near.find(
      ({ ref }) =>
        targetName(ref) ===
        closest(
          text,
          near.map((one) => targetName(one.ref)),
        ),
    ) ??
    near[0]
  );
}

async function write({ context }: ModelDesk, shown: Shown, json: boolean): Promise<void> {
  if (json) {
    await put(context, jsonLine(recordOf(shown)));
    return;
  }
  const { stdout } = context.host;
  const width = stdout.isTerminal && stdout.columns !== 0 ? stdout.columns : undefined;
  const lines = linesOf(shown, context.host.env["HOME"]).flatMap(({ text, tint, indent = "" }) => {
    const fitted = width === undefined ? [text] : wrap(text, width, indent);
    return fitted.map((line) => (tint === undefined || line === "" ? line : context.paint(tint, line)));
  });
  await put(context, lines.map((line) => `${line}\n`).join(""));
  context.out.push();
}
