import { type McpResourceInfo, result, type ToolOutput } from "smith-agent/plugin";
import { byteWords, clip, oneLine, plural } from "../words.js";
import { boundText } from "./bound.js";

const MAX_DESCRIPTION = 200;
const MAX_NAME = 100;
const MAX_URI = 2_048;

/** What a server has to read, one on a line. */
export function presentResources(
  server: string,
  { resources, truncated }: { readonly resources: readonly McpResourceInfo[]; readonly truncated: boolean },
): ToolOutput {
  const data = { server, resources: resources.length };
  if (resources.length === 0) return result(`${server} lists no resources.`, { summary: "no resources", details: { data } });
  const isTemplate = resources.some(({ uri }) => uri.includes("{"));
  const notes = [
    ...(isTemplate ? ["[an address with {name} is a template: put values in the place of its braces]"] : []),
    ...(truncated ? ["[there are more resources than are listed here]"] : []),
  ];
  return result([boundText(resources.map(resourceLine).join("\n")), ...notes].join("\n"), {
    summary: `${plural(resources.length, "resource")}${truncated ? " and more" : ""}`,
    details: { data },
  });
}

function resourceLine({ uri, name, description, mediaType, bytes }: McpResourceInfo): string {
  const facts = [...(mediaType === undefined ? [] : [mediaType]), ...(bytes === undefined ? [] : [byteWords(bytes)])];
  const words = [
    ...(name === uri ? [] : [clip(oneLine(name), MAX_NAME)]),
    ...(facts.length === 0 ? [] : [`(${oneLine(facts.join(", "))})`]),
    ...(description === undefined ? [] : [clip(oneLine(description), MAX_DESCRIPTION)]),
  ];
  return [clip(oneLine(uri), MAX_URI), ...words].join("  ");
}
