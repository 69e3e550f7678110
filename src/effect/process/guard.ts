import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";

/** Ends the groups of running commands when this process is killed in a way that leaves it no time to do so itself. */
export interface Guard {
  /** Starts its companion, one small process, before the first command: there is no moment in which nobody watches one. */
  start(): void;
  add(group: number): void;
  remove(group: number): void;
  /** Lets the companion go; groups that are still known to it are ended. */
  close(): Promise<void>;
}

/**
 * What the companion runs: it keeps the numbers it is told and waits for the end of its input, which the kernel brings
 * about however we end. POSIX shell, so it is there wherever commands can be run.
 */
const SCRIPT = `trap '' HUP INT TERM
groups=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*) kept=
      for group in $groups; do [ "$group" = "\${line#-}" ] || kept="$kept $group"; done
      groups=$kept ;;
  esac
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -TERM -"$group" 2>/dev/null; done
sleep 1
for group in $groups; do kill -KILL -"$group" 2>/dev/null; done
exit 0`;

/** Where its companion cannot be started, only our own ways to end commands remain. */
export function createGuard(): Guard {
  let companion: ChildProcess | undefined;
  const tell = (line: string): void => {
    const input = companion?.stdin;
    if (input?.writable === true) input.write(`${line}\n`);
  };
  return {
    start() {
      companion ??= startCompanion();
    },
    add(group) {
      tell(`+${String(group)}`);
    },
    remove(group) {
      tell(`-${String(group)}`);
    },
    async close() {
      const ending = companion;
      companion = undefined;
      if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
      const exited = once(ending, "exit");
      ending.ref();
      ending.stdin?.end();
      await exited;
    },
  };
}

function startCompanion(): ChildProcess {
  // A session of its own: what the terminal sends to ours is not meant for it.
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  // Its pipe must not keep us alive.
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
