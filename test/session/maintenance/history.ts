import { readFile, writeFile } from "node:fs/promises";
import type { CallId, EffectId, EntryId, IdSource, RequestId, SubmissionId, WorkId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { crc32 } from "../../../src/session/bytes/index.js";
import { logicalSize, putFrameHeader } from "../../../src/session/codec/index.js";
import type { SessionWriter } from "../../../src/session/index.js";
import { seqIds } from "../support/entries.js";
import { seededRandom } from "../support/images.js";

/** Text that does not compress, the same in every run. */
function noise(length: number): string {
  const random = seededRandom(length);
  return Array.from({ length: Math.ceil(length / 10) }, () => random().toString(36).slice(2, 12)).join("");
}

export const TIME = 1_700_000_000_000;

/** Appends a frame of a type no version knows yet to a closed file. */
export async function appendUnknownFrame(path: string, text: string): Promise<void> {
  const bytes = await readFile(path);
  const body = Buffer.from(text);
  const frame = Buffer.concat([Buffer.alloc(32), body]);
  const fields = { type: 77, flags: 3, bodyLen: body.length, tableLen: 5, tableCrc: crc32(body, 0, body.length), seq: 9 };
  putFrameHeader(frame, 0, fields, { offset: logicalSize(bytes.length), seed: bytes.readUInt32LE(40) });
  await writeFile(path, Buffer.concat([bytes, frame]));
}

/** One turn: prompt, answer with two tool calls, their effects and results, second answer, receipt. */
export interface Turn {
  readonly work: WorkId;
  readonly history: readonly EntryId[];
  /** Everything else that belongs to it. */
  readonly evidence: readonly EntryId[];
  readonly leaf: EntryId;
}

export class HistoryWriter {
  readonly ids: IdSource = seqIds();
  readonly #writer: SessionWriter;
  /** Entries in committed order, each with its commit. */
  readonly all: { readonly entry: Entry; readonly seq: number }[] = [];

  constructor(writer: SessionWriter) {
    this.#writer = writer;
  }

  async commit(entries: readonly Entry[], leaf?: EntryId): Promise<void> {
    const ticket = this.#writer.commit({ entries, ...(leaf === undefined ? {} : { leaf }) });
    for (const entry of entries) this.all.push({ entry, seq: ticket.position.seq });
    await ticket.durable;
  }

  id(): EntryId {
    return this.ids.next<EntryId>();
  }

  async turn(parent: EntryId | undefined, text: string, options: { readonly key?: string; readonly big?: boolean } = {}): Promise<Turn> {
    const { ids } = this;
    const work = ids.next<WorkId>();
    const submission = ids.next<SubmissionId>();
    const request = ids.next<RequestId>();
    const time = TIME;
    const previous = parent === undefined ? {} : { parent };
    const prompt = this.id();
    await this.commit(
      [
        {
          type: "submission",
          id: this.id(),
          ...previous,
          time,
          submission,
          work,
          ...(parent === undefined ? {} : { destination: parent }),
          delivery: "turn",
          text,
          ...(options.key === undefined ? {} : { key: options.key }),
        },
        { type: "queue", id: this.id(), time, submission, operation: "enqueue" },
        { type: "work", id: this.id(), time, work, state: "created" },
        { type: "user-message", id: prompt, ...previous, time, submission, work, source: "prompt", text },
      ],
      prompt,
    );
    await this.commit([
      { type: "queue", id: this.id(), parent: prompt, time, submission, operation: "deliver" },
      {
        type: "request",
        id: this.id(),
        parent: prompt,
        time,
        request,
        work,
        prompt,
        selection: "offline/rules",
        dispatch: { provider: "offline", model: "rules" },
        attempt: 1,
        generation: 1,
        messageCount: 1,
      },
    ]);
    const answer = this.id();
    const calls = [0, 1].map((ordinal) => ({ id: this.id(), call: ids.next<CallId>(), effect: ids.next<EffectId>(), ordinal }));
    const callEntries = calls.map(({ id, call, ordinal }, index): Entry => ({
      type: "tool-call",
      id,
      parent: index === 0 ? answer : (calls[0]?.id ?? answer),
      time,
      work,
      call,
      ordinal,
      name: "read",
      providerId: `call_${ordinal}`,
      argsText: `{"path":"${text}"}`,
      args: { path: text },
    }));
    await this.commit(
      [
        {
          type: "assistant",
          id: answer,
          parent: prompt,
          time,
          work,
          request,
          stop: "tool-use",
          text: `I will read for ${text}.`,
          thinking: [{ text: "hm", signature: "s" }],
          usage: { inputTokens: 10, outputTokens: 2 },
          dispatch: { provider: "offline", model: "rules" },
        },
        ...callEntries,
      ],
      calls[1]?.id,
    );
    await this.commit(
      calls.map(({ id, call, effect }): Entry => ({
        type: "effect-intent",
        id: this.id(),
        parent: id,
        time,
        effect,
        work,
        cause: call,
        operation: "fs.read",
        plugin: "tool-read",
        generation: 1,
        input: { path: text },
      })),
    );
    let last = calls[1]?.id ?? answer;
    for (const { id, call, effect } of calls) {
      const result = this.id();
      const output = options.big === true ? noise(text.length + 90_000) : `output of ${text} `.repeat(400);
      await this.commit(
        [
          { type: "effect-done", id: this.id(), parent: id, time, effect, work, outcome: "applied", output: { bytes: text.length } },
          {
            type: "tool-result",
            id: result,
            parent: last,
            time,
            work,
            call,
            name: "read",
            text: output,
            isError: false,
            mutation: "not-applied",
            omittedBytes: 0,
          },
          { type: "work", id: this.id(), time, work, state: "running", checkpoint: { step: result } },
        ],
        result,
      );
      last = result;
    }
    const end = this.id();
    const second = ids.next<RequestId>();
    await this.commit(
      [
        {
          type: "assistant",
          id: end,
          parent: last,
          time,
          work,
          request: second,
          stop: "stop",
          text: `Done with ${text}.`,
          thinking: [],
          usage: { inputTokens: 5, outputTokens: 1 },
          dispatch: { provider: "offline", model: "rules" },
        },
      ],
      end,
    );
    await this.commit([
      { type: "work", id: this.id(), time, work, state: "settled" },
      { type: "receipt", id: this.id(), time, submission, work, status: "ok", reason: "done" },
    ]);
    const own = this.all.filter(({ entry }) => "work" in entry || ("submission" in entry && entry.submission === submission));
    const isOwn = (entry: Entry): boolean =>
      "work" in entry ? entry.work === work : "submission" in entry && entry.submission === submission;
    const mine = own.filter(({ entry }) => isOwn(entry)).map(({ entry }) => entry);
    const history = [
      prompt,
      answer,
      ...calls.map(({ id }) => id),
      ...mine.filter(({ type }) => type === "tool-result").map(({ id }) => id),
      end,
    ];
    return { work, history, evidence: mine.map(({ id }) => id).filter((id) => !history.includes(id)), leaf: end };
  }
}
