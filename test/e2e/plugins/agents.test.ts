import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { call, hang, type RecordedRequest, say } from "../../support/model-server.js";
import { appears } from "../support/place.js";
import { messagesOf } from "../support/scripted.js";
import { textOf } from "../support/smith.js";
import { openSession, openWorld, type Told, type World } from "./runtime.js";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const taskOf = (request: RecordedRequest): string => textOf(messagesOf(request).find(({ role }) => role === "user")?.["content"]);
const rounds = (request: RecordedRequest): number => messagesOf(request).filter(({ role }) => role === "assistant").length;

/** A session whose agent finds `agent`, gives it the task `below` with writing allowed, and answers. */
const asking = async (below: (round: number) => ReturnType<typeof say>): Promise<Told & { readonly project: string }> => {
  const own = [call("tool_search", { query: "select:agent" }), call("agent", { task: "below", write: true })];
  world = await openWorld({
    script: (request) => (taskOf(request) === "below" ? below(rounds(request)) : (own[rounds(request)] ?? say("end"))),
  });
  return { ...(await openSession(await world.open(), { interactive: true, mode: "ask-writes" })), project: world.project };
};

const writes = (round: number): ReturnType<typeof say> =>
  round === 0 ? call("write", { path: "made.txt", content: "x" }) : say("below is done");

describe("a sub-agent that would change something", () => {
  test("has a person asked by the name of the tool, and what it changed is what its asker changed", async () => {
    const { session, event, turn, events, project } = await asking(writes);
    const reply = turn("go");
    const asked = await event("approval");
    expect(asked).toMatchObject({ name: "write", args: { path: "made.txt" } });
    expect(session.status().pendingApproval).toMatchObject({ name: "write" });
    expect(existsSync(join(project, "made.txt"))).toBe(false);
    session.answer(asked.id, "once");
    expect(await reply).toBe("end");
    expect(existsSync(join(project, "made.txt"))).toBe(true);
    const ends = events.flatMap((one) => (one.type === "tool_end" ? [one] : []));
    expect(ends.map(({ name, mutation, result }) => [name, mutation, result]).slice(1)).toEqual([["agent", "applied", "below is done"]]);
  });

  test("and is not allowed to goes on with that answer", async () => {
    const { session, event, turn, project } = await asking(writes);
    const reply = turn("go");
    session.answer((await event("approval")).id, "deny", "not now");
    expect(await reply).toBe("end");
    expect(existsSync(join(project, "made.txt"))).toBe(false);
    const told = world?.server.requests.find((request) => taskOf(request) === "below" && rounds(request) === 1);
    expect(told === undefined ? "" : textOf(messagesOf(told).at(-1)?.["content"])).toContain("not now");
  });
});

describe("an abort of the turn", () => {
  test.each([
    ["waits for its model", () => hang()],
    ["runs a command", () => call("shell", { command: "echo x > begun; exec sleep 600" })],
  ])("ends the sub-agent that %s, and the session goes on", async (name, below) => {
    const { session, events, turn, project } = await asking(below);
    session.setMode("auto");
    const receipt = await session.submit({ text: "go" });
    if (!receipt.ok) throw new Error(receipt.error.what);
    await world?.server.request(2);
    if (name === "runs a command") await appears(join(project, "begun"));
    await session.abort();
    expect(await receipt.value.settled).toMatchObject({ status: "aborted", reason: "abort" });
    const ends = events.flatMap((one) => (one.type === "tool_end" ? [one] : []));
    expect(ends.at(-1)).toMatchObject({ name: "agent", isError: true });
    expect(events.flatMap((one) => (one.type === "error" ? [one.diagnostic.code] : []))).toEqual(["route.unknown-facts"]);
    expect(await turn("more")).toBe("end");
  });
});
