import { readdirSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { say } from "../../support/model-server.js";
import { createScripted, lastOf, type Scripted } from "../support/scripted.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

async function scripted(): Promise<Scripted> {
  here = await createScripted({ script: (request) => say(`${String(lastOf(request, "user").length)} characters`) });
  return here;
}

describe("the exact prompt reaches the model", () => {
  test("in 40 runs, 8 at a time, in one home and one folder", async () => {
    const place = await scripted();
    const kinds: readonly ((n: number) => { readonly args: readonly string[]; readonly prompt: string })[] = [
      (n) => ({ args: ["--", `--model is no flag here ${String(n)}`], prompt: `--model is no flag here ${String(n)}` }),
      (n) => ({ args: ["--", `-${String(n)} starts with a dash`], prompt: `-${String(n)} starts with a dash` }),
      (n) => ({ args: [`${"long ".repeat(20_000)}${String(n)}`], prompt: `${"long ".repeat(20_000)}${String(n)}` }),
      (n) => ({
        args: [`\u0001\u007f\ufffd\u2028 ${String(n)} \u00e9\ud83d\ude42\t\r\nend`],
        prompt: `\u0001\u007f\ufffd\u2028 ${String(n)} \u00e9\ud83d\ude42\t\r\nend`,
      }),
      (n) => ({ args: ["several", "words  with", " blanks ", String(n)], prompt: `several words  with  blanks  ${String(n)}` }),
    ];
    const runs = Array.from({ length: 40 }, (_, n) => kinds[n % kinds.length]?.(n) ?? { args: [], prompt: "" });
    for (let at = 0; at < runs.length; at += 8) {
      const batch = runs.slice(at, at + 8);
      const ended = await Promise.all(batch.map(({ args }) => place.run(["eval", ...args])));
      expect(ended.map(({ status, stdout, stderr }) => [status, stdout, stderr])).toEqual(
        batch.map(({ prompt }) => [0, `${String(prompt.length)} characters\n`, ""]),
      );
    }
    const sent = place.server.requests.map((request) => lastOf(request, "user"));
    expect(sent.toSorted()).toEqual(runs.map(({ prompt }) => prompt).toSorted());
    expect(readdirSync(place.sessions).filter((name) => name.endsWith(".smith"))).toHaveLength(40);
  }, 120_000);

  test.each([
    ["an empty word", [""]],
    ["blanks", ["  \t "]],
    ["blanks after --", ["--", " "]],
  ])("%s is no prompt: status 2, nothing is sent", async (_name, words) => {
    const place = await scripted();
    const { status, stderr } = await place.run(["eval", ...words]);
    expect(status).toBe(2);
    expect(stderr).toContain("there is no prompt");
    expect(place.server.all).toEqual([]);
  });
});

describe("@FILE", () => {
  test("includes the file after the words, from the folder of the run", async () => {
    const place = await scripted();
    place.file("sub/notes.txt", "line one\nline two");
    expect((await place.run(["eval", "sum up", "@sub/notes.txt", "please"])).status).toBe(0);
    expect((await place.run(["eval", "--cwd", "sub", "@notes.txt"])).status).toBe(0);
    expect((await place.run(["eval", "--", "@sub/notes.txt"])).status).toBe(0);
    expect(place.server.requests.map((request) => lastOf(request, "user"))).toEqual([
      'sum up please\n\n<file path="sub/notes.txt">\nline one\nline two\n</file>',
      '<file path="notes.txt">\nline one\nline two\n</file>',
      "@sub/notes.txt",
    ]);
  });

  test.each([
    ["is not there", "@nope.txt", "no such file"],
    ["is a folder", "@folder", "a folder"],
    ["is no text", "@bytes.bin", "not a text file"],
  ])("that %s is an error of usage, and nothing is sent", async (_name, word, why) => {
    const place = await scripted();
    place.file("bytes.bin", new Uint8Array([0, 1, 2]));
    place.file("folder/x", "");
    const { status, stderr } = await place.run(["eval", "look at", word]);
    expect(status).toBe(2);
    expect(stderr).toContain(why);
    expect(place.server.all).toEqual([]);
  });
});
