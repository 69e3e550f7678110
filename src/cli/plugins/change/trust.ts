import { ok, type Result } from "../../../base/index.js";
import type { PluginAdmin } from "../../../runtime/index.js";
import type { Diagnostic, ExitStatus } from "../../../schema/index.js";
import { refuse } from "../../output/answers.js";
import { createAsker } from "../../output/asker.js";
import { shortPath } from "../../output/path.js";
import { jsonLine, visibleLine } from "../../output/visible.js";
import { agrees, approvalLines, canAgree } from "../consent.js";
import { cannotAskForAgreement, nothingToApprove, trustedWithProject } from "../diagnostics.js";
import { findPlugin } from "../find.js";
import type { TrustInvocation } from "../invocation.js";
import type { PluginRecord } from "../records.js";
import type { Administration } from "../administration.js";

/** Agrees to a plugin as it is now, or to what the project of the folder would do; or takes the latter back. */
export async function trust(own: Administration, request: TrustInvocation): Promise<ExitStatus> {
  if (request.what.type === "revoke") return await revoke(own, request);
  return request.what.type === "project" ? await trustProject(own, request) : await trustPlugin(own, request, request.what.id);
}

/** Shows, asks, and does it when it is agreed to. `done` are the words, and the record, for that. */
async function ask(
  { context }: Administration,
  request: TrustInvocation,
  step: {
    readonly lines: readonly string[];
    readonly question: string;
    readonly act: () => Promise<Result<unknown, readonly Diagnostic[]>>;
    readonly done: { readonly line: string; readonly record: object };
  },
): Promise<ExitStatus> {
  if (!canAgree(context, request.yes)) {
    for (const line of step.lines) context.errors.line(line);
    return refuse(context, cannotAskForAgreement("What was shown is agreed to before it is used."));
  }
  const asker = createAsker(context);
  const agreed = await agrees(context, { asker, ...request }, step);
  asker.close();
  if (!agreed) {
    context.errors.line("smith: nothing was trusted");
    return 1;
  }
  const done = await step.act();
  if (!done.ok) {
    const [first = 1] = done.error.map((problem) => refuse(context, problem));
    return first;
  }
  context.out.write(request.json ? jsonLine(step.done.record) : `${step.done.line}\n`);
  return 0;
}

async function trustPlugin(own: Administration, request: TrustInvocation, id: string): Promise<ExitStatus> {
  const { context, admin } = own;
  const { records } = await admin.discover();
  const found = findPlugin({ records }, id);
  if (!found.ok) return refuse(context, found.error);
  const record = records.find((one) => one.id === id && one.origin === "user") ?? found.value;
  const unfit = notForApproval(record);
  if (unfit !== undefined) return refuse(context, unfit);
  if (!isWaiting(record)) {
    if (request.json) context.out.write(jsonLine({ trusted: id, changed: false }));
    else context.errors.line(`smith: ${id} is as you agreed to it`);
    return 0;
  }
  const approval = await admin.approval(id);
  if (!approval.ok) {
    const [first = 1] = approval.error.map((problem) => refuse(context, problem));
    return first === 2 ? 1 : first;
  }
  const { source, dir } = record;
  const { version, grants } = approval.value;
  return await ask(own, request, {
    lines: approvalLines(approval.value, { source: source ?? { type: "folder", path: dir ?? "" } }, context.host.env["HOME"]),
    question: `Use ${visibleLine(id)} as it is now?`,
    act: async () => await admin.approve(id),
    done: { line: `trusted ${id} ${version}`, record: { trusted: id, version, grants, changed: true } },
  });
}

/** Why there is nothing to agree to of one plugin alone. */
function notForApproval({ id, origin }: PluginRecord): Diagnostic | undefined {
  if (origin === "project") return trustedWithProject(id);
  if (origin === "bundled") return nothingToApprove(id, "It comes with smith.");
  return origin === "run" ? nothingToApprove(id, "Naming it with --plugin agrees to it, for the run.") : undefined;
}

/** Whether its files or grants are others than those agreed to. A broken one is told as such when it is looked at. */
const isWaiting = ({ inactive }: PluginRecord): boolean => inactive !== undefined && inactive !== "disabled" && inactive !== "overridden";

type Behaviour = NonNullable<Awaited<ReturnType<PluginAdmin["trust"]["state"]>>["behaviour"]>;

async function trustProject(own: Administration, request: TrustInvocation): Promise<ExitStatus> {
  const { context, admin, prepared } = own;
  const { state, behaviour } = await admin.trust.state(prepared.cwd);
  if (behaviour === undefined) return settled(own, request, { state, words: "nothing in this project needs to be trusted" });
  const { root, items, refused } = behaviour;
  if (state === "trusted") return settled(own, request, { state, root, items, words: `${root} is trusted as it is` });
  const act = async (): Promise<Result<void, readonly Diagnostic[]>> => {
    const done = await admin.trust.trust(behaviour);
    return done.ok ? ok(undefined) : { ok: false, error: [done.error] };
  };
  if (refused !== undefined) {
    const done = await act();
    return done.ok ? 0 : (done.error.map((problem) => refuse(context, problem))[0] ?? 1);
  }
  return await ask(own, request, {
    lines: projectLines(behaviour, state, context.host.env["HOME"]),
    question: "Trust this project with all of that?",
    act,
    done: { line: `trusted ${root}`, record: { trusted: root, items, changed: true } },
  });
}

/** Nothing is to be done. */
interface SettledTrust {
  readonly state: string;
  readonly root?: string;
  readonly items?: Behaviour["items"];
  readonly words: string;
}

function settled({ context }: Administration, { json }: TrustInvocation, { words, ...facts }: SettledTrust): ExitStatus {
  if (json) context.out.write(jsonLine({ ...facts, changed: false }));
  else context.errors.line(`smith: ${words}`);
  return 0;
}

const projectLines = ({ root, items }: Behaviour, state: string, home: string | undefined): readonly string[] => [
  visibleLine(
    `The project ${shortPath(root, home)}${state === "changed" ? " has changed since you trusted it. It" : ""} would, by itself:`,
  ),
  ...items.map(({ path, what }) => visibleLine(`  ${path}: ${what}`)),
];

async function revoke({ context, admin, prepared }: Administration, { json }: TrustInvocation): Promise<ExitStatus> {
  const done = await admin.trust.revoke(prepared.cwd);
  if (!done.ok) return refuse(context, done.error);
  if (json) context.out.write(jsonLine({ revoked: done.value }));
  else context.errors.line(done.value ? "smith: this project is not trusted any more" : "smith: this project was not trusted");
  return 0;
}
