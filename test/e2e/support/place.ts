import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { until } from "../../support/virtual-screen.js";
import { type Ended, type Running, type StartOptions, startSmith } from "./smith.js";

/** A home and a workspace of its own for one test. Nothing of the person who runs the tests is seen in it. */
export interface Place {
  readonly home: string;
  readonly work: string;
  /** Folder of the session files. */
  readonly sessions: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file of the workspace and gives its path. */
  file(name: string, text: string | Uint8Array): string;
  read(name: string): string;
  /** Writes the person's configuration and gives its path. */
  config(text: string | Uint8Array): string;
  /** Starts smith here. Words of its own stand in `args`. */
  start(args: readonly string[], options?: StartOptions): Running;
  /** Runs it to its end, with an empty standard input unless said otherwise. */
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Commands of living processes that were started from here. */
  leftBehind(): readonly string[];
  /** Resolves when no process started from here lives any more. */
  quiet(): Promise<void>;
  /** Ends what still runs and removes both folders. */
  close(): Promise<void>;
}

/** `variables` are added to what every run sees. */
export function createPlace(variables: Readonly<Record<string, string>> = {}): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "smith-e2e-")));
  const [home, work] = [join(root, "home"), join(root, "work")];
  mkdirSync(home);
  mkdirSync(work);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, SMITH_HOME: home, LANG: "C.UTF-8", SMITH_DISCOVERY: "off", ...variables };
  const started: Running[] = [];
  const start: Place["start"] = (args, options = {}) => {
    const running = startSmith(args, { cwd: work, ...options, env: { ...env, ...options.env } });
    started.push(running);
    return running;
  };
  const leftBehind = (): readonly string[] => processesOf(home).map(({ command }) => command);
  return {
    home,
    work,
    sessions: join(home, "data", "sessions"),
    env,
    file(name, text) {
      const path = join(work, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    config(text) {
      const path = join(home, "config", "config.kdl");
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    read: (name) => readFileSync(join(work, name), "utf8"),
    start,
    run: (args, options = {}) => start(args, { input: "", ...options }).ended,
    leftBehind,
    quiet: () =>
      until(
        () => leftBehind().length === 0,
        () => `still running: ${leftBehind().join("; ")}`,
      ),
    async close() {
      for (const running of started) running.kill("SIGKILL");
      for (const { pid } of processesOf(home)) process.kill(pid, "SIGKILL");
      await Promise.all(started.map((running) => running.ended));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Living processes whose environment names this home: smith itself and all it started. */
function processesOf(home: string): readonly { readonly pid: number; readonly command: string }[] {
  const mine = `SMITH_HOME=${home}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
        if (!environment.includes(mine)) return [];
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ") }];
      } catch {
        // It ended while it was looked at.
        return [];
      }
    });
}

/** Resolves when the file is there. */
export const appears = (path: string): Promise<void> =>
  until(
    () => existsSync(path),
    () => `${path} did not appear`,
  );

/** Lines of a file; none when it is not there. */
export const linesOf = (path: string): readonly string[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
