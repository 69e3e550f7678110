/** Arguments as they were typed, and one by one. */
export interface Arguments {
  readonly all: string;
  readonly words: readonly string[];
}

const WORD = /(?:[^\s"'\\]|\\[^]?|'[^']*'?|"(?:[^"\\]|\\[^]?)*"?)+/gu;
const PART = /\\([^]?)|'([^']*)'?|"((?:[^"\\]|\\[^]?)*)"?|[^"'\\]+/gu;

/** Words separated by blanks. Quotes keep blanks together, one that is not closed reaches to the end. */
export function readArguments(typed: string): Arguments {
  const all = typed.trim();
  return { all, words: (all.match(WORD) ?? []).map(unquoted) };
}

const unquoted = (word: string): string =>
  word.replace(PART, (part: string, escaped?: string, single?: string, double?: string) => {
    if (escaped !== undefined) return escaped === "" ? "\\" : escaped;
    return single ?? double?.replace(/\\(["\\])/gu, "$1") ?? part;
  });

const PLACE = /\$(?:ARGUMENTS\b|@|([1-9])|\{([1-9])(?::-([^{}]*))?\})/gu;

/** The text of a template with its arguments in their places; after it when it has none. */
export function fillTemplate(template: string, { all, words }: Arguments): string {
  let hasPlaces = false;
  const filled = template.replace(PLACE, (_place: string, plain?: string, braced?: string, instead: string = "") => {
    hasPlaces = true;
    const number = plain ?? braced;
    if (number === undefined) return all;
    const word = words[Number(number) - 1];
    return word === undefined || word === "" ? instead : word;
  });
  return hasPlaces || all === "" ? filled : `${filled.trimEnd()}\n\n${all}`;
}
