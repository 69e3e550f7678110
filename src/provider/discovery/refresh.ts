import { orAborted, redactUrl } from "../../base/index.js";
import type { Diagnostic, Endpoint, ModelInfo } from "../../schema/index.js";
import type { ModelSnapshot, ServerList } from "../catalog/types.js";
import type { ProviderAdapter } from "../types.js";
import { type ListDeps, listModels } from "./list.js";

/** Servers that are asked at one time. */
const MAX_PARALLEL = 8;
/** A list of a connection that is not asked any more is kept this long. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

export interface RefreshTarget {
  readonly adapter: ProviderAdapter;
  readonly provider: string;
  readonly connection: string;
  readonly endpoint: Endpoint;
}

export interface RefreshInput {
  readonly targets: readonly RefreshTarget[];
  /** What is kept of servers that do not answer. */
  readonly previous: ModelSnapshot | undefined;
  /** Told of each connection when its server has answered or failed. */
  readonly onReport?: (report: RefreshReport) => void;
}

/** What came of one connection. */
export type RefreshReport = {
  readonly provider: string;
  readonly connection: string;
  readonly url: string;
} & (
  | { readonly type: "changed"; readonly count: number; readonly added: number; readonly removed: number }
  | { readonly type: "unchanged"; readonly count: number }
  /** `kept`: models of its previous list, which still counts. */
  | { readonly type: "failed"; readonly diagnostic: Diagnostic; readonly kept: number }
);

export type RefreshOutcome =
  | { readonly type: "done"; readonly snapshot: ModelSnapshot; readonly reports: readonly RefreshReport[] }
  /** Nothing may be published of it. */
  | { readonly type: "aborted" };

interface Answer {
  readonly list: ServerList | undefined;
  readonly report: RefreshReport;
}

/**
 * Asks every connection for its models, some at a time, and makes one snapshot of all answers. A server that fails keeps its previous
 * list. Reports come in the order of the targets. After an abort the outcome is `aborted`, at once.
 */
export async function refreshModels(deps: ListDeps, input: RefreshInput, signal: AbortSignal): Promise<RefreshOutcome> {
  const startedAt = deps.clock.now();
  const answers: Answer[] = [];
  const waiting = [...input.targets.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const [index, target] = next;
      // Everything one server is waited for hangs on a signal of its own, so that none has a dozen listeners.
      const own = AbortSignal.any([signal]);
      const answer = await orAborted(askTarget(deps, target, { previous: input.previous, signal: own }), own);
      if (answer === "aborted") return;
      answers[index] = answer;
      input.onReport?.(answer.report);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, input.targets.length) }, work));
  if (signal.aborted) return { type: "aborted" };
  const asked = new Set(input.targets.map(keyOf));
  const others = (input.previous?.lists ?? []).filter((list) => !asked.has(keyOf(list)) && list.takenAt > startedAt - KEEP_MS);
  const lists = [...answers.flatMap(({ list }) => list ?? []), ...others];
  return { type: "done", snapshot: { startedAt, lists }, reports: answers.map(({ report }) => report) };
}

const keyOf = ({ provider, connection }: Pick<ServerList, "provider" | "connection">): string => `${provider}/${connection}`;

async function askTarget(
  deps: ListDeps,
  target: RefreshTarget,
  { previous, signal }: { readonly previous: ModelSnapshot | undefined; readonly signal: AbortSignal },
): Promise<Answer> {
  const { provider, connection, endpoint } = target;
  const url = redactUrl(endpoint.baseUrl);
  // The list of another server that was there before says nothing of this one.
  const before = previous?.lists.find((list) => keyOf(list) === keyOf(target) && list.url === url);
  const listed = await listModels(deps, { ...target, signal });
  const place = { provider, connection, url };
  if (!listed.ok) return { list: before, report: { ...place, type: "failed", diagnostic: listed.error, kept: before?.models.length ?? 0 } };
  const list: ServerList = { ...place, takenAt: deps.clock.now(), models: listed.value };
  return { list, report: { ...place, ...difference(before?.models ?? [], listed.value, before !== undefined) } };
}

type Difference =
  | { readonly type: "changed"; readonly count: number; readonly added: number; readonly removed: number }
  | { readonly type: "unchanged"; readonly count: number };

function difference(before: readonly ModelInfo[], after: readonly ModelInfo[], isKnown: boolean): Difference {
  const count = after.length;
  if (isKnown && JSON.stringify(before) === JSON.stringify(after)) return { type: "unchanged", count };
  const [old, fresh] = [idsOf(before), idsOf(after)];
  return {
    type: "changed",
    count,
    added: [...fresh].filter((id) => !old.has(id)).length,
    removed: [...old].filter((id) => !fresh.has(id)).length,
  };
}

const idsOf = (models: readonly ModelInfo[]): ReadonlySet<string> => new Set(models.map(({ ref }) => ref.model));
