import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { call, say } from "../../support/model-server.js";
import { appears, linesOf } from "../support/place.js";
import { createScripted, lastOf, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOf, lastEvent, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

/** A session whose writer was killed while its shell command ran. */
async function killed(): Promise<{ readonly place: Scripted; readonly id: string }> {
  const place = await createScripted({
    script: (_request, n) => (n === 0 ? call("shell", { command: "echo begun >> marker; exec sleep 600" }) : say("I look at it first.")),
  });
  here = place;
  const first = place.start(["eval", "start the long job"], { input: "" });
  await appears(`${place.work}/marker`);
  first.kill("SIGKILL");
  await first.ended;
  const [summary] = eventsOf((await place.run(["sessions", "list", "--json"])).stdout);
  return { place, id: textOf(summary?.["id"]) };
}

describe("an effect whose end was not recorded", () => {
  test("is listed, gets a person's word once, is told to the model as that, and is not run again", async () => {
    const { place, id } = await killed();
    const listed = await place.run(["sessions", "reconcile", "--json", id]);
    expect([listed.status, listed.stderr]).toEqual([0, ""]);
    const [effect, ...more] = eventsOf(listed.stdout);
    expect(more).toEqual([]);
    expect(effect).toMatchObject({ operation: "process.run", running: false });
    const text = await place.run(["sessions", "reconcile", id.slice(-8)]);
    const short = textOf(effect?.["effect"]).slice(-8);
    expect(text.stdout).toMatch(new RegExp(`^${short} {2}\\S+ \\S+ {2}process\\.run {2}echo begun`, "u"));

    const said = await place.run(["sessions", "reconcile", id, short, "--as", "applied", "--note", "I saw it run"]);
    expect(said).toMatchObject({ status: 0, stdout: `${short} process.run: applied\n`, stderr: "" });
    expect(await place.run(["sessions", "reconcile", id])).toMatchObject({ status: 0, stdout: "" });
    const records = eventsOf((await place.run(["sessions", "get", "--json", "--kind", "effect", id])).stdout);
    expect(records.at(-1)).toMatchObject({ type: "reconciled", effect: effect?.["effect"], outcome: "applied", note: "I saw it run" });

    const next = await place.run(["eval", "--json", "-c", "go on"]);
    expect(next.status).toBe(0);
    expect(lastOf(place.server.requests[1] ?? { body: {} }, "tool")).toContain("applied");
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
    expect(place.server.complaints).toEqual([]);
  });

  test.each([
    ["an effect that is not there", ["ffffffff", "--as", "applied"], 1],
    ["an outcome that is none", ["ffffffff", "--as", "perhaps"], 2],
    ["no outcome", ["ffffffff"], 2],
  ])("%s is refused", async (_name, args, status) => {
    const { place, id } = await killed();
    const before = readFileSync(join(place.sessions, `${id}.smith`));
    const refused = await place.run(["sessions", "reconcile", id, ...args]);
    expect([refused.status, refused.stdout]).toEqual([status, ""]);
    expect(readFileSync(join(place.sessions, `${id}.smith`)).equals(before)).toBe(true);
  });
});

describe("work that was interrupted", () => {
  test("goes on with --resume-work: the model learns what is unknown, nothing is run again, and then there is none", async () => {
    const { place } = await killed();
    const resumed = await place.run(["eval", "--json", "-c", "--resume-work"]);
    expect(resumed.status).toBe(0);
    expect(lastEvent(resumed.stdout)).toMatchObject({ type: "run_end", status: "ok", reply: "I look at it first." });
    const sent = messagesOf(place.server.requests[1] ?? { body: {} });
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(textOf(sent.at(-1)?.["content"])).toContain("unknown");
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
    const again = await place.run(["eval", "-c", "--resume-work"]);
    expect([again.status, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toMatch(/^error\[[a-z.-]+\]/u);
    expect(place.server.requests).toHaveLength(2);
  });

  test("of a fork belongs to its source: there is nothing to resume or reconcile there", async () => {
    const { place, id } = await killed();
    const fork = (await place.run(["sessions", "fork", id])).stdout.trim();
    expect((await place.run(["eval", "--session", fork, "--resume-work"])).status).toBe(1);
    expect(await place.run(["sessions", "reconcile", fork])).toMatchObject({ status: 0, stdout: "" });
    expect(place.server.requests).toHaveLength(1);
  });
});

describe("while another process writes a session", () => {
  test("it is forked, not renamed, repaired, reconciled or deleted", async () => {
    const place = await createScripted({
      script: (_request, n) =>
        n === 0 ? call("shell", { command: "echo begun >> marker; while [ ! -e release ]; do sleep 0.05; done" }) : say("done"),
    });
    here = place;
    const holder = place.start(["eval", "--json", "hold it"], { input: "" });
    await appears(`${place.work}/marker`);
    const id = textOf(lastEvent(holder.stdout())["session"]);
    const listed = await place.run(["sessions", "reconcile", "--json", id]);
    const [effect] = eventsOf(listed.stdout);
    expect(effect).toMatchObject({ running: true });
    for (const args of [
      ["rename", id, "x"],
      ["repair", id],
      ["delete", "--yes", id],
      ["reconcile", id, textOf(effect?.["effect"]), "--as", "applied"],
    ]) {
      const refused = await place.run(["sessions", ...args]);
      expect([args[0], refused.status, refused.stdout]).toEqual([args[0], 4, ""]);
      expect(refused.stderr).toContain("session.busy");
      expect(refused.stderr).toContain("fork");
    }
    expect((await place.run(["sessions", "list", "--json", "--state", "busy"])).stdout).toContain(id);
    const fork = await place.run(["eval", "--fork", id.slice(-8), "meanwhile"]);
    expect([fork.status, fork.stdout]).toEqual([0, "done\n"]);
    place.file("release", "");
    expect((await holder.ended).status).toBe(0);
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
    expect((await place.run(["sessions", "verify", "--all"])).status).toBe(0);
  });
});
