/** Tells of its progress as often as it is asked to. */
import { send, serve, text } from "./serve.mjs";

serve({
  "tools/call": ({ arguments: { steps }, _meta }) => {
    for (let step = 1; step <= steps; step += 1)
      send({
        method: "notifications/progress",
        params: { progressToken: _meta?.progressToken, progress: step, total: steps, message: "files" },
      });
    return text("done");
  },
});
