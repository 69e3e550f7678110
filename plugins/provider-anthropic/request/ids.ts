import type { Message } from "smith-agent/plugin";

/** Longest id that every server of this API takes. */
const MAX_ID = 64;

/** The id under which a call goes over the wire, by our own id of it. */
export type WireIds = ReadonlyMap<string, string>;

/**
 * Ids the vendor takes: its own as they are; those another vendor gave, with every character it refuses replaced. No two calls share one.
 * The same conversation gives the same ids, and so does every longer one that begins with it: what is cached stays valid.
 */
export function wireIds(messages: readonly Message[]): WireIds {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const { call, providerId } of message.toolCalls) {
      if (ids.has(call)) continue;
      const id = freeId(clean(providerId), taken);
      taken.add(id);
      ids.set(call, id);
    }
  }
  return ids;
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  let id = wanted;
  for (let count = 2; taken.has(id); count += 1) id = `${wanted.slice(0, MAX_ID - 8)}_${count}`;
  return id;
}

function clean(id: string): string {
  const allowed = id.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, MAX_ID);
  return allowed === "" ? "call" : allowed;
}

/** A tool's name in a call that is replayed: what a model made up must not cost the whole request. */
export const wireName = (name: string): string => {
  const allowed = name.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 128);
  return allowed === "" ? "unnamed" : allowed;
};
