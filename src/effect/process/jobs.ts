import { type Clock, err, ok, orAborted, type Result } from "../../base/index.js";
import type { Diagnostic, JobInfo, JobInput, JobOutput, JobOutputInput } from "../../schema/index.js";
import { createRedactor, joined } from "../secrets/index.js";
import type { EffectContext, EffectReply, Facility } from "../types.js";
import { createProcessFacility, type ProcessFacilityDeps } from "./facility.js";
import { jobsFull, jobUnknown, processDeniedAtAll } from "./failures.js";
import { createLaunches, type LaunchDeps, type PreparedLaunch, startProblem } from "./launch.js";
import {
  createCapture,
  createKeeper,
  createOutputFile,
  type Keeper,
  type OutputCapture,
  type OutputFile,
  type OutputFolder,
  type OutputName,
} from "./output/index.js";
import type { Launch } from "./start.js";
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
  readonly outputFolder: OutputFolder;
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
  /** Since the last look. */
  readonly fresh: Keeper;
  /** From the beginning. */
  readonly whole: OutputCapture;
  done: Promise<void>;
  end: { readonly exitCode: number | null; readonly signal: string | null; readonly durationMs: number } | undefined;
  /** The system's word for why it was not started. */
  failure: string | undefined;
  /** Ends what it left running; whether that still ran. */
  rest: (() => Promise<boolean>) | undefined;
}

class Jobs {
  readonly #deps: JobDeps;
  readonly #launches: ReturnType<typeof createLaunches>;
  readonly #jobs = new Map<string, Job>();
  /** Being started. */
  #coming = 0;

  constructor(deps: JobDeps) {
    this.#deps = deps;
    this.#launches = createLaunches(deps);
  }

  async start(input: JobInput, context: EffectContext): Promise<EffectReply<JobInfo>> {
    const running = [...this.#jobs.values()].filter(({ end }) => end === undefined);
    if (running.length + this.#coming >= JOB_BOUNDS.running) return unchanged(err(jobsFull(running.map(({ name }) => name))));
    const prepared = await this.#prepare(input, context);
    return prepared.ok ? await this.#begun(prepared.value.job, prepared.value.launch) : unchanged(prepared);
  }

  /** It is counted as coming until it is counted as one that runs. */
  async #prepare(
    input: JobInput,
    context: EffectContext,
  ): Promise<Result<{ readonly job: Job; readonly launch: PreparedLaunch }, Diagnostic>> {
    this.#coming += 1;
    try {
      const prepared = await this.#launches({ ...input, cwd: input.cwd ?? context.cwd }, context);
      if (!prepared.ok) return prepared;
      const output = await this.#deps.outputFolder.next("job");
      return ok({ job: this.#begin(input.command, context.plugin, { ...prepared.value, ...output }), launch: prepared.value });
    } finally {
      this.#coming -= 1;
    }
  }

  #begin(command: string, plugin: string, { secrets, number, path, ...launch }: PreparedLaunch & OutputName): Job {
    const { clock, supervisor, vault, outputFolder } = this.#deps;
    const file = createOutputFile({ path, holdBytes: 0 });
    const fresh = createKeeper(JOB_BOUNDS.keepBytes);
    const whole = createCapture({
      keepBytes: JOB_BOUNDS.keepBytes,
      redactor: () => joined(vault.stream(), createRedactor(secrets)),
      onText: (text) => {
        fresh.add(text);
        file.push(text);
      },
      isTerminal: launch.terminal !== undefined,
    });
    const times = { startedAt: clock.now(), startedMs: clock.monotonic() };
    const made = { name: `job-${number}`, plugin, command, ...times, stop: new AbortController(), file, path, fresh, whole };
    const job: Job = { ...made, done: Promise.resolve(), end: undefined, failure: undefined, rest: undefined };
    this.#jobs.set(job.name, job);
    this.#forget();
    // Its own signal: the call that began it is over long before.
    const onData: Launch["onData"] = (stream, chunk) => {
      whole.push(stream, chunk);
      return file.room();
    };
    const running = supervisor.run({ ...launch, owned: true, timeoutMs: JOB_BOUNDS.longestMs, onData }, job.stop.signal);
    job.done = running.then(async (ended) => {
      if (typeof ended === "string") job.failure = ended;
      else job.rest = ended.endRest;
      const durationMs = Math.round(clock.monotonic() - job.startedMs);
      whole.end();
      await file.end();
      await outputFolder.swept();
      const { exitCode, signal } = typeof ended === "string" ? { exitCode: null, signal: null } : ended;
      job.end = { exitCode, signal, durationMs };
    });
    return job;
  }

  /** Waits a moment: what ends at once is told at once. */
  async #begun(job: Job, launch: PreparedLaunch): Promise<EffectReply<JobInfo>> {
    const over = new AbortController();
    await Promise.race([job.done, this.#deps.clock.sleep(JOB_BOUNDS.startMs, over.signal)]);
    over.abort("over");
    if (job.failure === undefined) return { outcome: "applied", result: ok(this.#info(job)) };
    this.#jobs.delete(job.name);
    return unchanged(err(await startProblem(launch, job.failure)));
  }

  isOwner(plugin: string): boolean {
    return [...this.#jobs.values()].some((job) => job.plugin === plugin);
  }

  list(): readonly JobInfo[] {
    return [...this.#jobs.values()].map((job) => this.#info(job));
  }

  async output({ job: name, waitMs = 0, from = "new" }: JobOutputInput, signal: AbortSignal): Promise<Result<JobOutput, Diagnostic>> {
    const job = this.#jobs.get(name);
    if (job === undefined) return err(await this.#unknown(name));
    const over = new AbortController();
    const wait = Math.min(waitMs, JOB_BOUNDS.waitMs);
    if (job.end === undefined && wait > 0) await orAborted(Promise.race([job.done, this.#deps.clock.sleep(wait, over.signal)]), signal);
    over.abort("over");
    return ok(this.#look(job, from));
  }

  async kill(name: string): Promise<EffectReply<JobOutput>> {
    const job = this.#jobs.get(name);
    if (job === undefined) return unchanged(err(await this.#unknown(name)));
    const hadEnded = job.end !== undefined;
    job.stop.abort();
    await job.done;
    const { rest } = job;
    job.rest = undefined;
    const hadRest = (await rest?.()) === true;
    return { outcome: hadEnded && !hadRest ? "not-applied" : "applied", result: ok(this.#look(job, "new")) };
  }

  async #unknown(name: string): Promise<Diagnostic> {
    const [, number] = /^job-(\d{1,9})$/u.exec(name) ?? [];
    return jobUnknown(
      name,
      [...this.#jobs.keys()],
      number === undefined ? undefined : await this.#deps.outputFolder.former(Number(number)),
    );
  }

  /** What a terminal shows now comes with every look, until it is over. */
  #look(job: Job, from: "new" | "start"): JobOutput {
    if (from === "start") {
      const { text, omittedBytes } = job.whole.peek();
      return { ...this.#info(job), output: text, omittedBytes };
    }
    const { text, omittedBytes } = job.fresh.take();
    return { ...this.#info(job), output: text + (job.end === undefined ? job.whole.shown() : ""), omittedBytes };
  }

  #info(job: Job): JobInfo {
    const { exitCode = null, signal = null, durationMs = Math.round(this.#deps.clock.monotonic() - job.startedMs) } = job.end ?? {};
    return {
      job: job.name,
      command: job.command,
      running: job.end === undefined,
      ...(job.rest === undefined ? {} : { leftRunning: true }),
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
