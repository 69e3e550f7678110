import TurndownService from "turndown";
import { entities } from "./entities.js";

/** The part of the DOM library's nodes that is used here; it brings no types of its own. */
interface Node {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly parentNode: Node | null;
  readonly childNodes: ArrayLike<Node>;
  getAttribute?(name: string): string | null;
  remove?(): void;
}

export interface Converted {
  readonly markdown: string;
  readonly title?: string;
}

/** What nobody reads a page for. */
const CHROME = [
  "title",
  "script",
  "style",
  "noscript",
  "template",
  "iframe",
  "svg",
  "canvas",
  "nav",
  "footer",
  "aside",
  "form",
  "dialog",
  "button",
] as const;
const HIDDEN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/iu;

/** A page as a reader sees it. Links are absolute against `url`, pictures are their words, tables are tables. */
export function toMarkdown(html: string, url: string | undefined): Converted {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  // Models read it, and nothing renders it: names such as snake_case stay as they are written.
  service.escape = (text) => text;
  // The name of an element of SVG is none of the types' list.
  service.remove([...CHROME] as TurndownService.Filter);
  service.addRule("hidden", { filter: (node) => isHidden(node), replacement: () => "" });
  service.addRule("item", { filter: "li", replacement: (content, node) => itemOf(content, node) });
  service.addRule("picture", {
    filter: "img",
    replacement: (_, node) => {
      const alt = attribute(node, "alt").trim();
      return alt === "" ? "" : `[image: ${oneLine(alt)}]`;
    },
  });
  service.addRule("link", {
    filter: "a",
    replacement: (content, node) => linkOf(content, attribute(node, "href"), url),
  });
  service.addRule("code", {
    filter: "pre",
    replacement: (_, node) => fenced(node),
  });
  service.addRule("table", { filter: "table", replacement: (_, node) => tableOf(node) });
  const title = /<title[^>]*>([^<]{0,1000})<\/title>/iu.exec(html)?.[1];
  const markdown = service
    .turndown(mainOf(html))
    .replace(/[ \t]+$/gmu, "")
    .replace(/\n{3,}/gu, "\n\n")
    .trim();
  return { markdown, ...(title === undefined || title.trim() === "" ? {} : { title: oneLine(entities(title)) }) };
}

/** The one part that says of itself that it is what the page is for. */
function mainOf(html: string): string {
  for (const name of ["main", "article"]) {
    const starts = html.match(new RegExp(`<${name}[\\s>]`, "giu"))?.length ?? 0;
    if (starts !== 1) continue;
    const start = html.search(new RegExp(`<${name}[\\s>]`, "iu"));
    const end = html.toLowerCase().lastIndexOf(`</${name}`);
    if (end > start && end - start > 200) return html.slice(start, end);
  }
  return html;
}

const attribute = (node: Node, name: string): string => node.getAttribute?.(name) ?? "";

const isHidden = (node: Node): boolean =>
  node.getAttribute !== undefined &&
  (node.getAttribute("hidden") !== null || attribute(node, "aria-hidden") === "true" || HIDDEN.test(attribute(node, "style")));

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim();

function linkOf(content: string, href: string, base: string | undefined): string {
  const words = oneLine(content);
  if (words === "") return "";
  const target = absolute(href, base);
  return target === undefined || target === words ? words : `[${words}](${target})`;
}

/** Undefined: it leads nowhere one could go. */
function absolute(href: string, base: string | undefined): string | undefined {
  if (href === "" || href.startsWith("#")) return undefined;
  if (!URL.canParse(href, base)) return base === undefined && !/^[a-z][a-z0-9+.-]*:/iu.test(href) ? href : undefined;
  const url = new URL(href, base);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

/** One mark, one blank; what belongs to an item is indented as far as its text. */
function itemOf(content: string, node: Node): string {
  const list = node.parentNode;
  const items = list === null ? [] : Array.from(list.childNodes).filter(({ nodeName }) => nodeName === "LI");
  const start = list === null ? 1 : Number.parseInt(attribute(list, "start"), 10) || 1;
  const mark = list?.nodeName === "OL" ? `${start + items.indexOf(node)}. ` : "- ";
  return `${mark}${content.trim().replace(/\n(?=.)/gu, `\n${" ".repeat(mark.length)}`)}${items.at(-1) === node ? "" : "\n"}`;
}

function fenced(node: Node): string {
  const code = Array.from(node.childNodes).find(({ nodeName }) => nodeName === "CODE") ?? node;
  const language =
    /(?:^|\s)(?:lang|language|highlight-source)-([\w+#-]{1,30})/u.exec(`${attribute(code, "class")} ${attribute(node, "class")}`)?.[1] ??
    "";
  const text = (code.textContent ?? "").replace(/\n$/u, "");
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/gu), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

function tableOf(table: Node): string {
  const rows = rowsOf(table).map((row) =>
    Array.from(row.childNodes)
      .filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH")
      .map((cell) => oneLine(cell.textContent ?? "").replaceAll("|", "\\|")),
  );
  const width = Math.max(0, ...rows.map((row) => row.length));
  const [head, ...body] = rows;
  if (head === undefined || width === 0) return "";
  // A table of one column is there for its looks.
  if (width === 1) return `\n\n${rows.map(([cell = ""]) => cell).join("\n\n")}\n\n`;
  const line = (cells: readonly string[]): string => `| ${Array.from({ length: width }, (_, index) => cells[index] ?? "").join(" | ")} |`;
  return `\n\n${[line(head), `|${" --- |".repeat(width)}`, ...body.map(line)].join("\n")}\n\n`;
}

/** Rows of this table, not of one inside of it. */
const rowsOf = (node: Node): readonly Node[] =>
  Array.from(node.childNodes).flatMap((child) =>
    child.nodeName === "TR" ? [child] : ["THEAD", "TBODY", "TFOOT"].includes(child.nodeName) ? rowsOf(child) : [],
  );
