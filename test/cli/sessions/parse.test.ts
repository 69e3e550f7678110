import { describe, expect, test } from "vitest";
import { toInvocation } from "../../../src/cli/invocation.js";
import { parseLine } from "../../../src/cli/program.js";
import { parseMoment } from "../../../src/cli/sessions/parse/dates.js";
import { KIND_NAMES, parseKinds } from "../../../src/cli/sessions/parse/kinds.js";

function parse(argv: readonly string[]): unknown {
  const parsed = parseLine(argv, 100);
  if (!parsed.ok) return parsed.error;
  if (parsed.value.type !== "command") throw new Error(`help for ${argv.join(" ")}`);
  const invocation = toInvocation(parsed.value);
  return invocation.ok ? invocation.value : invocation.error;
}

const words = (line: string): readonly string[] => ["sessions", ...line.split(" ")];

describe("lines below sessions and what they mean", () => {
  test.each<[string, object]>([
    ["list --json --here", { type: "sessions list", json: true, here: true, cwd: undefined, limit: undefined, since: undefined }],
    ["list --since 3d --until 90m", { since: { type: "ago", ms: 259_200_000 }, until: { type: "ago", ms: 5_400_000 } }],
    ["list --model m --name n --state busy --limit 5", { model: "m", name: "n", state: "busy", limit: 5 }],
    ["grep -i a.b", { type: "sessions grep", json: false, pattern: /a.b/iu, sessions: [], kinds: undefined, show: "matches" }],
    ["grep -F a.b(/", { pattern: /a\.b\(\//u }],
    ["grep -- -x", { pattern: /-x/u }],
    ["grep --branch -- -x", { pattern: /-x/u, selectedBranch: true }],
    ["grep --session abcd --session ef01 x", { sessions: ["abcd", "ef01"] }],
    ["grep -C 2 x", { before: 2, after: 2 }],
    ["grep -C2 -B 0 x", { before: 0, after: 2 }],
    ["grep -A 3 x", { before: 0, after: 3 }],
    ["grep -c x", { show: "counts" }],
    ["grep -l --oldest-first x", { show: "sessions", oldestFirst: true }],
    ["grep -m 4 x", { maxCount: 4 }],
    ["grep --kind user --kind thinking x", { kinds: { types: new Set(["user-message", "assistant"]), answers: "thinking" } }],
    ["get abcd", { type: "sessions get", json: false, id: "abcd", view: { type: "entries", branch: undefined, follow: false } }],
    ["get --entries 3..9 abcd", { view: { range: { first: 3, last: 9 } } }],
    ["get --entries ..9 abcd", { view: { range: { first: 1, last: 9 } } }],
    ["get --entries 3.. abcd", { view: { range: { first: 3, last: Infinity } } }],
    ["get abcd --branch", { id: "abcd", view: { branch: "selected" } }],
    ["get abcd --branch ef01", { id: "abcd", view: { branch: { entry: "ef01" } } }],
    ["get --branch abcd", { id: "abcd", view: { branch: "selected" } }],
    ["get --branch abcd --json", { id: "abcd", json: true, view: { branch: "selected" } }],
    ["get --branch=ef01 abcd", { id: "abcd", view: { branch: { entry: "ef01" } } }],
    ["get abcd --projected", { view: { type: "projected", branch: "selected" } }],
    ["get abcd --projected --branch ef01", { view: { type: "projected", branch: { entry: "ef01" } } }],
    ["get abcd --request 12", { view: { type: "request", which: 12 } }],
    ["get abcd --request 12345678", { view: { type: "request", which: "12345678" } }],
    ["get abcd --request ab12", { view: { type: "request", which: "ab12" } }],
    ["get abcd --follow --kind tool", { view: { follow: true, kinds: { types: new Set(["tool-call", "tool-result"]) } } }],
    ["verify abcd ef01", { type: "sessions verify", ids: ["abcd", "ef01"] }],
    ["verify --all --json", { ids: "all", json: true }],
    ["export abcd", { type: "sessions export", id: "abcd", format: "jsonl", branch: "selected", output: undefined, force: false }],
    ["export abcd --format md --branch ef01 -o x.md --force", { format: "md", branch: { entry: "ef01" }, output: "x.md", force: true }],
    ["export --format html --branch abcd", { id: "abcd", format: "html", branch: "selected" }],
    ["export abcd -o -", { output: undefined }],
    ["import x.jsonl", { type: "sessions import", file: "x.jsonl", asNew: false, json: false }],
    ["import - --as-new --json", { file: "-", asNew: true, json: true }],
    ["repair abcd --json", { type: "sessions repair", id: "abcd", json: true }],
    ["fork abcd", { type: "sessions fork", source: { id: "abcd", entry: undefined }, name: undefined }],
    ["fork abcd:ef01 --name n", { source: { id: "abcd", entry: "ef01" }, name: "n" }],
    ["rename abcd groceries", { type: "sessions rename", id: "abcd", name: "groceries" }],
    ["delete abcd ef01 -y", { type: "sessions delete", ids: ["abcd", "ef01"], yes: true }],
    ["reconcile abcd", { type: "sessions reconcile", id: "abcd", word: undefined }],
    ["reconcile abcd ef01 --as applied --note seen", { id: "abcd", word: { effect: "ef01", outcome: "applied", note: "seen" } }],
  ])("smith sessions %s", (line, expected) => {
    expect(parse(words(line))).toMatchObject(expected);
  });

  test.each<[string, string, string]>([
    ["list extra", "usage.too-many-arguments", "smith sessions list --help"],
    ["list --since yesterday", "usage.bad-date", "--since 2026-11-30"],
    ["list --until 2026-02-30", "usage.bad-date", "--until 2026-11-30"],
    ["export abcd -o ", "usage.empty-output", "leave the flag out"],
    ["list --state broken", "usage.bad-choice", "sound, busy, damaged, unreadable"],
    ["list --limit 0", "usage.bad-number", "--limit 3"],
    ["list --limit many", "usage.bad-number", "--limit 3"],
    ["list --since", "usage.missing-value", "--help"],
    ["grep", "usage.missing-argument", "smith sessions grep --help"],
    ["grep (", "usage.bad-pattern", "-F"],
    ["grep -c -l x", "usage.conflict", "Use one of them."],
    ["grep -c -C 1 x", "usage.conflict", "Use one of them."],
    ["grep -C -1 x", "usage.bad-number", "--context 2"],
    ["grep -m 0 x", "usage.bad-number", "--max-count 3"],
    ["grep --kind users x", "usage.bad-kind", "user, assistant"],
    ["grep --kind user, x", "usage.bad-kind", "user, assistant"],
    ["get", "usage.missing-argument", "smith sessions get --help"],
    ["get --entries 9..3 abcd", "usage.bad-range", "--entries 1..20"],
    ["get --entries 0..3 abcd", "usage.bad-range", "--entries 1..20"],
    ["get --entries x abcd", "usage.bad-range", "--entries 1..20"],
    ["get abcd --request 0", "usage.bad-request", "--request 1"],
    ["get abcd --request first", "usage.bad-request", "--request 1"],
    ["get abcd --request 1 --follow", "usage.conflict", "Use one of them."],
    ["get abcd --request 1 --projected", "usage.conflict", "Use one of them."],
    ["get abcd --projected --entries 1..2", "usage.conflict", "Use one of them."],
    ["get abcd --follow --branch", "usage.conflict", "Use one of them."],
    ["get abcd ef01", "usage.too-many-arguments", "smith sessions get --help"],
    ["verify", "usage.sessions-missing", "--all"],
    ["verify --all abcd", "usage.conflict", "Use one of them."],
    ["export abcd --format pdf", "usage.bad-choice", "jsonl, md, html"],
    ["export abcd --branch ef01", "usage.branch-not-for-jsonl", "--format md"],
    ["fork abcd:", "usage.bad-place", "smith sessions list"],
    ["rename abcd", "usage.missing-argument", "smith sessions rename --help"],
    ["delete", "usage.missing-argument", "smith sessions delete --help"],
    ["reconcile abcd ef01", "usage.outcome-missing", "--as applied or --as not-applied"],
    ["reconcile abcd --as applied", "usage.effect-missing", "smith sessions reconcile ID"],
    ["reconcile abcd --note x", "usage.effect-missing", "smith sessions reconcile ID"],
    ["reconcile abcd ef01 --as unknown", "usage.bad-choice", "applied, not-applied"],
    ["lsit", "usage.unknown-command", "Did you mean smith sessions list?"],
  ])("smith sessions %s is refused", (line, code, next) => {
    const refused = parse(words(line));
    expect(refused).toMatchObject({ code, exit: 2, severity: "error" });
    expect(refused).toHaveProperty("next", expect.stringContaining(next));
  });

  test.each([["name"], ["rename"]])("an empty name is refused: %s", (where) => {
    const argv = where === "name" ? ["sessions", "fork", "abcd", "--name", " "] : ["sessions", "rename", "abcd", " "];
    expect(parse(argv)).toMatchObject({ code: "usage.empty-name", exit: 2 });
  });

  test("a flag of a run before the command is refused, also when the command has one of that name", () => {
    expect(parse(["--model", "m", "sessions", "list"])).toMatchObject({ code: "usage.misplaced-flag", exit: 2 });
  });
});

describe("dates", () => {
  const at = (...parts: [number, number, number, number?, number?, number?, number?]) => ({
    type: "at",
    ms: new Date(parts[0], parts[1] - 1, parts[2], parts[3] ?? 0, parts[4] ?? 0, parts[5] ?? 0, parts[6] ?? 0).getTime(),
  });

  test.each<[string, object | undefined]>([
    ["2026-11-30", at(2026, 11, 30)],
    ["2026-11-30T09:05", at(2026, 11, 30, 9, 5)],
    ["2026-11-30 09:05:07", at(2026, 11, 30, 9, 5, 7)],
    ["2026-11-30T09:05Z", { type: "at", ms: Date.UTC(2026, 10, 30, 9, 5) }],
    ["2026-11-30T09:05:00.5+02:00", { type: "at", ms: Date.UTC(2026, 10, 30, 7, 5) }],
    ["2026-11-30T09:05-03:30", { type: "at", ms: Date.UTC(2026, 10, 30, 12, 35) }],
    ["2024-02-29", at(2024, 2, 29)],
    ["0m", { type: "ago", ms: 0 }],
    ["2h", { type: "ago", ms: 7_200_000 }],
    ["1w", { type: "ago", ms: 604_800_000 }],
    ["2026-02-29", undefined],
    ["2026-13-01", undefined],
    ["0050-01-01T24:00", undefined],
    ["2026-11-30T09:60", undefined],
    ["2026-11-30T09", undefined],
    ["2026-11-30T09:05+25:00", undefined],
    ["30.11.2026", undefined],
    ["-2h", undefined],
    ["2y", undefined],
    ["", undefined],
  ])("%j", (text, expected) => {
    expect(parseMoment(text, "start")).toEqual(expected);
  });

  test("a day as the end of a range is all of it", () => {
    expect(parseMoment("2026-11-30", "end")).toEqual({ type: "at", ms: new Date(2026, 11, 1).getTime() - 1 });
    expect(parseMoment("2026-11-30T09:05", "end")).toEqual(parseMoment("2026-11-30T09:05", "start"));
  });
});

describe("kinds", () => {
  test("every name selects something, and all of them every type of entry", () => {
    const all = parseKinds(KIND_NAMES.join(","));
    expect(all.ok && all.value.types.size).toBe(24);
    for (const name of KIND_NAMES) {
      const one = parseKinds(name);
      expect(one.ok && one.value.types.size).toBeGreaterThan(0);
    }
  });

  test("the types of records are kinds too", () => {
    expect(parseKinds("receipt,tool-call")).toEqual({ ok: true, value: { types: new Set(["receipt", "tool-call"]), answers: "text" } });
    expect(parseKinds("toString")).toMatchObject({ ok: false, error: { code: "usage.bad-kind" } });
  });

  test.each([
    ["assistant", "text"],
    ["thinking", "thinking"],
    ["assistant, thinking", "both"],
    ["user", "text"],
  ])("%s is about the %s of answers", (text, answers) => {
    expect(parseKinds(text)).toMatchObject({ ok: true, value: { answers } });
  });
});
