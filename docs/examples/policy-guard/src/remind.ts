import type { Handler } from "smith-agent/plugin";
import { countsOf, storing } from "./counts.js";

/** Counts a change that was made, and says once a turn what comes after changes. */
export const remind: Handler<"tool-settled"> = (event, { config, values }) => {
  if (event.isError || event.mutation !== "applied") return undefined;
  const counts = countsOf(values);
  const option = config["guard.remind"];
  const text = typeof option === "string" ? option.trim() : "";
  const isFirst = counts.reminded !== event.work;
  return [
    storing({ ...counts, changes: counts.changes + 1, reminded: event.work }),
    ...(isFirst && text !== "" ? [{ type: "append-result", call: event.call, text: `[${text}]` } as const] : []),
  ];
};
