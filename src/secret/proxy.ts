import { Concealer } from "./concealer.js";
import { type Reference, referenceName, referencesIn, referenceText, replaceReferences, textOfForm } from "./reference.js";
import type { NewSecret, Resolved, Secret, SecretKind, SecretOwner } from "./types.js";
import { ordinary } from "./value.js";

/** Takes secrets out of a text that comes in pieces. */
export interface SecretStream {
  /** What is sure of the text so far. What may be the start of a secret waits for its rest, at most as long as the longest form of one. */
  push(piece: string): string;
  /** What was still waiting. */
  end(): string;
}

/**
 * The secrets of one process, and references in their place. Registration never ends: what was hidden once stays hidden. All
 * replacements are one pass over the text, and give the same text or value where there is nothing in it.
 */
export interface SecretProxy {
  /** Another one whenever something that was not known before is hidden. */
  readonly version: number;
  /** The text that stands for it. Undefined: the value is too ordinary to be told apart. */
  register(secret: NewSecret): string | undefined;
  conceal(text: string): string;
  /** Every string of a JSON value, names of members included. */
  concealJson<Value>(value: Value): Value;
  /** The same, remembered as long as the value itself is: a value that is asked for again costs nothing. */
  concealKnown<Value extends object>(value: Value): Value;
  stream(): SecretStream;
  /** What a reference stands for; undefined: there is no such secret. */
  resolve(reference: Reference): Resolved | undefined;
  /** References of known secrets in a text. */
  references(text: string): readonly (Resolved & { readonly reference: Reference })[];
  /** The text with the references of known secrets replaced; undefined leaves one. */
  fill(text: string, replacement: (found: Resolved & { readonly reference: Reference }, at: number) => string | undefined): string;
  secrets(): readonly Secret[];
}

interface Known extends Secret {
  readonly kinds: Set<SecretKind>;
  readonly owners: SecretOwner[];
}

/** JSON nested deeper than this is no value of ours. */
const MAX_DEPTH = 1000;

export const createSecretProxy = (): SecretProxy => new Proxy();

class Proxy implements SecretProxy {
  readonly #byValue = new Map<string, Known>();
  readonly #byName = new Map<string, Known>();
  #concealer: Concealer | undefined;
  #concealed = new WeakMap<object, object>();
  version = 0;

  register({ name, value: given, kind, owner }: NewSecret): string | undefined {
    const value = given.trim();
    if (ordinary(value) !== undefined) return undefined;
    const known = this.#byValue.get(value) ?? this.#add(name, value);
    known.kinds.add(kind);
    if (owner !== undefined) known.owners.push(owner);
    const alias = referenceName(name);
    if (!this.#byName.has(alias)) this.#byName.set(alias, known);
    return referenceText(known.name, "");
  }

  #add(name: string, value: string): Known {
    const wanted = referenceName(name);
    let free = wanted;
    for (let number = 2; this.#byName.has(free); number += 1) free = `${wanted}~${String(number)}`;
    const known: Known = { name: free, value, kinds: new Set(), owners: [] };
    this.#byValue.set(value, known);
    this.#byName.set(free, known);
    this.#concealer = undefined;
    this.#concealed = new WeakMap();
    this.version += 1;
    return known;
  }

  /** Made when it is first needed: most secrets come together, at the start. */
  get #hiding(): Concealer | undefined {
    if (this.#byValue.size === 0) return undefined;
    return (this.#concealer ??= new Concealer([...this.#byValue.values()]));
  }

  conceal(text: string): string {
    return this.#hiding?.whole(text) ?? text;
  }

  concealJson<Value>(value: Value): Value {
    const hiding = this.#hiding;
    // Strings stay strings and structures stay structures, so what comes back has the type of what was given.
    return hiding === undefined ? value : (concealed(value, hiding, 0) as Value);
  }

  concealKnown<Value extends object>(value: Value): Value {
    if (this.#byValue.size === 0) return value;
    const known = this.#concealed.get(value);
    // It was made from this very value.
    if (known !== undefined) return known as Value;
    const made = this.concealJson(value);
    this.#concealed.set(value, made);
    this.#concealed.set(made, made);
    return made;
  }

  stream(): SecretStream {
    let held = "";
    return {
      push: (piece) => {
        const hiding = this.#hiding;
        const text = held + piece;
        if (hiding === undefined) {
          held = "";
          return text;
        }
        const { text: shown, taken } = hiding.sure(text);
        held = text.slice(taken);
        return shown;
      },
      end: () => {
        const rest = this.conceal(held);
        held = "";
        return rest;
      },
    };
  }

  resolve(reference: Reference): Resolved | undefined {
    const secret = this.#byName.get(reference.name);
    const text = secret === undefined ? undefined : textOfForm(secret.value, reference);
    return secret === undefined || text === undefined ? undefined : { secret, text };
  }

  references(text: string): ReturnType<SecretProxy["references"]> {
    return referencesIn(text).flatMap((reference) => {
      const found = this.resolve(reference);
      return found === undefined ? [] : [{ ...found, reference }];
    });
  }

  fill(text: string, replacement: Parameters<SecretProxy["fill"]>[1]): string {
    return replaceReferences(text, (reference, at) => {
      const found = this.resolve(reference);
      return found === undefined ? undefined : replacement({ ...found, reference }, at);
    });
  }

  secrets(): readonly Secret[] {
    return [...this.#byValue.values()];
  }
}

function concealed(value: unknown, hiding: Concealer, depth: number): unknown {
  if (typeof value === "string") return hiding.whole(value);
  if (typeof value === "number") return hiding.hasDigits ? concealedNumber(value, hiding) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return "<nested too deeply>";
  if (Array.isArray(value)) return concealedList(value, hiding, depth);
  let isSame = true;
  const members = Object.entries(value).map(([name, item]: [string, unknown]) => {
    const member = [hiding.whole(name), concealed(item, hiding, depth + 1)] as const;
    isSame &&= member[0] === name && member[1] === item;
    return member;
  });
  // No assignment by name: `__proto__` is a name like any other.
  return isSame ? value : Object.fromEntries(members);
}

function concealedList(list: readonly unknown[], hiding: Concealer, depth: number): unknown {
  let isSame = true;
  const items = list.map((item) => {
    const made = concealed(item, hiding, depth + 1);
    isSame &&= made === item;
    return made;
  });
  return isSame ? list : items;
}

function concealedNumber(value: number, hiding: Concealer): unknown {
  const text = String(value);
  const made = hiding.whole(text);
  return made === text ? value : made;
}
