/**
 * theme: styles by meaning, two built-in palettes, compiled to SGR parameters per colour depth.
 * Promises: pure data. Must never know: who draws. Read first: tokens.ts.
 */
export { darkTheme, lightTheme } from "./builtin.js";
export { type ColorLevel, type CompiledTheme, compileTheme } from "./compile.js";
export { BUILTIN_THEMES, type NamedTheme, themeOf, unknownStyles } from "./contributed.js";
export { STYLE_NAMES, type StyleName, type StyleValue, type Theme } from "./tokens.js";
