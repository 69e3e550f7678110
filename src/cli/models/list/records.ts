import type { Used } from "../used.js";
import type { Listing, ModelRow } from "./listing.js";

interface RecordsView {
  readonly used: Used;
  readonly refreshedAt: number | undefined;
}

/** A listing for programs: what is used first, then names, models, and what has no key. */
export function recordsOf({ names, models, keyless, unasked }: Listing, { used, refreshedAt }: RecordsView): readonly object[] {
  return [
    usedRecord(used),
    ...names.map(({ type, name, members, source, isUsed }) => ({ type, name, members, source, ...(isUsed ? { used: true } : {}) })),
    ...models.map(modelRecord),
    ...unasked.map((connection) => ({ type: "not-asked", connection })),
    ...keyless.map(({ name, title, lookedAt }) => ({ type: "not-set-up", name, title, lookedAt })),
    { type: "asked", ...(refreshedAt === undefined ? {} : { at: new Date(refreshedAt).toISOString() }) },
  ];
}

function usedRecord({ route, selection, why }: Used): object {
  const common = { type: "used", ...(selection === undefined ? {} : { selection }), why };
  if (!route.ok) return { ...common, error: route.error };
  const [first] = route.value.targets;
  return {
    ...common,
    provider: first.ref.provider,
    ...(first.needsModel ? {} : { model: first.ref.model }),
    connection: first.routing.connection,
    ...(first.thinking === undefined ? {} : { thinking: first.thinking }),
  };
}

function modelRecord({ selection, entry, isSetUp, isUsed }: ModelRow): object {
  const { ref, title, released, also, facts, known, listedBy } = entry;
  return {
    type: "model",
    selection,
    ...ref,
    ...(title === undefined ? {} : { title }),
    ...(released === undefined ? {} : { released }),
    ...(also === undefined ? {} : { also }),
    facts,
    known,
    ...(listedBy === undefined ? {} : { listedBy }),
    setUp: isSetUp,
    ...(isUsed ? { used: true } : {}),
  };
}
