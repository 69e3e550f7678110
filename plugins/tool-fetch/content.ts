import type { FetchOutput } from "smith-agent/plugin";

/** What an answer is, by its header and its beginning. */
export interface Kind {
  readonly type: "text" | "binary";
  readonly mediaType: string;
}

const TEXTUAL =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|graphql|sql|rtf)|image\/svg\+xml)$/u;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/u;
const UNTOLD: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream"]);

export const isHtml = ({ mediaType }: Kind): boolean => HTML.test(mediaType);

export function kindOf({ headers, body }: FetchOutput): Kind {
  const named = headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  const head = body.slice(0, 4_096);
  if (UNTOLD.has(named) && !isBinary(head))
    return { type: "text", mediaType: /^\s*<(?:!doctype\s+html|html)/iu.test(head) ? "text/html" : "text/plain" };
  return TEXTUAL.test(named) && !head.includes("\0")
    ? { type: "text", mediaType: named }
    : { type: "binary", mediaType: named === "" ? "data" : named };
}

/** Bytes that are no text have nothing in their place, or what stands for what cannot be read. */
const isBinary = (head: string): boolean => head.includes("\0") || (head.match(/\ufffd/gu)?.length ?? 0) > head.length / 100;
