import { describe, expect, test } from "vitest";
import type { EntryId, IdSource } from "../../../src/base/index.js";
import { findRequest, loadState, project, reconstructRequest, recover } from "../../../src/agent/index.js";
import type { Message, ToolDefinition } from "../../../src/schema/index.js";
import type { SessionReader, SessionStore } from "../../../src/session/index.js";
import { chainDigest, extendChain } from "../../../src/agent/request/index.js";
import { answer, outcome, sha256 } from "../fixtures.js";
import type { StoredWalk } from "../stored.js";
import { play, problem, reopened, value, withStore } from "../stored.js";

const tool = (name: string): ToolDefinition => ({
  name,
  plugin: "toy",
  description: `does ${name}`,
  parameters: { type: "object", properties: { b: {}, a: {} } },
  readOnly: true,
  timeoutMs: 1000,
  summaryKeys: [],
});

/** What each request of a conversation was sent, in order: signed thoughts, odd arguments, broken Unicode, an edit, a new prompt. */
function conversation(walk: StoredWalk): readonly (readonly Message[])[] {
  const sent: (readonly Message[])[] = [];
  const round = (...given: Parameters<StoredWalk["round"]>): void => {
    walk.round(...given);
    sent.push(walk.sent);
  };
  walk.say("broken \ud800 text, 😀");
  const call = { ...walk.call("one"), args: { z: 1e21, a: -0, "k\udc00": ["\ud800"], big: 2 ** 53 }, argsText: '{"z":1e21}' };
  round({ ...answer("hm", [call]), thinking: [{ text: "why", signature: "sig==" }, { text: "so" }] });
  walk.settle("one", outcome("cut \udfff"));
  round(answer("seen"));
  walk.input({ type: "context-edited", edits: [{ target: walk.entry("assistant", "seen"), operation: "replace", text: "redacted" }] });
  walk.say("again");
  round(answer("done"), { system: "be better", tools: [tool("grep")], generation: 2, thinking: "high" });
  return sent;
}

const rebuilt = async (reader: SessionReader, which: number | string) => value(await reconstructRequest(reader, which, sha256));

describe("model requests rebuilt from the file alone", () => {
  test("resume and replay reconstruct recorded effective instructions, messages, tool definitions, and dispatch provenance without current configuration", async () => {
    await withStore(async (store, ids) => {
      const [id, sent] = await play(store, ids, async (walk) => {
        const messages = conversation(walk);
        return [(await walk.written()).writer.id, messages] as const;
      });
      const reader = value(await store.open(id, "read"));
      for (const [index, messages] of sent.entries()) {
        const request = await rebuilt(reader, index + 1);
        expect(request.messages).toEqual(messages);
        expect(request).toMatchObject({ number: index + 1, verified: "yes", request: { dispatch: { provider: "toy", model: "toy-1" } } });
      }
      expect(await rebuilt(reader, 1)).toMatchObject({ system: "be good", tools: [] });
      expect(await rebuilt(reader, 3)).toMatchObject({
        system: "be better",
        tools: [tool("grep")],
        request: { thinking: "high", generation: 2 },
      });
      await reader.close();
    });
  });

  test("a request is named by number, by id and by the end of its id; what names none or several is refused", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        conversation(walk);
        const { writer } = await walk.written();
        const second = value(await findRequest(writer, 2));
        expect(await findRequest(writer, second.request.request)).toEqual({ ok: true, value: second });
        expect(await findRequest(writer, second.request.request.slice(-12).toUpperCase())).toEqual({ ok: true, value: second });
        expect(problem(await findRequest(writer, 9))).toMatchObject({
          code: "agent.request-unknown",
          next: expect.stringContaining("1 to 3") as string,
        });
        expect(problem(await findRequest(writer, "abc")).code).toBe("agent.request-unknown");
      });
    });
  });

  test("one that no recorded digest covers says so, and one whose digest differs is not verified", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        walk.say("go");
        const { entries, state } = walk;
        const prepared = walk.prepare();
        const made = prepared.entries.find((entry) => entry.type === "request");
        if (made?.type !== "request") throw new Error("no request");
        const { digest, ...bare } = made;
        walk.take({
          state: walk.state,
          entries: [
            { ...bare, id: ids.next() },
            { ...made, id: ids.next(), digest: sha256(digest ?? "") },
          ],
        });
        expect([entries.length > 0, state.leaf]).not.toContain(undefined);
        await walk.written();
        expect((await rebuilt(walk.writer, 1)).verified).toBe("yes");
        expect((await rebuilt(walk.writer, 2)).verified).toBe("unrecorded");
        expect((await rebuilt(walk.writer, 3)).verified).toBe("no");
      });
    });
  });

  test("inherited requests of a fork are rebuilt as they were", async () => {
    await withStore(async (store, ids) => {
      const [source, sent] = await play(store, ids, async (walk) => {
        const messages = conversation(walk);
        return [(await walk.written()).writer.id, messages] as const;
      });
      const fork = value(await store.fork(source));
      const reader = value(await store.open(fork.id, "read"));
      expect(await rebuilt(reader, 2)).toMatchObject({ messages: sent[1], verified: "yes", request: { inherited: true } });
      await reader.close();
    });
  });

  test("a record of a later version that decides what the model saw makes the rebuilding refuse", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        walk.say("go").round(answer("done"));
        const id = ids.next<EntryId>();
        const parent = walk.state.leaf === undefined ? {} : { parent: walk.state.leaf };
        walk.take({
          state: { ...walk.state, leaf: id },
          entries: [{ type: "unknown", id, time: 2000, ...parent, kind: 201, flags: 5, raw: { sub: 0, aux: 0, payloads: [] } }],
        });
        walk.say("on").prepare();
        await walk.written();
        expect((await rebuilt(walk.writer, 1)).verified).toBe("yes");
        expect(problem(await reconstructRequest(walk.writer, 2, sha256)).code).toBe("agent.unknown-semantics");
      });
    });
  });
});

describe("digest of the messages", () => {
  test("only messages that are new since the last request are hashed", () => {
    const hashed: string[] = [];
    const counting = (text: string): string => {
      hashed.push(text);
      return sha256(text);
    };
    const messages: Message[] = ["a", "b", "c"].map((text) => ({ role: "user", text }));
    const first = extendChain({ messages: [], digests: [] }, messages.slice(0, 2), counting);
    expect(hashed).toHaveLength(2);
    const second = extendChain(
      first,
      messages.map((message) => ({ ...message })),
      counting,
    );
    expect(hashed).toHaveLength(3);
    expect(chainDigest(second)).toBe(chainDigest(extendChain({ messages: [], digests: [] }, messages, sha256)));
    expect(chainDigest(second)).not.toBe(chainDigest(extendChain({ messages: [], digests: [] }, messages.toReversed(), sha256)));
  });

  test("is the chain that the format says", () => {
    const one: Message = { role: "user", text: "é" };
    const two: Message = { role: "assistant", text: "", toolCalls: [], from: { provider: "p", model: "m" } };
    const after = sha256('{"role":"user","text":"é"}');
    expect(chainDigest(extendChain({ messages: [], digests: [] }, [one, two], sha256))).toBe(
      sha256(`${after}{"from":{"model":"m","provider":"p"},"role":"assistant","text":"","toolCalls":[]}`),
    );
  });
});

test("projection of a reopened session is what the writer had", async () => {
  await withStore(async (store: SessionStore, ids: IdSource) => {
    const [id, messages] = await play(store, ids, async (walk) => {
      conversation(walk);
      return [(await walk.written()).writer.id, project(walk.state.history)] as const;
    });
    await reopened(store, id, ids, async ({ writer, state }) => {
      expect(project(state.history)).toEqual(messages);
      expect(value(await loadState(writer, await recover(writer))).prompt).toMatchObject({ system: "be better" });
    });
  });
});
