import type { JsonObject, JsonValue } from "../../../base/index.js";
import type { ToolCallEntry, ToolDefinition, ToolResultEntry } from "../../../schema/index.js";
import { clipLine } from "./clean.js";
import type { ExportBlock, ExportItem, ToolBlock } from "./types.js";

const SUMMARY_CHARACTERS = 120;

/**
 * Joins calls with their results, in the order of the results; keeps no more than one batch of calls. A call whose batch is
 * over without a result comes alone, and so does a result whose call is not on the branch.
 */
export async function* toBlocks(items: AsyncIterable<ExportItem>): AsyncIterable<ExportBlock> {
  const pairs = new Pairs();
  for await (const item of items) {
    if (item.type === "tool-call") pairs.open(item);
    else if (item.type === "tool-result") yield pairs.close(item);
    else {
      yield* pairs.flush();
      if (item.type === "prompt") pairs.tools = item.tools;
      yield item.type === "gap" ? item : { type: "entry", entry: item };
    }
  }
  yield* pairs.flush();
}

class Pairs {
  tools: readonly ToolDefinition[] = [];
  #calls = new Map<string, ToolCallEntry>();

  open(call: ToolCallEntry): void {
    this.#calls.set(call.call, call);
  }

  close(result: ToolResultEntry): ToolBlock {
    const call = this.#calls.get(result.call);
    this.#calls.delete(result.call);
    return this.#block(call, result);
  }

  flush(): readonly ToolBlock[] {
    const left = [...this.#calls.values()].map((call) => this.#block(call, undefined));
    this.#calls.clear();
    return left;
  }

  #block(call: ToolCallEntry | undefined, result: ToolResultEntry | undefined): ToolBlock {
    const tool = this.tools.find(({ name }) => name === call?.name);
    return { type: "tool", call, result, summary: call === undefined ? "" : summaryOf(call, tool) };
  }
}

function summaryOf(call: ToolCallEntry, tool: ToolDefinition | undefined): string {
  if (call.args === undefined) return clipLine(call.argsText, SUMMARY_CHARACTERS);
  const keys = tool !== undefined && tool.summaryKeys.length > 0 ? tool.summaryKeys : Object.keys(call.args).slice(0, 2);
  return clipLine(words(call.args, keys).join(" "), SUMMARY_CHARACTERS);
}

const words = (args: JsonObject, keys: readonly string[]): readonly string[] =>
  keys.flatMap((key) => {
    const value: JsonValue | undefined = Object.hasOwn(args, key) ? args[key] : undefined;
    return value === undefined || value === null ? [] : [typeof value === "string" ? value : JSON.stringify(value)];
  });
