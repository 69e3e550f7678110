import { writeSync } from "node:fs";

import type { TerminalInput, TerminalOutput } from "../types.js";
import type { Caps } from "./caps.js";

/** Pushed in this order after the alternate screen is entered, because both screens keep their own keyboard stack; popped in reverse. */
const MODES: readonly { readonly on: string; readonly off: string }[] = [
  { on: "\x1b[?7l", off: "\x1b[?7h" },
  { on: "\x1b[?2004h", off: "\x1b[?2004l" },
  { on: "\x1b[?1000h\x1b[?1006h", off: "\x1b[?1006l\x1b[?1000l" },
  { on: "\x1b[?1004h", off: "\x1b[?1004l" },
  { on: "\x1b[>4;1m", off: "\x1b[>4;0m" },
  { on: "\x1b[>1u", off: "\x1b[<u" },
];
const ALT_ON = "\x1b[?1049h";
const ALT_OFF = "\x1b[?1049l";
const ASK_BACKGROUND = "\x1b]11;?\x1b\\";

/** A bounded number of tries when the terminal does not take the restoring bytes at once. */
const MAX_TRIES = 200;

/** Owns the terminal's modes: what `enter` changes, `leave` puts back, once, synchronously, on every way out. */
export class TerminalSession {
  private state: "outside" | "inside" = "outside";
  private asked = false;
  private readonly input: TerminalInput;
  private readonly output: TerminalOutput;
  private readonly caps: Caps;

  constructor(input: TerminalInput, output: TerminalOutput, caps: Caps) {
    this.input = input;
    this.output = output;
    this.caps = caps;
  }

  /** `painted`: the alternate screen is already entered. */
  enter(painted: boolean): void {
    if (this.state === "inside") return;
    this.state = "inside";
    this.raw(true);
    let out = painted ? "" : `${ALT_ON}\x1b[H\x1b[J`;
    for (const mode of this.caps.modes ? MODES : MODES.slice(0, 1)) out += mode.on;
    if (this.caps.queries && !this.asked) out += ASK_BACKGROUND;
    this.asked = true;
    this.output.write(out);
  }

  /** Idempotent; never throws: the terminal may be gone. */
  leave(): void {
    if (this.state === "outside") return;
    this.state = "outside";
    let out = "\x1b[?2026l\x1b[r\x1b[0m";
    for (const mode of [...(this.caps.modes ? MODES : MODES.slice(0, 1))].reverse()) out += mode.off;
    this.writeNow(`${out}\x1b[?25h${ALT_OFF}\x1b[?25h`);
    this.raw(false);
  }

  private raw(on: boolean): void {
    try {
      this.input.setRawMode?.(on);
    } catch {
      // The terminal hung up: there is no mode left to set.
    }
  }

  /** Straight to the descriptor: a queued write could land after the process ended or be lost with it. */
  private writeNow(text: string): void {
    const { fd } = this.output;
    if (fd === undefined) {
      this.output.write(text);
      return;
    }
    let bytes = Buffer.from(text);
    for (let tries = 0; bytes.length > 0 && tries < MAX_TRIES; tries += 1) {
      try {
        bytes = bytes.subarray(writeSync(fd, bytes));
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
      }
    }
  }
}
