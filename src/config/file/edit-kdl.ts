/**
 * The text with the first argument of one top node set. A node that is there keeps its place and all that stands beside it; one that is
 * not comes to the end. The text must be valid KDL 2. Loads the parser.
 */
export async function editKdl(before: string, name: string, given: string): Promise<string> {
  // Half a character cannot be written in any way.
  const text = given.replace(/\p{Surrogate}/gu, "\ufffd");
  const parser = await import("@bgotink/kdl");
  const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
  const lineEnd = before.includes("\r\n") ? "\r\n" : "\n";
  const document = parser.parse(before.slice(mark.length));
  const argument = document.nodes.findLast((node) => node.getName() === name)?.getArgumentEntry(0);
  if (argument !== undefined) {
    argument.setValue(text);
    return mark + parser.format(document);
  }
  const body = before.slice(mark.length);
  const open = body === "" || body.endsWith("\n") ? "" : lineEnd;
  return `${mark}${body}${open}${name} ${quoted(text)}${lineEnd}`;
}

/** What KDL 2 takes in no text as it is, what would end a line, and what nobody would see. */
const ESCAPED = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** A text as a quoted string of KDL 2. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\]/gu, "\\$&").replace(ESCAPED, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)}"`;
