/** A key with its modifiers, normalized over the legacy and the kitty encodings. `name` is a printable character or one of the names below. */
export interface Key {
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

export type InputEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "key"; readonly key: Key }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "wheel"; readonly rows: number }
  | { readonly type: "focus"; readonly focused: boolean }
  | { readonly type: "reply"; readonly reply: TerminalReply };

/** Answers to our queries. `background` is the relative luminance of the default background, 0 to 1. */
export type TerminalReply = { readonly type: "background"; readonly luminance: number } | { readonly type: "other" };

export const key = (name: string, mods: Partial<Omit<Key, "name">> = {}): Key => ({ name, ctrl: false, alt: false, shift: false, ...mods });

/** `ctrl+shift+a`: modifiers in this order, then the name. */
export const chord = (pressed: Key): string =>
  `${pressed.ctrl ? "ctrl+" : ""}${pressed.alt ? "alt+" : ""}${pressed.shift ? "shift+" : ""}${pressed.name}`;

const CSI_LETTERS: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "begin",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};
const CSI_TILDE: Readonly<Record<string, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};
/** Functional keys of the kitty protocol that have an older name, and the keypad. */
const KITTY_CODES: Readonly<Record<number, string>> = {
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
  57399: "0",
  57400: "1",
  57401: "2",
  57402: "3",
  57403: "4",
  57404: "5",
  57405: "6",
  57406: "7",
  57407: "8",
  57408: "9",
  57409: ".",
  57410: "/",
  57411: "*",
  57412: "-",
  57413: "+",
  57414: "enter",
  57415: "=",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57425: "insert",
  57426: "delete",
};

function modifiers(encoded: string | undefined): Omit<Key, "name"> | undefined {
  const [mods = "1", eventType] = (encoded ?? "1").split(":");
  if (eventType === "3") return undefined;
  const bits = Math.max(0, (Number(mods) || 1) - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0 || (bits & 32) !== 0, ctrl: (bits & 4) !== 0 };
}

/** Key of a Unicode code point with modifiers, as kitty and modifyOtherKeys send them. */
function codeKey(code: number, mods: Omit<Key, "name">): InputEvent | undefined {
  const named = KITTY_CODES[code];
  if (named === undefined && !isCharacter(code)) return undefined;
  const name = named ?? String.fromCodePoint(code);
  const typed = name === "space" ? " " : name;
  const isText = !mods.ctrl && !mods.alt && (named === undefined || typed.length === 1);
  if (isText) return { type: "text", text: mods.shift && named === undefined ? typed.toUpperCase() : typed };
  return { type: "key", key: { name: name.toLowerCase(), ...mods } };
}

/** No control and not of the private area that kitty numbers its functional keys in. */
const isCharacter = (code: number): boolean => code >= 32 && code <= 0x10ffff && !(code >= 57344 && code <= 63743);

/** `CSI code[:shifted] ; mods[:event] ; text u` */
function kittyKey(params: readonly string[]): InputEvent | undefined {
  const [codes = "", , text = ""] = params;
  const mods = modifiers(params[1]);
  if (mods === undefined) return undefined;
  const isPlain = !mods.ctrl && !mods.alt;
  if (text !== "" && isPlain) return { type: "text", text: text.split(":").map(pointText).join("") };
  const [code = 0, shifted = 0] = codes.split(":").map(Number);
  return mods.shift && isPlain && isCharacter(shifted) ? codeKey(shifted, { ...mods, shift: false }) : codeKey(code, mods);
}

const pointText = (point: string): string => String.fromCodePoint(isCharacter(Number(point)) ? Number(point) : 0xfffd);

/** SGR mouse report: only the wheel is ours. 64 up, 65 down; the report of other buttons is swallowed. */
export function mouseEvent(params: string): InputEvent | undefined {
  const button = Number(params.split(";")[0]);
  if ((button & 0b1100_0011) === 64) return { type: "wheel", rows: -3 };
  if ((button & 0b1100_0011) === 65) return { type: "wheel", rows: 3 };
  return undefined;
}

/** A complete `CSI params intermediates final`. Undefined when it means nothing to us: it is swallowed. */
export function csiEvent(params: string, final: string): InputEvent | undefined {
  if (params.startsWith("<")) return final === "M" ? mouseEvent(params.slice(1)) : undefined;
  if (/^[?>]/.test(params)) return { type: "reply", reply: { type: "other" } };
  if (params === "" && (final === "I" || final === "O")) return { type: "focus", focused: final === "I" };
  const parts = params.split(";");
  if (final === "u") return kittyKey(parts);
  if (final === "Z") return { type: "key", key: key("tab", { shift: true }) };
  return final === "~" ? tildeKey(parts) : named(CSI_LETTERS[final], parts[1]);
}

/** `CSI number ; mods ~`, and modifyOtherKeys' `CSI 27 ; mods ; code ~`. */
function tildeKey([number = "", mods, code]: readonly string[]): InputEvent | undefined {
  if (number !== "27") return named(CSI_TILDE[number], mods);
  const held = modifiers(mods);
  return held === undefined ? undefined : codeKey(Number(code), held);
}

function named(name: string | undefined, encoded: string | undefined): InputEvent | undefined {
  const mods = modifiers(encoded);
  return name === undefined || mods === undefined ? undefined : { type: "key", key: { name, ...mods } };
}

/** `ESC O final`: keypad and function keys in application mode. */
export function ss3Event(final: string): InputEvent | undefined {
  if (final === "M") return { type: "key", key: key("enter") };
  const name = CSI_LETTERS[final];
  return name === undefined ? undefined : { type: "key", key: key(name) };
}

/** A C0 control or DEL. */
export function controlEvent(code: number): InputEvent {
  if (code === 13) return { type: "key", key: key("enter") };
  if (code === 9) return { type: "key", key: key("tab") };
  if (code === 127 || code === 8) return { type: "key", key: code === 8 ? key("backspace", { ctrl: true }) : key("backspace") };
  if (code === 27) return { type: "key", key: key("escape") };
  if (code === 0) return { type: "key", key: key("space", { ctrl: true }) };
  if (code < 27) return { type: "key", key: key(String.fromCharCode(96 + code), { ctrl: true }) };
  return { type: "key", key: key(String.fromCharCode(64 + code).toLowerCase(), { ctrl: true }) };
}

/** `OSC 11 ; rgb:rrrr/gggg/bbbb`: the terminal's background. */
export function oscReply(body: string): TerminalReply {
  const match = /^11;rgba?:([0-9a-fA-F]{1,4})\/([0-9a-fA-F]{1,4})\/([0-9a-fA-F]{1,4})/.exec(body);
  if (match === null) return { type: "other" };
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return { type: "background", luminance: 0.2126 * red + 0.7152 * green + 0.0722 * blue };
}
