import { afterEach, describe, expect, test } from "vitest";
import { call, delta, hang, say, sse } from "../../support/model-server.js";
import { appears, linesOf } from "../support/place.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOf, eventsOfType, lastEvent, STACK, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

describe("SIGKILL leaves smith no time for anything", () => {
  test("what its shell command started ends all the same, and nothing of it is run again", async () => {
    const place = await createScripted({
      script: (_request, n) =>
        n === 0
          ? call("shell", { command: 'trap "" TERM; echo begun >> marker; sleep 600 & (sleep 601 | cat); echo late >> marker' })
          : say("I will look first."),
    });
    here = place;
    const running = place.start(["eval", "long job"], { input: "" });
    await appears(`${place.work}/marker`);
    running.kill("SIGKILL");
    await running.ended;
    await place.quiet();
    expect(await place.run(["eval", "-c", "what happened?"])).toMatchObject({ status: 0, stdout: "I will look first.\n" });
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
  });
});

describe.each(SIGNALS)("%s ends a run with status %i", (signal, status) => {
  test("in a shell command: the command and its children end, the session is closed in order and goes on", async () => {
    const place = await createScripted({
      script: (_request, n) =>
        n === 0 ? call("shell", { command: "echo begun >> marker; sleep 600 & sleep 601 | cat" }) : say("I see that it was stopped."),
    });
    here = place;
    const running = place.start(["eval", "--json", "long job"], { input: "" });
    await appears(`${place.work}/marker`);
    running.kill(signal);
    const ended = await running.ended;
    expect(ended.status).toBe(status);
    expect(ended.stderr).toBe("");
    expect(lastEvent(ended.stdout)).toMatchObject({ type: "run_end", status: "aborted", reason: "abort" });
    expect(eventsOfType(ended.stdout, "interrupted")).toHaveLength(1);
    expect(eventsOfType(ended.stdout, "tool_end")).toMatchObject([{ isError: true, mutation: "unknown" }]);
    await place.quiet();

    const entries = eventsOf((await place.run(["sessions", "get", "--json", textOf(lastEvent(ended.stdout)["session"])])).stdout);
    const done = entries.filter(({ type }) => type === "effect-done");
    expect(entries.filter(({ type }) => type === "receipt")).toMatchObject([{ status: "aborted" }]);
    expect(done.map(({ effect }) => effect).toSorted()).toEqual(
      entries
        .filter(({ type }) => type === "effect-intent")
        .map(({ effect }) => effect)
        .toSorted(),
    );
    expect(done.map(({ outcome }) => outcome)).toContain("unknown");
    const next = await place.run(["eval", "-c", "what happened?"]);
    expect(next).toMatchObject({ status: 0, stdout: "I see that it was stopped.\n", stderr: "" });
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
    expect(place.server.complaints).toEqual([]);
  });

  test("in a response: what came so far is kept", async () => {
    const place = await createScripted({
      script: (_request, n) =>
        n === 0 ? sse([delta({ role: "assistant", content: "" }), delta({ content: "half a sen" })], "hang") : say("whole"),
    });
    here = place;
    const running = place.start(["eval", "talk"], { input: "" });
    await running.says("half a sen");
    running.kill(signal);
    expect(await running.ended).toMatchObject({ status, stdout: "half a sen\n", stderr: "" });
    await (
      await place.server.request(0)
    ).closed;
    expect((await place.run(["eval", "-c", "go on"])).status).toBe(0);
    const second = place.server.requests[1];
    expect(
      second === undefined
        ? []
        : messagesOf(second)
            .map(({ role, content }) => [role, content])
            .slice(1),
    ).toEqual([
      ["user", "talk"],
      ["assistant", "half a sen"],
      ["user", "go on"],
    ]);
    expect(place.server.complaints).toEqual([]);
  });
});

describe("signals at other moments", () => {
  test("before the model answers anything", async () => {
    const place = await createScripted({ script: () => hang() });
    here = place;
    const running = place.start(["eval", "--json", "talk"], { input: "" });
    await place.server.request(0);
    running.kill("SIGINT");
    const { status, stdout } = await running.ended;
    expect(status).toBe(130);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "aborted" });
    await place.quiet();
  });

  test("while standard input is waited for: nothing is run", async () => {
    const place = await createScripted({ script: () => say("never") });
    here = place;
    const running = place.start(["eval", "-", "--json"]);
    await running.says("waiting for standard input", "stderr");
    running.kill("SIGTERM");
    const { status, stdout } = await running.ended;
    expect(status).toBe(143);
    expect(eventsOf(stdout)).toMatchObject([{ type: "run_end", status: "aborted" }]);
    expect(place.server.all).toEqual([]);
  });

  test("a second SIGINT ends at once what does not want to end", async () => {
    const place = await createScripted({
      script: () => call("shell", { command: 'trap "" TERM INT; echo begun > marker; while :; do sleep 0.1; done' }),
    });
    here = place;
    const running = place.start(["eval", "long job"], { input: "" });
    await appears(`${place.work}/marker`);
    running.kill("SIGINT");
    running.kill("SIGINT");
    const { status, stderr } = await running.ended;
    expect(status).toBe(130);
    expect(stderr).not.toMatch(STACK);
  });

  test("a command that ignores SIGTERM is killed within its grace", async () => {
    const place = await createScripted({
      script: () => call("shell", { command: 'trap "" TERM INT; echo begun > marker; while :; do sleep 0.1; done' }),
    });
    here = place;
    const running = place.start(["eval", "long job"], { input: "" });
    await appears(`${place.work}/marker`);
    running.kill("SIGTERM");
    expect((await running.ended).status).toBe(143);
    await place.quiet();
  });

  test("Ctrl-C of a terminal reaches the whole group: smith alone handles it, its commands are groups of their own", async () => {
    const place = await createScripted({
      script: () => call("shell", { command: 'trap "echo hit >> hit" INT; echo begun > marker; sleep 600' }),
    });
    here = place;
    const running = place.start(["eval", "long job"], { input: "", group: true });
    await appears(`${place.work}/marker`);
    running.kill("SIGINT");
    expect(await running.ended).toMatchObject({ status: 130, stdout: "", stderr: "" });
    expect(linesOf(`${place.work}/hit`)).toEqual([]);
    await place.quiet();
  });
});
