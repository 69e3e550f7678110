import { type EntryId, plural } from "../../base/index.js";
import type { ContextEditEntry, Message } from "../../schema/index.js";
import { extendProjection } from "../context/index.js";
import type { Draft } from "../draft.js";
import type { AgentInput, AgentState, Decision, RoundEnd, Turn } from "../state.js";
import { next } from "./ending.js";

type Failed = Extract<RoundEnd, { readonly type: "failed" }>;

/** A message of the request that was refused, which showed images. */
interface Showing {
  readonly entry: EntryId;
  readonly text: string;
  readonly count: number;
}

const REFUSED_REQUEST = "provider.invalid-request";
const OF_IMAGES = /\b(?:image|picture|photo|media|vision|visual|multimodal)/iu;

/**
 * A request that showed images was refused as invalid: one image that a provider cannot take must not make every later request fail, so
 * the round is asked again without those that it could be for. That is on record as edits of the context, and stays. Where the request
 * is refused all the same, they were not the reason and are shown again. Undefined: nothing is to be left out.
 */
export function withoutRefusedImages(
  state: AgentState,
  draft: Draft,
  turn: Turn,
  { end, attempt }: { readonly end: Failed; readonly attempt: Extract<AgentInput, { type: "round-ended" }>["attempt"] },
): Decision | undefined {
  if (end.error.code !== REFUSED_REQUEST) return undefined;
  const { leftOut = [] } = turn;
  // A model that is not known to take images was sent none.
  const found = attempt.facts.images === true && turn.stopping === undefined ? suspects(state, draft, end) : [];
  if (found.length === 0) {
    for (const target of leftOut) draft.append<ContextEditEntry>({ type: "context-edit", target, operation: "restore" });
    return undefined;
  }
  for (const { entry, text, count } of found) {
    const words = `[${plural(count, "image")} left out: the provider refused a request with ${count === 1 ? "it" : "them"}]`;
    const edited = text === "" ? words : `${text}\n${words}`;
    draft.append<ContextEditEntry>({ type: "context-edit", target: entry, operation: "replace", text: edited });
  }
  const again: Turn = { ...turn, leftOut: [...leftOut, ...found.map(({ entry }) => entry)] };
  return { state: next(state, draft, again), entries: draft.entries, requests: [{ type: "start-round" }] };
}

/** Those the model has not answered yet; where there are none of these and the provider speaks of images, all. */
function suspects(state: AgentState, draft: Draft, { error }: Failed): readonly Showing[] {
  const { messages, entries } = extendProjection(state.sent, draft.history);
  const showing = messages.flatMap((message, index) => {
    const entry = entries[index];
    const count = imagesIn(message);
    return entry === undefined || count === 0 ? [] : [{ entry, text: message.text, count, index }];
  });
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  const fresh = showing.filter(({ index }) => index > answered);
  return fresh.length > 0 || !OF_IMAGES.test(`${error.what} ${error.why}`) ? fresh : showing;
}

const imagesIn = (message: Message): number => (message.role === "assistant" ? 0 : (message.images?.length ?? 0));
