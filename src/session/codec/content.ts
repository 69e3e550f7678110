import type { AnyId, EntryId } from "../../base/index.js";
import type { ImagePart, ModelRef, StateFields, ThinkingPart, ToolDetails } from "../../schema/index.js";
import { isCost } from "../../schema/index.js";
import type { Decoded, DecodedMap } from "../bytes/index.js";
import { MalformedError, asJson, decodeCbor, isDecodedMap } from "../bytes/index.js";
import { STATE } from "./kinds.js";
import type { KnownType } from "./kinds.js";
import type { PayloadView, RecordView } from "./record.js";
import { ENCODING, FLAG, ROLE } from "./record.js";
import { getId, ID_BYTES } from "./uuid.js";

/** What has to be there: a record without it is not of the shape its kind has. */
export function known<Value>(content: Value | undefined): Value {
  if (content === undefined) throw new MalformedError("a field is missing or has no meaning here");
  return content;
}

export const inherited = (record: RecordView): { readonly inherited?: true } =>
  (record.flags & FLAG.source) === 0 ? {} : { inherited: true };

type Optional<Key extends string, Value> = { readonly [K in Key]?: Value };

/** `{ [key]: content }`, or nothing when it is absent. */
export const optional = <Key extends string, Value>(key: Key, content: Value | undefined): Optional<Key, Value> =>
  // One computed key is typed as an index signature; the mapped type says which key it is.
  (content === undefined ? {} : { [key]: content }) as Optional<Key, Value>;

/** One record's fields and payloads, by what they mean. Getters throw MalformedError on a wrong shape. */
export class Content {
  readonly record: RecordView;
  readonly #payloads: readonly PayloadView[];
  #fields: DecodedMap | undefined;

  constructor(record: RecordView, payloads: readonly PayloadView[]) {
    this.record = record;
    this.#payloads = payloads;
  }

  base<Type extends KnownType>(
    type: Type,
    parent?: EntryId,
  ): { readonly type: Type; readonly id: EntryId; readonly parent?: EntryId; readonly time: number; readonly inherited?: true } {
    // These use the parent field for something else.
    const named = type === "submission" || type === "leaf" ? parent : this.record.parent;
    return {
      type,
      id: this.record.id,
      ...(named === undefined ? {} : { parent: named }),
      time: this.record.time,
      ...inherited(this.record),
    };
  }

  state(): StateFields {
    const fork = this.#field("fork");
    if (fork !== undefined && fork !== true) throw new MalformedError("fork is not true");
    return {
      owner: this.word("owner"),
      key: known(this.text(ROLE.key)),
      version: this.count("version"),
      fork: fork === true ? "copy" : "fresh",
      operation: known(STATE.decode(this.record.sub)),
      ...optional("value", this.json("value")),
    };
  }

  bytes(key: string): Buffer | undefined {
    const stored = this.#field(key);
    if (stored !== undefined && !Buffer.isBuffer(stored)) throw new MalformedError(`${key} is not bytes`);
    return stored;
  }

  /** The field's brand is given by the kind (format document, "Record kinds"). */
  pairing<Id extends AnyId>(): Id | undefined {
    return this.record.pairing as Id | undefined;
  }

  owner<Id extends AnyId>(): Id | undefined {
    return this.record.owner as Id | undefined;
  }

  text(role: number): string | undefined {
    return this.#payloads.find((payload) => payload.role === role && payload.encoding === ENCODING.utf8)?.bytes.toString("utf8");
  }

  thinking(): readonly ThinkingPart[] {
    const parts = this.#payloads.filter((payload) => payload.role === ROLE.thinking);
    const [signatures, kinds, ids, places] = [this.#list("signatures"), this.#list("kinds"), this.#list("thoughts"), this.#list("places")];
    return parts.map((payload, index) => ({
      text: payload.bytes.toString("utf8"),
      ...optional("signature", textOf(signatures[index])),
      ...optional("kind", textOf(kinds[index])),
      ...optional("id", textOf(ids[index])),
      ...optional("after", placeOf(places[index])),
    }));
  }

  /** A sum of money. */
  cost(): number | undefined {
    const stored = this.optionalNumber("cost");
    if (stored !== undefined && !isCost(stored)) throw new MalformedError("cost is no sum of money");
    return stored;
  }

  images(): { readonly images?: readonly ImagePart[] } {
    const media = this.#field("media");
    if (!Array.isArray(media)) return {};
    const parts = this.#payloads.filter((payload) => payload.role === ROLE.image);
    if (parts.length !== media.length) throw new MalformedError("images and media types differ in number");
    return {
      images: parts.map((payload, index) => ({
        mediaType: mediaType((media as readonly Decoded[])[index]),
        base64: payload.bytes.toString(payload.encoding === ENCODING.utf8 ? "utf8" : "base64"),
      })),
    };
  }

  /** A count in `aux`, or under its own name when it did not fit there. */
  count(key: string): number {
    const stored = this.#field(key);
    return typeof stored === "number" ? stored : this.record.aux;
  }

  optionalNumber(key: string): number | undefined {
    const stored = this.#field(key);
    if (stored !== undefined && typeof stored !== "number") throw new MalformedError(`${key} is not a number`);
    return stored;
  }

  number(key: string): number {
    return known(this.optionalNumber(key));
  }

  optionalWord(key: string): string | undefined {
    const stored = this.#field(key);
    if (stored !== undefined && typeof stored !== "string") throw new MalformedError(`${key} is not text`);
    return stored;
  }

  word(key: string): string {
    return known(this.optionalWord(key));
  }

  id<Id extends AnyId>(key: string): Id | undefined {
    const stored = this.#field(key);
    if (stored === undefined) return undefined;
    if (!Buffer.isBuffer(stored) || stored.length !== ID_BYTES) throw new MalformedError(`${key} is not an id`);
    return getId<Id>(stored, 0);
  }

  json(key: string): ReturnType<typeof asJson> | undefined {
    const stored = this.#field(key);
    return stored === undefined ? undefined : asJson(stored);
  }

  /** Plain data written from a value of this very type and guarded by checksums; only "an object" is checked again. */
  structure<Value extends object>(key: string): Value | undefined {
    const stored = this.#field(key);
    if (stored === undefined) return undefined;
    if (!isDecodedMap(stored)) throw new MalformedError(`${key} is not an object`);
    return asJson(stored) as unknown as Value;
  }

  model(): ModelRef {
    return known(this.optionalModel());
  }

  optionalModel(): ModelRef | undefined {
    const stored = this.structure<Partial<ModelRef>>("dispatch");
    if (stored === undefined) return undefined;
    const { provider, model } = stored;
    if (typeof provider !== "string" || typeof model !== "string") throw new MalformedError("dispatch names no model");
    return { provider, model };
  }

  /** A list of them. */
  structures<Value extends object>(key: string): readonly Value[] | undefined {
    const stored = this.#field(key);
    if (stored === undefined) return undefined;
    if (!Array.isArray(stored)) throw new MalformedError(`${key} is not a list`);
    return (stored as readonly Decoded[]).map((item) => {
      if (!isDecodedMap(item)) throw new MalformedError(`${key} holds something else than objects`);
      return asJson(item) as unknown as Value;
    });
  }

  details(): ToolDetails | undefined {
    const stored = this.structure<ToolDetails>("details");
    if (stored?.usage?.cost !== undefined && !isCost(stored.usage.cost)) throw new MalformedError("cost is no sum of money");
    const diff = this.text(ROLE.diff);
    return stored === undefined || diff === undefined ? stored : { diff, ...stored };
  }

  /** Fields of a list of things, in order; empty when it is absent. */
  #list(key: string): readonly Decoded[] {
    const stored = this.#field(key);
    return Array.isArray(stored) ? (stored as readonly Decoded[]) : [];
  }

  #field(key: string): Decoded | undefined {
    this.#fields ??= this.#decodeFields();
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  #decodeFields(): DecodedMap {
    const payload = this.#payloads.find((candidate) => candidate.role === ROLE.value);
    if (payload === undefined) return {};
    const fields = decodeCbor(payload.bytes);
    if (!isDecodedMap(fields)) throw new MalformedError("value payload is not a map");
    return fields;
  }
}

function mediaType(stored: Decoded | undefined): ImagePart["mediaType"] {
  if (stored === "image/png" || stored === "image/jpeg" || stored === "image/gif" || stored === "image/webp") return stored;
  throw new MalformedError("not an image type");
}

const textOf = (stored: Decoded | undefined): string | undefined => (typeof stored === "string" ? stored : undefined);

function placeOf(stored: Decoded | undefined): ThinkingPart["after"] | undefined {
  if (stored === undefined || stored === null) return undefined;
  const [text, calls] = Array.isArray(stored) ? (stored as readonly Decoded[]) : [];
  if (typeof text !== "number" || typeof calls !== "number") throw new MalformedError("not a place in a response");
  return { text, calls };
}
