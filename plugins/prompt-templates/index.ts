import { type Command, definePlugin } from "smith-agent/plugin";
import { fillTemplate, readArguments } from "./arguments.js";

/** Sends the text of a template, filled in, as input. */
export const template: Command = (args, { item }) => {
  const text = fillTemplate(item?.text ?? "", readArguments(args)).trim();
  if (text === "") return [{ type: "notify", text: `${item?.path ?? "The template"} has no text to send.`, role: "error" }];
  return [{ type: "enqueue", text }];
};

export default definePlugin({ commands: { "": template } });
