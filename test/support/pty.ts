import { readFileSync } from "node:fs";

import pty from "@lydell/node-pty";
import xterm from "@xterm/headless";

import { FRESH_KEYS_MS } from "../../src/tui/store/index.js";
import { until } from "./virtual-screen.js";

export interface PtyOptions {
  readonly cwd: string;
  /** All of the environment besides PATH, HOME and what makes the shell plain. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default `xterm-256color`. */
  readonly term?: string;
}

/** A real terminal line with bash on it, emulated on our side. */
export class PtyShell {
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  readonly shell: pty.IPty;
  /** Everything written to the terminal. */
  log = "";
  private pending = 0;
  exited = false;

  constructor(size: { readonly columns: number; readonly rows: number }, options: PtyOptions) {
    const { columns: cols, rows } = size;
    this.terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true });
    const env = { PATH: process.env["PATH"] ?? "", HOME: options.cwd, LANG: "C.UTF-8", CI: "", PS1: "$ ", ...options.env };
    this.shell = pty.spawn("bash", ["--norc", "--noprofile"], {
      cols,
      rows,
      name: options.term ?? "xterm-256color",
      cwd: options.cwd,
      env,
    });
    this.shell.onData((data) => {
      this.log += data;
      this.pending += 1;
      this.terminal.write(data, () => {
        this.pending -= 1;
      });
    });
    this.shell.onExit(() => {
      this.exited = true;
    });
    // Answers to queries, as a terminal gives them.
    this.terminal.onData((data) => {
      if (!this.exited) this.shell.write(data);
    });
  }

  lines(): readonly string[] {
    const { active } = this.terminal.buffer;
    return Array.from({ length: this.terminal.rows }, (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "");
  }

  text(): string {
    return this.lines().join("\n");
  }

  get caret(): { readonly row: number; readonly column: number } {
    const { active } = this.terminal.buffer;
    return { row: active.cursorY, column: active.cursorX };
  }

  type(text: string): void {
    this.shell.write(text);
  }

  resize(columns: number, rows: number): void {
    this.shell.resize(columns, rows);
    this.terminal.resize(columns, rows);
  }

  async shows(text: string | RegExp, ms = 15_000): Promise<void> {
    await until(
      () => this.pending === 0 && (typeof text === "string" ? this.text().includes(text) : text.test(this.text())),
      () => `expected ${String(text)} on\n${this.text()}\nlog: ${JSON.stringify(this.log.slice(-2000))}`,
      ms,
    );
  }

  /** Polls until `check` holds on a screen that is up to date; fails with the screen. */
  async holds(check: () => boolean, what: string, ms = 15_000): Promise<void> {
    await until(
      () => this.pending === 0 && check(),
      () => `expected ${what} on\n${this.text()}\ncaret ${JSON.stringify(this.caret)}\nlog: ${JSON.stringify(this.log.slice(-2000))}`,
      ms,
    );
  }

  /** Types text of the editor, sees it there and presses Enter. */
  async prompt(text: string): Promise<void> {
    this.type(text);
    await this.shows(text.slice(-20));
    this.type("\r");
  }

  /** Answers the question on the screen. Keys that come sooner after it appeared do not count, by the interface's own rule. */
  async answer(key: string): Promise<void> {
    await this.shows("wants to run");
    await new Promise((resolve) => setTimeout(resolve, 2 * FRESH_KEYS_MS));
    this.type(key);
  }

  /** Runs a command that ends by itself and returns what it printed. */
  async ask(command: string): Promise<string> {
    const mark = `done-${String(this.log.length)}`;
    const from = this.log.length;
    this.type(`${command}; echo "${mark.slice(0, 2)}""${mark.slice(2)}"\r`);
    await until(
      () => this.log.includes(`${mark}\r\n`, from),
      () => this.text(),
    );
    return this.log.slice(from).replaceAll("\r", "");
  }

  private children(): readonly number[] {
    const { pid } = this.shell;
    const words = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8").split(" ");
    return words.filter((word) => word !== "").map(Number);
  }

  /** The process that bash runs in the foreground. Linux only. */
  childPid(): number {
    return this.children()[0] ?? Number.NaN;
  }

  /** Resolves when bash has no child any more and all that was written is on the screen. */
  async gone(): Promise<void> {
    await this.holds(() => this.children().length === 0, "the program to have ended");
  }

  /** Asserts nothing itself: what the terminal line and the screen look like after a program ended. */
  async aftermath(): Promise<{
    readonly status: number;
    readonly stty: string;
    readonly buffer: string;
    readonly mouse: string;
    readonly wrap: boolean;
  }> {
    await this.gone();
    const answer = await this.ask('echo "rc=$?"; stty -a');
    return {
      status: Number(/rc=(\d+)\n/.exec(answer)?.[1]),
      stty: answer,
      buffer: this.terminal.buffer.active.type,
      mouse: this.terminal.modes.mouseTrackingMode,
      wrap: this.terminal.modes.wraparoundMode,
    };
  }

  async close(): Promise<void> {
    if (!this.exited) this.shell.kill("SIGKILL");
    await until(() => this.exited);
  }
}
