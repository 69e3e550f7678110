import { RENDER_LIMITS, type RenderNode, type TextRole, type TextSpan } from "../../../schema/index.js";
import { sanitize, sanitizeLine, type Span, span } from "../../text/index.js";
import type { StyleName } from "../../theme/index.js";

/** A render description made safe to draw: no control characters, no pixels, lines split, bounded again whoever wrote the file it comes from. */
export type View =
  | { readonly type: "text"; readonly lines: readonly (readonly Span[])[] }
  | { readonly type: "code"; readonly text: string; readonly language: string }
  | { readonly type: "diff"; readonly text: string }
  | { readonly type: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: "list"; readonly items: readonly View[]; readonly ordered: boolean }
  | { readonly type: "progress"; readonly label: string; readonly done: number; readonly total: number | undefined }
  | { readonly type: "group"; readonly title: string; readonly children: readonly View[] };

const STYLES: Readonly<Record<TextRole, StyleName>> = {
  plain: "text",
  muted: "muted",
  strong: "strong",
  emphasis: "emphasis",
  accent: "accent",
  success: "success",
  warning: "warning",
  error: "error",
  code: "code",
};

/** The look of a role; a role that is not known has none. */
export const roleStyle = (role: TextRole | undefined): StyleName => (role === undefined ? "text" : (STYLES[role] ?? "text"));

const note = (text: string): View => ({ type: "text", lines: [[span(text, "muted")]] });

export function safeView(node: RenderNode): View {
  let left: number = RENDER_LIMITS.nodes;
  const visit = (each: RenderNode, depth: number): View => {
    left -= 1;
    const inside = (children: readonly RenderNode[]): readonly View[] => {
      if (depth >= RENDER_LIMITS.depth) return children.length === 0 ? [] : [note("… nested too deep to be shown")];
      const made: View[] = [];
      for (const child of children) {
        if (left <= 0) return [...made, note("… more than can be shown")];
        made.push(visit(child, depth + 1));
      }
      return made;
    };
    switch (each.type) {
      case "list":
        return { type: "list", items: inside(each.items), ordered: each.ordered === true };
      case "group":
        return { type: "group", title: sanitizeLine(each.title ?? ""), children: inside(each.children) };
      case "text":
      case "code":
      case "diff":
      case "table":
      case "image":
      case "progress":
        return safeLeaf(each);
    }
  };
  return visit(node, 1);
}

type Leaf = Exclude<RenderNode, { readonly type: "list" | "group" }>;

function safeLeaf(node: Leaf): View {
  switch (node.type) {
    case "text":
      return { type: "text", lines: textLines(node.spans) };
    case "code":
      return { type: "code", text: sanitize(node.text), language: sanitizeLine(node.language ?? "") };
    case "diff":
      return { type: "diff", text: sanitize(node.text) };
    case "table":
      return { type: "table", columns: node.columns.map(sanitizeLine), rows: node.rows.map((cells) => cells.map(sanitizeLine)) };
    case "progress":
      return { type: "progress", label: sanitizeLine(node.label), done: node.done, total: node.total };
    case "image":
      return { type: "text", lines: [imageLine(node)] };
  }
}

/** Pixels are none of a transcript of text: what the picture shows, and how large it is. */
function imageLine({ alt, mediaType, base64 }: Extract<Leaf, { readonly type: "image" }>): readonly Span[] {
  const bytes = Math.floor((base64.length * 3) / 4);
  const size = bytes < 1024 ? `${String(bytes)} B` : `${String(Math.round(bytes / 1024))} KiB`;
  return [
    span("▣ ", "accent"),
    span(alt.trim() === "" ? "image" : sanitizeLine(alt)),
    span(` · ${sanitizeLine(mediaType)}, ${size}`, "muted"),
  ];
}

const LINKABLE = /^(https?|mailto|file):/i;

function textLines(spans: readonly TextSpan[]): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]];
  for (const each of spans) {
    for (const [index, text] of sanitize(each.text).split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push(span(text, each.href === undefined ? roleStyle(each.role) : "link"));
    }
    const target = targetOf(each);
    if (target !== undefined) lines.at(-1)?.push(span(` (${target})`, "muted"));
  }
  return lines;
}

/** The target is always to be read, unless it is the text itself: what looks like one address must not lead to another. */
function targetOf({ text, href }: TextSpan): string | undefined {
  if (href === undefined) return undefined;
  const target = sanitizeLine(href);
  const shown = sanitizeLine(text).trim();
  return LINKABLE.test(target) && (shown === target || `mailto:${shown}` === target) ? undefined : target;
}
