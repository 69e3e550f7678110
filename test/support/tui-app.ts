import { performance } from "node:perf_hooks";

import type { Clock } from "../../src/base/index.js";
import { runTui, type TuiEnd, type TuiOptions } from "../../src/tui/index.js";
import { FakeSession } from "./fake-session.js";
import { until, VirtualProcess, VirtualScreen } from "./virtual-screen.js";

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export interface RunningApp {
  readonly screen: VirtualScreen;
  readonly session: FakeSession;
  readonly process: VirtualProcess;
  readonly end: Promise<TuiEnd>;
  /** Types and waits until the screen shows what is expected. */
  shows(text: string | RegExp): Promise<void>;
  lacks(text: string): Promise<void>;
  type(text: string): void;
  quit(): Promise<TuiEnd>;
}

/** The whole interface on a virtual screen with a fake session. Resolves when the session is open. */
export async function startApp(
  size: { readonly columns: number; readonly rows: number },
  options: Partial<TuiOptions> & { readonly session?: FakeSession } = {},
): Promise<RunningApp> {
  const screen = new VirtualScreen(size.columns, size.rows);
  const session = options.session ?? new FakeSession();
  const process = new VirtualProcess();
  let opened = false;
  const open = options.open;
  const end = runTui({
    input: screen.keys,
    output: screen,
    env: { TERM: "xterm-256color", HOME: "/home/me" },
    clock: realClock,
    cwd: "/home/me/src/shop",
    version: "0.1.0",
    process,
    ...options,
    open: async () => {
      const result = open === undefined ? ({ ok: true, value: session } as const) : await open();
      opened = true;
      return result;
    },
  });
  const shows = async (text: string | RegExp): Promise<void> => {
    await until(
      () => screen.settled && (typeof text === "string" ? screen.text().includes(text) : text.test(screen.text())),
      () => `expected ${String(text)} on\n${screen.text()}`,
    );
  };
  await until(
    () => opened,
    () => screen.text(),
  );
  if (open === undefined) await shows(/sonnet|READ-ONLY|Enter|ask-writes|›/);
  return {
    screen,
    session,
    process,
    end,
    shows,
    lacks: async (text) => {
      await until(
        () => screen.settled && !screen.text().includes(text),
        () => `expected no ${text} on\n${screen.text()}`,
      );
    },
    type: (text) => {
      screen.type(text);
    },
    quit: async () => {
      process.signal("SIGTERM");
      return await end;
    },
  };
}

/** Starts interfaces and ends them all: call `end` after each test. */
export function createApps(): {
  start(size?: { readonly columns: number; readonly rows: number }, options?: Parameters<typeof startApp>[1]): Promise<RunningApp>;
  end(): Promise<void>;
} {
  const apps: RunningApp[] = [];
  return {
    start: async (size = { columns: 80, rows: 24 }, options = {}) => {
      const app = await startApp(size, options);
      apps.push(app);
      return app;
    },
    end: async () => {
      for (const app of apps.splice(0)) await app.quit();
    },
  };
}
