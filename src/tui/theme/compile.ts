import { STYLE_NAMES, type StyleName, type StyleValue, type Theme } from "./tokens.js";

/** `plain` means no styling at all (TERM=dumb); `none` attributes without colours (NO_COLOR). */
export type ColorLevel = "plain" | "none" | "ansi16" | "ansi256" | "truecolor";

/** SGR parameters that follow a reset, per style; empty for the terminal's own look. */
export type CompiledTheme = ReadonlyMap<StyleName, string>;

const channels = (hex: string): readonly [number, number, number] => [
  Number.parseInt(hex.slice(1, 3), 16),
  Number.parseInt(hex.slice(3, 5), 16),
  Number.parseInt(hex.slice(5, 7), 16),
];

const CUBE: readonly number[] = [0, 95, 135, 175, 215, 255];

const nearest = (value: number): number =>
  CUBE.reduce<number>((best, step, index) => (Math.abs(step - value) < Math.abs((CUBE[best] ?? 0) - value) ? index : best), 0);

/** The 6x6x6 cube, or the grey ramp where that is closer. */
function to256(hex: string): number {
  const [red, green, blue] = channels(hex);
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 12) {
    const grey = Math.round((red + green + blue) / 3);
    if (grey >= 8 && grey <= 238) return 232 + Math.round((grey - 8) / 10);
  }
  return 16 + 36 * nearest(red) + 6 * nearest(green) + nearest(blue);
}

/** Index 0-15: which channels are on, and whether brightly. */
function to16(hex: string): number {
  const [red, green, blue] = channels(hex);
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  if (high - low < 40) return high > 180 ? 7 : high > 60 ? 8 : 0;
  const cut = low + (high - low) * 0.55;
  return (red > cut ? 1 : 0) | (green > cut ? 2 : 0) | (blue > cut ? 4 : 0);
}

function colorCode(hex: string, level: ColorLevel, ground: "fg" | "bg"): string | undefined {
  const base = ground === "fg" ? 38 : 48;
  if (level === "truecolor") return `${String(base)};2;${channels(hex).join(";")}`;
  if (level === "ansi256") return `${String(base)};5;${String(to256(hex))}`;
  if (level !== "ansi16" || ground === "bg") return undefined;
  const index = to16(hex);
  return String(index < 8 ? 30 + index : 82 + index);
}

const ATTRIBUTES = { bold: "1", dim: "2", italic: "3", underline: "4", inverse: "7", strike: "9" } as const;

function compileStyle(value: StyleValue, level: ColorLevel): string {
  if (level === "plain") return "";
  const codes: string[] = [];
  for (const [name, code] of Object.entries(ATTRIBUTES)) if (value[name as keyof typeof ATTRIBUTES] === true) codes.push(code);
  const fg = value.fg === undefined ? undefined : colorCode(value.fg, level, "fg");
  const bg = value.bg === undefined ? undefined : colorCode(value.bg, level, "bg");
  if (fg !== undefined) codes.push(fg);
  if (bg !== undefined) codes.push(bg);
  return codes.join(";");
}

export const compileTheme = (theme: Theme, level: ColorLevel): CompiledTheme =>
  new Map(STYLE_NAMES.map((name) => [name, compileStyle(theme[name], level)]));
