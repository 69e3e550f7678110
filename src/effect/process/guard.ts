import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { MARK_NAME } from "./family.js";

/** Ends the groups of running commands when this process is killed in a way that leaves it no time to do so itself. */
export interface Guard {
  /** Starts its companion, one small process, before the first command: there is no moment in which nobody watches one. */
  start(): void;
  /** `mark`: of everything that was started by it. `group` is undefined where its number may belong to others by now. */
  add(group: number | undefined, mark: string): void;
  /** By its group or by its mark. */
  remove(known: number | string): void;
  /** Lets the companion go; groups that are still known to it are ended. */
  close(): Promise<void>;
}

/**
 * What the companion runs: it keeps the groups and marks it is told and waits for the end of its input, which the kernel brings about
 * however we end. POSIX shell, so it is there wherever commands can be run. Where the system tells the environments of processes, those
 * that went into a session of their own are found by their mark.
 */
const SCRIPT = `trap '' HUP INT TERM
known=
while IFS= read -r line; do
  case $line in
    +*) known="$known \${line#+}" ;;
    -*) kept=
      for one in $known; do [ "\${one%%:*}" = "\${line#-}" ] || [ "\${one#*:}" = "\${line#-}" ] || kept="$kept $one"; done
      known=$kept ;;
  esac
done
[ -n "$known" ] || exit 0
marks=' '
for one in $known; do marks="$marks\${one#*:} "; done
end() {
  for one in $known; do [ -z "\${one%%:*}" ] || kill -"$1" -"\${one%%:*}" 2>/dev/null; done
  for folder in /proc/[0-9]*; do
    mark=$(tr '\\0' '\\n' 2>/dev/null <"$folder/environ" | sed -n 's/^${MARK_NAME}=//p' 2>/dev/null)
    [ -n "$mark" ] || continue
    case $marks in *" $mark "*) kill -"$1" "\${folder#/proc/}" 2>/dev/null ;; esac
  done
}
exec 2>/dev/null
end TERM
sleep 1
end KILL
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
    add(group, mark) {
      tell(`+${String(group ?? "")}:${mark}`);
    },
    remove(known) {
      tell(`-${String(known)}`);
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
