import type { EntryId, SubmissionId } from "../../base/index.js";
import type { ImagePart, SubmissionEntry } from "../../schema/index.js";
import { sessionClosed, type SessionReader } from "../../session/index.js";
import { keyConflict, notSelected } from "../diagnostics.js";
import type { Receipt } from "../types.js";
import type { Receipts } from "./receipts.js";
import { Refusal } from "./refusal.js";
import type { SessionParts } from "./session-parts.js";
import { recordedEnd } from "./submission-status.js";
import type { Seat, Turns } from "./turns.js";

export interface Input {
  readonly text: string;
  readonly images?: readonly ImagePart[];
  readonly key?: string;
  readonly delivery?: "steer" | "follow-up";
  readonly destination?: EntryId;
}

export interface AdmissionPorts {
  readonly parts: SessionParts;
  readonly turns: Turns;
  readonly receipts: Receipts;
  readonly isClosing: () => boolean;
}

/**
 * The one way input gets into a session. A deduplication key stands for one submission of the session for ever: the same
 * content gives that submission's receipt, in this process and every later one; other content creates nothing.
 */
export class Admission {
  readonly #ports: AdmissionPorts;
  /** By key, the newest admission under way: those of one key go one after the other. */
  readonly #keyed = new Map<string, Promise<unknown>>();

  constructor(ports: AdmissionPorts) {
    this.#ports = ports;
  }

  /** Resolves when the admission is durable. Throws SessionStorageError or Refusal; nothing was admitted then. */
  async admit(given: Input): Promise<Receipt> {
    const { conceal } = this.#ports.parts;
    const input = { ...given, text: conceal(given.text) };
    const { key } = input;
    return await (key === undefined ? this.#admitNew(input) : this.#inTurn(key, async () => await this.#admitKeyed(input, key)));
  }

  /** Set before anything is awaited, so that the same key at the same time is the same submission. */
  async #inTurn(key: string, admit: () => Promise<Receipt>): Promise<Receipt> {
    const before = this.#keyed.get(key);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return await admit();
    })();
    this.#keyed.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#keyed.get(key) === mine) this.#keyed.delete(key);
    }
  }

  async #admitKeyed(input: Input, key: string): Promise<Receipt> {
    const { file } = this.#ports.parts;
    await this.#ports.turns.usable();
    const earlier = await file.read(async (reader) => {
      const entry = await reader.admission(key);
      // What was recorded before a secret was known is compared as it would be recorded now.
      if (entry !== undefined) await refuseOther(reader, this.#ports.parts.conceal(entry), { ...input, key });
      return entry;
    });
    return earlier === undefined ? await this.#admitNew(input) : await this.#receiptOf(earlier);
  }

  async #admitNew(input: Input): Promise<Receipt> {
    const { turns, parts, receipts, isClosing } = this.#ports;
    const { text, images, key, destination } = input;
    // While the file is opened anew nothing is known of its leaf.
    await turns.usable();
    // Before the prelude writes anything; looked at again when it is done.
    if (destination !== undefined && !turns.hasBegun()) mustBe(destination, parts.file.reader()?.leaf());
    const seat = await turns.seat(text);
    const { driver } = seat;
    if (isClosing()) throw new Refusal(sessionClosed(parts.id));
    if (destination !== undefined && !isSeen(seat, destination)) mustBe(destination, driver.state().leaf);
    const submission = parts.ids.next<SubmissionId>();
    const settled = receipts.expect(submission);
    try {
      const delivery = input.delivery ?? "steer";
      const { queued } = await driver.submit({
        submission,
        text,
        delivery,
        ...(images === undefined ? {} : { images }),
        ...(key === undefined ? {} : { key }),
      });
      return { submission, queued, settled };
    } catch (error) {
      receipts.forget(submission);
      throw error;
    }
  }

  /** Of a submission that was admitted before. One that still waits is delivered now: that is what it was sent again for. */
  async #receiptOf({ submission }: SubmissionEntry): Promise<Receipt> {
    const { turns, receipts, parts, isClosing } = this.#ports;
    const ended = receipts.ended(submission);
    if (ended !== undefined) return { submission, queued: false, settled: Promise.resolve(ended) };
    const recorded = await parts.file.read(async (reader) => {
      const receipt = await reader.receipt(submission);
      return receipt === undefined ? undefined : await recordedEnd(reader, receipt);
    });
    if (recorded !== undefined) return { submission, queued: false, settled: Promise.resolve(recorded) };
    const { driver } = await turns.seat();
    const { queue, interrupted } = driver.state();
    const queued = queue.some((item) => item.submission === submission);
    const settled = receipts.expect(submission);
    if (isClosing()) throw new Refusal(sessionClosed(parts.id));
    if (queued) driver.resumeQueue();
    // Its process ended before it did, and it is not made a second time: its end is what is known of it.
    else if (interrupted?.unsettled.some((work) => work.submission === submission) === true) await driver.endInterruption();
    return { submission, queued, settled };
  }
}

/** Nobody could see the leaf the prelude made: the one before it stands for it, as long as nothing came after. */
const isSeen = ({ driver, before, after }: Seat, destination: EntryId): boolean => destination === before && driver.state().leaf === after;

function mustBe(destination: EntryId, leaf: EntryId | undefined): void {
  if (destination !== leaf) throw new Refusal(notSelected(destination, leaf));
}

const isSame = (left: readonly ImagePart[], right: readonly ImagePart[]): boolean =>
  left.length === right.length &&
  left.every(({ mediaType, base64 }, index) => right[index]?.mediaType === mediaType && right[index].base64 === base64);

/** Same text, same images and, where one is named, same destination; else the key is used for something else. */
async function refuseOther(reader: SessionReader, entry: SubmissionEntry, input: Input & { readonly key: string }): Promise<void> {
  const { key, text, images = [], destination } = input;
  if (entry.text !== text || !isSame(entry.images ?? [], images)) throw new Refusal(keyConflict(key, "content"));
  if (destination === undefined || destination === entry.destination) return;
  if (!(await leadsTo(reader, entry.destination, destination))) throw new Refusal(keyConflict(key, "destination"));
}

/** Whether only what a prelude writes lies between the recorded destination and the one that was named. */
async function leadsTo(reader: SessionReader, leaf: EntryId | undefined, destination: EntryId): Promise<boolean> {
  if (leaf === undefined) return false;
  for await (const entry of reader.branch({ leaf })) {
    if (entry.id === destination) return true;
    if (entry.type !== "session-info" && entry.type !== "tool-result") return false;
  }
  return false;
}
