/**
 * effect/ledger: the durable record around every effect, and the gateway that keeps its order.
 * Promises: no facility runs before its intent is durable; no reply before its outcome is; at most one outcome each.
 * Must never know: what any facility does, how a session is stored. Read first: gateway.ts.
 */
export { createEffectGateway, type GatewayDeps, type OwnedEffectGateway } from "./gateway.js";
