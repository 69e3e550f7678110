import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, ok, type Clock, type Result } from "../../src/base/index.js";
import {
  type AuthEntry,
  type AuthStore,
  createAuthStore,
  createCredentials,
  type Credentials,
  type CredentialsDeps,
  NO_AUTH,
  type PostForm,
  type RunCommand,
} from "../../src/credential/index.js";
import { type Diagnostic, diagnostic } from "../../src/schema/index.js";
import { createLocker } from "../../src/session/index.js";
import { createManualClock } from "../support/manual-clock.js";
import { createRealClock } from "../support/real-clock.js";

export const never = new AbortController().signal;

export function value<T>(result: Result<T, Diagnostic>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.what} ${result.error.why}`);
  return result.value;
}

export function problem(result: Result<unknown, Diagnostic>): Diagnostic {
  if (result.ok) throw new Error("it went well");
  return result.error;
}

export async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "smith-credential-"));
  try {
    await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export const storeAt = (path: string, clock: Clock = createRealClock()): AuthStore =>
  createAuthStore({ path, clock, lock: createLocker() });

export const put = async (store: AuthStore, name: string, entry: AuthEntry): Promise<Result<void, Diagnostic>> =>
  await store.update(async (entries) => ok({ entries: new Map([...entries, [name, entry]]), value: undefined }));

const unused = async (): Promise<never> => {
  throw new Error("not to be asked");
};

/** Credentials of which a test says only what it is about. */
export const credentialsOf = (deps: Partial<CredentialsDeps>): Credentials =>
  createCredentials({
    env: {},
    variables: [],
    store: { path: "/nowhere/auth.json", read: async () => ok(NO_AUTH), update: unused },
    auth: NO_AUTH,
    commands: new Map(),
    clock: createManualClock(),
    run: unused,
    post: unused,
    ...deps,
  });

/** Runs a command line by a real shell, as the port asks for. */
export const realRun: RunCommand = async ({ command, timeoutMs, maxBytes }, signal) =>
  await new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"], detached: true });
    const texts = { stdout: "", stderr: "" };
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeoutMs);
    signal.addEventListener("abort", kill, { once: true });
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (piece: string) => {
        texts[name] = (texts[name] + piece).slice(0, maxBytes);
      });
    }
    child.on("close", (status) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", kill);
      resolve(signal.aborted ? { type: "aborted" } : timedOut ? { type: "timeout" } : { type: "exit", status, ...texts });
    });
  });

/** Posts by the real network. */
export const realPost: PostForm = async (url, form, signal) => {
  try {
    const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual", signal });
    return ok({ status: answer.status, body: await answer.text() });
  } catch (error) {
    const what = signal.aborted ? "stopped" : error instanceof Error ? error.message : String(error);
    return err(diagnostic({ code: "test.unreachable", what, why: "w", next: "n" }));
  }
};

export type Form = Readonly<Record<string, string>>;

export interface TokenServer {
  readonly url: string;
  readonly forms: Form[];
  close(): Promise<void>;
}

/** A server for tokens and devices on this machine. `answer` may wait. */
export async function tokenServer(
  answer: (form: Form, path: string) => Promise<{ readonly status: number; readonly body: unknown }>,
): Promise<TokenServer> {
  const forms: Form[] = [];
  const server: Server = createServer((request, response) => {
    const work = async (): Promise<void> => {
      const form = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
      forms.push(form);
      const { status, body } = await answer(form, request.url ?? "");
      response.writeHead(status, { "content-type": "application/json" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    };
    work().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    forms,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}
