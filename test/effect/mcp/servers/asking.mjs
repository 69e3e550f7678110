/** Puts the form of its arguments to the person, and answers with what came back. */
import { serve, text } from "./serve.mjs";

serve({
  "tools/call": async ({ arguments: params }, { ask }) => text(JSON.stringify(await ask("elicitation/create", params))),
});
