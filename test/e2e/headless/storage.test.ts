import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/base/index.js";
import { call, calls, say } from "../../support/model-server.js";
import { linesOf } from "../support/place.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOf, eventsOfType, lastEvent, STACK, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

/** Files may have so many bytes and no more: what a write beyond gets is the same kind of failure as a full disk. */
const bounded = (kilobytes: number): string => `ulimit -f ${String(kilobytes * 2)}; exec "$@"`;

/** Bytes that do not compress, as many as a tool result may have. */
const NOISE = "head -c 45000 /dev/urandom | base64 -w 100";

describe("a session file that cannot grow", () => {
  test("when it cannot even be made: an error, and nothing is sent or run", async () => {
    const place = await createScripted({ script: () => say("never") });
    here = place;
    const { status, stdout, stderr } = await place.run(["eval", "hello"], { script: bounded(0) });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr.match(/^error\[/gmu)).toHaveLength(1);
    expect(stderr).toContain(place.sessions);
    expect(stderr).not.toMatch(STACK);
    expect(place.server.all).toEqual([]);
  });

  test("in mid-run: a visible error, no effect after it, and the file goes on when there is room", async () => {
    const place = await createScripted({
      script: (request, n) => {
        if (messagesOf(request).at(-1)?.["content"] === "go on") return say("I see what is there.");
        return call("shell", { command: `echo ${String(n)} >> effects; ${NOISE}` });
      },
    });
    here = place;
    const { status, stdout, stderr } = await place.run(["eval", "--json", "fill it"], { script: bounded(150) });
    expect([status, stderr]).toEqual([1, ""]);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "error", reason: "storage" });
    const ran = linesOf(`${place.work}/effects`).length;
    expect(ran).toBeGreaterThan(0);
    expect(place.server.requests.length).toBeLessThanOrEqual(ran + 1);

    const session = textOf(lastEvent(stdout)["session"]);
    const get = await place.run(["sessions", "get", "--json", session]);
    expect([get.status, get.stderr]).toEqual([0, ""]);
    const intents = eventsOf(get.stdout).filter(({ type, operation }) => type === "effect-intent" && operation === "process.run");
    expect(intents).toHaveLength(ran);
    const next = await place.run(["eval", "--json", "-c", "go on"]);
    expect(next.status).toBe(0);
    expect(lastEvent(next.stdout)).toMatchObject({ status: "ok", reply: "I see what is there." });
    expect(linesOf(`${place.work}/effects`)).toHaveLength(ran);
    expect(place.server.complaints).toEqual([]);
  });

  test("in the middle of a batch: what was begun is unknown or recorded, what was not is not run", async () => {
    const place = await createScripted({
      script: (request) =>
        !messagesOf(request).some(({ content }) => content === "go on")
          ? calls([
              { name: "shell", args: { command: NOISE } },
              { name: "shell", args: { command: NOISE } },
            ])
          : say("done"),
    });
    here = place;
    const { status, stderr } = await place.run(["eval", "fill it"], { script: bounded(100) });
    expect(status).toBe(1);
    expect(stderr.match(/could not grow/gu)).toHaveLength(1);
    expect(stderr).toContain("nothing more was run");
    expect(stderr).not.toMatch(STACK);
    const before = place.server.requests.length;
    const next = await place.run(["eval", "--json", "-c", "go on"]);
    expect(next.status).toBe(0);
    const unknown = eventsOfType(next.stdout, "unknown_effect").length;
    const told = place.server.requests.slice(before)[0];
    const words =
      told === undefined
        ? []
        : messagesOf(told).filter(({ role, content }) => role === "tool" && textOf(content).includes("outcome is unknown"));
    expect(words.length).toBe(unknown);
    expect(place.server.complaints).toEqual([]);
  });
});

describe("a session file that was harmed from outside", () => {
  /** A session of two prompts, and what a run that continues it needs. */
  async function recorded(): Promise<{ readonly place: Scripted; readonly path: string; readonly good: Buffer }> {
    const place = await createScripted({
      script: (request, n) =>
        messagesOf(request).at(-1)?.["role"] === "user" ? call("shell", { command: `echo ${String(n)}` }) : say("done"),
    });
    here = place;
    await place.run(["eval", "first prompt"]);
    await place.run(["eval", "-c", "second prompt"]);
    const [name = ""] = readdirSync(place.sessions).filter((file) => file.endsWith(".smith"));
    const path = `${place.sessions}/${name}`;
    return { place, path, good: readFileSync(path) };
  }

  test("by one flipped byte anywhere: it goes on and the person is told what is lost, or is refused for that reason", async () => {
    const { place, path, good } = await recorded();
    const id = path.slice(-"12345678.smith".length, -".smith".length);
    for (const share of [0.02, 0.3, 0.5, 0.75, 0.85, 0.93]) {
      const bytes = Buffer.from(good);
      const at = Math.floor(bytes.length * share);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x55, at);
      writeFileSync(path, bytes);
      const reading = await place.run(["sessions", "get", id]);
      if (reading.status !== 0) expect(reading.stderr).toMatch(/^warning\[session\.damaged\]/u);
      if (!/(first|second) prompt/u.test(reading.stdout)) {
        // A frame's header is wrong, and with it everything up to the next block: repair finds it again.
        expect([share, reading.status]).toEqual([0.02, 1]);
        await place.run(["sessions", "repair", id]);
        expect((await place.run(["sessions", "get", id])).stdout).toMatch(/first prompt[^]*second prompt/u);
        continue;
      }
      const next = await place.run(["eval", "-c", "third prompt"]);
      expect(next.stderr).not.toMatch(STACK);
      // What neither the state nor the branch needs is not read, so its loss is told by `get` alone. An effect whose end is lost
      // with a change is unknown.
      const told = /^((Changes? .* cannot be read|smith: outcome unknown, since its end was not recorded).*\n)*$/u;
      if (next.status === 0) expect([next.stdout, next.stderr]).toEqual(["done\n", expect.stringMatching(told)]);
      else
        expect([next.status, next.stderr]).toEqual([
          1,
          expect.stringMatching(/^error\[(session\.(branch-broken|not-writable)|agent\.damaged-history)\]/u),
        ]);
      if (next.stderr !== "") expect(reading.status).toBe(1);
      expect((await place.run(["sessions", "grep", "(first|second) prompt"])).stdout).not.toBe("");
    }
    expect(place.server.complaints).toEqual([]);
  });

  test("in one answer of three: the others are shown, going on is refused until it is repaired, and then it goes on without it", async () => {
    const place = await createScripted({ script: (_request, n) => say(`answer ${String(n)} said`) });
    here = place;
    await place.run(["eval", "first prompt"]);
    await place.run(["eval", "-c", "second prompt"]);
    await place.run(["eval", "-c", "third prompt"]);
    const [name = ""] = readdirSync(place.sessions).filter((file) => file.endsWith(".smith"));
    const path = `${place.sessions}/${name}`;
    const id = name.slice(0, -".smith".length);
    const said = place.server.requests.length;
    const branch = async (): Promise<readonly JsonObject[]> =>
      eventsOf((await place.run(["sessions", "get", id, "--branch", "--json"])).stdout);
    const whole = await branch();
    const answers = whole.filter(({ type }) => type === "assistant");
    const second = textOf(answers[1]?.["text"]);
    expect([answers.length, second]).toEqual([3, expect.stringMatching(/^answer \d+ said$/u)]);
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.indexOf(second)) ^ 0x55, bytes.indexOf(second));
    writeFileSync(path, bytes);
    const types = whole.map((entry) => (entry["id"] === answers[1]?.["id"] ? "lost" : entry["type"]));
    expect((await branch()).map(({ type }) => type)).toEqual(types);
    const refused = await place.run(["eval", "-c", "fourth prompt"]);
    expect([refused.status, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(`smith sessions repair ${id}`);
    expect(place.server.requests).toHaveLength(said);
    expect((await place.run(["sessions", "repair", id])).stdout).toContain("its place on the branch is kept");
    expect((await branch()).map(({ type }) => type)).toEqual(types);
    expect(await place.run(["eval", "-c", "fourth prompt"])).toMatchObject({ status: 0, stderr: "" });
    const sent = place.server.requests.at(-1);
    const words = sent === undefined ? [] : messagesOf(sent).map(({ role, content }) => (role === "system" ? role : textOf(content)));
    const [first, , third] = answers.map(({ text }) => textOf(text));
    expect(words.filter((word) => word !== "system")).toEqual([
      "first prompt",
      first,
      "second prompt\n\nthird prompt",
      third,
      "fourth prompt",
    ]);
    expect(place.server.complaints).toEqual([]);
  });

  test("by a cut: all that is whole goes on", async () => {
    const { place, path, good } = await recorded();
    for (const cut of [1, 40, 400, 2000, 5000]) {
      writeFileSync(path, good.subarray(0, good.length - cut));
      expect(await place.run(["eval", "-c", "third prompt"])).toMatchObject({ status: 0, stdout: "done\n" });
      expect((await place.run(["sessions", "grep", "third prompt"])).status).toBe(0);
    }
    expect(place.server.complaints).toEqual([]);
  });

  test("cut to nothing: it is refused by name, and a new session is not in its way", async () => {
    const place = await createScripted({ script: () => say("done") });
    here = place;
    await place.run(["eval", "first prompt"]);
    const [name = ""] = readdirSync(place.sessions);
    truncateSync(`${place.sessions}/${name}`, 0);
    const refused = await place.run(["eval", "--session", name.replace(".smith", "").slice(-8), "second prompt"]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("session.unreadable");
    expect((await place.run(["eval", "-c", "second prompt"])).status).toBe(1);
    expect(await place.run(["eval", "second prompt"])).toMatchObject({ status: 0, stdout: "done\n" });
    expect((await place.run(["sessions", "list"])).stdout).toContain("(damaged)");
  });
});

describe("kill -9 at any moment", () => {
  test("in 20 runs of one session loses nothing that was told as durable, repeats nothing, and the next run goes on", async () => {
    const place = await createScripted({
      script: (request, n) =>
        messagesOf(request).at(-1)?.["role"] === "user"
          ? call("shell", { command: `echo ${String(n)} >> effects` }, { text: "I do it." })
          : say("done as asked"),
    });
    here = place;
    const random = seeded(20_260_731);
    const told: JsonObject[] = [];
    let killed = 0;
    let started = false;
    for (let round = 0; round < 20; round += 1) {
      const running = place.start(["eval", "--json", ...(started ? ["-c"] : []), `round ${String(round)}`], { input: "" });
      const bytes = Math.floor(random() * 4500);
      await running.says(new RegExp(`[\\s\\S]{${String(bytes)}}`, "u")).then(
        () => {
          running.kill("SIGKILL");
        },
        () => undefined,
      );
      const { signal, stdout } = await running.ended;
      if (signal === "SIGKILL") killed += 1;
      const whole = eventsOf(stdout.slice(0, stdout.lastIndexOf("\n") + 1));
      told.push(...whole.filter(({ position }) => isJsonObject(position)));
      started ||= existsSync(place.sessions) && told.length > 0;
    }
    expect(killed).toBeGreaterThan(9);

    const last = await place.run(["eval", "--json", "-c", "the last"]);
    expect(last.status).toBe(0);
    expect(lastEvent(last.stdout)).toMatchObject({ status: "ok", reply: "done as asked" });
    const get = await place.run(["sessions", "get", "--json", textOf(lastEvent(last.stdout)["session"])]);
    expect([get.status, get.stderr]).toEqual([0, ""]);
    const recorded = new Set(
      eventsOf(get.stdout).flatMap(({ id, call: of, submission }) => [id, of, submission].map((one) => textOf(one))),
    );
    const missing = told.filter(({ entry, id, receipt, submission }) => !recorded.has(textOf(entry ?? id ?? receipt ?? submission)));
    expect(missing).toEqual([]);
    const effects = linesOf(`${place.work}/effects`);
    expect(effects).toEqual([...new Set(effects)]);
    expect(place.server.complaints).toEqual([]);
  }, 120_000);
});

/** Numbers in [0, 1) that are the same in every run of the tests (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
