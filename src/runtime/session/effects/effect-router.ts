import type { InvocationId, WorkId } from "../../../base/index.js";
import type { EffectGateway } from "../../../effect/index.js";
import type { Speaker } from "../../../plugin/index.js";
import { type Diagnostic, diagnostic, type StatusItem, type TextRole } from "../../../schema/index.js";

/** What a plugin said to a person. */
export interface Notice {
  readonly text: string;
  readonly role?: TextRole;
}

/** Where what plugins say is heard. */
export interface Voice {
  notify(notice: Notice, speaker: Speaker): void;
  status(item: StatusItem): void;
}

/** A session as the plugin host reaches it. */
export interface Target {
  readonly gateway: EffectGateway;
  readonly voice: Voice;
}

/**
 * One plugin host serves every session; what plugins ask for and say goes to the session whose work, command or handler it comes from.
 * A handler of a turn is routed by itself: its turn may have ended, and what it begins is on record all the same.
 */
export interface EffectRouter {
  readonly gateway: EffectGateway;
  /** What is said by somebody whose session is gone is heard by nobody. */
  readonly voice: { notify(notice: Notice, speaker: Speaker): void; status(item: StatusItem, speaker: Speaker): void };
  route(asker: WorkId | InvocationId, target: Target): void;
  drop(asker: WorkId | InvocationId): void;
}

export function createEffectRouter(): EffectRouter {
  const routes = new Map<string, Target>();
  const find = ({ cause, work }: { readonly cause: string; readonly work?: WorkId }): Target | undefined =>
    routes.get(cause) ?? (work === undefined ? undefined : routes.get(work));
  return {
    gateway: {
      async call(op, input, context) {
        const target = find(context);
        if (target === undefined) return { outcome: "not-applied", result: { ok: false, error: unrouted(op) } };
        return await target.gateway.call(op, input, context);
      },
    },
    voice: {
      notify: (notice, speaker) => find(speaker)?.voice.notify(notice, speaker),
      status: (item, speaker) => find(speaker)?.voice.status(item),
    },
    route: (asker, target) => {
      routes.set(asker, target);
    },
    drop: (asker) => {
      routes.delete(asker);
    },
  };
}

const unrouted = (op: string): Diagnostic =>
  diagnostic({
    code: "effect.no-session",
    what: `${op} was refused: what asked for it has ended.`,
    why: "An effect needs a session that records it, and this one belongs to no running turn, command or handler.",
    next: "Ask for it again in a new turn.",
  });
