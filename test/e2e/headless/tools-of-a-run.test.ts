import { afterEach, describe, expect, test } from "vitest";
import { isJsonObject } from "../../../src/base/index.js";
import { calls, type RecordedRequest, say, type ScriptedCall } from "../../support/model-server.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOfType, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.quiet();
  await here?.close();
  here = undefined;
});

/** A place whose model makes these rounds of calls, then ends. */
async function makes(...rounds: readonly (readonly ScriptedCall[])[]): Promise<Scripted> {
  here = await createScripted({
    script: (_request, n) => {
      const round = rounds[n];
      return round === undefined ? say("done") : calls(round.map((item, index) => ({ id: `call_${String(n)}_${String(index)}`, ...item })));
    },
  });
  return here;
}

interface Told {
  /** Results as the model got them, in the order of its calls. */
  readonly results: readonly string[];
  readonly stdout: string;
}

async function toldTo(place: Scripted): Promise<Told> {
  const { status, stdout, stderr } = await place.run(["eval", "--json", "do it"]);
  expect([status, stderr, place.server.complaints]).toEqual([0, "", []]);
  const last = place.server.requests.at(-1);
  const results = last === undefined ? [] : messagesOf(last).filter(({ role }) => role === "tool");
  return { stdout, results: results.map(({ content }) => textOf(content)) };
}

const namesIn = ({ body }: RecordedRequest): readonly string[] => {
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isJsonObject) : [];
  return tools.map(({ function: shown = {} }) => (isJsonObject(shown) ? textOf(shown["name"]) : ""));
};

describe("evaluate", () => {
  test("is offered once a search has named it, and works on files without reaching anything", async () => {
    const code = [
      "const rows = csv(files['sales.csv'], { header: true });",
      "return { total: sum(rows.map((row) => Number(row.amount))), by: input.by, reach: [typeof process, typeof require, typeof fetch] };",
    ].join("\n");
    const place = await makes(
      [{ name: "tool_search", args: { query: "csv statistics" } }],
      [{ name: "evaluate", args: { code, input: '{"by":"region"}', files: ["sales.csv"] } }],
      [{ name: "evaluate", args: { code: "throw new Error('no such column');" } }],
    );
    place.file("sales.csv", 'region,amount\n"north, east",2.5\nsouth,4\n');
    const { results } = await toldTo(place);
    expect(place.server.requests.map((request) => namesIn(request).includes("evaluate"))).toEqual([false, true, true, true]);
    expect(JSON.parse(results[1] ?? "")).toEqual({ total: 6.5, by: "region", reach: ["undefined", "undefined", "undefined"] });
    expect(results[2]).toMatch(/^Error: .*no such column/su);
  });
});

describe("what nobody is there for, and what is not to be reached", () => {
  test("a question is answered with that nobody is there, a list of steps is kept for the next run", async () => {
    const place = await makes(
      [
        {
          name: "todo",
          args: {
            items: [
              { text: "look", status: "doing" },
              { text: "write", status: "open" },
            ],
          },
        },
        { name: "ask", args: { questions: [{ question: "Which one?", options: ["a", "b"] }] } },
      ],
      [{ name: "todo", args: { items: [{ text: "look", status: "finished" }] } }],
    );
    const { results } = await toldTo(place);
    expect(results[0]).not.toMatch(/^Error/u);
    expect(results[1]).toMatch(/^Error: Nobody can be asked/u);
    expect(results[2]).toMatch(/^Error: Invalid arguments for todo/u);
    const shown = await place.run(["eval", "-c", "/todo"]);
    expect(shown.status).toBe(0);
    expect(shown.stdout + shown.stderr).toMatch(/look[\s\S]*write/u);
  });

  test.each([
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://[::1]:PORT/",
    "http://2130706433:PORT/",
    "http://169.254.169.254/",
  ])("fetch does not go to %s", async (address) => {
    let port = "1";
    here = await createScripted({
      script: (_request, n) => (n === 0 ? calls([{ name: "fetch", args: { url: address.replace("PORT", port) } }]) : say("done")),
    });
    port = String(here.server.port);
    const { results } = await toldTo(here);
    expect(results[0]).toMatch(/^Error: .*(?:address of this machine|not public)/su);
    expect(here.server.all.filter(({ path }) => !path.startsWith("/v1/"))).toEqual([]);
  });
});

describe("patch", () => {
  const PATCH =
    "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** Add File: new/b.txt\n+made\n*** Delete File: gone.txt\n*** End Patch";

  test("is offered to a model that was trained on it alone; all of its files are changed, or none", async () => {
    const place = await makes(
      [{ name: "patch", args: { patch: PATCH.replace("-two", "-three") } }],
      [{ name: "patch", args: { patch: PATCH } }],
    );
    place.config(
      'models {\n  model "openai-compatible/scripted" { context 200000; output 32000; images #true; tools #true; sampling #true; trained-tools "patch"; }\n}\n',
    );
    place.file("a.txt", "one\ntwo\n");
    place.file("gone.txt", "x\n");
    const { results, stdout } = await toldTo(place);
    expect(place.server.requests.map((request) => namesIn(request).includes("patch"))).toEqual([true, true, true]);
    expect(results[0]).toMatch(/^Error: /u);
    expect(results[1]).not.toMatch(/^Error/u);
    expect([place.read("a.txt"), place.read("new/b.txt")]).toEqual(["one\n2\n", "made\n"]);
    expect(() => place.read("gone.txt")).toThrow("ENOENT");
    expect(eventsOfType(stdout, "tool_end").map(({ isError }) => isError)).toEqual([true, false]);
  });

  test("is not offered to others, who have no such tool", async () => {
    const place = await makes([{ name: "patch", args: { patch: PATCH } }]);
    place.file("a.txt", "one\ntwo\n");
    const { results } = await toldTo(place);
    expect(place.server.requests.map((request) => namesIn(request).includes("patch"))).toEqual([false, false]);
    expect(results[0]).toMatch(/^Error: /u);
    expect(place.read("a.txt")).toBe("one\ntwo\n");
  });
});

describe("searches", () => {
  test("take words, kinds of files, context, counts, many lines and ignored files as they are asked for", async () => {
    const grep = (args: { readonly [name: string]: string | number | boolean }): ScriptedCall => ({ name: "grep", args });
    const place = await makes([
      grep({ pattern: "cat", word: true, ignore_case: true }),
      grep({ pattern: "a.b(", literal: true }),
      grep({ pattern: "cat", type: "ts", mode: "files" }),
      grep({ pattern: "cat", mode: "count" }),
      grep({ pattern: "begin$\\s^end", multiline: true }),
      grep({ pattern: "target", context: 1 }),
      grep({ pattern: "cat", include_ignored: true, mode: "files" }),
      grep({ pattern: "(a+)+$", path: "slow.txt" }),
      { name: "find", args: { pattern: "src/**/*.ts" } },
    ]);
    place.file("src/deep/a.ts", "const Cat = 1;\nconcat(a.b(x));\n");
    place.file("notes.md", "cat\nbefore\ntarget\nafter\nbegin\nend\n");
    place.file("out/x.ts", "cat\n");
    place.file(".gitignore", "out/\n");
    place.file("slow.txt", `${"a".repeat(5_000)}!\n`);
    const [word, literal, files, count, many, context, ignored, slow, found] = (await toldTo(place)).results;
    expect(word).toMatch(/1:const Cat/u);
    expect(word).not.toContain("concat");
    expect(literal).toContain("2:concat(a.b(x));");
    expect(files?.trim()).toBe("src/deep/a.ts");
    expect(count).toBe("1 notes.md\n1 src/deep/a.ts");
    expect(many).toMatch(/begin[\s\S]*end/u);
    expect(context).toMatch(/2-before\n3:target\n4-after/u);
    expect(ignored).toContain("out/x.ts");
    expect(slow).toMatch(/not all\.\n\[the expression did not come to an end in slow\.txt/u);
    expect(found?.trim()).toBe("src/deep/a.ts");
  });
});
