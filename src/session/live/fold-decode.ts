import type { AnyId, WorkId } from "../../base/index.js";
import { isCost, type MutationState, type Spend, type Usage } from "../../schema/index.js";
import type { Decoded, DecodedMap } from "../bytes/index.js";
import { asJson, decodeCbor, isDecodedMap, MalformedError } from "../bytes/index.js";
import { getId, ID_BYTES } from "../codec/index.js";
import { COUNTS, FOLD_VERSION } from "./fold-encode.js";
import type { Ended, FoldParts } from "./fold.js";
import { LiveFold } from "./fold.js";
import type { LiveEffect, LiveState, LiveStateItem, LiveSubmission, LiveWork } from "./types.js";
import { stateName } from "./types.js";

/** The fold these bytes stand for; `undefined` when they are not exactly what this version writes. */
export function decodeFold(bytes: Buffer): LiveFold | undefined {
  try {
    return new LiveFold(decodeParts(new Fields(decodeCbor(bytes), TOP)));
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

const TOP = ["v", "cwd", "seq", "name", "ended", "spend", "turns", "usage", "works", "states", "effects", "origins", "submissions"];

function decodeParts(top: Fields): FoldParts {
  const version = top.count("v");
  if (version !== FOLD_VERSION && version !== 1) throw new MalformedError("another version of live state");
  // A part of the sum would be taken for all of it.
  if (top.has("spend") !== (version === FOLD_VERSION)) throw new MalformedError("spend is of another version");
  const works = top.items("works", ["work", "state", "parent", "recorded", "checkpoint"]);
  return {
    seq: top.count("seq"),
    works: keyed(works, workOf, ({ work }) => work),
    submissions: keyed(
      top.items("submissions", ["work", "entry", "queued", "delivery", "submission"]),
      submissionOf,
      ({ submission }) => submission,
    ),
    effects: keyed(top.items("effects", ["work", "cause", "entry", "effect", "operation"]), effectOf, ({ effect }) => effect),
    ended: new Map(keyed(top.items("ended", ["work", "cause", "outcomes"]), endedOf, ([cause]) => cause).values()),
    states: keyed(top.items("states", ["key", "fork", "work", "bytes", "entry", "owner", "version"]), stateOf, ({ owner, key }) =>
      stateName(owner, key),
    ),
    origins: top.items("origins", ["how", "seq", "epoch", "session"]).map(originOf),
    name: top.optionalText("name"),
    cwd: top.optionalText("cwd"),
    turns: top.count("turns"),
    usage: usageOf(top),
    spend: spendOf(top.optionalMap("spend", ["cost", "usage", "unpriced"])),
    recorded: new Set(works.flatMap((fields) => (fields.has("recorded") && fields.flag("recorded") ? [fields.id<WorkId>("work")] : []))),
  };
}

function keyed<Key, Value>(items: readonly Fields[], decode: (fields: Fields) => Value, keyOf: (value: Value) => Key): Map<Key, Value> {
  const values = new Map(items.map(decode).map((value) => [keyOf(value), value] as const));
  if (values.size !== items.length) throw new MalformedError("the same thing twice");
  return values;
}

const workOf = (fields: Fields): LiveWork => ({
  work: fields.id("work"),
  ...fields.optionalId<"parent", WorkId>("parent"),
  state: fields.word("state", ["created", "running", "waiting", "blocked", "cancel-requested"]),
  ...fields.optionalJson("checkpoint"),
});

const submissionOf = (fields: Fields): LiveSubmission => ({
  submission: fields.id("submission"),
  work: fields.id("work"),
  delivery: fields.word("delivery", ["turn", "steer", "follow-up"]),
  entry: fields.id("entry"),
  isQueued: fields.flag("queued"),
});

const effectOf = (fields: Fields): LiveEffect => ({
  effect: fields.id("effect"),
  cause: fields.id("cause"),
  ...fields.optionalId<"work", WorkId>("work"),
  operation: fields.text("operation"),
  entry: fields.id("entry"),
});

const OUTCOMES: readonly MutationState[] = ["applied", "not-applied", "unknown"];

const endedOf = (fields: Fields): readonly [LiveEffect["cause"], Ended] => {
  const { work } = fields.optionalId<"work", WorkId>("work");
  return [fields.id("cause"), { work, outcomes: fields.words("outcomes", OUTCOMES) }];
};

const stateOf = (fields: Fields): LiveStateItem => ({
  owner: fields.text("owner"),
  key: fields.text("key"),
  version: fields.number("version"),
  fork: fields.word("fork", ["copy", "fresh"]),
  entry: fields.id("entry"),
  bytes: fields.count("bytes"),
  ...fields.optionalId<"work", WorkId>("work"),
});

const originOf = (fields: Fields): LiveState["origins"][number] => ({
  how: fields.word("how", ["fork", "import"]),
  session: fields.id("session"),
  epoch: fields.number("epoch"),
  seq: fields.number("seq"),
});

function usageOf(top: Fields): Usage | undefined {
  const fields = top.optionalMap("usage", COUNTS);
  if (fields === undefined) return undefined;
  const usage: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  for (const key of COUNTS) if (fields.has(key)) usage[key] = fields.number(key);
  return usage;
}

function spendOf(fields: Fields | undefined): Spend | undefined {
  if (fields === undefined) return undefined;
  const usage = usageOf(fields);
  const cost = fields.has("cost") ? fields.number("cost") : undefined;
  if (cost !== undefined && !isCost(cost)) throw new MalformedError("cost is no sum of money");
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(fields.has("unpriced") ? { unpriced: fields.count("unpriced") } : {}),
  };
}

/** A decoded map of known keys only. Getters throw MalformedError on a wrong shape. */
class Fields {
  readonly #map: DecodedMap;

  constructor(value: Decoded | undefined, known: readonly string[]) {
    if (!isDecodedMap(value)) throw new MalformedError("not a map");
    for (const key of Object.keys(value)) if (!known.includes(key)) throw new MalformedError(`unknown field ${key}`);
    this.#map = value;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#map, key);
  }

  #get(key: string): Decoded | undefined {
    return this.has(key) ? this.#map[key] : undefined;
  }

  number(key: string): number {
    const value = this.#get(key);
    if (typeof value !== "number") throw new MalformedError(`${key} is not a number`);
    return value;
  }

  count(key: string): number {
    const value = this.number(key);
    if (!Number.isSafeInteger(value) || value < 0) throw new MalformedError(`${key} is not a count`);
    return value;
  }

  text(key: string): string {
    const value = this.#get(key);
    if (typeof value !== "string") throw new MalformedError(`${key} is not text`);
    return value;
  }

  optionalText(key: string): string | undefined {
    return this.has(key) ? this.text(key) : undefined;
  }

  flag(key: string): boolean {
    const value = this.#get(key);
    if (typeof value !== "boolean") throw new MalformedError(`${key} is not true or false`);
    return value;
  }

  word<Word extends string>(key: string, words: readonly Word[]): Word {
    return wordOf(this.#get(key), words);
  }

  words<Word extends string>(key: string, words: readonly Word[]): readonly Word[] {
    return this.#list(key).map((value) => wordOf(value, words));
  }

  /** The brand is what the field means. */
  id<Id extends AnyId>(key: string): Id {
    const value = this.#get(key);
    const id = Buffer.isBuffer(value) && value.length === ID_BYTES ? getId<Id>(value, 0) : undefined;
    if (id === undefined) throw new MalformedError(`${key} is not an id`);
    return id;
  }

  optionalId<Key extends string, Id extends AnyId>(key: Key): { readonly [K in Key]?: Id } {
    // One computed key is typed as an index signature; the mapped type says which key it is.
    return (this.has(key) ? { [key]: this.id<Id>(key) } : {}) as { readonly [K in Key]?: Id };
  }

  optionalJson<Key extends string>(key: Key): { readonly [K in Key]?: ReturnType<typeof asJson> } {
    const value = this.#get(key);
    return (value === undefined ? {} : { [key]: asJson(value) }) as { readonly [K in Key]?: ReturnType<typeof asJson> };
  }

  optionalMap(key: string, known: readonly string[]): Fields | undefined {
    return this.has(key) ? new Fields(this.#get(key), known) : undefined;
  }

  items(key: string, known: readonly string[]): readonly Fields[] {
    return this.#list(key).map((value) => new Fields(value, known));
  }

  #list(key: string): readonly Decoded[] {
    const value = this.#get(key);
    if (!Array.isArray(value)) throw new MalformedError(`${key} is not a list`);
    return value as readonly Decoded[];
  }
}

function wordOf<Word extends string>(value: Decoded | undefined, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw new MalformedError("not one of the words it may be");
  return word;
}
