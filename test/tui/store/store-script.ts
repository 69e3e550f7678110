import type { CallId, EffectId } from "../../../src/base/index.js";
import type { SessionStatus } from "../../../src/runtime/index.js";
import type { Question } from "../../../src/schema/index.js";
import type { Contributions } from "../../../src/tui/plugins/index.js";
import { type Command, initialUi, markShown, reduce, type Ui, type UiEvent } from "../../../src/tui/store/index.js";
import { type BareEvent, FakeSession, fakeId } from "../../support/fake-session.js";

export interface Done {
  readonly ui: Ui;
  readonly commands: readonly Command[];
}

/** Reduces all the events, with every frame painted at once. */
export function run(ui: Ui, ...events: readonly UiEvent[]): Done {
  return events.reduce<Done>(
    (done, event) => {
      const next = reduce(done.ui, event);
      return { ui: markShown(next.ui, "at" in event ? event.at : 0), commands: [...done.commands, ...next.commands] };
    },
    { ui, commands: [] },
  );
}

/** A key by its chord, long after whatever was asked came up. */
export function press(chord: string, at = 1000): UiEvent {
  const words = chord.split("+");
  const name = words.pop() ?? "";
  const key = { name, ctrl: words.includes("ctrl"), alt: words.includes("alt"), shift: words.includes("shift") };
  return { type: "input", at, input: { type: "key", key } };
}

export const typed = (text: string, at = 1000): UiEvent => ({ type: "input", at, input: { type: "text", text } });
export const pasted = (text: string, at = 1000): UiEvent => ({ type: "input", at, input: { type: "paste", text } });
export const line = (text: string): readonly UiEvent[] => [typed(text), press("enter")];
export const opened = (fields: Partial<SessionStatus> = {}): UiEvent => ({
  type: "opened",
  status: { ...new FakeSession().status(), ...fields },
});
export const ready = (): Ui => run(initialUi({ columns: 80, rows: 24 }), opened()).ui;

export const happens = (event: BareEvent): UiEvent => ({
  type: "runtime",
  at: 0,
  event: { ...event, session: new FakeSession().id, time: 0 } as Extract<UiEvent, { readonly type: "runtime" }>["event"],
});

export const wantsToRun = (facts: { readonly why?: string; readonly rule?: string } = {}): UiEvent =>
  happens({ type: "approval", id: fakeId<CallId>(), name: "shell", argsSummary: "npm test", args: { command: "npm test" }, ...facts });

export const asks = (question: Question, plugin = "acme.deploy"): UiEvent =>
  happens({ type: "question", id: fakeId<EffectId>(), plugin, question });

export const brings = (fields: Partial<Contributions> = {}): UiEvent => ({
  type: "contributions",
  contributions: { generation: 1, commands: [], themes: [], keys: [], tools: [], resources: [], plugins: [], ...fields },
});

export const command = (name: string, fields: Partial<Contributions["commands"][number]> = {}): Contributions["commands"][number] => ({
  name,
  aliases: [],
  plugin: "acme.lint",
  description: `does ${name}`,
  ...fields,
});

export const ofType = <Type extends Command["type"]>(
  commands: readonly Command[],
  type: Type,
): readonly Extract<Command, { type: Type }>[] => commands.filter((each): each is Extract<Command, { type: Type }> => each.type === type);
