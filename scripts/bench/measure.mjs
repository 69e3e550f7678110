/** One process measured from start to end: wall and CPU time by the shell's `time`, peak memory from /proc. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

export const childrenOf = (pid) =>
  read(`/proc/${pid}/task/${pid}/children`)
    .trim()
    .split(" ")
    .filter((text) => text !== "")
    .map(Number);

/** MB; `kind` is VmHWM (peak) or VmRSS (now). Undefined where there is no /proc. */
export function memoryMb(pid, kind) {
  const found = new RegExp(`^${kind}:\\s+(\\d+)`, "mu").exec(read(`/proc/${pid}/status`));
  return found === null ? undefined : Number(found[1]) / 1024;
}

const SAMPLE_MS = 5;

/** Runs `argv`, stdin closed, output drained. Fails when it ends with another status than 0. */
export function measure(argv, { cwd, env }) {
  return new Promise((resolve, reject) => {
    // The program's stderr goes to descriptor 3, so that descriptor 2 holds the times alone.
    const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" 2>&3';
    const child = spawn("bash", ["-c", script, "bench", ...argv], { cwd, env, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    const heard = { times: "", errors: "", bytes: 0 };
    let peak;
    const sampler = setInterval(() => {
      const [pid] = childrenOf(child.pid);
      if (pid !== undefined) peak = memoryMb(pid, "VmHWM") ?? peak;
    }, SAMPLE_MS);
    child.stdout.on("data", (chunk) => (heard.bytes += chunk.length));
    child.stderr.on("data", (chunk) => (heard.times += chunk));
    child.stdio[3].on("data", (chunk) => (heard.errors += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      clearInterval(sampler);
      if (code !== 0) return reject(new Error(`${argv.join(" ")} ended with ${code}: ${heard.errors.slice(-1000)}`));
      const [real, user, system] = heard.times.trim().split("\n").pop().split(" ").map(Number);
      resolve({ wallMs: real * 1000, cpuMs: (user + system) * 1000, peakMb: peak, bytes: heard.bytes });
    });
  });
}

export function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return sorted.length === 0 ? undefined : sorted[Math.floor(sorted.length / 2)];
}
