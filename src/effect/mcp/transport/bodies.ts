import type { Clock } from "../../../base/index.js";

/** The text of a body; undefined: it has more than `maxUnits` UTF-16 units, and the rest of it is not read. */
export async function textWithin(body: ReadableStream<Uint8Array>, maxUnits: number): Promise<string | undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  for (let units = 0; ;) {
    const { done, value } = await reader.read();
    const piece = done ? decoder.decode() : decoder.decode(value, { stream: true });
    pieces.push(piece);
    units += piece.length;
    if (units > maxUnits) {
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    if (done) return pieces.join("");
  }
}

/** Of the words of a refusal: so much is looked at, for so long. */
const WORDS = { bytes: 64 * 1024, ms: 1_000 } as const;

/** What a refusal says, as far as it comes soon; the rest of it is not waited for. Never rejects. */
export async function wordsOf(body: ReadableStream<Uint8Array> | null, clock: Clock): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const over = new AbortController();
  const read = async (): Promise<void> => {
    for (let bytes = 0; bytes < WORDS.bytes;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
    }
  };
  await Promise.race([read().catch(() => undefined), clock.sleep(WORDS.ms, over.signal)]);
  over.abort("over");
  reader.cancel().catch(() => undefined);
  return text;
}
