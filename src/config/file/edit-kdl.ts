/**
 * The text with the first argument of one top node set. A node that is there keeps its place and all that stands beside it; one that is
 * not comes to the end. The text must be valid KDL 2. Loads the parser.
 */
export async function editKdl(before: string, name: string, text: string): Promise<string> {
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
  return `${mark}${body}${open}${name} ${JSON.stringify(text)}${lineEnd}`;
}
