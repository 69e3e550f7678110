import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nu, type NuArgs } from "../../../plugins/tool-nu/index.js";
import { fakeContext } from "../../plugins/fake-context.js";
import { nushellFolder } from "../../support/nushell.js";
import { type Bench, createBench, makeFolder, NOTHING, removeFolder } from "../support.js";

let folder: string;
let bench: Bench;
beforeAll(async () => {
  folder = await makeFolder();
  bench = createBench(folder, { env: { PATH: `${await nushellFolder()}:${process.env["PATH"] ?? ""}`, HOME: folder } });
  await mkdir(join(folder, "sub"));
  await writeFile(join(folder, "sub", "people.csv"), "name,age\nann,31\nbob,7\n");
}, 120_000);
afterAll(async () => {
  await bench.close();
  await removeFolder(folder);
});

/** The tool over a real `nu`, run by the real facility with the grants of its manifest. */
const run = async (args: NuArgs) =>
  await nu(
    args,
    fakeContext({
      run: async (input) =>
        await bench.value("process.run", input, { grants: { ...NOTHING, fsRead: ["workspace"], fsWrite: ["workspace"], process: ["nu"] } }),
    }),
  );

describe("nu", () => {
  test("works on structured data in the folder it is given, without colours and frames", async () => {
    const { text, isError, summary } = await run({ script: "open people.csv | where age > 10", cwd: "sub" });
    expect({ isError, summary }).toEqual({ isError: false, summary: "exit 0" });
    expect(text).toMatch(/ann\s+31/u);
    expect(text).not.toMatch(/bob|\u001b|[│╭]/u);
  });

  test("gives JSON when it is asked for it, and what is printed before the last value", async () => {
    expect((await run({ script: "print one\nopen sub/people.csv | get age | math sum | {sum: $in} | to json --raw" })).text).toBe(
      'one\n{"sum":38}',
    );
  });

  test("an error says where it is in the script, and is an error", async () => {
    const { text, isError } = await run({ script: "let a = 1\n$a | frobnicate" });
    expect(isError).toBe(true);
    expect(text).toContain("line 2");
    expect(text).toContain("exit code 1");
  });

  test("a status of its own is told", async () => {
    expect(await run({ script: "exit 3" })).toMatchObject({ isError: true, summary: "exit 3", text: "exit code 3" });
  });

  test("is ended at its time", async () => {
    const { text, isError } = await run({ script: "loop { sleep 1sec }", timeout_s: 1 });
    expect({ isError, text }).toEqual({ isError: true, text: "[timed out after 1 s and was ended]" });
  });

  test("reads no configuration of a person", async () => {
    await mkdir(join(folder, ".config", "nushell"), { recursive: true });
    await writeFile(join(folder, ".config", "nushell", "config.nu"), "def greet [] { 'configured' }");
    expect((await run({ script: "greet" })).isError).toBe(true);
  });

  test("every example line of the notes is one that it parses", async () => {
    const notes = (await run({ notes: true })).text;
    const examples = notes.split("\n").filter((line) => line.startsWith("  ls |") || line.startsWith("  open "));
    expect(examples.length).toBeGreaterThan(2);
    for (const [index, example] of examples.entries()) {
      await writeFile(join(folder, `example-${index}.nu`), example.trim());
      const checked = await run({ script: `nu-check --debug example-${index}.nu` });
      expect(checked, example).toMatchObject({ isError: false });
    }
    expect(await readFile(join(folder, "example-0.nu"), "utf8")).toContain("ls");
  });

  test("nothing to run is refused", async () => {
    expect((await run({ script: " " })).isError).toBe(true);
  });
});
