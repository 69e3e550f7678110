import type { StyleValue, Theme } from "./tokens.js";

interface Palette {
  readonly muted: string;
  readonly faint: string;
  readonly accent: string;
  readonly error: string;
  readonly warning: string;
  readonly success: string;
  readonly user: string;
  readonly blue: string;
  readonly violet: string;
  readonly addBackground: string;
  readonly removeBackground: string;
  readonly selection: string;
}

const DARK: Palette = {
  muted: "#9aa0a6",
  faint: "#6b7177",
  accent: "#e0a458",
  error: "#f2777a",
  warning: "#f0c674",
  success: "#99c794",
  user: "#8ab4f8",
  blue: "#6cb6ff",
  violet: "#c594c5",
  addBackground: "#14301c",
  removeBackground: "#3a1a1d",
  selection: "#3a3f45",
};

const LIGHT: Palette = {
  muted: "#5f6368",
  faint: "#8a8f94",
  accent: "#a85d00",
  error: "#b3261e",
  warning: "#8a6100",
  success: "#1e7b34",
  user: "#174ea6",
  blue: "#0b57d0",
  violet: "#7b3f98",
  addBackground: "#dff3e3",
  removeBackground: "#fbe3e4",
  selection: "#d7dce1",
};

const fg = (color: string, more: StyleValue = {}): StyleValue => ({ fg: color, ...more });

const themeFrom = (palette: Palette): Theme => ({
  text: {},
  muted: fg(palette.muted),
  faint: fg(palette.faint),
  accent: fg(palette.accent),
  strong: { bold: true },
  emphasis: { italic: true },
  strike: { strike: true },
  error: fg(palette.error),
  warning: fg(palette.warning),
  success: fg(palette.success),
  user: fg(palette.user, { bold: true }),
  heading: fg(palette.accent, { bold: true }),
  link: fg(palette.blue, { underline: true }),
  code: fg(palette.accent),
  "code-gutter": fg(palette.faint),
  quote: fg(palette.muted, { italic: true }),
  bullet: fg(palette.accent),
  rule: fg(palette.faint),
  border: fg(palette.faint),
  "border-active": fg(palette.accent),
  header: fg(palette.muted),
  hint: fg(palette.faint),
  key: fg(palette.muted, { bold: true }),
  selection: { bg: palette.selection },
  thinking: fg(palette.faint, { italic: true }),
  "tool-name": { bold: true },
  "tool-output": fg(palette.muted),
  "diff-add": fg(palette.success, { bg: palette.addBackground }),
  "diff-remove": fg(palette.error, { bg: palette.removeBackground }),
  "diff-hunk": fg(palette.blue),
  "diff-file": fg(palette.muted, { bold: true }),
  "syntax-keyword": fg(palette.violet),
  "syntax-string": fg(palette.success),
  "syntax-number": fg(palette.warning),
  "syntax-comment": fg(palette.faint, { italic: true }),
  "syntax-title": fg(palette.blue),
  "syntax-type": fg(palette.warning),
  "syntax-attribute": fg(palette.accent),
  "syntax-meta": fg(palette.muted),
  marker: fg(palette.accent, { bold: true }),
  banner: fg(palette.warning, { bold: true }),
  "slot-editor": {},
  "slot-detail": {},
  "slot-activity": {},
  "slot-list": {},
});

export const darkTheme: Theme = themeFrom(DARK);
export const lightTheme: Theme = themeFrom(LIGHT);
