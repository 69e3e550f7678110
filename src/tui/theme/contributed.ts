import { darkTheme, lightTheme } from "./builtin.js";
import { STYLE_NAMES, type StyleName, type StyleValue, type Theme } from "./tokens.js";

/** A theme that is not built in: the styles it names, over those of a built-in one. */
export interface NamedTheme {
  readonly name: string;
  readonly base: "dark" | "light";
  readonly styles: Readonly<Record<string, StyleValue>>;
}

export const BUILTIN_THEMES = ["dark", "light"] as const;

/** Slots mark rectangles between Ink and the compositor; they have no look. */
const LOOKS: ReadonlySet<string> = new Set(STYLE_NAMES.filter((name) => !name.startsWith("slot-")));

const isLook = (name: string): name is StyleName => LOOKS.has(name);

/** A style that is named is replaced whole. */
export function themeOf({ base, styles }: NamedTheme): Theme {
  const named = Object.entries(styles).filter(([name]) => isLook(name));
  return { ...(base === "dark" ? darkTheme : lightTheme), ...Object.fromEntries(named) };
}

/** Names in a theme that are no style of the interface. */
export const unknownStyles = ({ styles }: NamedTheme): readonly string[] => Object.keys(styles).filter((name) => !isLook(name));
