import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { calls, say, type ScriptedCall } from "../../support/model-server.js";
import { createScripted, type Scripted } from "../support/scripted.js";
import { eventsOfType, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

/** A place whose model makes one call after the other, then ends. */
async function makes(...rounds: readonly ScriptedCall[]): Promise<Scripted> {
  here = await createScripted({
    script: (_request, n) => {
      const call = rounds[n];
      return call === undefined ? say("done") : calls([{ id: `call_${String(n)}`, ...call }]);
    },
  });
  return here;
}

const toolsOf = (request: { readonly body: unknown } | undefined): readonly string[] => {
  const { tools = [] } = (request?.body ?? {}) as { readonly tools?: readonly { readonly function: { readonly name: string } }[] };
  return tools.map(({ function: { name } }) => name);
};

/** Commands of living processes that hold the word. */
const withWord = (word: string): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && existsSync(`/proc/${name}/cmdline`))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(word) && !line.includes("vitest"));

describe("a background job of a session", () => {
  test("is looked at and ended by tools that are offered once it was begun, and ends with the run", { timeout: 60_000 }, async () => {
    const place = await makes(
      { name: "shell", args: { command: "mkfifo gate" } },
      { name: "shell", args: { command: "echo first; read line < gate; echo got $line; exit 3", background: true } },
      { name: "shell", args: { command: "echo go > gate" } },
      { name: "shell_output", args: { job: "job-1", wait_s: 60 } },
      { name: "shell", args: { command: "sleep 307.25", background: true, pty: true } },
      { name: "shell_kill", args: { job: "job-2" } },
      { name: "shell", args: { command: "exec sleep 308.25", background: true } },
      { name: "shell_output", args: { job: "job-9" } },
    );
    const { status, stdout, stderr } = await place.run(["eval", "--json", "do it"]);
    expect([status, stderr, place.server.complaints]).toEqual([0, "", []]);
    const results = eventsOfType(stdout, "tool_end").map((end) => textOf(end["result"]));
    expect(results).toEqual([
      "(no output)",
      "job-1 runs in the background. shell_output shows what it prints, shell_kill ends it; it ends with the session.",
      "(no output)",
      expect.stringMatching(/^first\ngot go\n\[job-1 ended with exit code 3 after \d+ s\]$/u),
      expect.stringMatching(/^job-2 runs in the background/u),
      expect.stringMatching(/\[job-2 was ended by SIGTERM after \d+ s\]$/u),
      expect.stringMatching(/^job-3 runs in the background/u),
      expect.stringContaining("There are job-1, job-2, job-3."),
    ]);
    const offered = place.server.requests.map((request) => toolsOf(request).filter((name) => name.startsWith("shell")));
    expect(offered.slice(0, 3)).toEqual([["shell"], ["shell"], ["shell", "shell_output", "shell_kill"]]);
    expect([...withWord("307.25"), ...withWord("308.25")]).toEqual([]);
  });
});
