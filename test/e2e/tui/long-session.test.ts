import { afterEach, describe, expect, test } from "vitest";
import { offlineScreens, type Screens, READY } from "./screens.js";

let here: Screens | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const TURNS = 250;

const uuid = (kind: number, n: number): string => `01a22cd6-${String(kind)}000-7000-8000-${n.toString(16).padStart(12, "0")}`;

/** A dump of a session of many turns, as an export would write it. */
function dump(cwd: string): string {
  const entries: Readonly<Record<string, unknown>>[] = [{ type: "session-info", name: "long one", cwd, version: "0.1.0" }];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    entries.push({ type: "user-message", source: "prompt", text: `question ${String(turn)}.` });
    const dispatch = { provider: "elsewhere", model: "recorded" };
    const ids = { work: uuid(2, turn), request: uuid(3, turn) };
    entries.push({ type: "assistant", ...ids, stop: "stop", text: `answer ${String(turn)}.`, thinking: [], dispatch });
  }
  const lines = entries.map((entry, index) => ({
    ...entry,
    id: uuid(1, index + 1),
    ...(index === 0 ? {} : { parent: uuid(1, index) }),
    time: 1_796_000_000_000 + index,
    change: index + 1,
  }));
  const seq = lines.length;
  const header = { type: "session", format: 1, session: uuid(4, 1), created: 1_796_000_000_000, epoch: 1, seq, leaf: uuid(1, seq) };
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

describe("a session of many turns", () => {
  test("opens at its last screen with few bytes, and is paged back to its first message without gap or repeat", async () => {
    const place = offlineScreens();
    here = place;
    place.file("long.jsonl", dump(place.work));
    const shell = await place.shell({ rows: 40 });
    await shell.ask("smith sessions import long.jsonl");
    const before = shell.log.length;
    shell.type("smith -c\r");
    await shell.shows(`answer ${String(TURNS)}.`);
    await shell.shows(READY);
    expect(shell.log.length - before).toBeLessThan(50_000);

    const shown = (): readonly string[] => [...shell.text().matchAll(/(?:question|answer) \d+\./gu)].map(([text]) => text);
    const seen: string[] = [...shown()];
    const first = "question 1.";
    while (!seen.includes(first)) {
      const page = shell.text();
      shell.type("\x1b[5~");
      await shell.holds(() => shell.text() !== page, "an earlier page");
      const rows = shown();
      const overlap = rows.indexOf(seen[0] ?? "");
      expect(overlap).toBeGreaterThanOrEqual(0);
      expect(rows.slice(overlap)).toEqual(seen.slice(0, rows.length - overlap));
      seen.unshift(...rows.slice(0, overlap));
    }
    expect(seen).toEqual(Array.from({ length: TURNS }, (_, at) => [`question ${String(at + 1)}.`, `answer ${String(at + 1)}.`]).flat());
  });
});
