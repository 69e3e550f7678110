import { EventEmitter } from "node:events";

import { render } from "ink";
import { Component, type ReactNode } from "react";

import { decodeStyles } from "../terminal/index.js";
import type { Row, Span } from "../text/index.js";
import type { StyleName } from "../theme/index.js";

/** Catches what a component throws before Ink draws it as an error page, so that the root hears of it. */
class Boundary extends Component<
  { readonly children: ReactNode; readonly onError: (error: unknown) => void },
  { readonly failed: boolean }
> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error);
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}

/** What Ink takes for a terminal: it keeps the last frame as lines. In Ink's debug mode every commit is one whole, unthrottled write. */
class MemoryOutput extends EventEmitter {
  columns: number;
  readonly rows = 1000;
  readonly isTTY = false;
  text = "";

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  write(text: string): boolean {
    this.text = text;
    return true;
  }
}

/** Never says anything: the interface reads the terminal itself. */
class DeadInput extends EventEmitter {
  readonly isTTY = false;
  setEncoding(): this {
    return this;
  }
  setRawMode(): this {
    return this;
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  read(): null {
    return null;
  }
}

const BORDER = /([╭╮╰╯│─┌┐└┘]+)/;

/** Ink draws borders without our styles. */
function withBorders(line: Row, style: StyleName): Row {
  return {
    spans: line.spans.flatMap((item): readonly Span[] =>
      item.style !== "text"
        ? [item]
        : item.text
            .split(BORDER)
            .flatMap((text, index) => (text === "" ? [] : [{ text, style: index % 2 === 1 ? style : ("text" as const) }])),
    ),
  };
}

/** One Ink instance that draws into memory. `draw` returns the rows of the node, synchronously. */
export class InkSurface {
  private readonly output: MemoryOutput;
  private readonly instance: ReturnType<typeof render>;
  private failure: { readonly error: unknown } | undefined;

  constructor(columns: number) {
    this.output = new MemoryOutput(columns);
    // The fakes have what Ink uses of the streams, which is far less than the types say.
    this.instance = render(null, {
      stdout: this.output as unknown as NodeJS.WriteStream,
      stderr: new MemoryOutput(columns) as unknown as NodeJS.WriteStream,
      stdin: new DeadInput() as unknown as NodeJS.ReadStream,
      debug: true,
      patchConsole: false,
      exitOnCtrlC: false,
    });
  }

  draw(node: ReactNode, columns: number, border: StyleName): readonly Row[] {
    this.output.columns = columns;
    this.instance.rerender(
      <Boundary
        onError={(error) => {
          this.failure = { error };
        }}
      >
        {node}
      </Boundary>,
    );
    if (this.failure !== undefined) throw this.failure.error;
    return this.output.text.split("\n").map((line) => withBorders(decodeStyles(line), border));
  }

  close(): void {
    this.instance.unmount();
    this.instance.cleanup();
  }
}
