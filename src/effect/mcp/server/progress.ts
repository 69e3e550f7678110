import type { Clock } from "../../../base/index.js";

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const BETWEEN_MS = 200;
const MAX_UNITS = 500;

/** What a server tells of how far it is, a line each time; the first and the last of it, and what lies between a few times a second. */
export function progressTo(onProgress: ((text: string) => void) | undefined, clock: Clock): (progress: Progress) => void {
  let last = -Infinity;
  let isWhole = false;
  return ({ progress, total, message }) => {
    const now = clock.monotonic();
    // A server may say again and again that it is done.
    const isEnd = progress === total && !isWhole;
    if (onProgress === undefined || (now - last < BETWEEN_MS && !isEnd)) return;
    last = now;
    isWhole ||= isEnd;
    const count = total === undefined ? String(progress) : `${progress}/${total}`;
    const words = message === undefined ? count : `${count} ${message.replace(/\s+/gu, " ")}`.trim();
    onProgress(`${words.slice(0, MAX_UNITS)}\n`);
  };
}
