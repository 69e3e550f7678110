import { formsOf, lineTag, linesIn } from "./forms.js";

/** `{secret:NAME}`, `{secret:NAME|form}`, `{secret:NAME|form+7}`: the last without its first seven units. */
const REFERENCE = /\{secret:([^{}|\n]{1,200})(?:\|([a-z0-9:-]{1,40}?)(?:\+(\d{1,6}))?)?\}/gu;
const WHOLE = "raw";

export interface Reference {
  readonly text: string;
  readonly name: string;
  readonly tag: string;
  readonly from: number;
}

export const referenceText = (name: string, tag: string, from = 0): string => {
  if (from === 0) return tag === "" ? `{secret:${name}}` : `{secret:${name}|${tag}}`;
  return `{secret:${name}|${tag === "" ? WHOLE : tag}+${String(from)}}`;
};

/** Every text in the form of a reference, whether there is such a secret or not. */
export const referencesIn = (text: string): readonly Reference[] =>
  text.includes("{secret:") ? [...text.matchAll(REFERENCE)].map(referenceOf) : [];

/** The text with each reference replaced; `undefined` leaves it. */
export function replaceReferences(text: string, replacement: (reference: Reference, at: number) => string | undefined): string {
  if (!text.includes("{secret:")) return text;
  let made = "";
  let from = 0;
  for (const match of text.matchAll(REFERENCE)) {
    made += text.slice(from, match.index) + (replacement(referenceOf(match), match.index) ?? match[0]);
    from = match.index + match[0].length;
  }
  return made + text.slice(from);
}

const referenceOf = ([text, name = "", tag = "", from = "0"]: RegExpExecArray): Reference => ({
  text,
  name,
  tag: tag === WHOLE ? "" : tag,
  from: Number(from),
});

/** What a reference to this value stands for; undefined: the value has no such form. */
export function textOfForm(value: string, { tag, from }: Pick<Reference, "tag" | "from">): string | undefined {
  const text = tag.startsWith("line") ? linesIn(value).find((_, index) => lineTag(index) === tag) : formTexts(value).get(tag);
  return text === undefined || from >= Math.max(1, text.length) ? undefined : text.slice(from);
}

/** Forms that are written alike share the reference of the first; each can be named all the same. */
const formTexts = (value: string): ReadonlyMap<string, string> => new Map(formsOf(value).map(({ tag, text }) => [tag, text]));

/** In a name nothing may end the reference, begin another, or break a line. */
export const referenceName = (name: string): string => name.replace(/[^\w.:/@~-]/gu, "_").slice(0, 200) || "secret";
