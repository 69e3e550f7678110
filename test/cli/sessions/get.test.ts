import { describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import { localMinute } from "../../../src/cli/output/time.js";
import type { EffectiveRequest, EntriesOptions, Inspection } from "../../../src/runtime/index.js";
import type { Message } from "../../../src/schema/index.js";
import { createFakeHost, createFakeOutput } from "../fake-host.js";
import { failure, SESSION } from "../fake-runtime.js";
import { each, entriesOf, recordsOf, smith, TIME } from "./support.js";

const ENTRY = "01890a5d-ac96-774b-bcce-00000000cafe";

const answer = { type: "assistant", request: "r", stop: "stop", dispatch: { provider: "p", model: "m" } } as const;
const entries = entriesOf(
  { type: "user-message", source: "prompt", text: "one" },
  { ...answer, text: "two", thinking: [{ text: "hmm" }] },
  { type: "queue", submission: "s", operation: "enqueue" },
  { ...answer, text: "four", thinking: [] },
  { type: "tool-result", call: "c", name: "list", text: "five", isError: false, mutation: "not-applied", omittedBytes: 0 },
);

interface Asked {
  readonly options: EntriesOptions | undefined;
}

function reading(asked: Asked[] = []): Partial<Inspection> {
  return {
    entries: (_id, options) => {
      asked.push({ options });
      return each(entries.map((entry) => ok(entry)));
    },
    resolveEntry: (_id, name) => Promise.resolve(name === "cafe" ? ok(ENTRY as never) : err(failure({ code: "session.entry-unknown" }))),
  };
}

const numbers = (out: string): readonly string[] => [...out.matchAll(/^#(\d+) /gmu)].map(([, number]) => number ?? "");

describe("which entries", () => {
  test.each<[string, readonly string[]]>([
    ["--kind user", ["1"]],
    ["--kind assistant", ["2", "4"]],
    ["--kind thinking", ["2"]],
    ["--kind tool,work", ["3", "5"]],
    ["--entries 2..4 --kind assistant,result", ["2", "4"]],
    ["--entries 6..", []],
  ])("%s keeps the numbers of the session", async (flags, expected) => {
    const { status, out } = await smith(`sessions get 8057 ${flags}`, { inspection: reading() });
    expect([status, numbers(out)]).toEqual([0, expected]);
  });

  test.each<[string, EntriesOptions]>([
    ["", {}],
    ["--branch", { branch: "selected" }],
    ["--branch cafe", { branch: ENTRY as never }],
    ["--kind tool", {}],
    ["--json --kind tool", { types: new Set(["tool-call", "tool-result"]) }],
    ["--json --kind tool --entries 2..", {}],
  ])("what the store is asked for: %s", async (flags, expected) => {
    const asked: Asked[] = [];
    await smith(["sessions", "get", "8057", ...flags.split(" ").filter((word) => word !== "")], { inspection: reading(asked) });
    expect(asked).toEqual([{ options: expected }]);
  });

  test("an entry that is not there is status 1 and a diagnostic", async () => {
    const { status, out, err: told } = await smith("sessions get 8057 --branch beef", { inspection: reading() });
    expect([status, out]).toEqual([1, ""]);
    expect(told).toContain("session.entry-unknown");
  });
});

describe("--follow", () => {
  const following = (onWait: (signal: AbortSignal) => void): Partial<Inspection> => ({
    async *entries(_id, options) {
      yield* entries.slice(0, 2).map((entry) => ok(entry));
      const signal = options?.signal;
      if (options?.follow !== true || signal === undefined) throw new Error("not followed");
      const aborted = new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      setImmediate(() => {
        onWait(signal);
      });
      await aborted;
    },
  });

  test("shows what is there, then ends with the signal's status", async () => {
    const host = createFakeHost();
    const inspection = following(() => {
      host.signal("SIGINT");
    });
    const { status, out, err: told } = await smith("sessions get 8057 --follow", { inspection, host });
    expect([status, numbers(out), told]).toEqual([130, ["1", "2"], ""]);
  });

  test("ends quietly when the reader of the pipe is gone", async () => {
    const stdout = createFakeOutput();
    stdout.fail("EPIPE");
    const { status, err: told } = await smith("sessions get 8057 --follow", { inspection: following(() => undefined) }, { stdout });
    expect([status, told]).toEqual([0, ""]);
  });

  test("a session that is replaced meanwhile ends it with a message and status 1", async () => {
    const inspection: Partial<Inspection> = {
      entries: () => each([...entries.slice(0, 1).map((entry) => ok(entry)), err(failure({ code: "session.replaced" }))]),
    };
    const { status, out, err: told } = await smith("sessions get 8057 --follow", { inspection });
    expect([status, numbers(out)]).toEqual([1, ["1"]]);
    expect(told).toContain("session.replaced");
  });
});

const messages: readonly Message[] = [
  { role: "user", text: "fix \u001b[2J it" },
  {
    role: "assistant",
    text: "Looking.",
    thinking: [{ text: "hmm" }, { text: "" }],
    toolCalls: [{ call: "c" as never, providerId: "x", name: "read", argsText: '{"path":"a"}' }],
    from: { provider: "p", model: "m" },
  },
  { role: "tool", call: "c" as never, providerId: "x", name: "read", text: "no such file\n", isError: true },
  { role: "user", text: "", images: [{ mediaType: "image/png", base64: "AA==" }] },
];

describe("--projected", () => {
  test("is the messages of the branch, one a record", async () => {
    const asked: unknown[] = [];
    const inspection: Partial<Inspection> = {
      ...reading(),
      projected: (...given) => {
        asked.push(given);
        return Promise.resolve(ok(messages));
      },
    };
    const json = await smith("sessions get 8057 --projected --json --branch cafe", { inspection });
    expect(recordsOf(json.out)).toEqual(messages);
    expect(asked).toEqual([[SESSION, ENTRY]]);
    const { out } = await smith("sessions get 8057 --projected", { inspection });
    expect(out).toBe(
      [
        "#1 user",
        "fix ␛[2J it",
        "",
        "#2 assistant p/m",
        "(thinking) hmm",
        "Looking.",
        '(calls read {"path":"a"})',
        "",
        "#3 tool read (failed)",
        "no such file",
        "",
        "#4 user with 1 image",
        "[image image/png 1 byte]",
        "",
        "",
      ].join("\n"),
    );
  });
});

describe("--request", () => {
  const request = (verified: EffectiveRequest["verified"]): EffectiveRequest => ({
    number: 3,
    request: {
      type: "request",
      id: ENTRY as never,
      time: TIME,
      request: "01890a5d-ac96-774b-bcce-00000000d00d" as never,
      work: "w" as never,
      prompt: ENTRY as never,
      selection: "fast",
      dispatch: { provider: "p", model: "m" },
      attempt: 2,
      generation: 7,
      thinking: "low",
      messageCount: 1,
    },
    system: "Be brief.\n",
    tools: [
      {
        name: "read",
        plugin: "tool-read",
        description: "Reads a file.",
        parameters: { type: "object" },
        readOnly: true,
        timeoutMs: 1,
        summaryKeys: [],
      },
    ],
    messages: messages.slice(0, 1),
    verified,
  });
  const inspection = (verified: EffectiveRequest["verified"]): Partial<Inspection> => ({
    request: (_id, which) => Promise.resolve(which === 3 ? ok(request(verified)) : err(failure({ code: "request.unknown" }))),
  });

  test("shows what it was made of and whether that is what was sent", async () => {
    const { status, out, err: told } = await smith("sessions get 8057 --request 3", { inspection: inspection("yes") });
    expect([status, told]).toEqual([0, ""]);
    expect(out).toBe(
      [
        "Request 3 of session 099a8057",
        "  id         01890a5d-ac96-774b-bcce-00000000d00d",
        `  time       ${localMinute(TIME)}`,
        "  dispatch   p/m, attempt 2",
        "  selection  fast",
        "  thinking   low",
        "  generation 7",
        "  messages   1, as sent: they have the digest recorded before sending",
        "",
        "Instructions",
        "",
        "Be brief.",
        "",
        "Tools (1)",
        "",
        "read (tool-read)",
        "Reads a file.",
        '{"type":"object"}',
        "",
        "Messages (1)",
        "",
        "#1 user",
        "fix ␛[2J it",
        "",
        "",
      ].join("\n"),
    );
  });

  test("--json is one record", async () => {
    const { out } = await smith("sessions get 8057 --request 3 --json", { inspection: inspection("unrecorded") });
    expect(recordsOf(out)).toEqual([request("unrecorded")]);
  });

  test("messages that are not what was sent are shown, told and status 1", async () => {
    const lost: Partial<Inspection> = { request: () => Promise.resolve(ok({ ...request("no"), lost: true })) };
    const gone = await smith("sessions get 8057 --request 3", { inspection: lost });
    expect([gone.status, gone.err.includes("request.lost"), gone.err.includes("verify")]).toEqual([1, true, false]);
    const { status, out, err: told } = await smith("sessions get 8057 --request 3", { inspection: inspection("no") });
    expect(status).toBe(1);
    expect(out).toContain("NOT as sent");
    expect(told).toContain("request.not-verified");
  });

  test("one that is not there is status 1 and silence on stdout", async () => {
    expect(await smith("sessions get 8057 --request 4", { inspection: inspection("yes") })).toMatchObject({ status: 1, out: "" });
  });
});

test("an import under its own id is not from itself", async () => {
  const origin = { type: "origin", how: "import", seq: 7, epoch: 0 } as const;
  const entries = entriesOf({ ...origin, session: SESSION }, { ...origin, how: "fork", session: "01890a5d-ac96-774b-bcce-0000aaaaaaaa" });
  const inspection: Partial<Inspection> = { entries: () => each(entries.map((entry) => ok(entry))) };
  const { out } = await smith("sessions get 8057", { inspection });
  expect(out).toMatch(/ imported, up to its change 7\n.* forked from session aaaaaaaa, up to its change 7\n/u);
});

test("a request is shown with the number that --request takes, whatever else is shown", async () => {
  const request = {
    type: "request",
    request: "01890a5d-ac96-774b-bcce-00000000d00d",
    dispatch: { provider: "p", model: "m" },
    attempt: 1,
    messageCount: 1,
  } as const;
  const entries = entriesOf({ type: "prompt", system: "S", tools: [] }, request, { type: "leaf" }, request);
  const inspection: Partial<Inspection> = { entries: () => each(entries.map((entry) => ok(entry))) };
  const { out } = await smith("sessions get 8057 --kind request", { inspection });
  expect(out).toMatch(/^#2 .* request 1 \(0000d00d\) to p\/m.*\n#4 .* request 2 /u);
});
