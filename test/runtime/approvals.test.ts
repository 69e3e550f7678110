import { describe, expect, test } from "vitest";
import type { CallId, EntryId, JsonObject, WorkId } from "../../src/base/index.js";
import { type Approvals, createApprovals } from "../../src/runtime/session/people/index.js";
import type { ToolCallEntry, ToolDefinition } from "../../src/schema/index.js";
import { answer, outcome, toolCall } from "../agent/fixtures.js";
import { gate, type Live, withLive } from "./live-bench.js";

const tool = (name: string): ToolDefinition => ({
  name,
  plugin: "t",
  description: "",
  parameters: {},
  readOnly: false,
  timeoutMs: 1,
  summaryKeys: [],
});
const call = (id: string, args: JsonObject = {}): ToolCallEntry => ({
  type: "tool-call",
  id: id as EntryId,
  time: 1,
  work: "w" as WorkId,
  call: id as CallId,
  ordinal: 0,
  name: "write",
  providerId: id,
  argsText: "{}",
  args,
});
const open = { signal: new AbortController().signal };

function setup(interactive = true): { readonly approvals: Approvals; readonly log: string[] } {
  const log: string[] = [];
  const approvals = createApprovals({
    interactive,
    onAsk: (pending) => log.push(`ask ${pending.call.call}`),
    onSettled: (pending, allowed) => log.push(`${allowed ? "allow" : "deny"} ${pending.call.call}`),
  });
  return { approvals, log };
}

describe("approvals", () => {
  test("questions are asked one at a time, in order", async () => {
    const { approvals, log } = setup();
    const first = approvals.ask(call("1"), tool("write"), open);
    const second = approvals.ask(call("2"), tool("shell"), open);
    expect(log).toEqual(["ask 1"]);
    approvals.answer("1" as CallId, "once");
    expect(await first).toEqual({ allowed: true, verdict: "once" });
    approvals.answer("2" as CallId, "deny", " use tests instead ");
    expect(await second).toEqual({ allowed: false, verdict: "deny", why: "the user declined it and says: use tests instead" });
    expect(log).toEqual(["ask 1", "allow 1", "ask 2", "deny 2"]);
  });

  test("an answer for the session stands for later calls with the same arguments, and for those that wait", async () => {
    const { approvals, log } = setup();
    const first = approvals.ask(call("1"), tool("write"), open);
    const waiting = approvals.ask(call("2"), tool("write"), open);
    const other = approvals.ask(call("3", { path: "b" }), tool("write"), open);
    approvals.answer("1" as CallId, "session");
    expect([await first, await waiting]).toEqual([
      { allowed: true, verdict: "session" },
      { allowed: true, verdict: "once" },
    ]);
    expect(await approvals.ask(call("4"), tool("write"), open)).toEqual({ allowed: true });
    expect(log).toEqual(["ask 1", "allow 1", "ask 3"]);
    approvals.answer("3" as CallId, "deny");
    expect(await other).toMatchObject({ allowed: false });
  });

  test("only what the summary shows of the arguments makes two calls the same", async () => {
    const { approvals, log } = setup();
    const write = { ...tool("write"), summaryKeys: ["path"] };
    const first = approvals.ask(call("1", { path: "a", content: "1" }), write, open);
    approvals.answer("1" as CallId, "session");
    await first;
    expect(await approvals.ask(call("2", { path: "a", content: "2" }), write, open)).toEqual({ allowed: true });
    const other = approvals.ask(call("3", { path: "b", content: "1" }), write, open);
    await Promise.resolve();
    expect(log.at(-1)).toBe("ask 3");
    approvals.answer("3" as CallId, "once");
    await other;
  });

  test("a rule is remembered by who gave it: here it answers only what waits under the same rule", async () => {
    const { approvals, log } = setup();
    const ruled = { ...open, rule: "write in src/", why: "it changes src/" };
    const first = approvals.ask(call("1", { path: "a" }), tool("write"), ruled);
    const waiting = approvals.ask(call("2", { path: "b" }), tool("write"), ruled);
    const bare = approvals.ask(call("3", { path: "c" }), tool("write"), open);
    approvals.answer("1" as CallId, "project");
    expect([await first, await waiting]).toEqual([
      { allowed: true, verdict: "project" },
      { allowed: true, verdict: "once" },
    ]);
    approvals.answer("3" as CallId, "once");
    await bare;
    const later = approvals.ask(call("4", { path: "a" }), tool("write"), ruled);
    await Promise.resolve();
    expect(log).toEqual(["ask 1", "allow 1", "ask 3", "allow 3", "ask 4"]);
    approvals.answer("4" as CallId, "once");
    await later;
  });

  test("an aborted turn takes its questions back", async () => {
    const { approvals, log } = setup();
    const turn = new AbortController();
    const first = approvals.ask(call("1"), tool("write"), { signal: turn.signal });
    const second = approvals.ask(call("2"), tool("write"), { signal: turn.signal });
    turn.abort();
    expect(await Promise.all([first, second])).toMatchObject([{ allowed: false }, { allowed: false }]);
    expect(log.at(-1)).toMatch(/^deny/);
  });

  test("nobody to ask is a refusal that names the way out", async () => {
    const { approvals, log } = setup(false);
    expect(await approvals.ask(call("1"), tool("write"), open)).toMatchObject({
      allowed: false,
      why: expect.stringContaining("--mode auto") as string,
    });
    expect(await approvals.ask(call("2"), tool("read"), { ...open, why: "It holds secrets." })).toEqual({
      allowed: false,
      why: "a person has to be asked about this call, and nobody can be asked in this run. It holds secrets. Go another way, or say what is needed.",
    });
    expect(log).toEqual([]);
  });
});

describe("an answer for the session", () => {
  const write: ToolDefinition = tool("write");

  let calls = 0;

  /** A turn whose only call asks; resolves with whether a person was asked. */
  async function askIn(live: Live, verdict: "once" | "session"): Promise<boolean> {
    let asked = false;
    const remove = live.session.observe((event) => {
      if (event.type !== "approval") return;
      asked = true;
      live.session.answer(event.id, verdict);
    });
    live.knobs.dispatch = async (_, { approve }) => {
      expect(await approve(write, {})).toMatchObject({ allowed: true });
      return outcome("written");
    };
    const receipt = await live.submit("do it");
    calls += 1;
    const callId = `00000000-0000-7000-8000-${String(calls).padStart(12, "0")}` as CallId;
    (await live.nextRound()).end({ type: "done", result: answer("", [{ ...toolCall("write"), call: callId }]) });
    (await live.nextRound()).end({ type: "done", result: answer("done") });
    await receipt.settled;
    remove();
    return asked;
  }

  test("is kept in its file and read back at reopen; a fork asks again", async () => {
    await withLive(async (bench) => {
      const live = bench.create({ interactive: true });
      expect([await askIn(live, "session"), await askIn(live, "once")]).toEqual([true, false]);
      expect((await bench.entries()).filter((entry) => entry.type === "state")).toMatchObject([
        { owner: "core", key: "approved-calls", version: 1, fork: "fresh", value: [expect.stringMatching(/^write [0-9a-f]{64}$/u)] },
      ]);
      await live.session.close();
      const again = await bench.reopen(bench.id, { interactive: true });
      expect(await askIn(again, "once")).toBe(false);
      const forked = await bench.store.fork(bench.id);
      if (!forked.ok) throw new Error(forked.error.what);
      expect(await askIn(await bench.reopen(forked.value.id, { interactive: true }), "once")).toBe(true);
    });
  });

  test("once leaves nothing behind", async () => {
    await withLive(async (bench) => {
      const live = bench.create({ interactive: true });
      expect([await askIn(live, "once"), await askIn(live, "once")]).toEqual([true, true]);
      expect((await bench.entries()).filter((entry) => entry.type === "state")).toEqual([]);
    });
  });

  test("leaves the question about another tool on the screen, and settles none that was not asked", async () => {
    await withLive(async (bench) => {
      const live = bench.create({ interactive: true });
      const tools = ["write", "edit", "write"].map((name) => tool(name));
      let allowed = 0;
      const release = gate();
      live.knobs.dispatch = async (_, { approve, call: { name } }) => {
        const approval = await approve(tools.find((one) => one.name === name) ?? write, {});
        if (approval.allowed) allowed += 1;
        if (allowed === 2) await release.pass();
        return outcome("done");
      };
      const ids = [1, 2, 3].map((index) => `00000000-0000-7000-8000-00000000aa0${String(index)}` as CallId);
      const calls = ids.map((id, index) => ({ ...toolCall(tools[index]?.name ?? ""), call: id }));
      const shown = async (id: CallId | undefined): Promise<void> => {
        await new Promise<void>((resolve) => {
          const remove = live.session.observe((event) => {
            if (event.type !== "approval" || event.id !== id) return;
            remove();
            resolve();
          });
        });
      };
      const [first, second] = ids;
      if (first === undefined || second === undefined) throw new Error("no calls");
      const asked = shown(first);
      const receipt = await live.submit("do it");
      (await live.nextRound()).end({ type: "done", result: answer("", calls) });
      await asked;
      live.session.answer(first, "session");
      await release.reached;
      expect(live.session.status().pendingApproval).toMatchObject({ id: second });
      release.open();
      await live.session.abort();
      await receipt.settled;
      const told = live.events.flatMap((event) =>
        event.type === "approval" || event.type === "approval_settled" ? [`${event.type} ${event.id}`] : [],
      );
      expect(told).toEqual([`approval ${first}`, `approval_settled ${first}`, `approval ${second}`, `approval_settled ${second}`]);
    });
  });
});
