import { renderDefaultsKdl, renderSettingsReference } from "../../src/config/index.js";
import { renderDiagnosticsReference } from "./diagnostics.js";
import { readSources } from "../../test/architecture/source.js";
import { renderFormatExample } from "./format-example.js";
import { renderPluginSettings } from "./plugin-settings.js";
import { renderSdkReference } from "./sdk.js";

/** Every generated file: path in the repository to content. */
export const renderGenerated = async (): Promise<Readonly<Record<string, string>>> => ({
  "config/defaults.kdl": renderDefaultsKdl(),
  "docs/reference/settings.md": `${renderSettingsReference()}\n${await renderPluginSettings()}`,
  "docs/reference/sdk.md": renderSdkReference(readSources("src/plugin", "src/schema")),
  "docs/reference/diagnostics.md": renderDiagnosticsReference(),
  "docs/reference/session-format-example.md": await renderFormatExample(),
});
