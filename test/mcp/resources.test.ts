import { afterEach, describe, expect, test } from "vitest";
import { type EntryId, err, ok, type Result, type SessionId } from "../../src/base/index.js";
import type { Inspection } from "../../src/runtime/index.js";
import type { Diagnostic, Entry, SessionSummary } from "../../src/schema/index.js";
import { fakeId } from "../support/fake-session.js";
import { createManualClock } from "../support/manual-clock.js";
import { CWD, problem, serve, type Served, turns } from "./bench.js";

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

async function start(...args: Parameters<typeof serve>): Promise<Served> {
  served = await serve(...args);
  return served;
}

const ID = fakeId<SessionId>();
const URI = `smith://sessions/${ID}`;

const of = (id: SessionId, fields: Partial<SessionSummary> = {}): SessionSummary => ({
  ...{ id, path: `/data/${id}.smith`, createdAt: 1, updatedAt: 1, bytes: 1, state: "sound", cwd: CWD },
  ...fields,
});

const stamp = (): { readonly id: EntryId; readonly time: number } => ({ id: fakeId<EntryId>(), time: 1 });
const info = (cwd: string): Entry => ({ type: "session-info", ...stamp(), cwd });
const said = (text: string): Entry => ({ type: "user-message", ...stamp(), text }) as Entry;
const replied = (text: string): Entry => ({ type: "assistant", ...stamp(), text }) as Entry;

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item, void, undefined> {
  for (const item of items) yield await Promise.resolve(item);
}

interface Stored {
  readonly lines?: readonly Result<string, Diagnostic>[];
  readonly entries?: readonly Result<Entry, Diagnostic>[];
  readonly cwd?: string;
}

/** One session that holds this. */
function storing({ lines = [], entries = [], cwd = CWD }: Stored): Partial<Inspection> {
  return {
    dump: () => each(lines),
    entries: (id, { types } = {}) => each(id !== ID ? [err(problem())] : types === undefined ? entries : [ok(info(cwd))]),
  };
}

async function read(here: Served, uri: string): Promise<{ readonly text: string; readonly _meta?: Record<string, unknown> }> {
  const [content] = (await here.client.readResource({ uri })).contents;
  if (content === undefined || !("text" in content)) throw new Error("it has text");
  expect(content.uri).toBe(uri);
  return { text: content.text, ...(content._meta === undefined ? {} : { _meta: content._meta }) };
}

describe("the list of sessions", () => {
  test("comes page by page, newest first, each once, those of one moment too", async () => {
    const summaries = Array.from({ length: 120 }, (_, n) =>
      of(fakeId(), { updatedAt: 1_000 - Math.floor(n / 7), firstPrompt: `p ${String(n)}` }),
    );
    const here = await start({
      inspection: {
        list: ({ cwd, until = Infinity } = {}) => each(summaries.filter((one) => one.cwd === cwd && one.updatedAt <= until)),
      },
    });
    const found: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await here.client.listResources(cursor === undefined ? {} : { cursor });
      found.push(...page.resources.map(({ name }) => name));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect([pages, found]).toEqual([3, summaries.map(({ id }) => id)]);
  });

  test("says of each what is known of it", async () => {
    const summary = of(ID, { name: "a\nname", model: "fast", turns: 3, state: "damaged", updatedAt: Date.UTC(2026, 0, 2) });
    const here = await start({ inspection: { list: () => each([summary]) } });
    expect((await here.client.listResources()).resources).toEqual([
      {
        ...{ uri: URI, name: ID, title: "a name", mimeType: "application/jsonl" },
        description: "Session of smith, as recorded: JSON Lines, fast, 3 turns, damaged",
        annotations: { lastModified: "2026-01-02T00:00:00.000Z" },
      },
    ]);
  });

  test.each(["x", "bm90IGpzb24", Buffer.from("[1]").toString("base64url"), Buffer.from("7").toString("base64url")])(
    "takes no cursor it did not give: %s",
    async (cursor) => {
      const here = await start();
      await expect(here.client.listResources({ cursor })).rejects.toMatchObject({ code: -32602 });
    },
  );

  test("has templates for records and conversations", async () => {
    const { client } = await start();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "smith://sessions/{id}{?from}",
      "smith://sessions/{id}/transcript{?from}",
    ]);
  });

  test("completes ids, a hundred at most", async () => {
    const ids = Array.from({ length: 101 }, () => fakeId<SessionId>());
    const here = await start({ inspection: { list: () => each(ids.map((id) => of(id))) } });
    const complete = async (uri: string, value: string) =>
      (await here.client.complete({ ref: { type: "ref/resource", uri }, argument: { name: "id", value } })).completion;
    const template = "smith://sessions/{id}{?from}";
    expect(await complete(template, ids[3] ?? "")).toEqual({ values: [ids[3]], hasMore: false });
    expect(await complete(template, "")).toEqual({ values: ids.slice(0, 100), hasMore: true });
    expect(await complete("file:///{id}", "")).toEqual({ values: [], hasMore: false });
  });
});

describe("a session", () => {
  const line = (n: number): string => JSON.stringify({ n, fill: "x".repeat(400_000) });
  const lines = [0, 1, 2, 3, 4].map((n) => ok(line(n)));

  test("that is short is read whole", async () => {
    const here = await start({ inspection: storing({ lines: [ok('{"a":1}'), ok('{"b":2}')] }) });
    expect(await read(here, URI)).toEqual({ text: '{"a":1}\n{"b":2}\n' });
  });

  test("that is long is read from its end, or page by page from a place on, no record twice or lost", async () => {
    const here = await start({ inspection: storing({ lines }) });
    expect(await read(here, URI)).toEqual({ text: `${line(3)}\n${line(4)}\n`, _meta: { "smith/from": 3 } });
    const found: string[] = [];
    let uri: unknown = `${URI}?from=0`;
    for (let pages = 0; typeof uri === "string"; pages += 1) {
      expect(pages).toBeLessThan(3);
      const page = await read(here, uri);
      found.push(...page.text.trimEnd().split("\n"));
      uri = page._meta?.["smith/next"];
    }
    expect(found).toEqual([0, 1, 2, 3, 4].map(line));
    expect(await read(here, `${URI}?from=9`)).toEqual({ text: "", _meta: { "smith/from": 9 } });
  });

  test("gives a record that is longer than a page by itself", async () => {
    const long = "y".repeat(3 * 1024 * 1024);
    const here = await start({ inspection: storing({ lines: [ok("a"), ok(long), ok("b")] }) });
    expect(await read(here, `${URI}?from=1`)).toEqual({ text: `${long}\n`, _meta: { "smith/from": 1, "smith/next": `${URI}?from=2` } });
    expect(await read(here, URI)).toEqual({ text: "b\n", _meta: { "smith/from": 2 } });
  });

  test("is read as a conversation with the places of what is left out", async () => {
    const fill = "z".repeat(600_000);
    const here = await start({
      inspection: storing({ entries: [ok(info(CWD)), ok(said(`one ${fill}`)), ok(replied("two")), ok(said(`three ${fill}`))] }),
    });
    const newest = await read(here, `${URI}/transcript`);
    expect(newest.text).toMatch(
      /^\*1 earlier parts are left out; they begin at smith:\S+\/transcript\?from=0\*\n\n## Assistant\n\ntwo\n\n## User\n\nthree z/u,
    );
    const oldest = await read(here, `${URI}/transcript?from=0`);
    expect(oldest.text).toMatch(/^## User\n\none z+\n\n## Assistant\n\ntwo\n\n\n\*It goes on at smith:\S+\/transcript\?from=2\*\n$/u);
    expect(oldest._meta).toEqual({ "smith/from": 0, "smith/next": `${URI}/transcript?from=2` });
  });

  test("that is damaged is given as far as it can be read, and is a failure only where nothing can be", async () => {
    const damage = err(problem({ what: "A record is damaged." }));
    const here = await start({
      inspection: storing({ lines: [ok("a"), damage, ok("b")], entries: [ok(said("one")), damage, ok(replied("two"))] }),
    });
    expect((await read(here, URI)).text).toBe("a\nb\n");
    expect((await read(here, `${URI}/transcript`)).text).toBe(
      "## User\n\none\n\n*Damage: A record is damaged.*\n\n## Assistant\n\ntwo\n\n",
    );
    await here.close();
    const lost = await start({ inspection: storing({ lines: [damage], entries: [damage] }) });
    await expect(read(lost, URI)).rejects.toMatchObject({ code: -32603, data: { code: "test.failed" } });
    await expect(read(lost, `${URI}/transcript`)).rejects.toMatchObject({ code: -32603 });
  });

  test.each([
    ["of another folder", URI, "/work/elsewhere"],
    ["that is not there", `smith://sessions/${fakeId<SessionId>()}`, CWD],
    ["by another address", "file:///etc/passwd", CWD],
    ["with more behind it", `${URI}/transcript/x`, CWD],
    ["with another part", `${URI}/other`, CWD],
    ["with a place that is none", `${URI}?from=-1`, CWD],
    ["with a query of another kind", `${URI}?to=1`, CWD],
    ["above it", "smith://sessions/../x", CWD],
  ])("%s is neither read nor subscribed to", async (_name, uri, cwd) => {
    const here = await start({ inspection: storing({ lines: [ok("a")], cwd }) });
    await expect(here.client.readResource({ uri })).rejects.toMatchObject({ code: -32002 });
    await expect(here.client.subscribeResource({ uri })).rejects.toMatchObject({ code: -32002 });
  });
});

describe("a subscription", () => {
  test("hears once of records that come together, and no more when it is ended", async () => {
    const clock = createManualClock();
    const gates: ((entries: readonly Entry[]) => void)[] = [];
    let isOver = false;
    const here = await start({
      clock,
      inspection: {
        ...storing({}),
        async *entries(_id, { types, follow, signal } = {}) {
          if (types !== undefined) yield ok(info(CWD));
          if (follow !== true) return;
          yield ok(said("old"));
          while (signal?.aborted !== true) {
            const entries = await new Promise<readonly Entry[]>((resolve) => {
              gates.push(resolve);
              signal?.addEventListener("abort", () => {
                resolve([]);
              });
            });
            for (const entry of entries) yield ok(entry);
          }
          isOver = true;
        },
      },
    });
    const grow = async (): Promise<void> => {
      const now = { time: clock.now() };
      gates.pop()?.([
        { ...said("a"), ...now },
        { ...replied("b"), ...now },
      ]);
      await clock.sleeping();
      await clock.advance(100);
      await here.client.ping();
    };
    const updates = (): readonly unknown[] =>
      here.notices.filter(({ method }) => method === "notifications/resources/updated").map(({ params }) => params);
    await here.client.subscribeResource({ uri: URI });
    await here.client.subscribeResource({ uri: URI });
    await turns();
    expect(updates()).toEqual([]);
    await grow();
    expect(updates()).toEqual([{ uri: URI }]);
    await grow();
    expect(updates()).toHaveLength(2);
    await here.client.unsubscribeResource({ uri: URI });
    await turns();
    expect(isOver).toBe(true);
    await here.client.unsubscribeResource({ uri: URI });
  });
});
