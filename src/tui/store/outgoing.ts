import { remember, sent } from "../composer/index.js";
import { tell } from "./toast.js";
import type { Command, Outgoing, PluginCommand, Reduced, SessionChange, Ui } from "./ui.js";

/** What is asked of the session for something that waited for it. */
export function delivered({ id, text, request }: Outgoing): Command {
  switch (request.type) {
    case "prompt":
      return { type: "submit", id, text, delivery: request.delivery };
    case "run-command":
      return { ...request, id };
    case "set-mode":
    case "rename":
    case "resume-work":
    case "reconcile":
    case "set-model":
    case "set-thinking":
      return request;
  }
}

/** Whether an answer to it is waited for: until then it is listed. */
export const isAnswered = ({ request }: Outgoing): boolean => request.type === "prompt" || request.type === "run-command";

/** Admission is asked for at once when the session is open, else as soon as it is. */
export function send(ui: Ui, text: string, delivery: "steer" | "follow-up" | undefined): Reduced {
  const outgoing: Outgoing = { id: ui.counter + 1, text, request: { type: "prompt", delivery } };
  const next: Ui = { ...listed(ui, outgoing), history: remember(ui.history, text), toast: undefined };
  const commands: Command[] = [{ type: "scroll-latest" }];
  if (ui.phase === "ready") commands.push(delivered(outgoing));
  return { ui: next, commands };
}

/** As {@link send}, for a command of a plugin. One that no key stands for is remembered like a prompt. */
export function sendPluginCommand(ui: Ui, text: string, request: PluginCommand): Reduced {
  if (ui.phase === "failed") return noSession(ui);
  const outgoing: Outgoing = { id: ui.counter + 1, text, request };
  const next = listed(ui, outgoing);
  return {
    ui: { ...next, toast: undefined, ...(request.isTyped ? { history: remember(ui.history, text) } : { draft: ui.draft }) },
    commands: ui.phase === "ready" ? [delivered(outgoing)] : [],
  };
}

/** As {@link send}, for what `text` asks the session to change: while it is being opened it waits among the prompts. */
export function sendChange(ui: Ui, text: string, change: SessionChange): Reduced {
  if (ui.phase === "failed") return noSession(ui);
  if (ui.phase === "ready") return { ui: { ...ui, draft: sent(ui.draft) }, commands: [change] };
  return { ui: listed(ui, { id: ui.counter + 1, text, request: change }), commands: [] };
}

/** The draft stays. */
export const noSession = (ui: Ui): Reduced => tell(ui, "error", "no session is open; Ctrl-D quits");

const listed = (ui: Ui, outgoing: Outgoing): Ui => ({
  ...ui,
  counter: outgoing.id,
  draft: sent(ui.draft),
  outgoing: [...ui.outgoing, outgoing],
});
