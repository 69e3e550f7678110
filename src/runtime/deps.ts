import type { Clock, IdSource, Result } from "../base/index.js";
import type { Paths, ResolvedSettings, SettingSources } from "../config/index.js";
import type { PluginHostOptions, StartedPlugins } from "../plugin/index.js";
import type { EnvView, HttpEngineDeps } from "../provider/index.js";
import type { Diagnostic, McpServerSetting, ModelSettings } from "../schema/index.js";

/** Everything a runtime takes from the process it lives in. */
export interface RuntimeDeps {
  readonly env: EnvView;
  readonly cwd: string;
  readonly paths: Paths;
  readonly settings: ResolvedSettings;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly random: () => number;
  readonly randomBytes: (into: Uint8Array) => void;
  readonly process: {
    readonly pid: number;
    readonly host: string;
    readonly platform: string;
    readonly shell: string;
    readonly tempDir: string;
  };
  readonly version: string;
  /** Folder of the built program: workers, engine binary, plugins. */
  readonly installDir: URL;
  /** Plugins begun ahead by `beginPlugins`. */
  readonly plugins?: Promise<Result<StartedPlugins, Diagnostic>>;
  /** What configuration says of models and servers. Left out: nothing. */
  readonly models?: ModelSettings;
  /** Servers of the Model Context Protocol. Left out: none. */
  readonly mcp?: readonly McpServerSetting[];
  /** What the settings were read from, to read the options of plugins from it too. Left out: they are as their manifests say. */
  readonly sources?: SettingSources;
  /** The person's word on the project, where one was given for this run. */
  readonly trusted?: boolean;
  /** Folders of plugins named for this run, absolute. Whoever names one trusts it. */
  readonly pluginDirs: readonly string[];
  /** Reads those again whenever something in them changes. */
  readonly watch: boolean;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  /** Told what goes over the wire to models, secrets taken out. Left out: nobody is. */
  readonly onWire?: NonNullable<HttpEngineDeps["onWire"]>;
  /** Told once how secrets are taken out of text, as soon as any are known: whoever writes logs hides what is hidden elsewhere. */
  readonly onSecrets?: (conceal: (text: string) => string) => void;
  /** What plugins write with `console`. Left out: it goes nowhere. */
  readonly onPluginLog?: PluginHostOptions["onLog"];
}
