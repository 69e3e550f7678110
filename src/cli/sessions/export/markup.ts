import { cleanText } from "./clean.js";

/** HTML that may be written as it is. Only this module makes it, from literals of ours and escaped values. */
export class Markup {
  readonly html: string;
  private constructor(html: string) {
    this.html = html;
  }

  /** A template whose values are cleaned and escaped, but for those that are markup already; lists are joined. */
  static of(strings: readonly string[], values: readonly MarkupValue[]): Markup {
    return new Markup(strings.map((text, index) => text + (index < values.length ? render(values[index]) : "")).join(""));
  }
}

type MarkupValue = string | Markup | readonly Markup[] | undefined;

/** `undefined` renders as nothing. Values are safe as text and inside of double-quoted attributes. */
export const markup = (strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup => Markup.of(strings, values);

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escape = (text: string): string => cleanText(text).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? character);

function render(value: MarkupValue): string {
  if (value === undefined) return "";
  if (typeof value === "string") return escape(value);
  return value instanceof Markup ? value.html : value.map((part) => part.html).join("");
}
