import { fstatSync } from "node:fs";
import { appendFile, mkdir, open, rename, stat } from "node:fs/promises";
import { hostname, tmpdir, userInfo } from "node:os";
import { dirname } from "node:path";
import { isatty } from "node:tty";
import type { CliHost, InputPort, OutputPort, StopSignal, TerminalPort } from "../src/cli/index.js";
import { createClock } from "./clock.js";
import { canHold, createFile, fileChunks, realPath } from "./files.js";

/** The process as the command line sees it: the one place where its globals are read. */
export const createHost = (): CliHost => ({
  env: process.env,
  cwd: process.cwd(),
  platform: process.platform,
  nodeVersion: process.versions.node,
  pid: process.pid,
  hostName: hostname(),
  tempDir: tmpdir(),
  installDir: new URL(".", import.meta.url),
  clock: createClock(),
  stdin: createInput(),
  stdout: createOutput(process.stdout),
  stderr: createOutput(process.stderr),
  random: Math.random,
  // Asked for by name only when bytes are needed: most commands need none.
  randomBytes: (into) => void process.getBuiltinModule("node:crypto").randomFillSync(into),
  userHome,
  readFile,
  fileChunks,
  createFile,
  appendFile: appendBounded,
  realPath,
  canHold,
  isDirectory,
  onSignal: (listener) => onSignals(["SIGINT", "SIGTERM", "SIGHUP"], listener),
  onFatal,
  endNow: (status) => process.exit(status),
  terminal,
});

function createInput(): InputPort {
  let used = false;
  return {
    kind: inputKind(),
    // A generator, so that a stream that cannot even be made (a folder, for one) fails at the first read.
    async *chunks() {
      used = true;
      for await (const chunk of process.stdin) yield chunk as Uint8Array;
    },
    close() {
      if (used) process.stdin.destroy();
    },
  };
}

function inputKind(): InputPort["kind"] {
  if (isatty(0)) return "terminal";
  try {
    const facts = fstatSync(0);
    return facts.isFIFO() || facts.isSocket() ? "idle-prone" : "file";
  } catch {
    // No such descriptor: reading it ends at once.
    return "file";
  }
}

function createOutput(stream: NodeJS.WriteStream): OutputPort {
  // A failed write is told to its callback; the event only needs a listener.
  stream.on("error", () => undefined);
  const write = stream.write.bind(stream);
  return {
    claim() {
      stream.write = process.stderr.write.bind(process.stderr);
    },
    isTerminal: stream.isTTY,
    get columns() {
      // A terminal of unknown width says 0.
      return stream.isTTY && stream.columns > 0 ? stream.columns : undefined;
    },
    write(text, done) {
      try {
        write(text, done);
      } catch (error) {
        // Streams over files write at once, and throw.
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  };
}

function userHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // This user is not in the system's list, as happens in containers.
    return undefined;
  }
}

const CHUNK_BYTES = 65_536;

async function readFile(path: string, maxBytes: number): Promise<Uint8Array> {
  // Nobody may ever write into a named pipe. One that the shell made for this command has its writer already.
  if (!/^\/(?:dev\/fd|proc)\//u.test(path) && (await stat(path)).isFIFO()) {
    throw Object.assign(new Error(`${path} is a named pipe`), { code: "ERR_NAMED_PIPE" });
  }
  const file = await open(path, "r");
  try {
    const chunks: Uint8Array[] = [];
    for (let total = 0; ;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return Buffer.concat(chunks);
      total += bytesRead;
      if (total > maxBytes) throw Object.assign(new Error(`${path} is too large`), { code: "ERR_TOO_LARGE" });
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

async function appendBounded(path: string, text: string, maxBytes: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if ((await sizeOf(path)) > maxBytes) await rename(path, `${path}.old`);
  await appendFile(path, text, { mode: 0o600 });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    // Not there yet, or about to fail with its reason when it is written.
    return 0;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Whatever keeps it from being looked at also keeps one from working in it.
    return false;
  }
}

function onSignals<Name extends StopSignal | "SIGCONT">(names: readonly Name[], listener: (signal: Name) => void): () => void {
  const listeners = names.map((name) => {
    const one = (): void => {
      listener(name);
    };
    process.on(name, one);
    return { name, one };
  });
  return () => {
    for (const { name, one } of listeners) process.off(name, one);
  };
}

function onFatal(listener: (error: unknown) => void): () => void {
  process.on("uncaughtException", listener);
  process.on("unhandledRejection", listener);
  return () => {
    process.off("uncaughtException", listener);
    process.off("unhandledRejection", listener);
  };
}

/**
 * Node tells of a size when it differs from the last one it saw. One that went and came back between two looks has cut and moved
 * the rows of the terminal all the same, so that is told too. Node's own listener comes first.
 */
function tellEverySize(output: NodeJS.WriteStream): NodeJS.WriteStream {
  let isTold = false;
  output.on("resize", () => {
    isTold = true;
  });
  process.on("SIGWINCH", () => {
    if (!isTold) output.emit("resize");
    isTold = false;
  });
  return output;
}

const terminal = (): TerminalPort => ({
  input: process.stdin,
  output: tellEverySize(process.stdout),
  process: {
    onSignal: (listener) =>
      onSignals(["SIGINT", "SIGTERM", "SIGHUP", "SIGCONT"], (signal) => {
        // A stopped process is not told of a new size: Node's own listener reads it again.
        if (signal === "SIGCONT") process.emit("SIGWINCH", "SIGWINCH");
        listener(signal);
      }),
    onFatal,
    onExitRestore(restore) {
      process.on("exit", restore);
      return () => {
        process.off("exit", restore);
      };
    },
    stop: () => {
      process.kill(process.pid, "SIGSTOP");
    },
  },
});
