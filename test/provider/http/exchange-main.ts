/** One process that makes the exchanges it is told on its command line, one after the other, and prints what came of each as JSON. */
import { createHttpEngine } from "../../../src/provider/http/engine.js";
import { createRealClock } from "../../support/real-clock.js";

export interface Exchange {
  readonly url: string;
  /** What the engine sees as the environment. */
  readonly env: { readonly [name: string]: string };
}

export type Exchanged =
  | { readonly status: number; readonly text: string; readonly outcome: string | undefined }
  | { readonly reason: string; readonly message: string };

async function exchangeAll(wanted: readonly Exchange[]): Promise<readonly Exchanged[]> {
  const engines = new Map<string, ReturnType<typeof createHttpEngine>>();
  const done: Exchanged[] = [];
  for (const { url, env } of wanted) {
    const key = JSON.stringify(env);
    const engine = engines.get(key) ?? createHttpEngine({ env, clock: createRealClock(), version: "0.0.0-test", secret: () => undefined });
    engines.set(key, engine);
    done.push(await exchangeOne(engine, url));
  }
  for (const engine of engines.values()) engine.close();
  return done;
}

async function exchangeOne(engine: ReturnType<typeof createHttpEngine>, url: string): Promise<Exchanged> {
  const request = { method: "POST", url, headers: {}, body: "{}", secrets: [] } as const;
  const exchanged = await engine.exchange(request, new AbortController().signal);
  if (!exchanged.ok) return exchanged.error;
  const { body, head } = exchanged.value;
  const parts: Uint8Array[] = [];
  for (let piece = await body.read(); piece !== undefined; piece = await body.read()) parts.push(piece);
  return { status: head.status, text: Buffer.concat(parts).toString(), outcome: body.end?.outcome };
}

const wanted = JSON.parse(process.argv[2] ?? "[]") as readonly Exchange[];
exchangeAll(wanted).then(
  (done) => {
    process.stdout.write(JSON.stringify(done));
  },
  (error: unknown) => {
    process.stderr.write(String(error));
    process.exitCode = 1;
  },
);
