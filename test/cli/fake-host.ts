import { createManualClock, type ManualClock } from "../support/manual-clock.js";
import type { CliHost, InputPort, OutputPort, StopSignal } from "../../src/cli/index.js";

export interface FakeInput extends InputPort {
  /** Gives a chunk to the reader. */
  push(text: string | Uint8Array): void;
  end(): void;
  readonly closed: boolean;
}

/** Standard input whose writer is the test. */
export function createFakeInput(kind: InputPort["kind"], content?: string | Uint8Array): FakeInput {
  const chunks: Uint8Array[] = content === undefined ? [] : [Buffer.from(content)];
  let ended = content !== undefined;
  let closed = false;
  let wake: () => void = () => undefined;
  return {
    kind,
    async *chunks() {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (ended || closed) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
    push(text) {
      chunks.push(Buffer.from(text));
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    close() {
      closed = true;
      wake();
    },
    get closed() {
      return closed;
    },
  };
}

export interface FakeOutput extends OutputPort {
  readonly text: string;
  /** Every later write fails with this code. */
  fail(code: string): void;
  /** Holds completions back until the returned function is called. */
  stall(): () => void;
}

export function createFakeOutput(options: { readonly isTerminal?: boolean; readonly columns?: number } = {}): FakeOutput {
  let text = "";
  let failure: string | undefined;
  let stalled: (() => void)[] | undefined;
  return {
    isTerminal: options.isTerminal ?? false,
    columns: options.columns,
    write(piece, done) {
      if (failure !== undefined) {
        done(Object.assign(new Error(`${failure}: write`), { code: failure }));
        return;
      }
      text += piece;
      if (stalled === undefined) setImmediate(done);
      else stalled.push(() => done());
    },
    get text() {
      return text;
    },
    fail(code) {
      failure = code;
    },
    stall() {
      const held: (() => void)[] = [];
      stalled = held;
      return () => {
        stalled = undefined;
        for (const done of held) done();
      };
    },
  };
}

export interface FakeHost extends CliHost {
  readonly clock: ManualClock;
  readonly stdin: FakeInput;
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
  readonly ended: readonly number[];
  /** Files that were published, by path; `begun` are those neither published and done with nor discarded. */
  readonly published: ReadonlyMap<string, string>;
  readonly begun: ReadonlySet<string>;
  /** Everything appended, by path. */
  readonly appended: ReadonlyMap<string, string>;
  signal(name: StopSignal): void;
  fatal(error: unknown): void;
}

export interface FakeHostOptions {
  readonly env?: CliHost["env"];
  readonly cwd?: string;
  readonly stdin?: FakeInput;
  readonly stdout?: FakeOutput;
  readonly stderr?: FakeOutput;
  readonly isReadOnly?: boolean;
  readonly files?: Readonly<Record<string, string | Uint8Array | { readonly code: string }>>;
}

export function createFakeHost(options: FakeHostOptions = {}): FakeHost {
  const signals = new Set<(signal: StopSignal) => void>();
  const fatals = new Set<(error: unknown) => void>();
  const ended: number[] = [];
  const appended = new Map<string, string>();
  const published = new Map<string, string>();
  const begun = new Set<string>();
  const clock = createManualClock();
  return {
    env: options.env ?? { SMITH_HOME: "/nowhere/smith" },
    cwd: options.cwd ?? "/nowhere/project",
    platform: "linux",
    nodeVersion: "20.19.0",
    pid: 42,
    hostName: "test",
    tempDir: "/nowhere/tmp",
    installDir: new URL("file:///nowhere/dist/"),
    clock,
    stdin: options.stdin ?? createFakeInput("file", ""),
    stdout: options.stdout ?? createFakeOutput(),
    stderr: options.stderr ?? createFakeOutput(),
    random: () => 0.5,
    randomBytes: (into) => into.fill(7),
    userHome: () => undefined,
    async readFile(path, maxBytes) {
      const content = options.files?.[path] ?? { code: "ENOENT" };
      if (typeof content === "object" && "code" in content) throw Object.assign(new Error(content.code), { code: content.code });
      const bytes = Buffer.from(content);
      if (bytes.byteLength > maxBytes) throw Object.assign(new Error("too large"), { code: "ERR_TOO_LARGE" });
      return bytes;
    },
    async *fileChunks(path) {
      const content = options.files?.[path] ?? { code: "ENOENT" };
      if (typeof content === "object" && "code" in content)
        throw Object.assign(new Error(`${content.code}: ${path}`), { code: content.code });
      // In small pieces, so that lines and characters fall apart.
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5);
    },
    async createFile(path, replace) {
      const there = options.files?.[path];
      if (typeof there === "object" && "code" in there) throw Object.assign(new Error(there.code), { code: there.code });
      if (there !== undefined && !replace) throw Object.assign(new Error("EEXIST"), { code: "EEXIST" });
      let text = "";
      begun.add(path);
      return {
        async write(piece) {
          text += piece;
        },
        async publish() {
          published.set(path, text);
        },
        async discard() {
          begun.delete(path);
        },
      };
    },
    async appendFile(path, text) {
      if (options.isReadOnly === true) throw new Error("EROFS: read-only file system");
      appended.set(path, (appended.get(path) ?? "") + text);
    },
    realPath: (path) => Promise.resolve(path.includes("missing") ? undefined : path.replace("/link/", "/real/")),
    canHold: (path) => Promise.resolve(!path.startsWith("/pseudo/")),
    isDirectory: (path) => Promise.resolve(!path.includes("missing")),
    onSignal: (listener) => subscribe(signals, listener),
    onFatal: (listener) => subscribe(fatals, listener),
    endNow: (status) => ended.push(status),
    terminal: () => {
      throw new Error("the terminal was taken without being one");
    },
    ended,
    published,
    begun,
    appended,
    signal(name) {
      for (const listener of signals) listener(name);
    },
    fatal(error) {
      for (const listener of fatals) listener(error);
    },
  };
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
