import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPlace, type Place } from "../support/place.js";
import { lastEvent, STACK } from "../support/smith.js";

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

const config = (text: string | Uint8Array): string => place.config(text);

describe("wrong usage ends with status 2 and says what was meant", () => {
  test.each([
    [["eval", "--modle", "x", "hi"], "unknown flag --modle", "Did you mean --model?"],
    [["--continu"], "unknown flag --continu", "Did you mean --continue?"],
    [["evla"], "unknown command evla", "Did you mean smith eval?"],
    [["sessions", "lst"], "unknown command lst", "Did you mean smith sessions list?"],
    [["eval", "--model"], "--model has no value", "smith eval --help"],
    [["eval", "--deadline", "soon", "hi"], "--deadline", '--deadline "10m"'],
    [["eval", "--max-turns", "0", "hi"], "--max-turns", "--max-turns"],
    [["eval", "--mode", "reed-only", "hi"], "--mode", "read-only"],
    [["eval", "--config", "limits.max-turn=3", "hi"], "limits.max-turn", "Did you mean --config limits.max-turns=...?"],
    [["eval", "--cwd", "/no/such/folder", "hi"], "--cwd /no/such/folder is no folder", "exists"],
    [["eval", "--model", "nobody/x", "hi"], "nobody", "--model"],
    [["sessions", "get"], "smith sessions get needs", "--help"],
    [["sessions", "grep", "("], "is no regular expression", "-F"],
  ])("%j", async (args, what, next) => {
    const { status, stdout, stderr } = await place.run(args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(what);
    expect(stderr).toContain(next);
    expect(stderr).not.toMatch(STACK);
  });

  test("with --json the last record says the same", async () => {
    const { status, stdout } = await place.run(["eval", "--json", "--cwd", "/no/such/folder", "hi"]);
    expect(status).toBe(2);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "error", error: { code: "usage.not-a-folder", exit: 2 } });
  });
});

describe("without a terminal", () => {
  test.each([[[]], [["fix the tests"]], [["-c"]], [["--resume", "abcd1234"]]])(
    "smith %j ends with status 2 and names smith eval",
    async (args) => {
      const { status, stdout, stderr } = await place.run(args);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("usage.no-terminal");
      expect(stderr).toContain("smith eval");
    },
  );
});

describe("a configuration file", () => {
  test("that does not parse is named with line and column, and is left as it is", async () => {
    const path = config('model "a"\nlimits {\n  max-turns 3\n');
    const { status, stderr } = await place.run(["eval", "hi"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(new RegExp(`at:\\s+${path}:\\d+:\\d+\\n`, "u"));
    expect(stderr).not.toMatch(STACK);
  });

  test("with an unknown setting is named with its place and the nearest name", async () => {
    const path = config('log "off"\n  modle "x"\n');
    const { status, stderr } = await place.run(["eval", "hi"]);
    expect(status).toBe(2);
    expect(stderr).toContain("unknown setting modle");
    expect(stderr).toContain(`${path}:2:3`);
    expect(stderr).toContain("Did you mean model?");
  });

  test("with a value of the wrong kind is named with its place", async () => {
    const path = config('limits { max-turns "many"; }\n');
    const { status, stderr } = await place.run(["eval", "hi"]);
    expect(status).toBe(2);
    expect(stderr).toContain(`${path}:1:`);
  });

  test.each([
    ["a byte order mark and CRLF", '\ufeff// a comment\r\nlog "off"\r\n'],
    ["nothing in it", ""],
  ])("with %s is fine", async (_name, text) => {
    config(text);
    expect(await place.run(["eval", "list the files here"])).toMatchObject({ status: 0, stderr: "" });
  });

  test("of a project that is not trusted is not used, and that is told", async () => {
    place.file(".smith/config.kdl", 'mode "plan"\n');
    place.file("seen.txt", "");
    const { status, stdout, stderr } = await place.run(["eval", "list the files here"]);
    expect(status).toBe(0);
    expect(stdout).toContain("seen.txt");
    expect(stderr).toContain("--trust");
  });
});

describe("places that cannot be used", () => {
  test("a home whose data folder is a file is an error that names it, and nothing is run", async () => {
    writeFileSync(`${place.home}/data`, "");
    const { status, stdout, stderr } = await place.run(["eval", "run echo hi > ran"]);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${place.home}/data`);
    expect(stderr).not.toMatch(STACK);
  });
});
