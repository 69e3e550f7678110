import { describe, expect, test } from "vitest";
import { plan } from "../../plugins/provider-offline/plan.js";
import type { JsonObject, Message, ProviderDelta } from "../../src/plugin/sdk.js";

const TOOLS = ["read", "write", "edit", "list", "find", "grep", "shell"];

interface Said {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[];
  readonly stop: string;
}

const say = (text: string): Message => ({ role: "user", text });

function round(messages: readonly Message[], tools: readonly string[] = TOOLS): Said {
  const planned = plan({
    provider: "toy",
    facts: {},
    stream: true,
    model: "offline",
    endpoint: { baseUrl: "" },
    system: "",
    messages,
    tools: tools.map((name) => ({ name, description: "", parameters: {} })),
    context: { cwd: "/work" },
  });
  if (planned.type !== "local") throw new Error("the offline model wants a network");
  const end = planned.deltas.at(-1);
  return {
    text: planned.deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join(""),
    calls: planned.deltas.flatMap(callOf),
    stop: end?.type === "end" ? end.stop : "none",
  };
}

const callOf = (delta: ProviderDelta): Said["calls"] =>
  delta.type === "tool-call" ? [{ name: delta.name ?? "", args: JSON.parse(delta.args ?? "") as JsonObject }] : [];

type Result = string | { readonly error: string };

/** A whole turn: every call is answered by the next result, until the model answers in words. */
function turn(
  request: string,
  results: readonly Result[],
  before: readonly Message[] = [],
): { readonly calls: Said["calls"]; readonly text: string; readonly messages: readonly Message[] } {
  const messages: Message[] = [...before, say(request)];
  const calls: { name: string; args: JsonObject }[] = [];
  for (let step = 0; step < 12; step += 1) {
    const said = round(messages);
    if (said.calls.length === 0) {
      expect(said.stop).toBe("stop");
      return { calls, text: said.text, messages: [...messages, assistant(said, [])] };
    }
    expect(said.stop).toBe("tool-use");
    const result = results[calls.length];
    if (result === undefined) throw new Error(`an unexpected call: ${JSON.stringify(said.calls)}`);
    const ids = said.calls.map((_call, index) => `c${messages.length}.${index}`);
    calls.push(...said.calls);
    messages.push(assistant(said, ids), ...ids.map((id, index) => answer(id, said.calls[index]?.name ?? "", result)));
  }
  throw new Error("the turn does not end");
}

// Ids are branded in the core; what a plugin gets are these same strings.
const assistant = (said: Said, ids: readonly string[]): Message =>
  ({
    role: "assistant",
    text: said.text,
    toolCalls: said.calls.map((call, index) => ({
      ...call,
      call: ids[index],
      providerId: ids[index],
      argsText: JSON.stringify(call.args),
    })),
  }) as unknown as Message;
const answer = (id: string, name: string, result: Result): Message =>
  ({
    role: "tool",
    call: id,
    providerId: id,
    name,
    text: typeof result === "string" ? result : result.error,
    isError: typeof result !== "string",
  }) as unknown as Message;

const NOT_FOUND = { error: "no such file or directory: x" };

describe("a tool by its name", () => {
  test("is called with the arguments as they are, and what it says is shown", () => {
    const messages = [say('call todos {"glob":"*.ts"}')];
    expect(round(messages, ["todos"]).calls).toEqual([{ name: "todos", args: { glob: "*.ts" } }]);
    expect(turn('call read {"path":"a"} then call grep {"pattern":"x"}', ["one", { error: "two" }]).text).toBe(
      "`read` says:\n```\none\n```\n\nThe tool `grep` could not do it:\n```\ntwo\n```",
    );
  });

  test("that is not there is said", () => {
    expect(round([say("call todo")], ["todos", "read"]).text).toBe(
      "That needs the tool `todo`, which is not available here, so I did nothing further.",
    );
  });
});

describe("a turn makes the call, then words its result", () => {
  test.each<readonly [string, readonly Result[], readonly (readonly [string, JsonObject])[], string]>([
    ["list", ["src/\na.ts"], [["list", {}]], "In the working directory:\n```\nsrc/\na.ts\n```"],
    ["what files are in src?", ["a.ts"], [["list", { path: "src" }]], "In `src`:\n```\na.ts\n```"],
    [
      "read a.ts",
      ["1\tone\n2\t```\n[lines 1-2 of 9; continue with offset=3]"],
      [["read", { path: "a.ts" }]],
      "`a.ts`, 2 lines:\n````\none\n```\n````\n[lines 1-2 of 9; continue with offset=3]",
    ],
    ["read a.ts", ["a.ts is empty."], [["read", { path: "a.ts" }]], "a.ts is empty."],
    ["read lines 2-3 of a.ts", ["2\tx"], [["read", { path: "a.ts", offset: 2, limit: 2 }]], "`a.ts`, 1 line:\n```\nx\n```"],
    [
      "show me src",
      [{ error: "src is a directory" }, "a.ts"],
      [
        ["read", { path: "src" }],
        ["list", { path: "src" }],
      ],
      "`src` is a folder:\n```\na.ts\n```",
    ],
    [
      "list a.ts",
      [{ error: "a.ts is not a directory" }, "1\tx"],
      [
        ["list", { path: "a.ts" }],
        ["read", { path: "a.ts" }],
      ],
      "`a.ts`, 1 line:\n```\nx\n```",
    ],
    ["read x", [NOT_FOUND], [["read", { path: "x" }]], "The tool `read` could not do it:\n```\nno such file or directory: x\n```"],
    ["find *.ts", ["a.ts"], [["find", { pattern: "*.ts" }]], "Files that match `*.ts`:\n```\na.ts\n```"],
    ["find *.ts in src", ["No file matches *.ts in src."], [["find", { pattern: "*.ts", path: "src" }]], "No file matches *.ts in src."],
    ["find TODO", ["a.ts\n3:// TODO"], [["grep", { pattern: "TODO", literal: true }]], "Lines with `TODO`:\n```\na.ts\n3:// TODO\n```"],
    [
      "find cart",
      ["No line matches cart.", "src/cart.ts"],
      [
        ["grep", { pattern: "cart", literal: true }],
        ["find", { pattern: "*cart*" }],
      ],
      "No line holds `cart`, but these names do:\n```\nsrc/cart.ts\n```",
    ],
    [
      "find cart",
      ["No line matches cart.", "No file matches *cart*."],
      [
        ["grep", { pattern: "cart", literal: true }],
        ["find", { pattern: "*cart*" }],
      ],
      "I found no line and no file name with `cart`.",
    ],
    [
      "search a->b in src",
      ["No line matches a->b in src."],
      [["grep", { pattern: "a->b", literal: true, path: "src" }]],
      "I found no line with `a->b` in `src`.",
    ],
    [
      "replace a`b by $& in a.ts",
      ["Edited a.ts: 2 replacements, +2 -2 lines."],
      [["edit", { path: "a.ts", edits: [{ old: "a`b", new: "$&", all: true }] }]],
      "Replaced `` a`b `` by `$&`. Edited a.ts: 2 replacements, +2 -2 lines.",
    ],
    ["create a.txt with hi", ["Created a.txt (1 line)."], [["write", { path: "a.txt", content: "hi\n" }]], "Created a.txt (1 line)."],
    ["run npm test", ["ok"], [["shell", { command: "npm test" }]], "`npm test` succeeded:\n```\nok\n```"],
    [
      "run npm test",
      [{ error: "bad\nexit code 1" }],
      [["shell", { command: "npm test" }]],
      "`npm test` did not succeed:\n```\nbad\nexit code 1\n```",
    ],
  ])("%s", (request, results, calls, text) => {
    const done = turn(request, results);
    expect(done.calls).toEqual(calls.map(([name, args]) => ({ name, args })));
    expect(done.text).toBe(text);
  });
});

test("a command that was not run to an end is not said to have failed", () => {
  expect(turn("run make", [{ error: "Its outcome is unknown." }]).text).toBe(
    "`make` brought no result:\n```\nIts outcome is unknown.\n```",
  );
});

describe("fix", () => {
  const request = "fix: run npm test, replace a - b by a + b in calc.js";
  const run = { name: "shell", args: { command: "npm test" } };
  const edit = { name: "edit", args: { path: "calc.js", edits: [{ old: "a - b", new: "a + b", all: true }] } };
  const failing = { error: "1 failing\nexit code 1" };

  test.each<readonly [string, readonly Result[], readonly object[], RegExp]>([
    ["runs, replaces and runs again", [failing, "Edited.", "1 passing"], [run, edit, run], /^Fixed\. [\s\S]*1 passing/u],
    ["changes nothing when the command succeeds", ["ok"], [run], /succeeds already, so I changed nothing/u],
    [
      "runs nothing again when the replacement fails",
      [failing, { error: "not found" }],
      [run, edit],
      /could not make the replacement, so I did not run it again[\s\S]*not found/u,
    ],
    [
      "changes nothing when the command was not run to an end",
      [{ error: "denied by the user" }],
      [run],
      /brought no result:[\s\S]*denied[\s\S]*I changed nothing/u,
    ],
    [
      "takes no unknown outcome for a failure",
      [failing, "Edited.", { error: "Its outcome is unknown." }],
      [run, edit, run],
      /brought no result:[\s\S]*unknown/u,
    ],
    ["says when it still fails", [failing, "Edited.", failing], [run, edit, run], /still fails:/u],
  ])("%s", (_name, results, calls, text) => {
    const done = turn(request, results);
    expect(done.calls).toEqual(calls);
    expect(done.text).toMatch(text);
  });
});

describe("explain", () => {
  test("shows headings and declarations by line, and says that it only counts", () => {
    const code = ["import x from 'x';", "", "export function sum(a, b) {", "  return a + b;", "}", "class Cart {", "}"];
    const done = turn("explain src/cart.ts", [code.map((line, index) => `${index + 1}\t${line}`).join("\n")]);
    expect(done.text).toBe(
      [
        "`src/cart.ts`: lines 1-7, 1 blank, 1 import. Its shape, by line number:",
        "```",
        "    3  export function sum(a, b) {",
        "    6  class Cart {",
        "```",
      ].join("\n"),
    );
  });

  test.each([
    ["README.md", "# Title\ntext\n## Part", ["# Title", "## Part"]],
    ["a.py", "import os\ndef f():\n  pass\nclass A:\n  def g(self):", ["def f():", "class A:", "  def g(self):"]],
    ["package.json", '{\n  "name": "x",\n  "scripts": {\n    "test": "y"\n  }\n}', ['  "name": "x",', '  "scripts": {']],
    ["main.go", "package main\nfunc main() {", ["package main", "func main() {"]],
    ["lib.rs", "pub fn f() {\nstruct S;", ["pub fn f() {", "struct S;"]],
  ])("knows the shape of %s", (path, content, shape) => {
    const numbered = content.split("\n").map((line, index) => `${index + 1}\t${line}`);
    const shown = turn(`explain ${path}`, [numbered.join("\n")])
      .text.split("\n")
      .filter((line) => /^ +\d/u.test(line));
    expect(shown.map((line) => line.slice(7))).toEqual(shape);
  });

  test("a file without known shape is begun, not made up", () => {
    expect(turn("explain notes.txt", ["1\tjust words"]).text).toContain(
      "I know no headings or declarations in it; it begins:\n```\n    1  just words\n```",
    );
  });
});

describe("several requests", () => {
  test("are done in order and answered together", () => {
    const done = turn("read a.txt, then run npm test", ["1\tx", "ok"]);
    expect(done.calls.map((call) => call.name)).toEqual(["read", "shell"]);
    expect(done.text).toBe("`a.txt`, 1 line:\n```\nx\n```\n\n`npm test` succeeded:\n```\nok\n```");
  });

  test("a later message starts afresh", () => {
    const first = turn("list", ["a.ts"]);
    expect(turn("read a.ts", ["1\tx"], first.messages).calls).toEqual([{ name: "read", args: { path: "a.ts" } }]);
  });
});

describe("summarize this session", () => {
  test("names what was asked, called, changed and run", () => {
    const one = turn("run npm test", [{ error: "exit code 1" }]);
    const two = turn("replace a by b in a.ts", ["Edited a.ts."], one.messages);
    expect(turn("summarize this session", [], two.messages).text).toBe(
      [
        "So far in this session: 2 requests, 2 tool calls, 1 of them failed.",
        "Asked:\n- `run npm test`\n- `replace a by b in a.ts`",
        "Tools:\n- `shell` 1 time\n- `edit` 1 time",
        "Files changed:\n- `a.ts`",
        "Commands:\n- `npm test` (failed)",
      ].join("\n\n"),
    );
  });

  test("of nothing says so", () => {
    expect(turn("summarize this session", []).text).toBe("Nothing has happened in this session yet.");
  });
});

describe("honesty", () => {
  test("an unknown request is quoted, nothing is done, and what would work is listed", () => {
    const done = turn("why does the cart total drop cents?", []);
    expect(done.text).toMatch(/^I did not understand `why does the cart total drop cents\?`, so I did nothing\./u);
    expect(done.text).toContain("fixed rules, not a language model");
    expect(done.text).toContain("`replace X by Y in FILE`");
  });

  test("help says what it is", () => {
    expect(turn("help", []).text).toMatch(/^I am smith's built-in offline model: fixed rules/u);
  });

  test("a tool that is missing is said, not worked around", () => {
    expect(round([say("run ls")], ["read"])).toEqual({
      text: "That needs the tool `shell`, which is not available here, so I did nothing further.",
      calls: [],
      stop: "stop",
    });
  });

  test("without any message it says what it is", () => {
    expect(round([]).text).toContain("built-in offline model");
  });

  test("long output is cut and told", () => {
    const done = turn("run seq 1000", [Array.from({ length: 1000 }, (_, index) => String(index)).join("\n")]);
    expect(done.text).toContain("(800 more lines are in the tool's result)");
  });

  test("a message with a lot of attached text is read by its first line, in no time", () => {
    const attached = `explain a.ts\n${"x by y in \"z' ".repeat(50_000)}`;
    expect(turn(attached, ["1\tx"]).calls).toEqual([{ name: "read", args: { path: "a.ts" } }]);
    expect(turn("replace a by b ".repeat(260), []).text).toContain("I did not understand");
  });
});
