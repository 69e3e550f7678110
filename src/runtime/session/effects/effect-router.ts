import type { WorkId } from "../../../base/index.js";
import type { EffectGateway } from "../../../effect/index.js";
import { type Diagnostic, diagnostic } from "../../../schema/index.js";

/** One plugin host serves every session; each effect goes to the ledger of the session whose work asked for it. */
export interface EffectRouter {
  readonly gateway: EffectGateway;
  route(work: WorkId, gateway: EffectGateway): void;
  drop(work: WorkId): void;
}

export function createEffectRouter(): EffectRouter {
  const routes = new Map<WorkId, EffectGateway>();
  return {
    gateway: {
      async call(op, input, context) {
        const target = context.work === undefined ? undefined : routes.get(context.work);
        if (target === undefined) return { outcome: "not-applied", result: { ok: false, error: unrouted(op) } };
        return await target.call(op, input, context);
      },
    },
    route: (work, gateway) => {
      routes.set(work, gateway);
    },
    drop: (work) => {
      routes.delete(work);
    },
  };
}

const unrouted = (op: string): Diagnostic =>
  diagnostic({
    code: "effect.no-session",
    what: `${op} was refused: its turn has ended.`,
    why: "An effect needs a session that records it, and this one belongs to no running turn.",
    next: "Call the tool again in a new turn.",
  });
