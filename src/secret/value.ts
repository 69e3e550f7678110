/** Shorter values are words of every text: replacing them would garble it and hide nothing. */
export const MIN_SECRET_CHARACTERS = 8;
/** Longer than any key or certificate chain; what waits at the end of a piece of text is at most this in its longest form. */
export const MAX_SECRET_CHARACTERS = 32_768;
/** `12345678` and `abababab` are no secrets of anybody. */
const MIN_DISTINCT = 4;

const WORDS: ReadonlySet<string> = new Set([
  "127.0.0.1",
  "changeme",
  "default",
  "development",
  "disabled",
  "enabled",
  "example.com",
  "localhost",
  "password",
  "postgres",
  "postgresql",
  "production",
  "required",
  "undefined",
]);

/** Why a value is not taken for a secret, as a sentence that does not show it; undefined: it is one. */
export function ordinary(value: string): string | undefined {
  const text = value.trim();
  if (text.length < MIN_SECRET_CHARACTERS) return `It has fewer than ${String(MIN_SECRET_CHARACTERS)} characters.`;
  if (text.length > MAX_SECRET_CHARACTERS) return `It has more than ${String(MAX_SECRET_CHARACTERS)} characters.`;
  if (WORDS.has(text.toLowerCase())) return "It is an ordinary word.";
  if (new Set(text).size < MIN_DISTINCT) return `It has fewer than ${String(MIN_DISTINCT)} different characters.`;
  return isLocalAddress(text) ? "It is an address of this machine without a password." : undefined;
}

const isLocalAddress = (text: string): boolean =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/?$/iu.test(text);
