import {
  type CallId,
  createIdSource,
  type EffectId,
  type EntryId,
  type IdSource,
  type RequestId,
  type SubmissionId,
  type WorkId,
} from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";

/** A text that stands in one entry of about a thousand. */
export const NEEDLE = "xylophone-needle";
const NEEDLE_EVERY = 97;
const ROUNDS = 4;
const ENDING = 160;
/** Time before the first entry of a workload. */
export const START = 1_700_000_000_000;
const CORPUS_LINES = 40_000;

/** One change of the workload, the same in every run. */
export interface WorkloadChange {
  readonly entries: readonly Entry[];
  readonly leaf: EntryId | undefined;
  /** When it happened, as its ids tell: ms since the epoch. */
  readonly time: number;
}

/** Numbers that are the same everywhere. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next = (): number => {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 4_294_967_296;
  };

  restart(seed: number): void {
    this.#state = seed;
  }
}

/** A clock that goes on by a millisecond an id. */
interface Ticks {
  now: number;
}

function workloadIds(seed: number, ticks: Ticks): IdSource {
  const random = new Random(seed);
  return createIdSource(
    () => (ticks.now += 1),
    (into) => {
      for (let index = 0; index < into.length; index += 1) into[index] = random.next() * 256;
    },
  );
}

/** Lines as they stand in source files and command output: words of a small vocabulary with numbers in between. */
function createCorpus(random: () => number): (bytes: number) => string {
  const words = Array.from({ length: 1500 }, () =>
    Array.from({ length: 2 + random() * 9 }, () => String.fromCharCode(97 + random() * 26)).join(""),
  );
  const word = (): string =>
    random() < 0.12 ? String(Math.floor(random() * 10_000)) : (words[Math.floor(random() ** 2 * words.length)] ?? "");
  const corpus = Array.from({ length: CORPUS_LINES }, (_, line) => {
    const text = Array.from({ length: 2 + random() * 10 }, word).join(" ");
    return `${"  ".repeat(random() * 4)}${text}${line % 7 === 0 ? ";" : ""}`;
  }).join("\n");
  return (bytes) => {
    const at = Math.floor(random() * (corpus.length - bytes));
    return corpus.slice(at, at + bytes);
  };
}

/** Makes the changes of one session with at least so many entries, the next one at every call. */
export type Workload = (entries: number) => Generator<WorkloadChange, void, undefined>;

/**
 * Prompts with their admission, four rounds of a tool each, receipts: about 900 bytes of text an entry on average, structured
 * values in about 60 % of them. The same for a seed in every run.
 */
export function createWorkload(seed = 7): Workload {
  const random = new Random(seed);
  const text = createCorpus(random.next);
  const ticks = { now: START };
  const ids = workloadIds(seed + 1, ticks);
  return (entries) => changesOf({ random, text, ids, ticks }, entries);
}

function* changesOf(parts: Omit<TurnParts, "turn">, entries: number): Generator<WorkloadChange, void, undefined> {
  let count = 0;
  let leaf: EntryId | undefined;
  let prompt: EntryId | undefined;
  let isEnding = false;
  for (let turn = 0; count < entries; turn += 1) {
    // All lengths end with the same texts, so that their last screens compare.
    if (!isEnding && entries - count < ENDING) parts.random.restart(ENDING);
    isEnding ||= entries - count < ENDING;
    const session = new Turn({ ...parts, turn });
    for (const change of session.changes(leaf, prompt)) {
      count += change.entries.length;
      leaf = change.leaf;
      yield change;
    }
    prompt = session.prompt;
  }
}

interface TurnParts {
  readonly ids: IdSource;
  readonly random: Random;
  readonly text: (bytes: number) => string;
  readonly ticks: Ticks;
  readonly turn: number;
}

interface ToolRun {
  readonly call: CallId;
  readonly effect: EffectId;
  readonly path: string;
  readonly round: number;
}

class Turn {
  readonly #parts: TurnParts;
  readonly #time: number;
  readonly #work: WorkId;
  readonly #submission: SubmissionId;
  #leaf: EntryId | undefined;
  prompt: EntryId | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#time = parts.ticks.now;
    this.#work = parts.ids.next();
    this.#submission = parts.ids.next();
  }

  *changes(leaf: EntryId | undefined, prompt: EntryId | undefined): Generator<WorkloadChange, void, undefined> {
    this.#leaf = leaf;
    this.prompt = prompt;
    yield this.#change(prompt === undefined ? [...this.#setting(), ...this.#admission()] : this.#admission());
    for (let round = 0; round < ROUNDS; round += 1) {
      const tool: ToolRun = {
        call: this.#parts.ids.next<CallId>(),
        effect: this.#parts.ids.next<EffectId>(),
        path: `src/part-${this.#parts.turn % 997}/file-${round}.ts`,
        round,
      };
      yield this.#change(this.#request(round));
      yield this.#change(this.#toolCall(tool));
      yield this.#change(this.#toolResult(tool));
    }
    yield this.#change(this.#end());
  }

  #change(entries: readonly Entry[]): WorkloadChange {
    return { entries, leaf: this.#leaf, time: this.#parts.ticks.now };
  }

  get #base(): { readonly id: EntryId; readonly time: number } {
    return { id: this.#parts.ids.next<EntryId>(), time: this.#time };
  }

  /** The next node of the branch. */
  get #node(): { readonly id: EntryId; readonly time: number; readonly parent?: EntryId } {
    const base = this.#base;
    const parent = this.#leaf;
    this.#leaf = base.id;
    return parent === undefined ? base : { ...base, parent };
  }

  /** Text of a mean length, seldom much longer. */
  #text(mean: number): string {
    const { random, text, turn } = this.#parts;
    const long = random.next() < 0.06 ? 6 : 0.68;
    const body = text(Math.ceil(mean * long * (0.5 + random.next())));
    return turn % NEEDLE_EVERY === 5 && random.next() < 0.25 ? `${body}\n${NEEDLE} ${turn}` : body;
  }

  #setting(): readonly Entry[] {
    const info: Entry = { type: "session-info", ...this.#node, name: "bench", cwd: "/home/someone/project", version: "1.0.0" };
    const prompt: Entry = { type: "prompt", ...this.#node, system: this.#parts.text(6000), tools: [], generation: 1 };
    this.prompt = prompt.id;
    return [info, prompt];
  }

  #admission(): readonly Entry[] {
    const text = this.#text(500);
    const [submission, work] = [this.#submission, this.#work];
    return [
      { type: "submission", ...this.#base, submission, work, delivery: "turn", text },
      { type: "work", ...this.#base, work, state: "running" },
      { type: "user-message", ...this.#node, submission, work, source: "prompt", text },
    ];
  }

  #request(round: number): readonly Entry[] {
    return [
      {
        type: "request",
        ...this.#base,
        ...(this.#leaf === undefined ? {} : { parent: this.#leaf }),
        request: this.#parts.ids.next<RequestId>(),
        work: this.#work,
        prompt: this.prompt ?? this.#parts.ids.next<EntryId>(),
        selection: "default",
        dispatch: { provider: "openai-compatible", model: "bench-model" },
        attempt: 1,
        generation: 1,
        messageCount: this.#parts.turn * ROUNDS + round,
      },
    ];
  }

  #toolCall({ call, effect, path, round }: ToolRun): readonly Entry[] {
    const [work, turn] = [this.#work, this.#parts.turn];
    const args = { path, offset: turn, limit: 2000 };
    return [
      this.#assistant("tool-use", 1400),
      {
        type: "tool-call",
        ...this.#node,
        work,
        call,
        ordinal: 0,
        name: "read",
        providerId: `call_${turn}_${round}`,
        argsText: JSON.stringify(args),
        args,
      },
      {
        type: "effect-intent",
        ...this.#base,
        effect,
        work,
        cause: call,
        operation: "fs.read",
        plugin: "smith.read",
        generation: 1,
        input: args,
      },
      { type: "work", ...this.#base, work, state: "waiting" },
    ];
  }

  #toolResult({ call, effect, path }: ToolRun): readonly Entry[] {
    const work = this.#work;
    return [
      { type: "effect-done", ...this.#base, effect, work, outcome: "not-applied", output: this.#text(1150) },
      {
        type: "tool-result",
        ...this.#node,
        work,
        call,
        name: "read",
        text: this.#text(4400),
        isError: false,
        mutation: "not-applied",
        omittedBytes: 0,
        durationMs: 12,
        summary: `1-80 of ${path}`,
      },
    ];
  }

  #assistant(stop: "stop" | "tool-use", mean: number): Entry {
    return {
      type: "assistant",
      ...this.#node,
      work: this.#work,
      request: this.#parts.ids.next<RequestId>(),
      stop,
      text: this.#text(mean),
      thinking: [],
      usage: { inputTokens: 12_000 + this.#parts.turn, outputTokens: 300 },
      dispatch: { provider: "openai-compatible", model: "bench-model" },
    };
  }

  #end(): readonly Entry[] {
    const [submission, work] = [this.#submission, this.#work];
    return [
      this.#assistant("stop", 1400),
      { type: "receipt", ...this.#base, submission, work, status: "ok", reason: "done" },
      { type: "work", ...this.#base, work, state: "settled" },
    ];
  }
}

/** Bytes of the texts that a search looks through. */
export function textBytes({ entries }: WorkloadChange): number {
  let bytes = 0;
  for (const entry of entries) {
    if (entry.type === "user-message" || entry.type === "assistant" || entry.type === "tool-result") bytes += entry.text.length;
    else if (entry.type === "tool-call") bytes += entry.argsText.length;
    else if (entry.type === "prompt") bytes += entry.system.length;
  }
  return bytes;
}
