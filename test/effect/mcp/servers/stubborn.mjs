/** Neither the end of its input nor SIGTERM ends it. */
import { serve, text } from "./serve.mjs";

process.on("SIGTERM", () => undefined);
setInterval(() => undefined, 1_000_000);
serve({ "tools/call": () => text(process.pid) });
