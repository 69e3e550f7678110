import { join } from "node:path";
import { type Clock, err, ok, orAborted, type Result } from "../../base/index.js";
import type { Diagnostic, JobInfo, JobInput, JobOutput, JobOutputInput } from "../../schema/index.js";
import { createRedactor, joined, type SecretVault } from "../secrets/index.js";
import type { EffectContext, EffectReply, Facility } from "../types.js";
import { createCapture, type OutputCapture } from "./capture.js";
import { createProcessFacility, type ProcessFacilityDeps } from "./facility.js";
import { jobsFull, jobUnknown, processDeniedAtAll, spawnFailed } from "./failures.js";
import { createLaunches, type LaunchDeps } from "./launch.js";
import { createOutputFile, type OutputFile } from "./output-file.js";
import type { Supervisor } from "./supervise.js";

export const JOB_BOUNDS = {
  /** Running ones in a session, and those that are told of. */
  running: 16,
  known: 64,
  /** UTF-8 bytes kept of the head and of the tail of what was not looked at yet. */
  keepBytes: 32 * 1024,
  waitMs: 60_000,
  /** A timer takes no more; a job that runs for over 24 days is ended. */
  longestMs: 2 ** 31 - 1,
  /** A start that fails is seen by then. */
  startMs: 150,
} as const;

export interface JobDeps extends LaunchDeps {
  readonly clock: Clock;
  readonly supervisor: Supervisor;
  readonly outputs: string;
}

type JobOperation = "process.start" | "process.jobs" | "process.output" | "process.kill";
type JobFacilities = { readonly [Op in JobOperation]: Facility<Op> };

/** Command lines that run beside the conversation. They end with the supervisor, and so with their session. */
export function createJobFacilities(deps: JobDeps): JobFacilities {
  const jobs = new Jobs(deps);
  // A tool that changes nothing runs no program, and may look at what its plugin began.
  const looking = <T>(input: T, context: EffectContext): Result<T, Diagnostic> =>
    jobs.isOwner(context.plugin) ? ok(input) : permitted(input, context);
  const checks = createProcessFacility({ ...(deps satisfies Pick<ProcessFacilityDeps, "env" | "secret" | "vault">), runner: NO_RUNNER });
  return {
    "process.start": {
      async authorize(input, context) {
        const checked = await checks.authorize(input, context);
        // What was a command line still is one.
        return checked.ok ? ok(checked.value as JobInput) : checked;
      },
      run: async (input, context) => await jobs.start(input, context),
    },
    "process.jobs": {
      authorize: async (input, context) => await Promise.resolve(looking(input, context)),
      run: async () => await Promise.resolve(unchanged(ok({ jobs: jobs.list() }))),
    },
    "process.output": {
      authorize: async (input, context) => await Promise.resolve(looking(input, context)),
      run: async (input, { signal }) => unchanged(await jobs.output(input, signal)),
    },
    "process.kill": {
      authorize: async (input, context) => await Promise.resolve(permitted(input, context)),
      run: async ({ job }) => await jobs.kill(job),
    },
  };
}

const NO_RUNNER: ProcessFacilityDeps["runner"] = { run: () => Promise.reject(new Error("a job is not run by the runner of commands")) };

const unchanged = <T>(result: Result<T, Diagnostic>): EffectReply<T> => ({ outcome: "not-applied", result });

const permitted = <T>(input: T, { plugin, grants }: EffectContext): Result<T, Diagnostic> =>
  grants.process.length > 0 ? ok(input) : err(processDeniedAtAll(plugin));

/** One job while this process lives. */
interface Job {
  readonly name: string;
  /** Who began it. */
  readonly plugin: string;
  readonly command: string;
  readonly startedAt: number;
  readonly startedMs: number;
  readonly stop: AbortController;
  readonly file: OutputFile;
  readonly path: string;
  readonly secrets: readonly string[];
  /** Since the last look. */
  readonly fresh: OutputCapture;
  /** From the beginning. */
  readonly whole: OutputCapture;
  done: Promise<void>;
  end: { readonly exitCode: number | null; readonly signal: string | null; readonly durationMs: number } | undefined;
  failure: string | undefined;
}

class Jobs {
  readonly #deps: JobDeps;
  readonly #launches: ReturnType<typeof createLaunches>;
  readonly #jobs = new Map<string, Job>();
  #started = 0;

  constructor(deps: JobDeps) {
    this.#deps = deps;
    this.#launches = createLaunches(deps);
  }

  async start(input: JobInput, context: EffectContext): Promise<EffectReply<JobInfo>> {
    const running = [...this.#jobs.values()].filter(({ end }) => end === undefined);
    if (running.length >= JOB_BOUNDS.running) return unchanged(err(jobsFull(running.map(({ name }) => name))));
    const prepared = await this.#launches({ ...input, cwd: input.cwd ?? context.cwd }, context);
    if (!prepared.ok) return unchanged(prepared);
    const { secrets, ...launch } = prepared.value;
    const { clock, supervisor } = this.#deps;
    this.#started += 1;
    const name = `job-${this.#started}`;
    const path = join(this.#deps.outputs, `${name}.log`);
    const file = createOutputFile({ path, holdBytes: 0 });
    const keep = (text: string): void => {
      file.push(text);
    };
    const made = {
      name,
      plugin: context.plugin,
      command: input.command,
      startedAt: clock.now(),
      startedMs: clock.monotonic(),
      stop: new AbortController(),
      file,
      path,
      secrets,
    };
    const whole = this.#capture(secrets, keep);
    const job: Job = { ...made, whole, fresh: this.#capture(secrets), done: Promise.resolve(), end: undefined, failure: undefined };
    this.#jobs.set(name, job);
    this.#forget();
    const onData: Parameters<Supervisor["run"]>[0]["onData"] = (stream, chunk) => {
      job.whole.push(stream, chunk);
      job.fresh.push(stream, chunk);
    };
    // Its own signal: the call that began it is over long before.
    job.done = supervisor.run({ ...launch, timeoutMs: JOB_BOUNDS.longestMs, onData }, job.stop.signal).then((ended) => {
      if (typeof ended === "string") job.failure = ended;
      job.whole.end();
      job.fresh.end();
      file.end();
      const { exitCode, signal } = typeof ended === "string" ? { exitCode: null, signal: null } : ended;
      job.end = { exitCode, signal, durationMs: Math.round(clock.monotonic() - job.startedMs) };
    });
    const over = new AbortController();
    await Promise.race([job.done, clock.sleep(JOB_BOUNDS.startMs, over.signal)]);
    over.abort("over");
    if (job.failure !== undefined) {
      this.#jobs.delete(name);
      return unchanged(err(spawnFailed(launch.file, job.failure)));
    }
    return { outcome: "applied", result: ok(this.#info(job)) };
  }

  isOwner(plugin: string): boolean {
    return [...this.#jobs.values()].some((job) => job.plugin === plugin);
  }

  list(): readonly JobInfo[] {
    return [...this.#jobs.values()].map((job) => this.#info(job));
  }

  async output({ job: name, waitMs = 0, from = "new" }: JobOutputInput, signal: AbortSignal): Promise<Result<JobOutput, Diagnostic>> {
    const job = this.#jobs.get(name);
    if (job === undefined) return err(jobUnknown(name, [...this.#jobs.keys()]));
    const over = new AbortController();
    const wait = Math.min(waitMs, JOB_BOUNDS.waitMs);
    if (job.end === undefined && wait > 0) await orAborted(Promise.race([job.done, this.#deps.clock.sleep(wait, over.signal)]), signal);
    over.abort("over");
    return ok(this.#look(job, from));
  }

  async kill(name: string): Promise<EffectReply<JobOutput>> {
    const job = this.#jobs.get(name);
    if (job === undefined) return unchanged(err(jobUnknown(name, [...this.#jobs.keys()])));
    const isRunning = job.end === undefined;
    job.stop.abort();
    await job.done;
    return { outcome: isRunning ? "applied" : "not-applied", result: ok(this.#look(job, "new")) };
  }

  #look(job: Job, from: "new" | "start"): JobOutput {
    const { text, omittedBytes } = from === "start" ? job.whole.peek() : job.fresh.take();
    return { ...this.#info(job), output: text, omittedBytes };
  }

  #capture(secrets: readonly string[], onText?: (text: string) => void): OutputCapture {
    const { vault }: { readonly vault: SecretVault } = this.#deps;
    return createCapture(JOB_BOUNDS.keepBytes, () => joined(vault.stream(), createRedactor(secrets)), onText);
  }

  #info(job: Job): JobInfo {
    const { exitCode = null, signal = null, durationMs = Math.round(this.#deps.clock.monotonic() - job.startedMs) } = job.end ?? {};
    return {
      job: job.name,
      command: job.command,
      running: job.end === undefined,
      exitCode,
      signal,
      startedAt: job.startedAt,
      durationMs,
      outputBytes: job.file.bytes(),
      outputFile: job.path,
    };
  }

  /** The oldest that have ended are not told of any more. */
  #forget(): void {
    for (const [name, { end }] of this.#jobs) if (this.#jobs.size > JOB_BOUNDS.known && end !== undefined) this.#jobs.delete(name);
  }
}
