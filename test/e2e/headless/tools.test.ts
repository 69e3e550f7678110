import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, statSync, symlinkSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { calls, say, type ScriptedCall } from "../../support/model-server.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOfType, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
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

/** Runs it and gives the results in the order of the calls; that is the order the model gets them in, whichever ended first. */
async function resultsOf(place: Scripted): Promise<readonly { readonly text: string; readonly isError: boolean }[]> {
  const { status, stdout, stderr } = await place.run(["eval", "--json", "do it"]);
  expect([status, stderr]).toEqual([0, ""]);
  expect(place.server.complaints).toEqual([]);
  await place.quiet();
  const ends = eventsOfType(stdout, "tool_end");
  const results = eventsOfType(stdout, "tool_start").map((started) => ends.find(({ id }) => id === started["id"]));
  const last = place.server.requests.at(-1);
  const sent = last === undefined ? [] : messagesOf(last).filter(({ role }) => role === "tool");
  expect(sent.map(({ content }) => content)).toEqual(
    results.map((end) => `${end?.["isError"] === true ? "Error: " : ""}${textOf(end?.["result"])}`),
  );
  return results.map((end) => ({ text: textOf(end?.["result"]), isError: end?.["isError"] === true }));
}

const edit = (path: string, ...pairs: readonly (readonly [string, string, boolean?])[]): ScriptedCall => ({
  name: "edit",
  args: { path, edits: pairs.map(([old, replacement, all]) => ({ old, new: replacement, ...(all === undefined ? {} : { all }) })) },
});

describe("edits", () => {
  test("keep line ends, dollar signs, modes and links", async () => {
    const dollars = "pid=$$ all=$& pre=$` post=$' one=$1 name=$<x>";
    const place = await makes(
      [
        edit("inv.ini", ["[a]\nqty=1", "[a]\nqty=7"]),
        edit("run.sh", ["MARK", dollars, true]),
        edit("deploy", ["old", "new"]),
        edit("chain.conf", ["v=1", "v=2"]),
        edit("odd.txt", ["x = 'old'\ntail", "x = 'new'\ntail"]),
      ],
      [{ name: "write", args: { path: "deploy", content: "#!/bin/sh\necho over\n" } }],
    );
    place.file("inv.ini", "[a]\r\nqty=1\r\n[b]\r\nqty=1\r\nend");
    place.file("run.sh", "A=1\nMARK\nMARK\nZ=9\n");
    place.file("odd.txt", "keep me   \nprice: 10\u00a0€ — “net”\nx = 'old'  \ntail\t");
    chmodSync(place.file("deploy", "#!/bin/sh\necho old\n"), 0o755);
    chmodSync(place.file("real.conf", "v=1\n"), 0o640);
    symlinkSync("real.conf", `${place.work}/link.conf`);
    symlinkSync("link.conf", `${place.work}/chain.conf`);
    const results = await resultsOf(place);
    expect(results.slice(0, 4).map(({ isError }) => isError)).toEqual([false, false, false, false]);
    expect(place.read("inv.ini")).toBe("[a]\r\nqty=7\r\n[b]\r\nqty=1\r\nend");
    expect(place.read("run.sh")).toBe(`A=1\n${dollars}\n${dollars}\nZ=9\n`);
    expect(place.read("deploy")).toBe("#!/bin/sh\necho over\n");
    expect(statSync(`${place.work}/deploy`).mode & 0o777).toBe(0o755);
    expect(lstatSync(`${place.work}/chain.conf`).isSymbolicLink()).toBe(true);
    expect([place.read("real.conf"), statSync(`${place.work}/real.conf`).mode & 0o777]).toEqual(["v=2\n", 0o640]);
    expect(place.read("odd.txt").startsWith("keep me   \nprice: 10\u00a0€ — “net”\n")).toBe(true);
  });

  test("of one file in one response all arrive, whatever its name is spelled like", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${String(index + 1)}.\n`);
    const place = await makes([
      edit("./n.txt", ["line 20.", "line twenty."]),
      edit("n.txt", ["line 50.", "line fifty."]),
      edit("alias.txt", ["line 80.", "line eighty."]),
    ]);
    place.file("n.txt", lines.join(""));
    symlinkSync("n.txt", `${place.work}/alias.txt`);
    expect((await resultsOf(place)).map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(place.read("n.txt")).toBe(
      lines.join("").replace("line 20.", "line twenty.").replace("line 50.", "line fifty.").replace("line 80.", "line eighty."),
    );
  });
});

describe("reads and searches", () => {
  test("never wait on what is no file, tell what they cut, and take patterns as patterns", async () => {
    const place = await makes(
      [
        { name: "read", args: { path: "pipe" } },
        { name: "read", args: { path: "utf16.txt" } },
        { name: "read", args: { path: "one-line.json" } },
        { name: "read", args: { path: "bytes.bin" } },
      ],
      [
        { name: "grep", args: { pattern: "->" } },
        { name: "grep", args: { pattern: "--dry-run" } },
        { name: "grep", args: { pattern: "needle" } },
        { name: "find", args: { pattern: "*.txt" } },
      ],
    );
    execFileSync("mkfifo", [`${place.work}/pipe`]);
    place.file("utf16.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("Größe = 5\r\n", "utf16le")]));
    place.file("one-line.json", `"${"é".repeat(500_000)}"`);
    place.file("bytes.bin", new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 0, 0]));
    place.file("a.md", "a->b\nrun --dry-run\n");
    place.file("c:52:d.txt", "needle :9: x\n");
    place.file("ignored/x.txt", "needle\n");
    place.file(".gitignore", "ignored/\n");
    const [pipe, utf16, long, binary, arrow, dashes, needle, found] = await resultsOf(place);
    expect(pipe?.isError).toBe(true);
    expect(utf16?.text).toContain("Größe = 5");
    expect(long?.text).not.toContain("\ufffd");
    expect(long?.text).toMatch(/cut|shown|longer/u);
    expect(binary?.text).toContain("binary");
    expect(arrow?.text).toContain("a->b");
    expect(dashes?.text).toContain("run --dry-run");
    expect(needle?.text).toContain("c:52:d.txt");
    expect(needle?.text).not.toContain("ignored");
    expect(found?.text.match(/c:52:d\.txt/gu)).toHaveLength(1);
  });
});

describe("commands", () => {
  test("have no input and no terminal, may leave something in the background, and come back whole", async () => {
    const place = await makes([
      { name: "shell", args: { command: "sleep 600 & echo up" } },
      { name: "shell", args: { command: "read x; echo got:$x; tty; (: < /dev/tty) 2>/dev/null || echo no terminal" } },
      { name: "shell", args: { command: "printf 'x\\342'; sleep 0.2; printf '\\202\\254y\\n'" } },
      { name: "shell", args: { command: "seq 1 300000" } },
      { name: "shell", args: { command: "env | grep -c OPENAI_API_KEY; echo agent $AI_AGENT" } },
    ]);
    const [background, silent, split, flood, environment] = await resultsOf(place);
    expect(background).toMatchObject({ isError: false, text: expect.stringMatching(/^up\n.*background/su) as string });
    expect(silent?.text).toMatch(/got:\n.*no terminal/su);
    expect(split?.text).toContain("x€y");
    expect(flood?.text).toMatch(/^1\n2\n.*bytes left out.*/su);
    expect(flood?.text).toContain("\n300000");
    expect(Buffer.byteLength(flood?.text ?? "")).toBeLessThan(70_000);
    expect(environment?.text).toMatch(/^0\nagent smith/u);
  });
});
