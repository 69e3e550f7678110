import type { Profile } from "../profile/index.js";
import type { Step } from "./history.js";

/** What every server takes that says anything about ids: those of one model are made acceptable for another by it. */
const COMMON = /^[A-Za-z0-9_-]{1,40}$/u;
const NINE = /^[A-Za-z0-9]{9}$/u;
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Ids of calls as this server takes them, by our own id of the call: the same in call and result, and in every later request. */
export function wireIds(
  steps: readonly Step[],
  profile: Profile,
  own: { readonly provider: string; readonly model: string },
): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const used = new Set<string>();
  for (const step of steps) {
    if (step.type !== "assistant") continue;
    const { from, toolCalls } = step.message;
    const isOwn = from?.provider === own.provider && from.model === own.model;
    for (const { call, providerId } of toolCalls) {
      const fits = profile.toolIds === "nine" ? NINE.test(providerId) : (isOwn && providerId !== "") || COMMON.test(providerId);
      const id = fits && !used.has(providerId) ? providerId : madeId(providerId === "" ? call : providerId, used);
      used.add(id);
      ids.set(call, id);
    }
  }
  return ids;
}

/** Nine letters and digits, which every server takes: made from the given text, another one when that is in use. */
function madeId(text: string, used: ReadonlySet<string>): string {
  for (let round = 0; ; round += 1) {
    const id = nineOf(round === 0 ? text : `${text}#${round}`);
    if (!used.has(id)) return id;
  }
}

/** Two runs of FNV-1a, in letters and digits. */
function nineOf(text: string): string {
  let [left, right] = [hash(text, 0x811c9dc5), hash(text, 0x01000193)];
  let id = "";
  for (let at = 0; at < 9; at += 1) {
    const isLeft = at % 2 === 0;
    const value = isLeft ? left : right;
    id += LETTERS[value % LETTERS.length] ?? "a";
    const rest = Math.floor(value / LETTERS.length);
    if (isLeft) left = rest;
    else right = rest;
  }
  return id;
}

function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value >>> 0;
}

/** A tool's name within every server's pattern. What a model made up may be anything. */
export function wireName(name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, 64);
  return clean === "" ? "unnamed" : clean;
}
