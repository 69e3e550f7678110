import { definePlugin, type Handler } from "smith-agent/plugin";
import { countsOf, showing, storing } from "./counts.js";
import { protect } from "./protect.js";
import { remind } from "./remind.js";
import { trim } from "./trim.js";

const endTurn: Handler<"turn-ended"> = (_event, { values }) => {
  const counts = countsOf(values);
  const next = { ...counts, turns: counts.turns + 1 };
  return [storing(next), showing(next)];
};

/** A session that is continued shows what it had. */
const open: Handler<"session-opened"> = (event, { values }) => (event.resumed ? [showing(countsOf(values))] : undefined);

// An event is a snapshot. What a handler wants it returns as actions: the host carries all of them out, or says why none.
export default definePlugin({
  handlers: { "tool-proposed": protect, "tool-settled": remind, "request-prepared": trim, "turn-ended": endTurn, "session-opened": open },
});
