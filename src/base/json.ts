/** JSON data. `unknown` narrowed; never holds functions, `undefined` or cycles. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a text holds as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why a text is no JSON, and in which line where the engine says so; undefined when it is. Nothing of the text is repeated but a character. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : "it cannot be read";
    const what = message.replace(/(?:, (?:"|\.\.\.)| in JSON at position| at position).*$/su, "");
    const position = /at position (\d+)/u.exec(message)?.[1];
    if (position === undefined) return what;
    const lines = text.slice(0, Number(position)).split("\n");
    return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: ${what}`;
  }
}
