import { describe, expect, test } from "vitest";
import { COMMANDS, isRunnable } from "../../src/cli/command-table.js";
import { runCommandLine } from "../../src/cli/commands.js";
import { type Invocation, toInvocation } from "../../src/cli/invocation.js";
import { parseLine } from "../../src/cli/program.js";
import type { Diagnostic } from "../../src/schema/index.js";
import { createFakeHost } from "./fake-host.js";
import { createFakeRuntime } from "./fake-runtime.js";

function parse(argv: readonly string[]): Invocation | Diagnostic {
  const parsed = parseLine(argv, 100);
  if (!parsed.ok) return parsed.error;
  if (parsed.value.type !== "command") throw new Error(`help for ${argv.join(" ")}`);
  const invocation = toInvocation(parsed.value);
  return invocation.ok ? invocation.value : invocation.error;
}

const none = { settings: [], pairs: [], trusted: undefined, cwd: undefined };
const plainEval = { type: "eval", common: none, words: [], json: false, target: { type: "new" }, name: undefined, resumeWork: false };
const word = (text: string, literal = false) => ({ text, literal });

describe("command lines and what they mean", () => {
  test.each<[string, object]>([
    ["", { type: "interactive", common: none, prompt: undefined, target: { type: "new" } }],
    ["fix it", { type: "interactive", prompt: "fix it", target: { type: "new" } }],
    ["-c", { type: "interactive", target: { type: "newest" } }],
    ["--resume", { type: "interactive", target: { type: "choose" } }],
    ["-r abcd go on", { type: "interactive", prompt: "go on", target: { type: "named", id: "abcd" } }],
    ["-- eval", { type: "interactive", prompt: "eval" }],
    ["-- evl", { type: "interactive", prompt: "evl" }],
    ["eval hi there", { ...plainEval, words: [word("hi"), word("there")] }],
    ["eval -- -x @y -", { ...plainEval, words: [word("-x", true), word("@y", true), word("-", true)] }],
    [
      "eval --system -- -- -- x",
      { common: { ...none, settings: [{ setting: "system", name: "--system", text: "--" }] }, words: [word("--", true), word("x", true)] },
    ],
    ["eval a -- b", { ...plainEval, words: [word("a"), word("b", true)] }],
    ["eval - x", { ...plainEval, words: [word("-"), word("x")] }],
    ["eval --json -c --name n x", { ...plainEval, words: [word("x")], json: true, target: { type: "newest" }, name: "n" }],
    ["eval --no-session x", { ...plainEval, words: [word("x")], target: { type: "temporary" } }],
    ["eval --session abcd x", { ...plainEval, words: [word("x")], target: { type: "named", id: "abcd" } }],
    [
      "eval --model=m --model n x",
      {
        common: {
          ...none,
          settings: [
            { setting: "model", name: "--model", text: "m" },
            { setting: "model", name: "--model", text: "n" },
          ],
        },
      },
    ],
    [
      "--model m eval --mode plan x",
      {
        type: "eval",
        common: {
          ...none,
          settings: [
            { setting: "model", name: "--model", text: "m" },
            { setting: "mode", name: "--mode", text: "plan" },
          ],
        },
      },
    ],
    [
      "eval --tools a,b --no-tools --no-plugins x",
      {
        common: {
          ...none,
          settings: [
            { setting: "tools", name: "--tools", text: "a,b" },
            { setting: "tools", name: "--no-tools", text: "none" },
            { setting: "plugins", name: "--no-plugins", text: "false" },
          ],
        },
      },
    ],
    ["eval --config a=b --config c=d x", { common: { ...none, pairs: ["a=b", "c=d"] } }],
    ["eval --no-trust --trust x", { common: { ...none, trusted: true } }],
    ["eval --trust --no-trust x", { common: { ...none, trusted: false } }],
    ["eval --cwd sub x", { common: { ...none, cwd: "sub" } }],
    ["eval --system -- x", { common: { ...none, settings: [{ setting: "system", name: "--system", text: "--" }] }, words: [word("x")] }],
    ["--fork abcd", { type: "interactive", prompt: undefined, target: { type: "fork", source: { id: "abcd", entry: undefined } } }],
    ["--fork abcd:ef01 go on", { prompt: "go on", target: { type: "fork", source: { id: "abcd", entry: "ef01" } } }],
    ["eval --fork abcd:ef01 x", { ...plainEval, words: [word("x")], target: { type: "fork", source: { id: "abcd", entry: "ef01" } } }],
    ["eval -c --resume-work", { ...plainEval, target: { type: "newest" }, resumeWork: true }],
    ["eval --session abcd --resume-work", { ...plainEval, target: { type: "named", id: "abcd" }, resumeWork: true }],
    ["--cwd sub sessions list", { type: "sessions list", cwd: "sub" }],
  ])("smith %s", (line, expected) => {
    expect(parse(line === "" ? [] : line.split(" "))).toMatchObject(expected);
  });

  test.each<[string, string, unknown]>([
    ["evl", "usage.unknown-command", "Did you mean smith eval? To send the word as a prompt: smith -- evl"],
    ["session", "usage.unknown-command", "Did you mean smith sessions? To send the word as a prompt: smith -- session"],
    ["sessions", "usage.missing-command", expect.stringMatching(/^Use one of: smith sessions list, .*, smith sessions reconcile\.$/u)],
    ["sessions lst", "usage.unknown-command", "Did you mean smith sessions list?"],
    ["sessions frobnicate", "usage.unknown-command", "See smith sessions --help."],
    ["--modle m", "usage.unknown-flag", "Did you mean --model? A prompt that begins with a dash is written after --."],
    ["eval --jsno x", "usage.unknown-flag", "Did you mean --json? A prompt that begins with a dash is written after --."],
    ["eval -x", "usage.unknown-flag", "See smith eval --help. A prompt that begins with a dash is written after --."],
    ["--json eval x", "usage.unknown-flag", "See smith --help. A prompt that begins with a dash is written after --."],
    [
      "--model m eval --thinkin=3 x",
      "usage.unknown-flag",
      "Did you mean --thinking? A prompt that begins with a dash is written after --.",
    ],
    ["--resume abcd eval x", "usage.misplaced-flag", "Leave it out. See smith eval --help."],
    ["--model m sessions list", "usage.misplaced-flag", "Leave it out. See smith sessions list --help."],
    ["eval x --model", "usage.missing-value", "See smith eval --help."],
    ["eval -c --session abcd x", "usage.conflict", "Use one of them."],
    ["-c -r abcd", "usage.conflict", "Use one of them."],
    ["sessions list extra", "usage.too-many-arguments", "Quote an argument that holds blanks. See smith sessions list --help."],
    ["sessions grep", "usage.missing-argument", "See smith sessions grep --help."],
    ["-c --fork abcd", "usage.conflict", "Use one of them."],
    ["--fork abcd -r", "usage.conflict", "Use one of them."],
    ["--fork", "usage.missing-value", "See smith --help."],
    ["--fork :abcd", "usage.bad-place", expect.stringContaining("smith sessions list")],
    ["--fork abcd:", "usage.bad-place", expect.stringContaining("smith sessions list")],
    ["eval --fork a:b:c x", "usage.bad-place", expect.stringContaining("smith sessions list")],
    ["eval --fork abcd --session ef01 x", "usage.conflict", "Use one of them."],
    ["eval --fork abcd --no-session x", "usage.conflict", "Use one of them."],
    ["eval --resume-work", "usage.work-needs-session", expect.stringContaining("-c")],
    ["eval --fork abcd --resume-work", "usage.work-needs-session", expect.stringContaining("-c")],
    ["eval -c --resume-work go on", "usage.work-needs-no-prompt", expect.stringContaining("Leave the words out")],
  ])("smith %s is refused", (line, code, next) => {
    expect(parse(line.split(" "))).toMatchObject({ code, next, exit: 2, severity: "error" });
  });
});

describe("help", () => {
  const help = (argv: readonly string[]): string => {
    const parsed = parseLine(argv, 100);
    if (!parsed.ok || parsed.value.type !== "help") throw new Error("no help");
    return parsed.value.text;
  };

  test.each(COMMANDS)("smith $id --help names every flag it takes and fits 120 columns", ({ id, flags }) => {
    const text = help([...(id === "interactive" ? [] : id.split(" ")), "--help"]);
    for (const flag of flags) expect(text).toContain(flag.name);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
  });

  test.each(COMMANDS.filter(({ id }) => isRunnable(id)))("smith $id --help states the exit statuses", ({ id }) => {
    expect(help([...(id === "interactive" ? [] : id.split(" ")), "-h"])).toMatch(/Exit status:\n {2}0 /u);
  });

  test("inspection says its search syntax, order and handling of damage", () => {
    const text = help(["sessions", "grep", "--help"]);
    for (const said of ["JavaScript regular expression", "newest first", "all branches", "damaged"])
      expect(text.toLowerCase()).toContain(said.toLowerCase());
  });

  test.each(COMMANDS.filter(({ flags }) => flags.some(({ value }) => value === undefined)))(
    "a flag that takes a value in smith $id takes one in every command",
    ({ flags }) => {
      // The parser must know the values of flags before it knows the command: that is where -- begins the literal words.
      const taking = new Set(
        COMMANDS.flatMap((command) => command.flags)
          .filter(({ value, valueIsOptional }) => value !== undefined && valueIsOptional !== true)
          .map(({ name }) => name),
      );
      expect(
        flags.filter(({ name, value, valueIsOptional }) => taking.has(name) && (value === undefined || valueIsOptional === true)),
      ).toEqual([]);
    },
  );

  test("help goes to stdout with status 0 and no escape byte, also when colour is forced", async () => {
    const host = createFakeHost({ env: { SMITH_HOME: "/nowhere", FORCE_COLOR: "1" } });
    expect(await runCommandLine(["--help"], host, createFakeRuntime())).toBe(0);
    expect(host.stdout.text).toContain("Usage: smith");
    expect(host.stdout.text + host.stderr.text).not.toContain("\u001b");
  });
});

test("exit statuses others can see stay as they are", () => {
  expect(COMMANDS.find(({ id }) => id === "eval")?.notes.at(-1)).toBe(`Exit status:
  0    done
  1    the run or the command failed (model, tool, limit, no such session)
  2    wrong usage or configuration
  3    no credentials, or authentication was refused
  4    the session is being written by another process
  70   a bug in smith
  124  the --deadline was reached
  129, 130, 143  ended by SIGHUP, SIGINT, SIGTERM`);
});
