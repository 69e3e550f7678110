import type { SessionId } from "../../base/index.js";
import type { EntriesOptions, Inspection } from "../../runtime/index.js";
import type { Entry, ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { jsonLine } from "../output/visible.js";
import { interruptible, put, refuse, whileAwake } from "../output/answers.js";
import { renderCost } from "./cost-text.js";
import { requestLost, requestNotVerified } from "./diagnostics.js";
import { renderEntry } from "./entry-text.js";
import type { GetInvocation, GetView, KindFilter } from "./invocation.js";
import { renderMessage, renderRequest } from "./request-text.js";
import { resolveBranch } from "./places.js";

type Reading = Pick<Inspection, "cost" | "entries" | "projected" | "request" | "resolve" | "resolveEntry">;

/** One session, by one of its views; what cannot be read is told and makes the status 1. */
export async function getSession(context: CommandContext, inspection: Reading, request: GetInvocation): Promise<ExitStatus> {
  const session = await inspection.resolve(request.id);
  if (!session.ok) return refuse(context, session.error);
  const reading: View = { context, inspection, session: session.value, json: request.json };
  switch (request.view.type) {
    case "entries":
      return await getEntries(reading, request.view);
    case "projected":
      return await getProjected(reading, request.view);
    case "request":
      return await getRequest(reading, request.view);
    case "cost":
      return await getCost(reading);
  }
}

interface View {
  readonly context: CommandContext;
  readonly inspection: Reading;
  readonly session: SessionId;
  readonly json: boolean;
}

type EntriesView = Extract<GetView, { readonly type: "entries" }>;

async function getEntries(view: View, wanted: EntriesView): Promise<ExitStatus> {
  const branch = wanted.branch === undefined ? undefined : await resolveBranch(view.inspection, view.session, wanted.branch);
  if (branch?.ok === false) return refuse(view.context, branch.error);
  const options: EntriesOptions = {
    ...(branch === undefined ? {} : { branch: branch.value ?? "selected" }),
    ...(wanted.kinds !== undefined && !needsNumbers(view, wanted) ? { types: wanted.kinds.types } : {}),
  };
  if (!wanted.follow) return await writeEntries(view, wanted, options);
  return await interruptible(view.context, async (interrupted) => {
    const gone = new AbortController();
    view.context.out.onBroken(() => {
      gone.abort();
    });
    const signal = AbortSignal.any([interrupted, gone.signal]);
    return await whileAwake(view.context, () => writeEntries(view, wanted, { ...options, follow: true, signal }));
  });
}

/** The number of an entry counts all before it, of every kind; where no number is shown or asked for, those need not be read. */
const needsNumbers = ({ json }: View, { range }: EntriesView): boolean => !json || range.first !== 1 || range.last !== Infinity;

async function writeEntries(
  { context, inspection, session, json }: View,
  { range, kinds }: EntriesView,
  options: EntriesOptions,
): Promise<ExitStatus> {
  let status: ExitStatus = 0;
  let number = 0;
  let requests = 0;
  for await (const entry of inspection.entries(session, options)) {
    if (!entry.ok) {
      status = 1;
      context.out.push();
      context.errors.diagnostic(entry.error);
      continue;
    }
    number += 1;
    if (entry.value.type === "request") requests += 1;
    if (number < range.first || !isOfKind(entry.value, kinds)) continue;
    if (
      !(await put(
        context,
        json ? jsonLine(entry.value) : renderEntry(entry.value, { entry: number, request: requests, session }, context.paint),
      ))
    )
      break;
    if (number === range.last) break;
  }
  return status;
}

function isOfKind(entry: Entry, kinds: KindFilter | undefined): boolean {
  if (kinds === undefined) return true;
  if (!kinds.types.has(entry.type)) return false;
  return entry.type !== "assistant" || kinds.answers !== "thinking" || entry.thinking.some(({ text }) => text !== "");
}

async function getProjected(
  { context, inspection, session, json }: View,
  wanted: Extract<GetView, { readonly type: "projected" }>,
): Promise<ExitStatus> {
  const branch = await resolveBranch(inspection, session, wanted.branch);
  if (!branch.ok) return refuse(context, branch.error);
  const messages = await inspection.projected(session, branch.value);
  if (!messages.ok) return refuse(context, messages.error);
  for (const [index, message] of messages.value.entries()) {
    if (!(await put(context, json ? jsonLine(message) : renderMessage(message, index + 1, context.paint)))) break;
  }
  return 0;
}

async function getRequest(
  { context, inspection, session, json }: View,
  { which }: Extract<GetView, { readonly type: "request" }>,
): Promise<ExitStatus> {
  const found = await inspection.request(session, which);
  if (!found.ok) return refuse(context, found.error);
  await put(context, json ? jsonLine(found.value) : renderRequest(found.value, session, context.paint));
  context.out.push();
  const { number, messages, request, verified, lost } = found.value;
  if (lost === true) return refuse(context, requestLost(number, { left: messages.length, sent: request.messageCount }));
  return verified === "no" ? refuse(context, requestNotVerified(number)) : 0;
}

async function getCost({ context, inspection, session, json }: View): Promise<ExitStatus> {
  const found = await inspection.cost(session);
  if (!found.ok) return refuse(context, found.error);
  const { damage, ...cost } = found.value;
  await put(context, json ? jsonLine({ session, ...cost }) : renderCost(found.value, session, context.paint));
  context.out.push();
  for (const one of damage) context.errors.diagnostic(one);
  return damage.length === 0 ? 0 : 1;
}
