import { targetName, type TargetRef } from "../schema/index.js";
import type { Dispatch } from "./types.js";

/** Accounts that a server wants to be left alone, by bucket. One for all sessions of a process. */
export interface CooldownView {
  /** Until when, in ms since the epoch; undefined when the bucket may be asked at `now`. */
  until(bucket: string, now: number): number | undefined;
}

export interface Cooldowns extends CooldownView {
  /** Nobody asks the bucket before `until`; an earlier end than one that is known already changes nothing. */
  start(bucket: string, until: number): void;
  /** It answered: there is nothing to wait for any more. */
  clear(bucket: string): void;
}

export function createCooldowns(): Cooldowns {
  const ends = new Map<string, number>();
  return {
    until: (bucket, now) => {
      const end = ends.get(bucket);
      return end !== undefined && end > now ? end : undefined;
    },
    start: (bucket, until) => {
      ends.set(bucket, Math.max(until, ends.get(bucket) ?? 0));
    },
    clear: (bucket) => {
      ends.delete(bucket);
    },
  };
}

type Targets = readonly [Dispatch, ...Dispatch[]];

/**
 * The same targets as they are to be asked now: those that may be asked first, in their order; then the others, the one that is free
 * soonest first. Where that puts another one first, its routing says why. Pure.
 */
export function orderTargets(targets: Targets, cooldowns: CooldownView, now: number): Targets {
  const ends = new Map(targets.map((target) => [target, cooldowns.until(target.bucket, now) ?? 0]));
  const endOf = (target: Dispatch): number => ends.get(target) ?? 0;
  const wanted = targets[0];
  if (targets.length === 1 || endOf(wanted) === 0) return targets;
  const [first = wanted, ...rest] = targets.toSorted((one, other) => endOf(one) - endOf(other));
  const because =
    first === wanted ? "all others are rate limited for longer" : `${nameOf(wanted)} is rate limited until ${timeWords(endOf(wanted))}`;
  return [{ ...first, routing: { ...first.routing, because } }, ...rest];
}

/** Who is asked, as events tell it. */
export const targetOf = ({ ref, connection }: Pick<Dispatch, "ref" | "connection">): TargetRef => ({
  ...ref,
  ...(connection === undefined ? {} : { connection }),
});

export const nameOf = (dispatch: Pick<Dispatch, "ref" | "connection">): string => targetName(targetOf(dispatch));

/** A moment for people: UTC, whole seconds. */
export const timeWords = (ms: number): string => {
  const at = new Date(ms);
  return Number.isNaN(at.getTime()) ? "a later day" : `${at.toISOString().slice(0, 19)}Z`;
};
