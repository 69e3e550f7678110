import type { ToolDetails, ToolOutput } from "../../schema/index.js";
import { flag, json, object, type Reader, text } from "./shape.js";
import { renderNode } from "./view.js";

const details: Reader<ToolDetails> = object({}, { diff: text, data: json, view: renderNode, done: object({ finalMessage: text }) });

/** What a tool gives back. Its text is for the model as it is; what is for people is checked node by node. */
export const toolOutput: Reader<ToolOutput> = object({ text, isError: flag }, { summary: text, details });
