import { describe, expect, test } from "vitest";
import { ok, type SessionId } from "../../../src/base/index.js";
import type { GrepMatch, GrepOptions, Inspection } from "../../../src/runtime/index.js";
import { createFakeOutput } from "../fake-host.js";
import { SESSION } from "../fake-runtime.js";
import { each, match, recordsOf, smith } from "./support.js";

const OTHER = `${SESSION.slice(0, -8)}bbbbbbbb` as SessionId;

const finds = (...found: readonly GrepMatch[]): Partial<Inspection> => ({ grep: () => each(found.map((one) => ok(one))) });

const lines = (first: number, ...texts: readonly string[]): GrepMatch => {
  const at = texts.findIndex((text) => text.startsWith("!"));
  return match({
    line: first + at,
    text: (texts[at] ?? "").slice(1),
    before: texts.slice(0, at),
    after: texts.slice(at + 1),
  });
};

describe("what the search is asked", () => {
  test.each<[string, GrepOptions]>([
    ["a", {}],
    ["--session 8057 --session 9abc a", { sessions: [SESSION] }],
    ["--branch a", { branch: "selected" }],
    ["-C 2 a", { before: 2, after: 2 }],
    ["-A 1 a", { after: 1 }],
    ["--oldest-first a", { oldestFirst: true }],
    ["-m 3 a", { maxPerSession: 3 }],
    ["-l a", { maxPerSession: 1 }],
    ["--kind tool -m 3 a", { types: new Set(["tool-call", "tool-result"]), maxPerSession: 3 }],
    // The search knows entries, not parts of them: their matches are counted here.
    ["--kind thinking -m 3 a", { types: new Set(["assistant"]) }],
    ["--kind thinking,assistant -m 3 a", { types: new Set(["assistant"]), maxPerSession: 3 }],
  ])("%s", async (line, expected) => {
    const asked: unknown[] = [];
    const grep: Inspection["grep"] = (_pattern, options) => {
      asked.push(options);
      return each([]);
    };
    expect((await smith(`sessions grep ${line}`, { inspection: { grep } })).status).toBe(1);
    expect(asked).toEqual([expected]);
  });

  test("a session that is not there is status 2 and nothing is searched", async () => {
    const grep = (): never => {
      throw new Error("searched");
    };
    const { status, out, err } = await smith("sessions grep --session 8057 --session x a", { inspection: { grep } });
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain("session.unknown");
  });
});

describe("answers and the thoughts before them", () => {
  const both = finds(
    match({ type: "assistant", part: "text", text: "said" }),
    match({ type: "assistant", part: "thinking", text: "thought" }),
  );

  test.each([
    ["assistant", ["said"]],
    ["thinking", ["thought"]],
    ["assistant,thinking", ["said", "thought"]],
    ["user,assistant", ["said"]],
  ])("--kind %s", async (kinds, texts) => {
    const { out } = await smith(`sessions grep --json --kind ${kinds} a`, { inspection: both });
    expect(recordsOf(out).map((record) => (record as GrepMatch).text)).toEqual(texts);
  });
});

describe("context", () => {
  const shown = async (...found: readonly GrepMatch[]): Promise<readonly string[]> => {
    const { out } = await smith("sessions grep -C 2 x", { inspection: finds(...found) });
    return out.replaceAll("099a8057:0000cafe:output:", "").replaceAll("099a8057-0000cafe-output-", "").split("\n").slice(0, -1);
  };

  test("lines around a match have - for :", async () => {
    const { out } = await smith("sessions grep -C 1 x", { inspection: finds(lines(4, "a", "!b", "c")) });
    expect(out).toBe(["099a8057-0000cafe-output-4- a", "099a8057:0000cafe:output:5: b", "099a8057-0000cafe-output-6- c", ""].join("\n"));
  });

  test("groups that do not touch are apart", async () => {
    expect(await shown(lines(1, "!a", "b"), lines(8, "g", "!h"))).toEqual(["1: a", "2- b", "--", "8- g", "9: h"]);
  });

  test("no line is shown twice, and a match among the lines of another is shown as one", async () => {
    expect(await shown(lines(1, "!a", "b", "c"), lines(1, "a", "b", "!c", "d"), lines(3, "c", "!d", "e"))).toEqual([
      "1: a",
      "2- b",
      "3: c",
      "4: d",
      "5- e",
    ]);
  });

  test("groups that touch are one", async () => {
    expect(await shown(lines(1, "!a", "b"), lines(3, "c", "!d"))).toEqual(["1: a", "2- b", "3- c", "4: d"]);
  });

  test("the same lines of another entry are another group", async () => {
    const elsewhere = match({ entry: "01890a5d-ac96-774b-bcce-00000000beef" as GrepMatch["entry"], line: 2, text: "b", before: ["a"] });
    expect(await shown(lines(1, "!a", "b"), elsewhere)).toEqual([
      "1: a",
      "2- b",
      "--",
      "099a8057-0000beef-output-1- a",
      "099a8057:0000beef:output:2: b",
    ]);
  });
});

describe("sessions only", () => {
  const three = finds(match(), match({ line: 8 }), match({ session: OTHER }));

  test("-c counts the lines of each session with a match", async () => {
    expect(await smith("sessions grep -c x", { inspection: three })).toMatchObject({ status: 0, out: "099a8057:2\nbbbbbbbb:1\n" });
    expect(recordsOf((await smith("sessions grep -c --json x", { inspection: three })).out)).toEqual([
      { session: SESSION, count: 2 },
      { session: OTHER, count: 1 },
    ]);
  });

  test("-l names each session once", async () => {
    expect(await smith("sessions grep -l x", { inspection: three })).toMatchObject({ status: 0, out: "099a8057\nbbbbbbbb\n" });
    expect(recordsOf((await smith("sessions grep -l --json x", { inspection: three })).out)).toEqual([
      { session: SESSION },
      { session: OTHER },
    ]);
  });

  test("-m leaves a session after so many, also where they are counted here", async () => {
    const answers = finds(...[1, 2, 3].map((line) => match({ type: "assistant", part: "text", line })), match({ session: OTHER }));
    expect((await smith("sessions grep --kind assistant,tool -c -m 2 x", { inspection: answers })).out).toBe("099a8057:2\nbbbbbbbb:1\n");
  });

  test("nothing found is silence and status 1", async () => {
    expect(await smith("sessions grep -c x", { inspection: finds() })).toMatchObject({ status: 1, out: "", err: "" });
  });
});

test("a reader who goes away after a match ends it with found", async () => {
  const stdout = createFakeOutput();
  stdout.fail("EPIPE");
  const grep: Inspection["grep"] = async function* () {
    for (;;) {
      yield ok(match());
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  expect(await smith("sessions grep x", { inspection: { grep } }, { stdout })).toMatchObject({ status: 0, out: "", err: "" });
});

test("output that cannot be written is status 2, also when a line of it was found", async () => {
  const stdout = createFakeOutput();
  stdout.fail("ENOSPC");
  const { status, err } = await smith("sessions grep x", { inspection: finds(match()) }, { stdout });
  expect([status, err.includes("output.failed")]).toEqual([2, true]);
});
