import { createInterface } from "node:readline";
import type { EntryId, SessionId } from "../../../../src/base/index.js";
import type { SessionReader, SessionWriter } from "../../../../src/session/index.js";
import { storeOfArguments } from "../../support/process-store.js";

/**
 * A process that does with a session what it is told, a line each, and answers each with one line:
 * `open` with `writer` or `reader`; `commit COUNT` with the ids; `stream COUNT` with a line for every acknowledged change,
 * pausing now and then; `close` with `closed`.
 */
const { store, ids, session } = storeOfArguments();
const say = (line: string): void => void process.stdout.write(`${line}\n`);
let held: SessionWriter | SessionReader | undefined;

function writer(): SessionWriter {
  if (held?.access !== "write") throw new Error("not the writer");
  // `access` tells the two apart; the union is not narrowed by it because a writer is a reader too.
  return held as SessionWriter;
}

function change(text: string) {
  const entry = { type: "user-message", id: ids.next<EntryId>(), time: Date.now(), source: "prompt", text } as const;
  return { entries: [entry], leaf: entry.id };
}

async function stream(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const made = change(`${index} `.repeat(1 + ((index * 37) % 300)));
    const { durable } = writer().commit(made);
    // Sometimes many changes share a group, sometimes each has its own, sometimes nothing happens for a while.
    if (index % 7 === 0) await durable;
    else if (index % 40 < 20) await Promise.resolve();
    if (index % 97 === 0) await new Promise((resolve) => setTimeout(resolve, index % 8));
    const line = `${made.entries[0]?.id ?? ""} ${made.entries[0]?.text.length ?? 0}`;
    durable.then(
      () => say(line),
      (error: unknown) => say(`failed ${String(error)}`),
    );
  }
}

const actions: Readonly<Record<string, (argument: string) => Promise<void>>> = {
  open: async () => {
    const opened = await store.open(session as SessionId, "write");
    if (opened.ok) held = opened.value;
    say(opened.ok ? `${opened.value.access === "write" ? "writer" : "reader"}` : `refused ${opened.error.code}`);
  },
  commit: async (text) => {
    const made = change(text);
    await writer().commit(made).durable;
    say(made.leaf);
  },
  stream: (count) => stream(Number(count)),
  close: async () => {
    await held?.close();
    held = undefined;
    say("closed");
  },
};

let last: Promise<void> = Promise.resolve();
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [name = "", ...rest] = line.split(" ");
    last = last.then(() => actions[name]?.(rest.join(" ")));
  })
  .on("close", () => {
    last.then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
