import { readFileSync } from "node:fs";

/** Help texts by command, written by the build beside the program. Without them help is rendered anew. */
export function renderedHelp(command: string): string | undefined {
  try {
    const texts: unknown = JSON.parse(readFileSync(new URL("help.json", import.meta.url), "utf8"));
    const text = typeof texts === "object" && texts !== null ? Object.entries(texts).find(([name]) => name === command) : undefined;
    return typeof text?.[1] === "string" ? text[1] : undefined;
  } catch {
    // Rendering it is slower and always possible.
    return undefined;
  }
}
