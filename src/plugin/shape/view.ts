import { isJsonObject } from "../../base/index.js";
import { RENDER_LIMITS, type RenderNode, type TextRole, type TextSpan } from "../../schema/index.js";
import { cleanLine, cleanText } from "./clean.js";
import { flag, list, number, object, oneOf, type Reader, text, wrong } from "./shape.js";

export const textRole: Reader<TextRole> = oneOf("plain", "muted", "strong", "emphasis", "accent", "success", "warning", "error", "code");

const MEDIA_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
const MAX_HREF_UNITS = 2_048;
const HREF = /^(?:https?|file|mailto):[^\s]+$/iu;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/u;
const LANGUAGE = /^[A-Za-z0-9+#._-]{1,40}$/u;

/** What one description has used of its bounds so far. */
interface Budget {
  nodes: number;
  textUnits: number;
  imageBytes: number;
}

/**
 * Reads one render description into a fresh value within {@link RENDER_LIMITS}. Texts come out without control characters, links only
 * with schemes that cannot run anything, images only as data of known kinds.
 */
export const renderNode: Reader<RenderNode> = (value, path) => readNode({ nodes: 0, textUnits: 0, imageBytes: 0 }, 1)(value, path);

function readNode(budget: Budget, depth: number): Reader<RenderNode> {
  return (value, path) => {
    if (depth > RENDER_LIMITS.depth) return wrong(path, `at most ${RENDER_LIMITS.depth} levels deep`, value);
    spendNodes(budget, 1, path);
    const type = nodeType(isJsonObject(value) ? value["type"] : undefined, `${path}.type`);
    return nodeReader(type, budget, depth)(value, path);
  };
}

const nodeType = oneOf("text", "code", "diff", "table", "list", "image", "progress", "group");

function nodeReader(type: RenderNode["type"], budget: Budget, depth: number): Reader<RenderNode> {
  const body = spend(budget, cleanText);
  const line = spend(budget, cleanLine);
  const children = list(readNode(budget, depth + 1));
  switch (type) {
    case "text":
      return object({ type: oneOf("text"), spans: list(span(budget)) });
    case "code":
      return object({ type: oneOf("code"), text: body }, { language });
    case "diff":
      return object({ type: oneOf("diff"), text: body });
    case "table":
      return table(budget, line);
    case "list":
      return object({ type: oneOf("list"), items: children }, { ordered: flag });
    case "image":
      return object({ type: oneOf("image"), mediaType: oneOf(...MEDIA_TYPES), base64: image(budget), alt: line });
    case "progress":
      return object({ type: oneOf("progress"), label: line, done: amount }, { total: amount });
    case "group":
      return object({ type: oneOf("group"), children }, { title: line });
  }
}

/** Every text counts, in UTF-16 units, before it is cleaned. */
function spend(budget: Budget, clean: (value: string) => string): Reader<string> {
  return (value, path) => {
    const read = text(value, path);
    budget.textUnits += read.length;
    if (budget.textUnits > RENDER_LIMITS.textUnits)
      return wrong(path, `within ${RENDER_LIMITS.textUnits} characters of text in the whole view`, budget.textUnits);
    return clean(read);
  };
}

function spendNodes(budget: Budget, nodes: number, path: string): void {
  budget.nodes += nodes;
  if (budget.nodes > RENDER_LIMITS.nodes)
    wrong(path, `within ${RENDER_LIMITS.nodes} nodes, spans and cells in the whole view`, budget.nodes);
}

function span(budget: Budget): Reader<TextSpan> {
  const read = object({ text: spend(budget, cleanText) }, { role: textRole, href: href(budget) });
  return (value, path) => {
    spendNodes(budget, 1, path);
    return read(value, path);
  };
}

function href(budget: Budget): Reader<string> {
  return (value, path) => {
    const read = spend(budget, (link) => link)(value, path);
    // A link that cleaning would change is no link: what is shown and what is opened must be the same.
    const isSafe = read.length <= MAX_HREF_UNITS && HREF.test(read) && cleanLine(read) === read;
    return isSafe ? read : wrong(path, "a link that begins with https:, http:, file: or mailto:, without spaces", value);
  };
}

function table(budget: Budget, cell: Reader<string>): Reader<RenderNode> {
  const counted: Reader<string> = (value, path) => {
    spendNodes(budget, 1, path);
    return cell(value, path);
  };
  const read = object({ type: oneOf("table"), columns: list(counted), rows: list(list(counted)) });
  return (value, path) => {
    const made = read(value, path);
    const long = made.rows.findIndex((row) => row.length > made.columns.length);
    return long === -1 ? made : wrong(`${path}.rows[${long}]`, `at most as long as the ${made.columns.length} columns`, made.rows[long]);
  };
}

function image(budget: Budget): Reader<string> {
  return (value, path) => {
    const read = text(value, path);
    budget.imageBytes += Math.floor((read.length * 3) / 4);
    if (budget.imageBytes > RENDER_LIMITS.imageBytes)
      return wrong(path, `within ${RENDER_LIMITS.imageBytes} bytes of images in the whole view`, budget.imageBytes);
    return read.length % 4 === 0 && BASE64.test(read) ? read : wrong(path, "base64", value);
  };
}

const language: Reader<string> = (value, path) => {
  const read = text(value, path);
  return LANGUAGE.test(read) ? read : wrong(path, "the name of a language", value);
};

const amount: Reader<number> = (value, path) => {
  const read = number(value, path);
  return read >= 0 ? read : wrong(path, "a number of at least 0", value);
};
