import { definePlugin, failure, result } from "smith-agent/plugin";
import type { Command, JsonObject, JsonValue, RenderNode, Tool, ToolContext } from "smith-agent/plugin";

export interface TodoItem {
  readonly text: string;
  readonly status: "open" | "doing" | "done";
}

const KEY = "list";
const MAX_TEXT = 500;
/** Characters an item of the status line may have. */
const MAX_STATUS = 60;
const MARKS = { open: "[ ]", doing: "[>]", done: "[x]" } as const;

/** The whole list each time: what is not in it any more is gone, so nothing is ever half changed. */
export const todo: Tool<{ readonly items: readonly TodoItem[] }> = async ({ items }, { state, ui }) => {
  const long = items.findIndex(({ text }) => text.length > MAX_TEXT);
  if (long >= 0) return failure(`items[${long}].text has more than ${MAX_TEXT} characters; say it shorter.`);
  const blank = items.findIndex(({ text }) => text.trim() === "");
  if (blank >= 0) return failure(`items[${blank}].text is empty; say what is to be done.`);
  if (items.length === 0) await state.delete(KEY);
  else
    await state.put(
      KEY,
      items.map(({ text, status }) => ({ text, status })),
    );
  show(items, ui);
  const doing = items.filter(({ status }) => status === "doing").length;
  const advice = doing > 1 ? "\n[more than one step is doing; work on one at a time]" : "";
  return result(`${items.length === 0 ? "The list is empty." : lines(items).join("\n")}${advice}`, {
    summary: summary(items),
    details: { data: { open: items.filter(({ status }) => status !== "done").length, total: items.length }, view: view(items) },
  });
};

export const command: Command = async (args, { state, ui }) => {
  const word = args.trim();
  if (word === "clear") {
    await state.delete(KEY);
    show([], ui);
    return [{ type: "notify", text: "The list is cleared." }];
  }
  if (word !== "")
    return [{ type: "notify", text: `/todo takes no ${word}; /todo shows the list, /todo clear clears it.`, role: "warning" }];
  const items = readItems(await state.get(KEY));
  return [{ type: "notify", text: items.length === 0 ? "There is nothing on the list." : [summary(items), ...lines(items)].join("\n") }];
};

const lines = (items: readonly TodoItem[]): readonly string[] => items.map(({ text, status }) => `${MARKS[status]} ${text}`);

function summary(items: readonly TodoItem[]): string {
  const done = items.filter(({ status }) => status === "done").length;
  return items.length === 0 ? "empty" : `${done} of ${items.length} done`;
}

/** The step at work, where there is a status line. */
function show(items: readonly TodoItem[], ui: ToolContext["ui"]): void {
  const current = items.find(({ status }) => status === "doing");
  const isOver = items.every(({ status }) => status === "done");
  const words = `${summary(items)}${current === undefined ? "" : `: ${current.text.replace(/\s+/gu, " ")}`}`;
  const fitting = words.length > MAX_STATUS ? `${words.slice(0, MAX_STATUS - 1).replace(/[\uD800-\uDBFF]$/u, "")}…` : words;
  ui.status("todo", isOver ? "" : fitting, "muted");
}

const ROLES = { open: "plain", doing: "accent", done: "muted" } as const;

const view = (items: readonly TodoItem[]): RenderNode => ({
  type: "group",
  children: items.map(({ text, status }) => ({ type: "text", spans: [{ text: `${MARKS[status]} ${text}`, role: ROLES[status] }] })),
});

/** What is stored may be of another version of this plugin. */
function readItems(value: JsonValue): readonly TodoItem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: JsonValue): readonly TodoItem[] => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return [];
    const { text, status } = item as JsonObject;
    return typeof text === "string" && (status === "open" || status === "doing" || status === "done") ? [{ text, status }] : [];
  });
}

export default definePlugin({ tools: { todo }, commands: { todo: command } });
