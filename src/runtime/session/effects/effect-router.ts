import type { InvocationId, WorkId } from "../../../base/index.js";
import type { EffectGateway } from "../../../effect/index.js";
import { type Diagnostic, diagnostic } from "../../../schema/index.js";

/**
 * One plugin host serves every session; each effect goes to the ledger of the session whose work, command or handler asked for it.
 * A handler of a turn is routed by itself: its turn may have ended, and what it begins is on record all the same.
 */
export interface EffectRouter {
  readonly gateway: EffectGateway;
  route(asker: WorkId | InvocationId, gateway: EffectGateway): void;
  drop(asker: WorkId | InvocationId): void;
}

export function createEffectRouter(): EffectRouter {
  const routes = new Map<string, EffectGateway>();
  return {
    gateway: {
      async call(op, input, context) {
        const { cause, work } = context;
        const target = routes.get(cause) ?? (work === undefined ? undefined : routes.get(work));
        if (target === undefined) return { outcome: "not-applied", result: { ok: false, error: unrouted(op) } };
        return await target.call(op, input, context);
      },
    },
    route: (asker, gateway) => {
      routes.set(asker, gateway);
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
