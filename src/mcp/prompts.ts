import type { GetPromptResult, ListPromptsResult } from "@modelcontextprotocol/sdk/types.js";
import type { Runtime } from "../runtime/index.js";
import { internal, invalidParams } from "./failure.js";

type PromptRuntime = Pick<Runtime, "contributions" | "prompt">;

const ARGUMENT = "arguments";

/** Templates and skills that plugins collect: what a person of smith would write as /NAME. */
export const listPrompts = (runtime: PromptRuntime): ListPromptsResult => ({
  prompts: collected(runtime).map(({ name, description, usage }) => ({
    name,
    title: `/${name}`,
    description,
    ...(usage === undefined ? {} : { arguments: [{ name: ARGUMENT, description: `As after /${name}: ${usage}`, required: false }] }),
  })),
});

const collected = (runtime: PromptRuntime): ReturnType<Runtime["contributions"]>["commands"] =>
  runtime.contributions().commands.filter(({ resource }) => resource !== undefined);

export async function getPrompt(
  runtime: PromptRuntime,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<GetPromptResult> {
  const found = collected(runtime).find((prompt) => prompt.name === name);
  if (found === undefined) throw invalidParams(`Unknown prompt: ${name}`);
  const stray = Object.keys(args).find((given) => given !== ARGUMENT);
  if (stray !== undefined) throw invalidParams(`The prompt ${name} takes no argument ${stray}; everything goes into ${ARGUMENT}.`);
  const text = await runtime.prompt(name, args[ARGUMENT] ?? "", signal);
  if (!text.ok) throw internal(text.error);
  return { description: found.description, messages: [{ role: "user", content: { type: "text", text: text.value } }] };
}
