import type { CallId, EffectId, EntryId, IdSource, InvocationId, RequestId, SubmissionId, WorkId } from "../../../src/base/index.js";
import { createIdSource } from "../../../src/base/index.js";
import type { AssistantEntry, Entry, UserMessageEntry } from "../../../src/schema/index.js";

/** Ids that are the same in every run. */
export function seqIds(start = 1_700_000_000_000): IdSource {
  let count = 0;
  return createIdSource(
    () => start,
    (into) => {
      count += 1;
      into.fill(0);
      new DataView(into.buffer, into.byteOffset).setUint32(4, count);
    },
  );
}

export const user = (ids: IdSource, text: string, parent?: EntryId): UserMessageEntry => ({
  type: "user-message",
  id: ids.next<EntryId>(),
  ...(parent === undefined ? {} : { parent }),
  time: 1_700_000_000_100,
  source: "prompt",
  text,
});

export const assistant = (ids: IdSource, text: string, parent?: EntryId): AssistantEntry => ({
  type: "assistant",
  id: ids.next<EntryId>(),
  ...(parent === undefined ? {} : { parent }),
  time: 1_700_000_000_200,
  work: ids.next<WorkId>(),
  request: ids.next<RequestId>(),
  stop: "stop",
  text,
  thinking: [],
  dispatch: { provider: "offline", model: "rules" },
});

/** One entry of every type, every optional field present. */
export function everyEntry(ids: IdSource): readonly Entry[] {
  const work = ids.next<WorkId>();
  const submission = ids.next<SubmissionId>();
  const request = ids.next<RequestId>();
  const call = ids.next<CallId>();
  const effect = ids.next<EffectId>();
  const time = 1_700_000_000_000;
  const id = (): EntryId => ids.next<EntryId>();
  const root = id();
  const image = { mediaType: "image/png", base64: "iVBORw0KGgo=" } as const;
  const error = { code: "x.y", what: "w", why: "y", next: "n", severity: "error", retry: { type: "after", delayMs: 5 } } as const;
  return [
    { type: "session-info", id: root, time, name: "näme", cwd: "/tmp/ä", version: "0.1.0" },
    {
      type: "prompt",
      id: id(),
      parent: root,
      time,
      system: "You are.",
      tools: [
        {
          name: "read",
          plugin: "p",
          description: "d",
          parameters: { type: "object" },
          readOnly: true,
          timeoutMs: 1000,
          summaryKeys: ["path"],
        },
      ],
      generation: 3,
    },
    {
      type: "submission",
      id: id(),
      parent: root,
      time,
      submission,
      work,
      destination: root,
      delivery: "turn",
      text: "hi",
      images: [image],
      key: "k",
    },
    { type: "queue", id: id(), parent: root, time, submission, operation: "deliver" },
    {
      type: "work",
      id: id(),
      time,
      work,
      parentWork: ids.next<WorkId>(),
      state: "running",
      checkpoint: { a: [1, -0, 1.5, null, true, "x"] },
    },
    {
      type: "user-message",
      id: id(),
      parent: root,
      time,
      submission,
      work,
      source: "steer",
      text: "hi\nthere",
      images: [image, { mediaType: "image/webp", base64: "no base64!" }],
    },
    {
      type: "request",
      id: id(),
      parent: root,
      time,
      request,
      work,
      first: root,
      prompt: root,
      selection: "offline/rules",
      dispatch: { provider: "offline", model: "rules" },
      attempt: 2,
      generation: 3,
      thinking: "high",
      messageCount: 12,
    },
    {
      type: "assistant",
      id: id(),
      parent: root,
      time,
      work,
      request,
      stop: "tool-use",
      text: "I will.",
      thinking: [{ text: "hm", signature: "sig==" }, { text: "" }],
      usage: { inputTokens: 10, outputTokens: 0 },
      dispatch: { provider: "offline", model: "rules" },
      error,
    },
    {
      type: "tool-call",
      id: id(),
      parent: root,
      time,
      work,
      call,
      ordinal: 1,
      name: "read",
      providerId: "call_1",
      argsText: '{"b":1,"a":[]}',
      args: { b: 1, a: [] },
    },
    {
      type: "tool-result",
      id: id(),
      parent: root,
      time,
      work,
      call,
      name: "read",
      text: "content",
      isError: true,
      mutation: "not-applied",
      omittedBytes: 5_000_000_000,
      summary: "7 bytes",
      durationMs: 1234,
      details: { diff: "-a\n+b", data: { n: 1 }, done: { finalMessage: "f" } },
      images: [image],
    },
    { type: "compaction", id: id(), parent: root, time, firstKept: root, summary: "sum", tokensBefore: 1234 },
    { type: "context-edit", id: id(), parent: root, time, target: root, operation: "replace", text: "" },
    { type: "receipt", id: id(), parent: root, time, submission, work, status: "maxTurns", reason: "rounds", error },
    {
      type: "effect-intent",
      id: id(),
      parent: root,
      time,
      effect,
      work,
      cause: call,
      operation: "fs.read",
      plugin: "tool-read",
      generation: 1,
      input: { path: "a" },
    },
    { type: "effect-done", id: id(), parent: root, time, effect, work, outcome: "unknown", error, output: { text: "o" } },
    { type: "reconciled", id: id(), parent: root, time, effect, outcome: "applied", note: "seen" },
  ];
}

/** One entry of every type that came after {@link everyEntry}, whose bytes are pinned, and of every later field. */
export function laterEntries(ids: IdSource): readonly Entry[] {
  const time = 1_700_000_000_000;
  const id = (): EntryId => ids.next<EntryId>();
  const root = id();
  const work = ids.next<WorkId>();
  return [
    { type: "leaf", id: root, time, from: ids.next<EntryId>(), to: ids.next<EntryId>() },
    { type: "origin", id: id(), time, how: "fork", session: ids.next(), epoch: 1, seq: 12, entry: ids.next<EntryId>() },
    { type: "state", id: id(), time, owner: "core", key: "mode", version: 1, fork: "copy", operation: "put", value: { b: 1, a: -0 }, work },
    { type: "state", id: id(), time, owner: "core", key: "", version: 4_294_967_296, fork: "fresh", operation: "delete" },
    {
      type: "branch-state",
      id: id(),
      parent: root,
      time,
      owner: "tool-x",
      key: "kä",
      version: 2,
      fork: "copy",
      operation: "put",
      value: null,
    },
    { type: "context-edit", id: id(), parent: root, time, target: root, operation: "restore" },
    { ...user(ids, "from elsewhere", root), time, inherited: true },
    {
      type: "request",
      id: id(),
      parent: root,
      time,
      request: ids.next<RequestId>(),
      work,
      prompt: root,
      selection: "offline/rules",
      dispatch: { provider: "offline", model: "rules" },
      attempt: 1,
      generation: 0,
      messageCount: 0,
      digest: "00ff10",
    },
    {
      type: "unknown",
      id: id(),
      parent: root,
      time,
      kind: 999,
      flags: 1,
      raw: {
        pairing: ids.next<EntryId>(),
        owner: ids.next<EntryId>(),
        sub: 7,
        aux: 8,
        payloads: [
          { role: 99, encoding: 0, base64: "AAEC" },
          { role: 1, encoding: 1, base64: "aGk=" },
        ],
      },
    },
  ];
}

/** What a repair puts where an entry was, and what came after {@link laterEntries}. */
export function newestEntries(ids: IdSource): readonly Entry[] {
  const time = 1_700_000_000_000;
  const root = ids.next<EntryId>();
  return [
    { type: "lost", id: root, time, kind: 0 },
    { type: "lost", id: ids.next<EntryId>(), parent: root, time, kind: 2 },
  ];
}

/** What plugins add: their runs, what they wanted, and every field that says it was them. */
export function pluginEntries(ids: IdSource): readonly Entry[] {
  const time = 1_700_000_000_000;
  const root = ids.next<EntryId>();
  const id = (): EntryId => ids.next<EntryId>();
  const work = ids.next<WorkId>();
  const call = ids.next<CallId>();
  const submission = ids.next<SubmissionId>();
  const [one, two] = [ids.next<InvocationId>(), ids.next<InvocationId>()];
  const error = { code: "x.y", what: "w", why: "y", next: "n", severity: "error", retry: { type: "never" } } as const;
  const by = { plugin: "acme.one", invocation: one } as const;
  return [
    {
      type: "invocation",
      id: id(),
      parent: root,
      time,
      invocation: one,
      work,
      plugin: "acme.one",
      generation: 3,
      trigger: { type: "event", event: "tool-proposed" },
    },
    {
      type: "invocation",
      id: id(),
      time,
      invocation: two,
      plugin: "acme.two",
      generation: 5_000_000_000,
      trigger: { type: "command", name: "späť", args: "" },
    },
    {
      type: "actions",
      id: id(),
      parent: root,
      time,
      work,
      trigger: "request-prepared",
      generation: 3,
      accepted: [
        { ...by, action: { type: "add-message", text: "note" } },
        { ...by, action: { type: "transform-context", transforms: [{ operation: "omit", target: root }] } },
        { ...by, action: { type: "rewrite-tool", call, args: { b: 1, a: [-0, "ü"] } } },
        { ...by, action: { type: "set-state", scope: "branch", key: "k", value: null } },
        { ...by, action: { type: "deliver", submissions: [submission] } },
      ],
      refused: [{ plugin: "acme.two", invocation: two, error }],
    },
    { type: "actions", id: id(), time, trigger: "command", generation: 0, accepted: [], refused: [] },
    { type: "user-message", id: id(), parent: root, time, source: "notice", plugin: "acme.one", text: "" },
    { type: "submission", id: id(), time, submission, work, delivery: "follow-up", text: "next", plugin: "acme.one" },
    { type: "receipt", id: id(), time, submission, work, status: "limit", reason: "policy" },
    { type: "effect-intent", id: id(), time, effect: ids.next(), cause: one, operation: "x", plugin: "p", generation: 1, input: null },
    {
      type: "request",
      id: id(),
      parent: root,
      time,
      request: ids.next<RequestId>(),
      work,
      prompt: root,
      selection: "offline/rules",
      dispatch: { provider: "offline", model: "rules" },
      attempt: 1,
      generation: 3,
      messageCount: 2,
      transforms: [
        { operation: "omit", target: root },
        { operation: "replace", target: root, text: "short" },
        { operation: "append", text: "now" },
      ],
      digest: "0a",
    },
    {
      type: "tool-result",
      id: id(),
      parent: root,
      time,
      work,
      call,
      name: "lint",
      text: "ok",
      isError: false,
      mutation: "applied",
      omittedBytes: 0,
      details: {
        view: { type: "group", title: "t", children: [{ type: "text", spans: [{ text: "a", role: "strong", href: "https://a" }] }] },
      },
    },
    {
      type: "prompt",
      id: id(),
      parent: root,
      time,
      system: "s",
      tools: [
        {
          name: "read",
          plugin: "p",
          description: "d",
          parameters: {},
          readOnly: true,
          timeoutMs: 1,
          summaryKeys: [],
          resultSummary: "{{n}} matches",
        },
      ],
      generation: 1,
    },
  ];
}

/** What providers add: what a response cost and where its request went, and what vendors want back as it was. */
export function pricedEntries(ids: IdSource): readonly Entry[] {
  const time = 1_700_000_000_000;
  const root = ids.next<EntryId>();
  const id = (): EntryId => ids.next<EntryId>();
  const work = ids.next<WorkId>();
  const request = ids.next<RequestId>();
  const call = ids.next<CallId>();
  const dispatch = { provider: "acme", model: "big-1" };
  const usage = { inputTokens: 1000, outputTokens: 20, cacheReadTokens: 900, cacheWriteTokens: 50, reasoningTokens: 5 };
  return [
    {
      type: "request",
      id: id(),
      parent: root,
      time,
      request,
      work,
      prompt: root,
      selection: "main",
      dispatch,
      attempt: 2,
      generation: 3,
      thinking: "high",
      routing: { connection: "work", via: ["alias fast", "group main"], credential: "ACME_KEY", because: "acme: rate limited" },
      facts: {
        contextTokens: 200_000,
        thinking: ["off", "high"],
        cache: "points",
        price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, long: { above: 200_000, input: 6, output: 22.5 } },
        hints: { api: "responses", beta: true, rank: 2 },
      },
      sampling: { temperature: 0.2, topP: 1, maxTokens: 500, stop: ["END"], responseFormat: { type: "json_object" }, extra: { seed: 7 } },
      messageCount: 2,
    },
    {
      type: "assistant",
      id: id(),
      parent: root,
      time,
      work,
      request,
      stop: "tool-use",
      text: "I will.",
      thinking: [
        { text: "hm", signature: "sig==", kind: "reasoning", id: "rs_1" },
        { text: "", signature: "gone", kind: "redacted", after: { text: 7, calls: 0 } },
        { text: "so", after: { text: 7, calls: 1 } },
      ],
      usage,
      cost: 0.0421,
      dispatch,
    },
    {
      type: "tool-call",
      id: id(),
      parent: root,
      time,
      work,
      call,
      ordinal: 0,
      name: "ask",
      providerId: "c1",
      argsText: "{}",
      args: {},
      signature: "thought",
    },
    {
      type: "tool-result",
      id: id(),
      parent: root,
      time,
      work,
      call,
      name: "ask",
      text: "yes",
      isError: true,
      mutation: "applied",
      omittedBytes: 0,
      details: { usage: { usage: { inputTokens: 7 }, cost: 0, model: dispatch } },
    },
    {
      type: "compaction",
      id: id(),
      parent: root,
      time,
      firstKept: root,
      summary: "s",
      tokensBefore: 9,
      dispatch,
      usage: { inputTokens: 12, outputTokens: 3 },
      cost: 0.25,
    },
  ];
}
