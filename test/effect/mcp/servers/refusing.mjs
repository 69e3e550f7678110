/** `error`: it will not be spoken to. `revision`: it speaks one that nobody else does. */
import { serve } from "./serve.mjs";

serve({
  initialize: () => {
    if (process.argv[2] === "error") throw { code: -32000, message: "no more seats" };
    return { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "old", version: "1" } };
  },
});
