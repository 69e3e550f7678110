import type { Reduced, Toast, Ui } from "./ui.js";

const TOAST_MS = 4000;

/** Shows a short message for some seconds. */
export function tell(ui: Ui, tone: Toast["tone"], text: string, ms = TOAST_MS): Reduced {
  const id = ui.counter + 1;
  return { ui: { ...ui, counter: id, toast: { id, tone, text } }, commands: [{ type: "expire-toast", id, ms }] };
}
