import { type ChromeLines, type ChromeSurface, findSlots } from "../frame/index.js";
import { textWidth } from "../text/index.js";
import { Chrome, Page } from "./chrome.js";
import { InkSurface } from "./surface.js";

/** Two Ink instances, so that typing does not lay out a dialog and the reverse. */
export function createInkChrome(columns: number): ChromeSurface {
  const main = new InkSurface(columns);
  let page: InkSurface | undefined;
  let last: { readonly key: string; readonly lines: ChromeLines } | undefined;
  let lastPage: { readonly key: string; readonly lines: ChromeLines } | undefined;
  return {
    draw: (view) => {
      const key = JSON.stringify(view);
      if (last?.key === key) return last.lines;
      const border = view.editor.type === "question" ? "warning" : view.activityWidth > 0 ? "border-active" : "border";
      const lines = main.draw(<Chrome view={view} />, view.columns, border);
      const top = (view.shape.header ? 1 : 0) + (view.banner === undefined ? 0 : 1);
      last = { key, lines: { top, lines, slots: findSlots(lines, textWidth) } };
      return last.lines;
    },
    drawPage: (view) => {
      const key = JSON.stringify(view);
      if (lastPage?.key === key) return lastPage.lines;
      page ??= new InkSurface(view.columns);
      const lines = page.draw(<Page view={view} />, view.columns, "border-active");
      lastPage = { key, lines: { top: 0, lines, slots: findSlots(lines, textWidth) } };
      return lastPage.lines;
    },
    close: () => {
      main.close();
      page?.close();
    },
  };
}
