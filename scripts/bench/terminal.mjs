/** The program in a pseudo terminal with an emulator behind it: when what became visible. */
import { spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { memoryMb } from "./measure.mjs";

const COLUMNS = 120;
const ROWS = 40;
const PATIENCE_MS = 20_000;

function openTerminal(argv, { cwd, env }) {
  const screen = new headless.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const started = performance.now();
  const pty = spawn(argv[0], argv.slice(1), { cols: COLUMNS, rows: ROWS, cwd, env, name: "xterm-256color" });
  const state = { bytes: 0, ended: false };
  const waiting = new Set();
  const text = () =>
    Array.from(
      { length: ROWS },
      (_, row) => screen.buffer.active.getLine(screen.buffer.active.viewportY + row)?.translateToString(true) ?? "",
    ).join("\n");
  const check = () => {
    for (const wait of waiting) if (wait.test(text())) wait.settle();
  };
  screen.onData((answer) => pty.write(answer));
  pty.onData((data) => {
    state.bytes += data.length;
    screen.write(data, check);
  });
  const exited = new Promise((resolve) => {
    pty.onExit(() => {
      state.ended = true;
      resolve();
    });
  });
  /** ms since the start until `test` holds for the screen's text. */
  const until = (test) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${argv.join(" ")}: not seen within ${PATIENCE_MS} ms:\n${text()}`)), PATIENCE_MS);
      const wait = {
        test,
        settle: () => {
          clearTimeout(timer);
          waiting.delete(wait);
          resolve(performance.now() - started);
        },
      };
      waiting.add(wait);
      check();
    });
  const close = async () => {
    if (!state.ended) pty.kill("SIGTERM");
    await exited;
    screen.dispose();
  };
  return { pty, state, until, close };
}

/** First frame, then a key sent at that moment, then what an idle interface costs. */
export async function measureStart(argv, { cwd, env, ready, idleMs }) {
  const terminal = openTerminal(argv, { cwd, env });
  try {
    const frameMs = await terminal.until((text) => ready.test(text));
    terminal.pty.write("Z");
    const keyMs = await terminal.until((text) => text.includes("Z"));
    if (idleMs === 0) return { frameMs, keyMs };
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const before = terminal.state.bytes;
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    return { frameMs, keyMs, idleBytes: terminal.state.bytes - before, idleMb: memoryMb(terminal.pty.pid, "VmRSS") };
  } finally {
    await terminal.close();
  }
}
