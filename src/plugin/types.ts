import type { Clock } from "../base/index.js";
import type { EffectGateway, Grants } from "../effect/index.js";
import type { ProviderAdapter } from "../provider/index.js";
import type { Diagnostic, ToolDefinition } from "../schema/index.js";
import type { ToolRunner } from "../tool/index.js";

/** A manifest after compilation: plain JSON, cached by content hash. Getting one runs no plugin code. */
export interface CompiledPlugin {
  readonly id: string;
  readonly version: string;
  readonly description: string;
  /** SHA-256 of manifest and sources, hex. */
  readonly hash: string;
  /** Path of the bundled guest module, relative to the index file. */
  readonly entry: string;
  readonly grants: Grants;
  readonly tools: readonly ToolDefinition[];
  readonly providers: readonly ProviderContribution[];
  readonly prompts: readonly PromptSection[];
}

/** Vendor words as data. The core resolves connections by rank without knowing any vendor. */
export interface ProviderContribution {
  readonly id: string;
  readonly plugin: string;
  readonly title: string;
  readonly connections: readonly ConnectionContribution[];
}

export interface ConnectionContribution {
  readonly name: string;
  /** Lower is preferred when nothing is chosen. */
  readonly rank: number;
  readonly baseUrlEnv?: string;
  readonly defaultUrl?: string;
  /** Environment variable of the API key; its name is also the secret's name. */
  readonly credentialEnv?: string;
  /** Chosen by default only when the credential is present (else: when the base URL is). */
  readonly needs: "credential" | "base-url" | "nothing";
  readonly profile?: string;
  readonly defaultModel?: string;
}

/** One part of the system prompt; `{{cwd}}`, `{{date}}`, `{{platform}}`, `{{shell}}` are filled in by the runtime. */
export interface PromptSection {
  readonly name: string;
  readonly order: number;
  readonly text: string;
  /** Shown only when this tool is active. */
  readonly whenTool?: string;
}

/** What `dist/plugins/index.json` holds. */
export interface PluginIndex {
  readonly sdk: number;
  readonly plugins: readonly CompiledPlugin[];
}

/** Coherent, frozen set of contributions that a round works with. */
export interface Generation {
  readonly number: number;
  readonly plugins: readonly CompiledPlugin[];
  readonly tools: readonly ToolDefinition[];
  readonly providers: readonly ProviderContribution[];
  readonly prompts: readonly PromptSection[];
}

export interface PluginHostDeps {
  /** Folder that holds index.json and the guest modules. */
  readonly dir: string;
  readonly index: PluginIndex;
  readonly disabled: ReadonlySet<string>;
  readonly effects: EffectGateway;
  readonly clock: Clock;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

export interface PluginHost {
  readonly generation: Generation;
  readonly tools: ToolRunner;
  provider(id: string): ProviderAdapter | undefined;
  /** Starts the workers' threads now, without waiting, so that a first call does not pay for it. */
  warm(what: "providers" | "tools"): void;
  close(): Promise<void>;
}
