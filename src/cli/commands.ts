import type { Diagnostic, ExitStatus } from "../schema/index.js";
import type { RuntimeDeps } from "../runtime/index.js";
import type { AuthInvocation } from "./auth/invocation.js";
import type { CommandContext, ErrorReport, RuntimePort } from "./context.js";
import { internalError } from "./diagnostics.js";
import type { CliHost } from "./host.js";
import type { Invocation } from "./invocation.js";
import { createLog, type Log } from "./output/log.js";
import type { ModelsInvocation } from "./models/invocation.js";
import { painter } from "./output/colour.js";
import { visibleLine } from "./output/visible.js";
import type { ServersInvocation } from "./mcp-servers/invocation.js";
import type { SecretsInvocation } from "./secrets/invocation.js";
import { createWriter, type Writer } from "./output/writer.js";
import { renderDiagnostic } from "./output/render-diagnostic.js";
import type { PluginsInvocation } from "./plugins/invocation.js";
import type { ListInvocation } from "./sessions/invocation.js";
import { VERSION } from "./version.js";

/**
 * Runs one command line to its end. Resolves with the exit status when both output streams are drained (or broken), so the
 * process may end at once. Every module behind a command is loaded only when it is reached.
 */
export async function runCommandLine(argv: readonly string[], host: CliHost, given?: RuntimePort): Promise<ExitStatus> {
  const log = createLog(host);
  const runtime = given ?? createRuntimePort(log);
  // Commander, the settings and the session are read while the sandbox starts in its own thread.
  if ((argv[0] === "eval" || argv[0] === "mcp") && !argv.includes("--help") && !argv.includes("-h")) runtime.begin?.(host);
  const out = createWriter(host.stdout);
  const errors = createErrorReport(host, log);
  const context: CommandContext = {
    host,
    out,
    errors,
    paint: painter(host.env, host.stdout),
    runtime,
    log,
    prepare: async (common, lenient) => (await import("./prepare.js")).prepare({ host, log, runtime }, common, lenient),
  };
  let status: ExitStatus;
  try {
    status = await run(argv, context);
  } catch (error) {
    const known = diagnosticOf(error);
    errors.diagnostic(known ?? internalError(messageOf(error)));
    status = statusOf(known, argv[1]);
  }
  await out.flush();
  log.record("info", "command-ended", { status });
  const unlogged = await log.close();
  if (unlogged !== undefined) errors.diagnostic(unlogged);
  return finish(status, out, errors);
}

/** Commands whose status 1 is an answer. */
const TROUBLE_IS_2: ReadonlySet<string> = new Set(["grep", "verify"]);

function statusOf(problem: Diagnostic | undefined, command: string | undefined): ExitStatus {
  if (problem === undefined) return 70;
  return TROUBLE_IS_2.has(command ?? "") ? 2 : (problem.exit ?? 1);
}

/** What storage refuses comes as an error that carries its own words; everything else is a bug. */
function diagnosticOf(error: unknown): Diagnostic | undefined {
  if (!(error instanceof Error) || !("diagnostic" in error)) return undefined;
  const { diagnostic } = error;
  return typeof diagnostic === "object" && diagnostic !== null && "code" in diagnostic ? (diagnostic as Diagnostic) : undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function createRuntimePort(log: Log): RuntimePort {
  let plugins: RuntimeDeps["plugins"];
  return {
    begin(host) {
      plugins = import("../runtime/early.js").then(async ({ beginPlugins }) => await beginPlugins(host.installDir));
      // Whoever opens the runtime hears of a failure; a command that ends before that does not care.
      plugins.catch(() => undefined);
    },
    open: async (prepared, host, onDiagnostic) =>
      (await import("./compose.js")).openRuntime(prepared, host, { onDiagnostic, plugins, log }),
    inspect: async (paths, host) => (await import("./compose.js")).openInspection(paths, host),
    maintain: async (paths, host) => (await import("./compose.js")).openMaintenance(paths, host),
    trust: async (paths, host) => (await import("./compose.js")).openTrust(paths, host),
    plugins: async (prepared, host) => (await import("./compose.js")).openPluginAdmin(prepared, host),
    models: async (prepared, host, onDiagnostic) => (await import("./compose.js")).openModelAdmin(prepared, host, onDiagnostic),
    secrets: async (prepared, host) => (await import("./compose.js")).openSecretAdmin(prepared, host),
    servers: async (...asked) => (await import("./compose.js")).openServerAdmin(...asked),
    machine: async (prepared, host) => (await import("./compose.js")).openMachine(prepared, host),
    auth: async (prepared, host, onDiagnostic) => (await import("./compose.js")).openAuthAdmin(prepared, host, onDiagnostic),
  };
}

function createErrorReport(host: CliHost, log: Log): ErrorReport {
  const writer = createWriter(host.stderr);
  const paint = painter(host.env, host.stderr);
  return {
    isTerminal: host.stderr.isTerminal,
    diagnostic: (problem) => {
      log.diagnostic(problem);
      writer.write(renderDiagnostic(problem, paint));
      writer.push();
    },
    line: (text) => {
      writer.write(`${visibleLine(text)}\n`);
      writer.push();
    },
    flush: () => writer.flush(),
  };
}

/** Output that could not be written makes a success a failure; a reader who went away does not. */
async function finish(status: ExitStatus, out: Writer, errors: ErrorReport): Promise<ExitStatus> {
  const failure = out.failure();
  if (failure !== undefined) errors.diagnostic(failure);
  await errors.flush();
  return failure !== undefined && status === 0 ? 1 : status;
}

async function run(argv: readonly string[], context: CommandContext): Promise<ExitStatus> {
  // The interface starts without the command-line parser when there is nothing to parse.
  if (argv.length === 0) return dispatch(PLAIN_START, context);
  const [{ parseLine }, { toInvocation }] = await Promise.all([import("./program.js"), import("./invocation.js")]);
  const parsed = parseLine(argv, context.host.stdout.columns);
  if (!parsed.ok) return refuse(context, parsed.error);
  if (parsed.value.type !== "command") {
    context.out.write(parsed.value.type === "help" ? parsed.value.text : `${VERSION}\n`);
    return 0;
  }
  const invocation = toInvocation(parsed.value);
  return invocation.ok ? dispatch(invocation.value, context) : refuse(context, invocation.error);
}

const PLAIN_START: Invocation = {
  type: "interactive",
  common: { settings: [], pairs: [], trusted: undefined, cwd: undefined, plugins: [], watch: false },
  prompt: undefined,
  target: { type: "new" },
};

function refuse(context: CommandContext, problem: Parameters<ErrorReport["diagnostic"]>[0]): ExitStatus {
  context.errors.diagnostic(problem);
  return problem.exit ?? 1;
}

async function dispatch(invocation: Invocation, context: CommandContext): Promise<ExitStatus> {
  if (invocation.type === "interactive" && invocation.target.type !== "choose") {
    const { runInteractive } = await import("./interactive.js");
    return runInteractive(context, invocation, async () => (await import("../tui/index.js")).runTui);
  }
  // The interface restores the terminal before it reports a bug; every other command reports it here.
  const unwatch = context.host.onFatal((error) => {
    context.errors.diagnostic(internalError(messageOf(error)));
    const end = (): void => {
      context.host.endNow(70);
    };
    context.errors.flush().then(end, end);
  });
  try {
    if (invocation.type === "eval") return await (await import("./eval/eval.js")).runEval(context, invocation);
    if (invocation.type === "mcp") {
      const { runMcp } = await import("./mcp/run.js");
      return await runMcp(context, invocation, async () => (await import("../mcp/index.js")).serveMcp);
    }
    if (invocation.type === "doctor") return await (await import("./doctor/run.js")).runDoctor(context, invocation);
    if (isAboutAuth(invocation)) return await (await import("./auth/run.js")).runAuth(context, invocation);
    if (isAboutSecrets(invocation)) return await (await import("./secrets/run.js")).runSecrets(context, invocation);
    if (isAboutServers(invocation)) return await (await import("./mcp-servers/run.js")).runServers(context, invocation);
    if (isAboutModels(invocation)) return await (await import("./models/run.js")).runModels(context, invocation);
    if (isAboutPlugins(invocation)) return await (await import("./plugins/run.js")).runPlugins(context, invocation);
    return await runStored(invocation, context);
  } finally {
    unwatch();
  }
}

const isAboutPlugins = (invocation: Invocation): invocation is PluginsInvocation => invocation.type.startsWith("plugins ");

const isAboutAuth = (invocation: Invocation): invocation is AuthInvocation => invocation.type.startsWith("auth ");

const isAboutModels = (invocation: Invocation): invocation is ModelsInvocation => invocation.type.startsWith("models ");

const isAboutSecrets = (invocation: Invocation): invocation is SecretsInvocation => invocation.type.startsWith("secrets ");

const isAboutServers = (invocation: Invocation): invocation is ServersInvocation => invocation.type.startsWith("mcp-servers ");

type Stored = Exclude<
  Invocation,
  | ServersInvocation
  | PluginsInvocation
  | AuthInvocation
  | ModelsInvocation
  | SecretsInvocation
  | { readonly type: "eval" | "mcp" | "doctor" }
>;

/** Commands on what is stored; a resume without an id lists the sessions to choose from. */
async function runStored(invocation: Stored, context: CommandContext): Promise<ExitStatus> {
  const { folderFor, pathsOf } = await import("./prepare.js");
  const paths = pathsOf(context.host);
  if (!paths.ok) return refuse(context, paths.error);
  const { runSessions } = await import("./sessions/run.js");
  if (invocation.type !== "interactive") return await runSessions(context, paths.value, invocation);
  const folder = await folderFor(context.host, invocation.common.cwd);
  if (!folder.ok) return refuse(context, folder.error);
  const status = await runSessions(context, paths.value, { ...LIST_ALL, cwd: folder.value });
  context.errors.line("smith: continue one of them with: smith --resume ID");
  return status;
}

const LIST_ALL: ListInvocation = {
  type: "sessions list",
  json: false,
  cost: false,
  here: false,
  cwd: undefined,
  since: undefined,
  until: undefined,
  model: undefined,
  name: undefined,
  state: undefined,
  limit: undefined,
};
