/** What JSON leaves as it is and could act on a terminal or end a line for some readers. */
const ACTING = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const text = (value: string): string => JSON.stringify(value).replace(ACTING, escaped);

/** JSON on one line that reads back as the same value: -0 keeps its sign, infinities are numbers too large for a double. */
export class JsonWriter {
  /** Whether something was met that JSON cannot say (NaN); it was written as null. */
  isExact = true;

  write(value: unknown): string {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return this.#number(value);
    if (typeof value === "boolean") return String(value);
    if (typeof value !== "object" || value === null) return "null";
    if (Array.isArray(value)) return `[${value.map((item) => this.write(item)).join(",")}]`;
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${text(key)}:${this.write(member)}`).join(",")}}`;
  }

  #number(value: number): string {
    if (Number.isNaN(value)) this.isExact = false;
    if (Object.is(value, -0)) return "-0";
    if (Math.abs(value) === Infinity) return value > 0 ? "1e999" : "-1e999";
    return JSON.stringify(value);
  }
}
