/** `whole`: three pages. `endless`: the same page for ever. `broken`: an error on the second page. */
import { serve } from "./serve.mjs";

const tools = (...names) => names.map((name) => ({ name, inputSchema: { type: "object" } }));
const kind = process.argv[2];
const PAGES = {
  undefined: { tools: tools("a", "b"), nextCursor: "0" },
  0: { tools: tools("c", "d"), nextCursor: "opaque==" },
  "opaque==": { tools: tools("e", "f") },
};
serve({
  "tools/list": ({ cursor }) => {
    if (kind === "endless") return { tools: tools("a", "b"), nextCursor: "again" };
    if (kind === "broken" && cursor !== undefined) throw { code: -32603, message: "the second page is gone" };
    return PAGES[String(cursor)];
  },
});
