import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/index.js";
import { call, say } from "../../support/model-server.js";
import { createPlace, type Place } from "../support/place.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { ESCAPES, eventsOf, textOf } from "../support/smith.js";

let here: Scripted | undefined;
let other: Place | undefined;
afterEach(async () => {
  await here?.close();
  await other?.close();
  here = other = undefined;
});

interface Recorded {
  readonly place: Scripted;
  readonly id: string;
  /** Runs `smith sessions …` with status 0 and an empty standard error, and gives standard output. */
  readonly sessions: (...args: readonly string[]) => Promise<string>;
}

/** One session of two turns: the first with a tool call, the second with thinking. */
async function recorded(): Promise<Recorded> {
  const place = await createScripted({
    script: [
      call("shell", { command: "echo twelve > price.txt; echo \u001b[31mdone" }),
      say("The price is written."),
      say("It is twelve.", { reasoning: "I remember it." }),
    ],
  });
  here = place;
  expect((await place.run(["eval", "--name", "Prices", "write the price"])).status).toBe(0);
  expect((await place.run(["eval", "-c", "which price?"])).status).toBe(0);
  const sessions = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await place.run(["sessions", ...args]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).not.toMatch(ESCAPES);
    return stdout;
  };
  const [summary] = eventsOf(await sessions("list", "--json"));
  return { place, id: textOf(summary?.["id"]), sessions };
}

const idsOf = (records: readonly JsonObject[]): readonly string[] => records.map(({ id }) => textOf(id));

/** Everything of an entry but the mark of having come from elsewhere. */
const withoutOrigin = (records: readonly JsonObject[]): readonly JsonObject[] =>
  records.filter(({ type }) => type !== "origin").map(({ inherited: _inherited, ...entry }) => entry);

describe("a recorded session", () => {
  test("is listed by each filter that fits it and by none that does not", async () => {
    const { place, sessions } = await recorded();
    const fits = ["--here", "--cwd .", "--name PRI", "--model script", "--state sound", "--since 1h", "--until 2999-01-01", "--limit 1"];
    const fitsNot = ["--cwd /elsewhere", "--name cost", "--model opus", "--state damaged", "--since 2999-01-01", "--until 1h"];
    const counts = await Promise.all(
      [...fits, ...fitsNot].map(async (flags) => (await sessions("list", "--json", ...flags.split(" "))).length),
    );
    expect(counts.map((bytes) => bytes > 0)).toEqual([...fits.map(() => true), ...fitsNot.map(() => false)]);
    expect(place.server.complaints).toEqual([]);
  });

  test("is searched by pattern, kind, branch and context, with grep's statuses", async () => {
    const { place, id, sessions } = await recorded();
    const short = id.slice(-8);
    expect(await sessions("grep", "-F", "It is twelve")).toMatch(new RegExp(`^${short}:[0-9a-f]{8}:text:1: It is twelve\\.\\n$`, "u"));
    expect(await sessions("grep", "--kind", "thinking", "remember")).toContain(":thinking:1: I remember it.");
    expect(await sessions("grep", "-c", "-i", "PRICE")).toMatch(new RegExp(`^${short}:\\d+\\n$`, "u"));
    expect(await sessions("grep", "-l", "--branch", "--session", short, "price")).toBe(`${short}\n`);
    expect(await sessions("grep", "done", "--kind", "result")).toContain("␛[31mdone");
    expect(await place.run(["sessions", "grep", "--kind", "user", "It is twelve"])).toMatchObject({ status: 1, stdout: "", stderr: "" });
  });

  test("is read whole, by range, by kind and by branch", async () => {
    const { id, sessions } = await recorded();
    const entries = eventsOf(await sessions("get", "--json", id));
    expect(entries.slice(1, 3)).toEqual(eventsOf(await sessions("get", "--json", "--entries", "2..3", id)));
    const users = eventsOf(await sessions("get", "--json", "--kind", "user", id));
    expect(users.map(({ text }) => text)).toEqual(["write the price", "which price?"]);
    const branch = eventsOf(await sessions("get", "--json", "--branch", textOf(users[0]?.["id"]).slice(-8), id));
    expect(branch.at(-1)).toEqual(users[0]);
    expect(idsOf(eventsOf(await sessions("get", "--json", id, "--branch")))).toEqual(expect.arrayContaining([...idsOf(branch)]));
    const text = await sessions("get", id.slice(-8));
    for (const [index, entry] of entries.entries()) expect(text).toContain(`#${String(index + 1)} ${textOf(entry["id"]).slice(-8)} `);
  });

  test("gives back each request as the server got it", async () => {
    const { place, id, sessions } = await recorded();
    for (const [index, sent] of place.server.requests.entries()) {
      const [found] = eventsOf(await sessions("get", "--json", "--request", String(index + 1), id));
      expect(found).toMatchObject({ number: index + 1, verified: "yes" });
      const messages = messagesOf(sent);
      expect(found?.["system"]).toBe(messages[0]?.["content"]);
      const rebuilt = found?.["messages"] as readonly JsonObject[];
      expect(rebuilt.map(({ role }) => role)).toEqual(messages.slice(1).map(({ role }) => role));
      expect(rebuilt.map(({ text }) => text)).toEqual(messages.slice(1).map(({ content }) => content ?? ""));
    }
    const text = await sessions("get", "--request", "3", id);
    expect(text).toContain("Request 3 of session");
    expect(text).toContain("as sent");
    const projected = eventsOf(await sessions("get", "--json", "--projected", id));
    expect(projected.at(-1)).toMatchObject({ role: "assistant", text: "It is twelve." });
    const gone = await place.run(["sessions", "get", "--request", "99", id]);
    expect([gone.status, gone.stdout]).toEqual([1, ""]);
  });

  test("is forked at an entry, goes on there, and stays as it was", async () => {
    const { place, id, sessions } = await recorded();
    const file = join(place.sessions, `${id}.smith`);
    const before = readFileSync(file);
    const [user] = eventsOf(await sessions("get", "--json", "--kind", "user", id));
    const fork = (await sessions("fork", "--name", "Copy", `${id}:${textOf(user?.["id"]).slice(-8)}`)).trim();
    expect((await place.run(["eval", "--session", fork, "go on"])).stdout).toBe("done\n");
    const sent = messagesOf(place.server.requests.at(-1) ?? { body: {} }).filter(({ role }) => role === "user");
    expect(sent.map(({ content }) => content)).toEqual(["write the price\n\ngo on"]);
    const second = await place.run(["eval", "--fork", id.slice(-8), "and here"]);
    expect([second.status, second.stdout]).toEqual([0, "done\n"]);
    const listed = eventsOf(await sessions("list", "--json"));
    expect(listed).toHaveLength(3);
    expect(listed.find((one) => one["id"] === fork)).toMatchObject({ name: "Copy", origin: id });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(place.server.complaints).toEqual([]);
  });

  test("leaves as lines of JSON and comes back elsewhere the same", async () => {
    const { place, id, sessions } = await recorded();
    const entries = eventsOf(await sessions("get", "--json", id));
    const dump = join(place.work, "dump.jsonl");
    expect(await sessions("export", id, "-o", dump)).toBe("");
    expect(readFileSync(dump, "utf8")).toBe(await sessions("export", id));
    other = createPlace();
    const imported = await other.run(["sessions", "import", dump]);
    expect(imported).toMatchObject({ status: 0, stdout: `${id}\n`, stderr: "" });
    const back = eventsOf((await other.run(["sessions", "get", "--json", id])).stdout);
    expect(withoutOrigin(back)).toEqual(withoutOrigin(entries));
    expect((await other.run(["sessions", "verify", id])).status).toBe(0);
    const again = await other.run(["sessions", "import", dump]);
    expect([again.status, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toContain("--as-new");
    const renewed = await other.run(["sessions", "import", "--as-new", "-"], { input: readFileSync(dump) });
    expect(renewed.status).toBe(0);
    expect(renewed.stdout).not.toBe(`${id}\n`);
    expect(eventsOf((await other.run(["sessions", "list", "--json"])).stdout)).toHaveLength(2);
  });

  test("leaves as a document to read", async () => {
    const { place, id, sessions } = await recorded();
    const markdown = await sessions("export", "--format", "md", id);
    for (const said of ["Prices", "write the price", "It is twelve."]) expect(markdown).toContain(said);
    const page = join(place.work, "page.html");
    await sessions("export", "--format", "html", id, "-o", page);
    const html = readFileSync(page, "utf8");
    expect(html).toContain("It is twelve.");
    expect(html).not.toMatch(/<script|https?:\/\/(?!127)|\u001b/u);
    const refused = await place.run(["sessions", "export", "--format", "html", id, "-o", page]);
    expect(refused.status).toBe(2);
    await sessions("export", id, "-o", page, "--force");
    expect(readFileSync(page, "utf8")).toBe(await sessions("export", id));
    expect(readdirSync(place.work).filter((name) => name.includes(".tmp"))).toEqual([]);
  });

  test("is renamed, verified, and deleted when that is asked for", async () => {
    const { place, id, sessions } = await recorded();
    await sessions("rename", id, "Other");
    expect(eventsOf(await sessions("list", "--json"))).toMatchObject([{ name: "Other" }]);
    expect(await sessions("verify", "--all")).toMatch(/^[0-9a-f]{8}: sound: /u);
    expect(await sessions("repair", id)).toContain("sound, nothing to repair");
    expect((await place.run(["sessions", "delete", id])).status).toBe(2);
    expect(existsSync(join(place.sessions, `${id}.smith`))).toBe(true);
    expect(await sessions("delete", "--yes", id.slice(-6))).toBe(`deleted ${id}\n`);
    expect(await sessions("list", "--json")).toBe("");
    expect(readdirSync(place.sessions)).toEqual([]);
  });
});
