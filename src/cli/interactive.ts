import { err, type Result } from "../base/index.js";
import type { ModelView, OpenOptions, PluginAdmin, Runtime, RuntimeSession } from "../runtime/index.js";
import type { Diagnostic, ExitStatus } from "../schema/index.js";
import type { CommandContext, Prepared } from "./context.js";
import { dumbTerminal, noTerminal } from "./diagnostics.js";
import { storedSession } from "./eval/target.js";
import type { TerminalPort } from "./host.js";
import type { InteractiveInvocation } from "./invocation.js";
import { resolvePlace } from "./sessions/places.js";
import { VERSION } from "./version.js";

/** What the interface is started with; shaped as its own options. */
export interface InterfaceOptions extends TerminalPort {
  readonly open: () => Promise<Result<RuntimeSession, Diagnostic>>;
  /** What plugins bring, once the session is open. */
  readonly plugins: () => Pick<Runtime, "contributions" | "observeContributions" | "reload"> | undefined;
  /** What goes wrong beside any session from now on. Returns the unsubscribe function. */
  readonly problems: (listener: (problem: Diagnostic) => void) => () => void;
  readonly admin: () => Promise<PluginDesk>;
  readonly models: ModelPort;
  /** Name of a theme, where one was chosen. */
  readonly theme?: string;
  /** `untrusted`: something of the project is not used until it is trusted. `refused`: nor is it then, in this run. */
  readonly project?: "untrusted" | "refused";
  readonly env: CommandContext["host"]["env"];
  readonly clock: CommandContext["host"]["clock"];
  readonly cwd: string;
  readonly version: string;
  readonly initialPrompt?: string;
  readonly farewellRows?: number;
}

/** Choosing a model by looking at those there are. */
interface ModelPort {
  readonly view: () => ModelView | undefined;
  /** The person's own default. */
  readonly preset: () => string | undefined;
  readonly keep: (selection: string) => Promise<Result<string, readonly Diagnostic[]>>;
}

type Compiled = NonNullable<Awaited<ReturnType<PluginAdmin["discover"]>>["records"][number]["compiled"]>;
type GrantLine = Extract<Awaited<ReturnType<PluginAdmin["approval"]>>, { readonly ok: true }>["value"]["grants"][number];

/** Looking after plugins, with words for what they may do. */
interface PluginDesk {
  readonly admin: PluginAdmin;
  readonly grantsOf: (compiled: Compiled) => readonly GrantLine[];
}

export type RunInterface = (options: InterfaceOptions) => Promise<{ readonly status: ExitStatus; readonly farewell: string }>;

/**
 * The fullscreen interface. Loads it and nothing else before its first frame: runtime and session are opened behind that. A
 * configuration file with an error does not keep a person out; it is told before and, where it can be read again, after.
 */
export async function runInteractive(
  context: CommandContext,
  invocation: InteractiveInvocation,
  load: () => Promise<RunInterface>,
): Promise<ExitStatus> {
  const { host, errors } = context;
  const unfit = whyUnfit(host);
  if (unfit !== undefined) return refuse(context, [unfit]);
  const prepared = await context.prepare(invocation.common, true);
  if (!prepared.ok) return refuse(context, prepared.error);
  const { settings, cwd } = prepared.value;
  // Told inside the interface, and again after it, when they can be read at leisure.
  const remarks = prepared.value.warnings.filter(({ code }) => code !== SHOWN_ABOVE);
  const absent = await whyNotThere(context, invocation, prepared.value);
  if (absent !== undefined) return refuse(context, [absent]);
  const runInterface = await load();
  let runtime: Runtime | undefined;
  const listeners = new Set<(problem: Diagnostic) => void>();
  const open = async (): Promise<Result<RuntimeSession, Diagnostic>> => {
    const opened = await context.runtime.open(prepared.value, host, (problem) => {
      // What is to be mended in a file while the interface is open was read there, and is mended since or told again.
      if (runtime === undefined || problem.source?.type !== "file") remarks.push(problem);
      for (const listener of listeners) listener(problem);
    });
    if (!opened.ok) return opened;
    runtime = opened.value;
    const session = await openSession(context, invocation, { prepared: prepared.value, runtime, notices: remarks });
    if (session.ok) session.value.observe(context.log.event);
    return session;
  };
  try {
    const { status, farewell } = await runInterface({
      ...host.terminal(),
      open: async () => {
        const opened = await open();
        // Why there is no session is told after the interface, where everything that ends a command is.
        if (!opened.ok) remarks.push(opened.error);
        return opened;
      },
      plugins: () => runtime,
      problems: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      admin: async () => await openDesk(context, prepared.value),
      models: modelPort(context, prepared.value, () => runtime),
      ...(settings.theme.value === undefined ? {} : { theme: settings.theme.value }),
      ...projectOf(prepared.value),
      env: host.env,
      clock: host.clock,
      cwd,
      version: VERSION,
      ...(invocation.prompt === undefined ? {} : { initialPrompt: invocation.prompt }),
      ...(settings.printOnExit.value ? {} : { farewellRows: 0 }),
    });
    context.out.write(farewell);
    for (const remark of remarks.filter(({ code }) => code !== ASKED_FOR)) errors.diagnostic(remark);
    return status;
  } finally {
    await runtime?.close();
  }
}

/** What keeps the interface from being drawn here. */
function whyUnfit({ stdin, stdout, env }: CommandContext["host"]): Diagnostic | undefined {
  if (stdin.kind !== "terminal") return noTerminal("standard input");
  if (!stdout.isTerminal) return noTerminal("standard output");
  return env["TERM"] === "dumb" ? dumbTerminal() : undefined;
}

/** The interface has a line of its own for it, and a page to decide on. */
const SHOWN_ABOVE = "trust.project-unused";

/** Somebody named that plugin, and was told inside. */
const ASKED_FOR = "plugin.used-for-run";

const projectOf = ({ toldOfProject, trusted }: Prepared): Pick<InterfaceOptions, "project"> => {
  if (trusted === false) return { project: "refused" };
  return toldOfProject === undefined ? {} : { project: "untrusted" };
};

/** A default that was kept is one from then on. What keeps it is loaded when it is needed. */
function modelPort(context: CommandContext, prepared: Prepared, runtime: () => Runtime | undefined): ModelPort {
  const { model } = prepared.settings;
  let preset = model.layer === "user" ? model.value : undefined;
  return {
    view: () => runtime()?.models(),
    preset: () => preset,
    keep: async (selection) => {
      const { keepModel } = await import("./models/preset.js");
      const kept = await keepModel(context, prepared, selection);
      if (kept.ok) preset = selection;
      return kept;
    },
  };
}

async function openDesk(context: CommandContext, prepared: Prepared): Promise<PluginDesk> {
  const [admin, { describeReach }] = await Promise.all([
    context.runtime.plugins(prepared, context.host),
    import("../runtime/plugin-admin.js"),
  ]);
  return { admin, grantsOf: (compiled) => describeReach(compiled) };
}

/** A name that fits nothing is told where it was typed, not in an interface that opens for it. */
async function whyNotThere(
  context: CommandContext,
  { target }: InteractiveInvocation,
  { paths }: Prepared,
): Promise<Diagnostic | undefined> {
  if (target.type !== "named" && target.type !== "fork") return undefined;
  const inspection = await context.runtime.inspect(paths, context.host);
  const place = await resolvePlace(inspection, target.type === "fork" ? target.source : { id: target.id, entry: undefined });
  return place.ok ? undefined : place.error;
}

function refuse({ errors }: CommandContext, problems: readonly Diagnostic[]): ExitStatus {
  for (const problem of problems) errors.diagnostic(problem);
  return problems[0]?.exit ?? 1;
}

async function openSession(
  context: CommandContext,
  { target }: InteractiveInvocation,
  { notices, ...opened }: { readonly prepared: Prepared; readonly runtime: Runtime; readonly notices: readonly Diagnostic[] },
): Promise<Result<RuntimeSession, Diagnostic>> {
  const { settings } = opened.prepared;
  const options: OpenOptions = { notices, mode: settings.mode.value ?? "ask-writes", interactive: true };
  if (target.type === "new" || target.type === "temporary" || target.type === "choose") return opened.runtime.create(options);
  const id = await storedSession(context, opened, target);
  return id.ok ? opened.runtime.open(id.value, { ...options, want: "any" }) : err(id.error);
}
