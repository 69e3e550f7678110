/** `2026-11-30 09:05` in the person's own time zone. */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `10:42` of the person's own day. */
export const localTime = (ms: number): string => localMinute(ms).slice(-5);
