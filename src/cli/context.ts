import type { Result } from "../base/index.js";
import type { Paths, ResolvedSettings, SettingSources } from "../config/index.js";
import type {
  AuthAdmin,
  Inspection,
  Machine,
  Maintenance,
  ModelAdmin,
  PluginAdmin,
  Runtime,
  SecretAdmin,
  ServerAdmin,
} from "../runtime/index.js";
import type { Diagnostic, McpServerSetting, ModelSettings } from "../schema/index.js";
import type { CliHost } from "./host.js";
import type { CommonFlags } from "./given-flags.js";
import type { Log } from "./output/log.js";
import type { Paint } from "./output/colour.js";
import type { Writer } from "./output/writer.js";

/** Settings and places of one run. `warnings` hold nothing of severity error. */
export interface Prepared {
  readonly settings: ResolvedSettings;
  /** What configuration says of models and servers. */
  readonly models: ModelSettings;
  readonly mcp: readonly McpServerSetting[];
  readonly paths: Paths;
  readonly cwd: string;
  readonly warnings: readonly Diagnostic[];
  /** What they were read from: the options of plugins are read from it once those are known. */
  readonly sources?: SettingSources;
  /** The person's word on the project, where one was given. */
  readonly trusted?: boolean;
  /** Folders of `--plugin`, absolute; each has a manifest. */
  readonly pluginDirs: readonly string[];
  /** Those are read again when they change. */
  readonly watch: boolean;
  /** What a warning has said of the project, so that nobody says it again. */
  readonly toldOfProject?: "untrusted" | "changed";
}

/** Looking after keys, with all that was opened for it. */
export interface OpenAuthAdmin extends AuthAdmin {
  close(): Promise<void>;
}

/** How the command line gets at the runtime; the only implementation is `compose.ts`. */
export interface RuntimePort {
  /** Starts what a run will wait for longest; `open` takes it over. For commands that are certain to need it. */
  begin?(host: CliHost): void;
  /** `onDiagnostic` hears of what goes wrong beside any run, such as a plugin that does not load. */
  open(prepared: Prepared, host: CliHost, onDiagnostic: (diagnostic: Diagnostic) => void): Promise<Result<Runtime, Diagnostic>>;
  /** Needs no settings, plugins or credentials. */
  inspect(paths: Paths, host: CliHost): Promise<Inspection>;
  /** Changes to stored sessions; needs no more than `inspect` does. */
  maintain(paths: Paths, host: CliHost): Promise<Maintenance>;
  /** What was said about projects before; needs no settings. */
  trust(paths: Paths, host: CliHost): Promise<PluginAdmin["trust"]>;
  /** Looking after plugins; loads nothing that runs a session. */
  plugins(prepared: Prepared, host: CliHost): Promise<PluginAdmin>;
  /** Looking after models; opens no session. `onDiagnostic` hears of plugins whose providers are missing, and of what cannot be read. */
  models(prepared: Prepared, host: CliHost, onDiagnostic: (diagnostic: Diagnostic) => void): Promise<Result<ModelAdmin, Diagnostic>>;
  /** Looking after a person's secrets; reads their files and nothing else. */
  secrets(prepared: Prepared, host: CliHost): Promise<SecretAdmin>;
  /** Looking after MCP servers; loads no plugin. */
  servers(prepared: Prepared, host: CliHost, onDiagnostic: (diagnostic: Diagnostic) => void): Promise<ServerAdmin>;
  /** What this machine has; starts and changes nothing. */
  machine(prepared: Pick<Prepared, "cwd">, host: CliHost): Promise<Machine>;
  /** Looking after keys; opens no session. `onDiagnostic` hears of plugins whose providers are missing. */
  auth(prepared: Prepared, host: CliHost, onDiagnostic: (diagnostic: Diagnostic) => void): Promise<Result<OpenAuthAdmin, Diagnostic>>;
}

/** Standard error, for people. */
export interface ErrorReport {
  readonly isTerminal: boolean;
  readonly diagnostic: (diagnostic: Diagnostic) => void;
  /** One line, made visible. */
  readonly line: (text: string) => void;
  flush(): Promise<void>;
}

/** What every command works with. */
export interface CommandContext {
  readonly host: CliHost;
  readonly out: Writer;
  readonly errors: ErrorReport;
  /** Colours for standard output. */
  readonly paint: Paint;
  readonly runtime: RuntimePort;
  readonly log: Log;
  /** Reads the settings. `lenient` makes warnings of errors in files, for a frontend that can show them and go on. */
  prepare(common: CommonFlags, lenient: boolean): Promise<Result<Prepared, readonly Diagnostic[]>>;
}
