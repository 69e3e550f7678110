import type { Diagnostic, ExitStatus } from "../../../schema/index.js";
import { interruptible, refuse } from "../../output/answers.js";
import { type Asker, createAsker } from "../../output/asker.js";
import { jsonLine, visibleLine } from "../../output/visible.js";
import { agrees, approvalLines, canAgree } from "../consent.js";
import { cannotAskForAgreement } from "../diagnostics.js";
import type { InstallInvocation } from "../invocation.js";
import type { InstallPlan } from "../records.js";
import type { Administration } from "../administration.js";

/** Fetches all, shows each, installs those agreed to. When one cannot be had, none is installed. */
export async function installPlugins(own: Administration, request: InstallInvocation): Promise<ExitStatus> {
  const { context } = own;
  if (!canAgree(context, request.yes))
    return refuse(context, cannotAskForAgreement("What a plugin may do is agreed to before it is installed."));
  const asker = createAsker(context);
  const plans: InstallPlan[] = [];
  try {
    return await interruptible(context, async (signal) => {
      signal.addEventListener("abort", asker.close, { once: true });
      const failed = await planAll(own, request.specs, { plans, signal });
      if (failed !== undefined) return failed;
      let status: ExitStatus = 0;
      for (const plan of plans) {
        if (signal.aborted) break;
        status = worst(status, await installOne(own, { request, asker, signal }, plan));
      }
      return status;
    });
  } finally {
    for (const plan of plans) await plan.discard();
    asker.close();
  }
}

const worst = (one: ExitStatus, other: ExitStatus): ExitStatus => (one === 0 ? other : one);

/** The status to end with when one of them is no plugin that can be installed. */
async function planAll(
  { context, admin, prepared }: Administration,
  specs: readonly string[],
  { plans, signal }: { readonly plans: InstallPlan[]; readonly signal: AbortSignal },
): Promise<ExitStatus | undefined> {
  for (const spec of specs) {
    const plan = await admin.plan(spec, { cwd: prepared.cwd, signal });
    if (!plan.ok) {
      if (!signal.aborted) for (const problem of plan.error) context.errors.diagnostic(problem);
      return statusOf(plan.error);
    }
    plans.push(plan.value);
  }
  return undefined;
}

/** A package that is not sound is no wrong usage: the command was right. */
const statusOf = ([first]: readonly Diagnostic[]): ExitStatus => (first?.code === "plugin.source" ? 2 : 1);

interface Installing {
  readonly request: InstallInvocation;
  readonly asker: Asker;
  readonly signal: AbortSignal;
}

async function installOne({ context }: Administration, { request, asker, signal }: Installing, plan: InstallPlan): Promise<ExitStatus> {
  const { approval, source, integrity, warnings } = plan;
  for (const warning of warnings) context.errors.diagnostic(warning);
  const lines = approvalLines(approval, { source, ...(integrity === undefined ? {} : { integrity }) }, context.host.env["HOME"]);
  const agreed = await agrees(context, { asker, ...request }, { lines, question: `Install ${visibleLine(approval.id)}?` });
  if (signal.aborted) return 1;
  if (!agreed) {
    context.errors.line(`smith: ${approval.id} was not installed`);
    return 1;
  }
  const installed = await plan.install();
  if (!installed.ok) return refuse(context, installed.error);
  const { id, version } = installed.value;
  const replaced = approval.replaces?.version;
  context.out.write(
    request.json
      ? jsonLine({ installed: installed.value, grants: approval.grants, ...(replaced === undefined ? {} : { replaced }) })
      : `installed ${id} ${version}\n`,
  );
  return 0;
}
