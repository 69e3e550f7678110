import { formatUsd, type Spend } from "../../schema/index.js";

/** `12 ms`, `4.2 s`, `1 m 12 s`, `2 h 3 m`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${String(Math.max(0, Math.round(ms)))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 3600) return `${String(Math.floor(seconds / 60))} m ${String(seconds % 60)} s`;
  return `${String(Math.floor(seconds / 3600))} h ${String(Math.floor(seconds / 60) % 60)} m`;
}

/** Whole seconds for things still running: `4 s`, `1 m 12 s`. */
export const elapsed = (ms: number): string => (ms < 60_000 ? `${String(Math.max(0, Math.floor(ms / 1000)))} s` : duration(ms));

/** `950`, `12k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${String(Math.round(count / 1000))}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `$0.42`, `$0.42+` when that is not all of it; undefined when none of it is known. */
export const money = ({ cost, unpriced = 0 }: Pick<Spend, "cost" | "unpriced">): string | undefined =>
  cost === undefined ? undefined : `${formatUsd(cost)}${unpriced > 0 ? "+" : ""}`;

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;

/** One of ten frames; the tick counts tenths of seconds. */
export const spinner = (tick: number): string => SPINNER[tick % SPINNER.length] ?? "⠋";

/** Local wall time `14:02:11` of ms since the epoch. */
export function clockTime(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
