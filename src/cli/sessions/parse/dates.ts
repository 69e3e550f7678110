import type { Moment } from "../invocation.js";

const AGO_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const AGO = /^(\d{1,6})([mhdw])$/u;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/u;
const TIME = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/u;

/** A date as a person writes it, in local time unless it names a zone; `edge` says which end of a day is meant. */
export function parseMoment(text: string, edge: "start" | "end"): Moment | undefined {
  const [, count, unit = ""] = AGO.exec(text) ?? [];
  if (count !== undefined) return { type: "ago", ms: Number(count) * (AGO_MS[unit] ?? 0) };
  const ms = parseDay(text, edge) ?? parseTime(text);
  return ms === undefined ? undefined : { type: "at", ms };
}

function parseDay(text: string, edge: "start" | "end"): number | undefined {
  const [year, month, day] = (DAY.exec(text) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined || !isDay(year, month, day)) return undefined;
  return edge === "start" ? new Date(year, month - 1, day).getTime() : new Date(year, month - 1, day + 1).getTime() - 1;
}

function parseTime(text: string): number | undefined {
  const found = TIME.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map((part) => Number(part ?? 0));
  if (!isDay(year, month, day) || !isOnClock(hour, minute, second)) return undefined;
  if (found[7] === undefined) return new Date(year, month - 1, day, hour, minute, second).getTime();
  const offset = zoneOffset(found[7]);
  return offset === undefined ? undefined : Date.UTC(year, month - 1, day, hour, minute, second) - offset;
}

/** ms that a zone, `Z` or `+02:00`, is ahead. */
function zoneOffset(zone: string): number | undefined {
  if (zone === "Z") return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  return isOnClock(hours, minutes, 0) ? (hours * 60 + minutes) * (zone.startsWith("-") ? -60_000 : 60_000) : undefined;
}

const isOnClock = (hour: number, minute: number, second: number): boolean => hour <= 23 && minute <= 59 && second <= 59;

/** Whether the calendar has this day: 30 February is moved into March by everything else. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
