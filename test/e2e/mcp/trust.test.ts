import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { calls, say, type ScriptedCall } from "../../support/model-server.js";
import { until } from "../../support/virtual-screen.js";
import { linesOf } from "../support/place.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { textOf } from "../support/smith.js";

const MORTAL = fileURLToPath(new URL("../../effect/mcp/servers/mortal.mjs", import.meta.url));

let here: Scripted | undefined;
afterEach(async () => {
  await here?.quiet();
  await here?.close();
  here = undefined;
});

interface Project extends Scripted {
  /** Does this when the model is asked for round `n`, before it answers. */
  beforeRound(n: number, act: () => void): void;
}

/** A project with a server that notes in `notes.txt` that it was started and every call, and a model that makes these rounds of calls. */
async function project(...rounds: readonly (readonly ScriptedCall[])[]): Promise<Project> {
  const acts = new Map<number, () => void>();
  const place = await createScripted({
    script: (_request, n) => {
      acts.get(n)?.();
      const round = rounds[n];
      return round === undefined ? say("done") : calls(round.map((item, index) => ({ id: `call_${String(n)}_${String(index)}`, ...item })));
    },
  });
  here = place;
  // Below a shell, so that what has to end is a grandchild. What is inherited lets the place see all of it.
  const args = ["-c", '"$0" "$@"; exit', process.execPath, MORTAL, `${place.work}/notes.txt`];
  place.file(".mcp.json", JSON.stringify({ mcpServers: { evil: { command: "sh", args, inherit: ["SMITH_HOME"] } } }));
  return { ...place, beforeRound: (n, act) => acts.set(n, act) };
}

const call = (name: string, args: ScriptedCall["args"] = {}): ScriptedCall => ({ name: `mcp__evil__${name}`, args });
const notesOf = ({ work }: Scripted): readonly string[] => linesOf(`${work}/notes.txt`);
const starts = (place: Scripted): number => notesOf(place).filter((note) => note.startsWith("start ")).length;
const resultsIn = ({ server }: Scripted): readonly string[] => {
  const last = server.requests.at(-1);
  return (last === undefined ? [] : messagesOf(last)).filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
};

describe("a project nobody trusts", () => {
  test("starts no server of its own in any command, says so, and does once it is trusted", async () => {
    const place = await project();
    execFileSync("git", ["init", "-q", place.work]);
    const inner = `${place.work}/deep/er`;
    mkdirSync(inner, { recursive: true });
    const commands: readonly (readonly string[])[] = [
      ["eval", "hello"],
      ["eval", "-c", "go on"],
      ["eval", "--cwd", inner, "hello"],
      ["mcp-servers", "list"],
      ["mcp-servers", "check"],
      ["mcp-servers", "check", "evil"],
      ["models", "list"],
      ["mcp"],
    ];
    for (const command of commands) {
      const { stderr, stdout } = await place.run(command);
      expect(stderr, command.join(" ")).toMatch(/trust\.project-unused.*MCP servers.*--trust/su);
      expect(stdout).not.toContain("evil");
    }
    const quiet = await place.run(["eval", "--no-trust", "hello"]);
    expect([quiet.status, quiet.stderr]).toEqual([0, ""]);
    const unset = await place.run(["eval", "hello"], { env: { OPENAI_BASE_URL: "", OPENAI_API_KEY: "", SMITH_MODEL: "" } });
    expect(unset.stderr).toContain("trust.project-unused");
    expect(notesOf(place)).toEqual([]);
    expect(place.server.requests.map(({ rawBody }) => rawBody.includes("mcp__"))).not.toContain(true);

    const listed = await place.run(["mcp-servers", "list", "--trust"]);
    expect([listed.status, listed.stderr, notesOf(place)]).toEqual([0, "", []]);
    expect(listed.stdout).toMatch(/^evil .*\.mcp\.json/u);
    const checked = await place.run(["mcp-servers", "check", "--trust"]);
    expect([checked.status, checked.stderr, starts(place)]).toEqual([0, "", 1]);
    expect((await place.run(["eval", "--trust", "hello"])).stderr).toBe("");
    expect([starts(place), place.server.requests.at(-1)?.rawBody.includes("mcp__evil__pid")]).toEqual([2, true]);
    // For one run is not for the next.
    expect((await place.run(["eval", "hello"])).stderr).toContain("trust.project-unused");
    expect(starts(place)).toBe(2);
  });
});

describe("a server that dies", () => {
  test("between two calls is started again by the next one", async () => {
    const place = await project([call("pid")], [call("pid")]);
    place.beforeRound(1, () => {
      process.kill(Number(resultsIn(place)[0]), "SIGKILL");
    });
    expect((await place.run(["eval", "--trust", "go"])).status).toBe(0);
    const [first, second] = resultsIn(place);
    expect(second).toMatch(/^\d+$/u);
    expect(second).not.toBe(first);
    expect(notesOf(place).map((note) => note.replace(/\d+/u, "N"))).toEqual(["start N", "call pid", "start N", "call pid"]);
  });

  test("during a call fails that call at once, which is not sent again, as often as it happens", async () => {
    const dying = Array.from({ length: 5 }, (_, n) => [call("die", { n })]);
    const place = await project(...dying, [call("pid")]);
    expect((await place.run(["eval", "--trust", "go"])).status).toBe(0);
    const results = resultsIn(place);
    expect(results).toHaveLength(6);
    for (const result of results.slice(0, 5)) expect(result).toMatch(/^Error: /u);
    expect(results[0]).toContain("not sent again");
    const sent = notesOf(place).filter((note) => note === "call die").length;
    expect(sent).toBeGreaterThan(0);
    // Each call was sent once at most, by one start each at most.
    expect(sent).toBeLessThanOrEqual(5);
    expect(starts(place)).toBeLessThanOrEqual(7);
  });
});

describe("what a server started", () => {
  test("is gone when the run has ended, also what does not listen to signals", async () => {
    const place = await project([call("child")]);
    expect((await place.run(["eval", "--trust", "go"])).status).toBe(0);
    const [child] = resultsIn(place);
    expect(child).toMatch(/^\d+$/u);
    expect(place.leftBehind()).toEqual([]);
  });

  test("is gone when smith is killed in the middle of a call", async () => {
    const place = await project([call("child")], [call("hang")]);
    const running = place.start(["eval", "--trust", "go"], { input: "" });
    await until(
      () => notesOf(place).includes("call hang"),
      () => `no call: ${running.stderr()}`,
    );
    expect(place.leftBehind().filter((command) => !command.includes("smith.js")).length).toBeGreaterThanOrEqual(2);
    running.kill("SIGKILL");
    expect((await running.ended).signal).toBe("SIGKILL");
    await place.quiet();
  });
});
