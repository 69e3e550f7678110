import { readdirSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { after, call, say } from "../../support/model-server.js";
import { appears, linesOf } from "../support/place.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOfType, lastEvent, type Running, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

interface Held {
  readonly place: Scripted;
  readonly holder: Running;
  readonly id: string;
}

/** A first process that runs a command until `release` exists. */
async function held(): Promise<Held> {
  const place = await createScripted({
    script: (_request, n) =>
      n === 0
        ? call("shell", { command: "echo begun >> marker; while [ ! -e release ]; do sleep 0.05; done" })
        : say(`answer ${String(n)}`),
  });
  here = place;
  const holder = place.start(["eval", "--json", "hold it"], { input: "" });
  await appears(`${place.work}/marker`);
  return { place, holder, id: textOf(lastEvent(holder.stdout())["session"]) };
}

describe("a session that another process writes", () => {
  test.each([
    ["--session ID", (id: string) => ["eval", "--session", id, "me too"]],
    ["--session with the last digits", (id: string) => ["eval", "--session", id.slice(-6), "me too"]],
    ["-c", () => ["eval", "-c", "me too"]],
  ])("refuses %s with status 4 before anything is sent, names the process, and lets the first one finish", async (_name, args) => {
    const { place, holder, id } = await held();
    const second = await place.run(args(id));
    expect([second.status, second.stdout]).toEqual([4, ""]);
    expect(second.stderr).toContain("session.busy");
    expect(second.stderr).toMatch(new RegExp(`\\bprocess ${String(holder.pid)}\\b`, "iu"));
    const json = await place.run([...args(id), "--json"]);
    expect(json.status).toBe(4);
    expect(lastEvent(json.stdout)).toMatchObject({ type: "run_end", status: "error", error: { code: "session.busy", exit: 4 } });
    expect(place.server.all).toHaveLength(1);
    place.file("release", "");
    const first = await holder.ended;
    expect(first.status).toBe(0);
    expect(eventsOfType(first.stdout, "tool_end")).toMatchObject([{ isError: false, mutation: "applied" }]);
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
  });

  test("can be listed, searched and read while it is written", async () => {
    const { place, holder, id } = await held();
    const [list, grep, get] = await Promise.all([
      place.run(["sessions", "list", "--json"]),
      place.run(["sessions", "grep", "--json", "hold it"]),
      place.run(["sessions", "get", "--json", id]),
    ]);
    expect([list.status, grep.status, get.status]).toEqual([0, 0, 0]);
    expect(list.stdout).toContain(id);
    expect(lastEvent(grep.stdout)).toMatchObject({ session: id, text: "hold it" });
    expect(lastEvent(get.stdout)).toMatchObject({ type: "effect-intent", operation: "process.run" });
    expect([list.stderr, grep.stderr, get.stderr]).toEqual(["", "", ""]);
    place.file("release", "");
    expect((await holder.ended).status).toBe(0);
  });

  test("is free again at once when its writer was killed, and history goes on in one line", async () => {
    const { place, holder, id } = await held();
    holder.kill("SIGKILL");
    await holder.ended;
    const next = await place.run(["eval", "--session", id, "go on"]);
    expect(next.status).toBe(0);
    const request = place.server.requests.at(-1);
    expect(request === undefined ? [] : messagesOf(request).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      // Many servers refuse a user's message directly after a tool's result.
      "assistant",
      "user",
    ]);
    expect(place.server.complaints).toEqual([]);
    expect(readdirSync(place.sessions).filter((name) => name.endsWith(".smith"))).toHaveLength(1);
  });
});

describe("two runs in one folder", () => {
  test("make two sessions, each with its own prompt and answer", async () => {
    const server = { open: (): void => undefined };
    const gate = new Promise<void>((resolve) => {
      server.open = resolve;
    });
    const place = await createScripted({
      script: (request, n) => {
        if (n === 1) server.open();
        return after(gate, say(`echo ${textOf(messagesOf(request).at(-1)?.["content"])}`));
      },
    });
    here = place;
    const [one, two] = await Promise.all([place.run(["eval", "first"]), place.run(["eval", "second"])]);
    expect([one.stdout, two.stdout]).toEqual(["echo first\n", "echo second\n"]);
    expect(readdirSync(place.sessions).filter((name) => name.endsWith(".smith"))).toHaveLength(2);
  });
});
