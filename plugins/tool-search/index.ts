import { definePlugin, failure, type Handler, result, type Tool } from "smith-agent/plugin";
import { findTools, foundWords, isUsable, namesIn, nothingWords } from "./answer.js";

export interface SearchArgs {
  readonly query: string;
}

/** Says which tools there are for something. That they are offered from then on is the handler's part. */
export const toolSearch: Tool<SearchArgs> = async ({ query }, context) => {
  if (query.trim() === "") return failure("query is empty; say what the tool should do.");
  const tools = await context.tools.searchable();
  const found = findTools(query, tools);
  if (found.tools.length === 0 && found.unknown.length === 0)
    return result(nothingWords(query, tools), { summary: "nothing found", details: { data: { found: [] } } });
  const names = found.tools.filter(isUsable).map(({ name }) => name);
  const answer = names.length === 0 ? failure : result;
  return answer(foundWords(found), {
    summary:
      names.length === 0 ? "nothing found" : `${names.length} found: ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`,
    details: { data: { found: names } },
  });
};

/** Has the tools of a result offered from the next request on. */
export const toolSettled: Handler<"tool-settled"> = ({ isError, text }) => {
  const enable = isError ? [] : namesIn(text);
  return enable.length === 0 ? [] : [{ type: "set-tools", enable }];
};

export default definePlugin({ tools: { tool_search: toolSearch }, handlers: { "tool-settled": toolSettled } });
