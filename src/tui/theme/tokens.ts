/** Every style of the interface, by meaning. The position in this list is the style's number on the wire between Ink and the compositor. */
export const STYLE_NAMES = [
  "text",
  "muted",
  "faint",
  "accent",
  "strong",
  "emphasis",
  "strike",
  "error",
  "warning",
  "success",
  "user",
  "heading",
  "link",
  "code",
  "code-gutter",
  "quote",
  "bullet",
  "rule",
  "border",
  "border-active",
  "header",
  "hint",
  "key",
  "selection",
  "thinking",
  "tool-name",
  "tool-output",
  "diff-add",
  "diff-remove",
  "diff-hunk",
  "diff-file",
  "syntax-keyword",
  "syntax-string",
  "syntax-number",
  "syntax-comment",
  "syntax-title",
  "syntax-type",
  "syntax-attribute",
  "syntax-meta",
  "marker",
  "banner",
  "slot-editor",
  "slot-detail",
  "slot-activity",
  "slot-list",
] as const;

export type StyleName = (typeof STYLE_NAMES)[number];

/** Colours as `#rrggbb`; attributes as flags. All absent: the terminal's own. */
export interface StyleValue {
  readonly fg?: string;
  readonly bg?: string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
}

export type Theme = { readonly [Name in StyleName]: StyleValue };
