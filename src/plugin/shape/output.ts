import type { ToolDetails, ToolOutput } from "../../schema/index.js";
import { MAX_RESULT_IMAGES } from "../limits.js";
import { usage } from "./provider.js";
import { flag, json, list, number, object, type Reader, text } from "./shape.js";
import { renderNode } from "./view.js";

/** What models that a tool asked have used. */
const used: Reader<NonNullable<ToolDetails["usage"]>> = object({ usage }, { cost: number, model: object({ provider: text, model: text }) });

const details: Reader<ToolDetails> = object(
  {},
  { diff: text, data: json, view: renderNode, usage: used, done: object({ finalMessage: text }) },
);

/** What a tool gives back. Its text is for the model as it is; what is for people is checked node by node. */
export const toolOutput: Reader<ToolOutput> = object(
  { text, isError: flag },
  { summary: text, details, images: list(text, { atMost: MAX_RESULT_IMAGES }) },
);
