import { EventEmitter } from "node:events";

import xterm from "@xterm/headless";

import type { TuiSignal } from "../../src/tui/index.js";

/** A terminal in memory: what is written is emulated, what is typed arrives as bytes. */
export class VirtualScreen extends EventEmitter {
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  columns: number;
  rows: number;
  writableNeedDrain = false;
  bytes = 0;
  writes = 0;
  log = "";
  /** Writes handed to the emulator and not yet taken by it. */
  private pending = 0;
  readonly keys = new VirtualKeys();

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  }

  write(text: string): boolean {
    this.bytes += Buffer.byteLength(text);
    this.writes += 1;
    this.log += text;
    this.pending += 1;
    this.terminal.write(text, () => {
      this.pending -= 1;
    });
    return true;
  }

  get settled(): boolean {
    return this.pending === 0;
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.terminal.resize(columns, rows);
    this.emit("resize");
  }

  lines(): readonly string[] {
    const { active } = this.terminal.buffer;
    return Array.from(
      { length: this.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true, 0, this.columns) ?? "",
    );
  }

  text(): string {
    return this.lines().join("\n");
  }

  get caret(): { readonly row: number; readonly column: number } {
    const { active } = this.terminal.buffer;
    return { row: active.cursorY, column: active.cursorX };
  }

  type(text: string): void {
    this.keys.emit("data", Buffer.from(text));
  }
}

/** The read side. */
export class VirtualKeys extends EventEmitter {
  raw = false;
  setRawMode(on: boolean): this {
    this.raw = on;
    return this;
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
}

/** A process whose signals the test sends. */
export class VirtualProcess {
  private readonly signals = new Set<(signal: TuiSignal) => void>();
  private readonly fatals = new Set<(error: unknown) => void>();
  stopped = 0;

  onSignal(listener: (signal: TuiSignal) => void): () => void {
    this.signals.add(listener);
    return () => this.signals.delete(listener);
  }

  onFatal(listener: (error: unknown) => void): () => void {
    this.fatals.add(listener);
    return () => this.fatals.delete(listener);
  }

  onExitRestore(): () => void {
    return () => undefined;
  }

  stop(): void {
    this.stopped += 1;
  }

  signal(signal: TuiSignal): void {
    for (const listener of [...this.signals]) listener(signal);
  }

  fatal(error: unknown): void {
    for (const listener of [...this.fatals]) listener(error);
  }
}

/** Polls until `check` holds; fails with what was there instead. */
export async function until(check: () => boolean, describe: () => string = () => "", ms = 8000): Promise<void> {
  const end = performance.now() + ms;
  while (!check()) {
    if (performance.now() > end) throw new Error(`waited ${String(ms)} ms in vain\n${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}
