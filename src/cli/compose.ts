import { basename, join } from "node:path";
import { createIdSource, ok, type Result } from "../base/index.js";
import type { Paths } from "../config/index.js";
import type {
  Inspection,
  Machine,
  Maintenance,
  ModelAdmin,
  PluginAdmin,
  Runtime,
  RuntimeDeps,
  SecretAdmin,
  ServerAdmin,
} from "../runtime/index.js";
import type { Diagnostic } from "../schema/index.js";
import type { OpenAuthAdmin, Prepared } from "./context.js";
import type { CliHost } from "./host.js";
import type { Log } from "./output/log.js";
import { VERSION } from "./version.js";

/** The runtime of this process, made from the settings and the process's own world. */
export async function openRuntime(
  prepared: Prepared,
  host: CliHost,
  {
    onDiagnostic,
    plugins,
    log,
  }: Pick<RuntimeDeps, "onDiagnostic"> & { readonly plugins: RuntimeDeps["plugins"] | undefined; readonly log: Log },
): Promise<Result<Runtime, Diagnostic>> {
  const [{ createRuntime }, shell] = await Promise.all([import("../runtime/index.js"), shellOf(host)]);
  return createRuntime({
    ...worldOf(host, shell),
    ...runOf(prepared, host),
    watch: prepared.watch,
    random: () => host.random(),
    onDiagnostic: (problem) => {
      if (!isTold(problem, prepared)) onDiagnostic(problem);
    },
    onSecrets: log.conceal,
    onPluginLog: ({ plugin, level, text, dropped }) => {
      log.record("debug", "console", { plugin, console: level, text, ...(dropped === 0 ? {} : { dropped }) });
    },
    ...(prepared.settings.log.value === "trace" ? { onWire: log.wire } : {}),
    ...(plugins === undefined ? {} : { plugins }),
  });
}

const TOLD = { untrusted: "plugin.project-untrusted", changed: "plugin.project-changed" } as const;

/** Whoever started the run was told of the whole project; that its plugins are unused is a part of it. */
const isTold = ({ code }: Diagnostic, { toldOfProject }: Prepared): boolean => toldOfProject !== undefined && code === TOLD[toldOfProject];

/** Whose settings, project and plugins a run has. */
const runOf = (
  { settings, models, mcp, paths, cwd, sources, trusted, pluginDirs }: Prepared,
  host: CliHost,
): Pick<RuntimeDeps, "settings" | "models" | "mcp" | "paths" | "cwd" | "env" | "installDir" | "pluginDirs" | "sources" | "trusted"> => ({
  settings,
  models,
  mcp,
  paths,
  cwd,
  env: host.env,
  installDir: host.installDir,
  pluginDirs,
  ...(sources === undefined ? {} : { sources }),
  ...(trusted === undefined ? {} : { trusted }),
});

/** What was said about projects before. */
export async function openTrust(paths: Paths, host: CliHost): Promise<PluginAdmin["trust"]> {
  const { openTrustStore } = await import("../runtime/plugin-admin.js");
  return openTrustStore({ ...worldOf(host), paths });
}

/** Looking after plugins, without sessions, providers or credentials. */
export async function openPluginAdmin(prepared: Prepared, host: CliHost): Promise<PluginAdmin> {
  const { createPluginAdmin } = await import("../runtime/plugin-admin.js");
  return createPluginAdmin({ ...worldOf(host), ...runOf(prepared, host) });
}

/** Looking after models and keys, without sessions. */
export async function openModelAdmin(
  prepared: Prepared,
  host: CliHost,
  onDiagnostic: RuntimeDeps["onDiagnostic"],
): Promise<Result<ModelAdmin, Diagnostic>> {
  const { createModelAdmin } = await import("../runtime/model-admin.js");
  return await createModelAdmin({
    ...worldOf(host),
    ...runOf(prepared, host),
    watch: false,
    random: () => host.random(),
    onDiagnostic: (problem) => {
      if (!isTold(problem, prepared)) onDiagnostic(problem);
    },
  });
}

/** Looking after keys alone. Closing it closes all that was opened for it. */
export async function openAuthAdmin(
  prepared: Prepared,
  host: CliHost,
  onDiagnostic: RuntimeDeps["onDiagnostic"],
): Promise<Result<OpenAuthAdmin, Diagnostic>> {
  const admin = await openModelAdmin(prepared, host, onDiagnostic);
  if (!admin.ok) return admin;
  const models = admin.value;
  return ok({
    ...models.auth,
    close: async () => {
      await models.close();
    },
  });
}

/** Looking after a person's secrets, without plugins, providers or sessions. */
export async function openSecretAdmin(prepared: Prepared, host: CliHost): Promise<SecretAdmin> {
  const { createSecretAdmin } = await import("../runtime/secret-admin.js");
  return createSecretAdmin({ ...worldOf(host), ...runOf(prepared, host) });
}

/** Looking after MCP servers, without plugins, providers or sessions. */
export async function openServerAdmin(prepared: Prepared, host: CliHost, onDiagnostic: RuntimeDeps["onDiagnostic"]): Promise<ServerAdmin> {
  const { createServerAdmin } = await import("../runtime/server-admin.js");
  return await createServerAdmin({
    ...worldOf(host),
    ...runOf(prepared, host),
    watch: false,
    random: () => host.random(),
    onDiagnostic,
  });
}

/** What this machine has of what a run can use. */
export async function openMachine({ cwd }: Pick<Prepared, "cwd">, host: CliHost): Promise<Machine> {
  const { createMachine } = await import("../runtime/machine.js");
  return await createMachine({ env: host.env, cwd });
}

/** Read access to recorded sessions, without plugins, providers or credentials. */
export async function openInspection(paths: Paths, host: CliHost): Promise<Inspection> {
  const { createInspection } = await import("../runtime/records.js");
  return createInspection({ ...worldOf(host), paths });
}

/** Changes to recorded sessions without opening them for work. */
export async function openMaintenance(paths: Paths, host: CliHost): Promise<Maintenance> {
  const { createMaintenance } = await import("../runtime/records.js");
  return createMaintenance({ ...worldOf(host), paths });
}

/** `shell` is for who makes prompts. */
function worldOf(host: CliHost, shell = "sh"): Pick<RuntimeDeps, "clock" | "ids" | "randomBytes" | "version" | "process"> {
  const randomBytes = (into: Uint8Array): void => {
    host.randomBytes(into);
  };
  return {
    clock: host.clock,
    ids: createIdSource(() => host.clock.now(), randomBytes),
    randomBytes,
    version: VERSION,
    process: { pid: host.pid, host: host.hostName, platform: host.platform, shell, tempDir: host.tempDir },
  };
}

/** The name of the shell that command lines are run by, for the prompt: as `effect/process` chooses it. */
async function shellOf(host: CliHost): Promise<string> {
  const { platform, env } = host;
  if (platform === "win32") return "cmd";
  const own = env["SHELL"] ?? "";
  const name = basename(own);
  if (own.startsWith("/") && (name === "bash" || name === "zsh") && (await host.realPath(own)) !== undefined) return name;
  for (const folder of (env["PATH"] ?? "").split(":"))
    if (folder.startsWith("/") && (await host.realPath(join(folder, "bash"))) !== undefined) return "bash";
  return "sh";
}
