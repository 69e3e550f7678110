import fc from "fast-check";
import type { AnyId, CallId, EntryId, InvocationId, JsonObject, JsonValue } from "../../../src/base/index.js";
import type {
  Action,
  ContextTransform,
  Diagnostic,
  Entry,
  EntryType,
  ImagePart,
  InvocationEntry,
  ModelFacts,
  Price,
  RenderNode,
  Routing,
  Sampling,
  ThinkingPart,
  ToolDetails,
  Usage,
} from "../../../src/schema/index.js";
import { THINKING_LEVELS } from "../../../src/schema/index.js";

/** Any id but the one of zeros, which means none. */
const id = <Id extends AnyId>(): fc.Arbitrary<Id> =>
  fc.tuple(fc.bigInt({ min: 1n, max: (1n << 128n) - 1n })).map(([bits]) => {
    const hex = bits.toString(16).padStart(32, "0");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5") as Id;
  });

/** Every plane, lone surrogates, controls. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 6 }),
);

const number = fc.oneof(fc.constantFrom(-0, 0, 2 ** 53, -(2 ** 60), 1e300, 5e-324, Infinity, -Infinity, 0.1), fc.double({ noNaN: true }));
const count = fc.oneof(fc.nat(), fc.constantFrom(2 ** 32, Number.MAX_SAFE_INTEGER));
const key = fc.oneof(text, fc.constantFrom("__proto__", "toString", "", "2", "1", "type", "change"));

const ordered = <Value>(keys: fc.Arbitrary<string>, values: fc.Arbitrary<Value>): fc.Arbitrary<{ readonly [key: string]: Value }> =>
  fc
    .uniqueArray(fc.tuple(keys, values), { selector: ([name]) => name, maxLength: 4 })
    // Object.fromEntries makes own properties of all names.
    .map((members) => Object.fromEntries(members));

const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, false),
    number,
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: ordered(key, tie("value")),
})).value;
const jsonObject = ordered(key, json);

type Parts<Type> = { readonly [Key in keyof Type]-?: fc.Arbitrary<Exclude<Type[Key], undefined>> };

/** Any set of the optional fields, in any order. */
function record<Type extends object>(
  parts: Parts<Type>,
  required: readonly (keyof Type)[] = Object.keys(parts) as (keyof Type)[],
): fc.Arbitrary<Type> {
  const all: fc.Arbitrary<object> = fc.record(parts, { requiredKeys: [...required] });
  return fc.tuple(all, fc.integer()).map(([fields, turn]) => {
    const members = Object.entries(fields);
    const by = members.length === 0 ? 0 : Math.abs(turn) % members.length;
    return Object.fromEntries([...members.slice(by), ...members.slice(0, by)]) as Type;
  });
}

const word = <Word extends string>(...words: readonly Word[]): fc.Arbitrary<Word> => fc.constantFrom(...words);
const image: fc.Arbitrary<ImagePart> = record<ImagePart>({
  mediaType: word("image/png", "image/jpeg", "image/gif", "image/webp"),
  base64: text,
});
const usage = record<Usage>(
  { inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count },
  [],
);
const cost = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constantFrom(0, 0.42, 5e-324));
const rates = { input: cost, output: cost, cacheRead: cost, cacheWrite: cost };
const facts = record<ModelFacts>(
  {
    contextTokens: count,
    outputTokens: count,
    images: fc.boolean(),
    tools: fc.boolean(),
    thinking: fc.subarray([...THINKING_LEVELS]),
    strictTools: fc.boolean(),
    grammarTools: fc.boolean(),
    trainedTools: fc.array(text, { maxLength: 2 }),
    structuredOutput: fc.boolean(),
    sampling: fc.boolean(),
    cache: word("none", "automatic", "points"),
    price: record<Price>({ ...rates, long: record<NonNullable<Price["long"]>>({ ...rates, above: count }, ["input", "output", "above"]) }, [
      "input",
      "output",
    ]),
    hints: ordered(fc.constantFrom("api", "beta", "toString", "1"), fc.oneof(text, fc.boolean(), count)),
  },
  [],
);
const images = fc.array(image, { maxLength: 2 });
const model = record({ provider: text, model: text });
const mutation = word("applied", "not-applied", "unknown");

const plainError = record<Diagnostic>(
  {
    code: text,
    what: text,
    why: text,
    next: text,
    severity: word("error", "warning"),
    retry: fc.oneof(
      fc.constantFrom({ type: "never" } as const, { type: "now" } as const),
      count.map((delayMs) => ({ type: "after", delayMs }) as const),
    ),
    source: fc.oneof(
      record({ type: fc.constant("file" as const), path: text, line: count, column: count, key: text }, ["type", "path"]),
      record({ type: fc.constant("provider" as const), id: text, url: text, status: count }, ["type", "id"]),
      record({ type: fc.constant("session" as const), id: text, offset: count }, ["type", "id"]),
      record({ type: fc.constant("plugin" as const), id: text, file: text, line: count }, ["type", "id"]),
      record({ type: word("flag", "env"), name: text }),
    ),
    causes: fc.constant([]),
    exit: fc.constantFrom<NonNullable<Diagnostic["exit"]>>(0, 1, 2, 3, 4, 70, 124, 129, 130, 143),
  },
  ["code", "what", "why", "next", "severity", "retry"],
);
const error = fc
  .tuple(plainError, fc.array(plainError, { maxLength: 2 }))
  .map(([own, causes]) => (causes.length === 0 ? own : { ...own, causes }));

const state = {
  owner: text,
  key: text,
  version: count,
  fork: word("copy", "fresh"),
  operation: word("put", "delete"),
  value: json,
};
const STATE = ["owner", "key", "version", "fork", "operation"] as const;

type Of<Type extends EntryType> = Extract<Entry, { readonly type: Type }>;
type Own<Type extends EntryType> = Omit<Of<Type>, "type" | "id" | "parent" | "time" | "inherited">;

/** An entry type from its own fields; those not `required` may be absent. */
function entry<Type extends EntryType>(type: Type, own: Parts<Own<Type>>, required: readonly (keyof Own<Type>)[]): fc.Arbitrary<Entry> {
  const base = { type: fc.constant(type), id: id(), parent: id(), time: count, inherited: fc.constant(true) };
  const parts = { ...base, ...own } as unknown as Parts<Of<Type>>;
  return record<Of<Type>>(parts, ["type", "id", "time", ...required] as (keyof Of<Type>)[]);
}

const view: fc.Arbitrary<RenderNode> = fc.letrec<{ node: RenderNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    record({ type: fc.constant("code" as const), text, language: text }, ["type", "text"]),
    record({ type: fc.constant("text" as const), spans: fc.array(record({ text, role: word("muted"), href: text }, ["text"])) }),
    record({ type: fc.constant("table" as const), columns: fc.array(text), rows: fc.array(fc.array(text)) }),
    record({ type: fc.constant("image" as const), mediaType: text, base64: text, alt: text }),
    record({ type: fc.constant("progress" as const), label: text, done: count, total: count }, ["type", "label", "done"]),
    record({ type: fc.constant("group" as const), title: text, children: fc.array(tie("node"), { maxLength: 2 }) }, ["type", "children"]),
    record({ type: fc.constant("list" as const), items: fc.array(tie("node"), { maxLength: 2 }), ordered: fc.boolean() }, [
      "type",
      "items",
    ]),
  ),
})).node;

const transform: fc.Arbitrary<ContextTransform> = fc.oneof(
  record({ operation: fc.constant("omit" as const), target: id<EntryId>() }),
  record({ operation: fc.constant("replace" as const), target: id<EntryId>(), text }),
  record({ operation: fc.constant("append" as const), text }),
);

/** Actions of every kind of field: texts, ids, lists, plain data. */
const action: fc.Arbitrary<Action> = fc.oneof(
  record({ type: fc.constant("set-state" as const), scope: word("session", "branch", "project", "user"), key: text, value: json }),
  record({ type: fc.constant("rewrite-tool" as const), call: id<CallId>(), args: jsonObject }),
  record({ type: fc.constant("transform-context" as const), transforms: fc.array(transform, { maxLength: 2 }) }),
  record({ type: fc.constant("set-tools" as const), enable: fc.array(text), disable: fc.array(text) }, ["type"]),
  record({ type: fc.constant("compact" as const), firstKept: id<EntryId>(), summary: text }),
);
const author = { plugin: text, invocation: id<InvocationId>() };
const accepted = fc.array(record({ ...author, action }), { maxLength: 2 });
const refused = fc.array(record({ ...author, error }), { maxLength: 2 });
const trigger: fc.Arbitrary<InvocationEntry["trigger"]> = fc.oneof(
  record({ type: fc.constant("event" as const), event: word("turn-ended", "idle") }),
  record({ type: fc.constant("command" as const), name: text, args: text }),
);

const raw = record(
  {
    pairing: id().map(String),
    owner: id().map(String),
    sub: fc.nat(0xffff),
    aux: fc.nat(0xffff_ffff),
    payloads: fc.array(
      record({
        role: fc.nat(0xffff),
        encoding: fc.nat(0xff),
        base64: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64")),
      }),
      { maxLength: 3 },
    ),
  },
  ["sub", "aux", "payloads"],
);

/** One arbitrary for every entry type: forgetting one does not compile. */
export const ENTRIES: { readonly [Type in EntryType]: fc.Arbitrary<Entry> } = {
  "user-message": entry(
    "user-message",
    { submission: id(), work: id(), source: word("prompt", "steer", "follow-up", "notice"), plugin: text, text, images },
    ["source", "text"],
  ),
  assistant: entry(
    "assistant",
    {
      work: id(),
      request: id(),
      stop: word("stop", "tool-use", "limit", "refusal", "content-filter", "aborted", "failed"),
      text,
      thinking: fc.array(
        record<ThinkingPart>(
          { text, signature: text, kind: text, id: text, after: record<NonNullable<ThinkingPart["after"]>>({ text: count, calls: count }) },
          ["text"],
        ),
        { maxLength: 3 },
      ),
      usage,
      cost,
      dispatch: model,
      error,
    },
    ["work", "request", "stop", "text", "thinking", "dispatch"],
  ),
  "tool-call": entry(
    "tool-call",
    { work: id(), call: id(), ordinal: count, name: text, providerId: text, argsText: text, args: jsonObject, signature: text },
    ["work", "call", "ordinal", "name", "providerId", "argsText"],
  ),
  "tool-result": entry(
    "tool-result",
    {
      work: id(),
      call: id(),
      name: text,
      text,
      isError: fc.boolean(),
      mutation,
      omittedBytes: count,
      durationMs: count,
      summary: text,
      details: record<ToolDetails>(
        {
          diff: text,
          data: json,
          view,
          usage: record<NonNullable<ToolDetails["usage"]>>({ usage, cost, model }, ["usage"]),
          done: record({ finalMessage: text }),
        },
        [],
      ),
      images,
    },
    ["work", "call", "name", "text", "isError", "mutation", "omittedBytes"],
  ),
  prompt: entry(
    "prompt",
    {
      system: text,
      tools: fc.array(
        record({
          name: text,
          plugin: text,
          description: text,
          parameters: jsonObject,
          readOnly: fc.boolean(),
          timeoutMs: count,
          summaryKeys: fc.array(text, { maxLength: 2 }),
          resultSummary: text,
          offer: fc.constantFrom("search", "trained", "finder"),
          program: text,
          resources: fc.array(text, { maxLength: 2 }),
          set: record({ name: text, target: json }, ["name", "target"]),
        }),
        { maxLength: 2 },
      ),
      generation: count,
    },
    ["system", "tools", "generation"],
  ),
  "session-info": entry("session-info", { name: text, cwd: text, version: text }, []),
  compaction: entry("compaction", { firstKept: id(), summary: text, tokensBefore: count, dispatch: model, usage, cost }, [
    "firstKept",
    "summary",
    "tokensBefore",
  ]),
  "context-edit": entry("context-edit", { target: id(), operation: word("omit", "replace", "restore"), text }, ["target", "operation"]),
  "branch-state": entry("branch-state", state, STATE),
  lost: entry("lost", { kind: fc.nat(0xffff), unrepaired: fc.constant<true>(true) }, ["kind"]),
  state: entry("state", { ...state, work: id() }, STATE),
  leaf: entry("leaf", { from: id(), to: id() }, []),
  origin: entry("origin", { how: word("fork", "import"), session: id(), epoch: count, seq: count, entry: id() }, [
    "how",
    "session",
    "epoch",
    "seq",
  ]),
  submission: entry(
    "submission",
    {
      submission: id(),
      work: id(),
      destination: id(),
      delivery: word("turn", "steer", "follow-up"),
      text,
      images,
      plugin: text,
      key: text,
    },
    ["submission", "work", "delivery", "text"],
  ),
  queue: entry("queue", { submission: id(), operation: word("enqueue", "deliver", "withdraw") }, ["submission", "operation"]),
  work: entry(
    "work",
    {
      work: id(),
      parentWork: id(),
      state: word("created", "running", "waiting", "blocked", "cancel-requested", "settled"),
      checkpoint: json,
    },
    ["work", "state"],
  ),
  receipt: entry(
    "receipt",
    {
      submission: id(),
      work: id(),
      status: word("ok", "aborted", "error", "stalled", "maxTurns", "limit"),
      reason: word("done", "rounds", "tree", "tokens", "cost", "deadline", "stall", "abort", "provider", "storage", "bug", "policy"),
      error,
    },
    ["submission", "work", "status", "reason"],
  ),
  "effect-intent": entry(
    "effect-intent",
    { effect: id(), work: id(), cause: id(), operation: text, plugin: text, generation: count, input: json },
    ["effect", "cause", "operation", "plugin", "generation", "input"],
  ),
  "effect-done": entry("effect-done", { effect: id(), work: id(), outcome: mutation, error, output: json }, [
    "effect",
    "outcome",
    "output",
  ]),
  invocation: entry("invocation", { invocation: id(), work: id(), plugin: text, generation: count, trigger }, [
    "invocation",
    "plugin",
    "generation",
    "trigger",
  ]),
  actions: entry("actions", { work: id(), trigger: word("idle", "command"), generation: count, accepted, refused }, [
    "trigger",
    "generation",
    "accepted",
    "refused",
  ]),
  reconciled: entry("reconciled", { effect: id(), outcome: word("applied", "not-applied"), note: text }, ["effect", "outcome"]),
  request: entry(
    "request",
    {
      request: id(),
      work: id(),
      first: id(),
      prompt: id(),
      selection: text,
      dispatch: model,
      attempt: count,
      generation: count,
      thinking: text,
      routing: record<Routing>({ connection: text, via: fc.array(text, { maxLength: 2 }), credential: text, because: text }, [
        "connection",
      ]),
      facts,
      sampling: record<Sampling>(
        {
          temperature: cost,
          topP: cost,
          maxTokens: count,
          stop: fc.array(text, { maxLength: 2 }),
          responseFormat: json,
          extra: jsonObject,
        },
        [],
      ),
      messageCount: count,
      transforms: fc.array(transform, { maxLength: 2 }),
      digest: fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString("hex")),
    },
    ["request", "work", "prompt", "selection", "dispatch", "attempt", "generation", "messageCount"],
  ),
  unknown: entry("unknown", { kind: fc.nat(0xffff), flags: fc.nat(0xffff), raw }, ["kind", "flags", "raw"]),
};

export const anyEntry: fc.Arbitrary<Entry> = fc.oneof(...Object.values(ENTRIES));
