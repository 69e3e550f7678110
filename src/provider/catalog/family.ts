/**
 * Suffixes by which vendors tell editions of one model apart: `-latest`, `-20250929`, `@20250929`, `-2025-09-29`, `-09-2025`, and four
 * digits that are a month with a day or a year with a month (`-0613`, `-2411`).
 */
const EDITION =
  /(?:[-@](?<day>20\d{2}(?:0[1-9]|1[0-2])\d{2})|-(?<iso>20\d{2}-\d{2}-\d{2})|-(?:0[1-9]|1[0-2])-20\d{2}|-(?:0[1-9]|1[0-2])[0-3]\d|-2\d(?:0[1-9]|1[0-2])|-latest)$/u;

/** The id without what names its edition; the id itself where nothing does. */
export const stemOf = (id: string): string => id.replace(EDITION, "");

/** Whether the id names one fixed edition: it has a date, and is not just the newest. */
export const isDated = (id: string): boolean => EDITION.test(id) && !id.endsWith("-latest");
