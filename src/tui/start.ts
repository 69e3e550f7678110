import { FIRST_FRAME_UNDO, firstFrame } from "./first-frame.js";
import type { TuiEnd, TuiOptions, TuiSignal } from "./types.js";

const LF = 10;
const CR = 13;

/** What happens before the interface is loaded. */
interface Early {
  readonly bytes: Uint8Array[];
  signal: Exclude<TuiSignal, "SIGCONT"> | undefined;
  fatal: { readonly error: unknown } | undefined;
}

/**
 * Runs the interface until the person leaves, a signal comes or it breaks. Paints the first frame at once and loads the rest behind
 * it; what is typed meanwhile is kept. Never rejects: a bug of ours ends with status 70, the terminal restored.
 */
export async function runTui(options: TuiOptions): Promise<TuiEnd> {
  const early: Early = { bytes: options.typedAhead === undefined ? [] : [options.typedAhead], signal: undefined, fatal: undefined };
  const release = standIn(options, early);
  let App;
  try {
    ({ App } = await import("./app.js"));
  } catch (error) {
    release();
    undo(options);
    return { status: 70, farewell: `smith could not load its interface: ${error instanceof Error ? error.message : String(error)}\n` };
  }
  const app = new App({ ...options, painted: true, typedAhead: Buffer.concat(early.bytes) });
  // A signal that came while all this was loaded is lost when its last listener goes: the interface listens before that.
  return await app.run({ ...early, release });
}

/** Holds the terminal until the interface takes over: the first frame, the keys, the signals. Returns how to let go. */
function standIn(options: TuiOptions, early: Early): () => void {
  const { input, output, env, process } = options;
  const restore = (): void => {
    undo(options);
  };
  // Before raw mode the terminal's line discipline makes LF of the Enter key.
  const onData = (chunk: Uint8Array): void => {
    early.bytes.push(chunk.map((byte) => (byte === LF ? CR : byte)));
  };
  const stops = [
    process.onExitRestore(restore),
    process.onSignal((signal) => {
      if (signal !== "SIGCONT") early.signal ??= signal;
    }),
    process.onFatal((error) => {
      early.fatal ??= { error };
    }),
  ];
  input.setRawMode?.(true);
  input.on("data", onData);
  input.resume();
  if (options.painted !== true) {
    const home = env["HOME"];
    const facts = { version: options.version, cwd: options.cwd, ...(home === undefined ? {} : { home }) };
    output.write(firstFrame({ columns: output.columns ?? 80, rows: output.rows ?? 24 }, facts));
  }
  return () => {
    input.off("data", onData);
    for (const stop of stops) stop();
  };
}

function undo({ input, output }: TuiOptions): void {
  output.write(FIRST_FRAME_UNDO);
  input.setRawMode?.(false);
}
