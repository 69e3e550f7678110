import type { ColorLevel } from "../theme/index.js";
import type { EnvView } from "../types.js";

/** What we dare to use. Conservative: a wrong `true` garbles the screen, a wrong `false` costs a nicety. */
export interface Caps {
  readonly color: ColorLevel;
  /** Synchronized output (mode 2026). */
  readonly sync: boolean;
  /** Kitty keyboard, modifyOtherKeys, focus, mouse and paste modes. */
  readonly modes: boolean;
  /** Scroll regions, to move the transcript without repainting it. */
  readonly scrollRegions: boolean;
  /** Asking for the background colour. */
  readonly queries: boolean;
  /** Shortest time between two frames in ms. */
  readonly frameMs: number;
  readonly lightBackground: boolean;
}

const FORCED: Readonly<Record<string, ColorLevel>> = { 0: "none", 1: "ansi16", 2: "ansi256", 3: "truecolor" };

/** NO_COLOR beats FORCE_COLOR, which beats what the terminal says of itself. */
function colorLevel(env: EnvView): ColorLevel {
  const { TERM: term = "", NO_COLOR: noColor = "", FORCE_COLOR: force = "", COLORTERM: colorTerm = "" } = env;
  if (term === "dumb") return "plain";
  if (noColor !== "") return "none";
  const forced = FORCED[force];
  if (forced !== undefined) return forced;
  return /^(truecolor|24bit)$/i.test(colorTerm) ? "truecolor" : levelOf(term);
}

function levelOf(term: string): ColorLevel {
  if (/-direct$|^xterm-kitty$|^xterm-ghostty$|^alacritty/.test(term)) return "truecolor";
  if (term.includes("256")) return "ansi256";
  return term === "" || /mono|vt\d|^ansi-m/.test(term) ? "none" : "ansi16";
}

/** `COLORFGBG=15;0`: the last number is the background, 7 and 15 are light. */
const lightByEnv = (env: EnvView): boolean => /;(7|15)$/.test(env["COLORFGBG"] ?? "");

export function detectCaps(env: EnvView): Caps {
  const term = env["TERM"] ?? "";
  const simple = term === "dumb" || term === "";
  const console_ = term === "linux" || term.startsWith("vt");
  const remote = env["SSH_TTY"] !== undefined || env["SSH_CONNECTION"] !== undefined;
  return {
    color: colorLevel(env),
    sync: !simple && !console_ && (env["SMITH_NO_SYNC"] ?? "") === "",
    modes: !simple,
    scrollRegions: !simple,
    queries: !simple && !console_ && !/^(screen|tmux)/.test(term),
    frameMs: remote ? 33 : 16,
    lightBackground: lightByEnv(env),
  };
}
