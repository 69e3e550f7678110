import { renderDefaultsKdl, renderSettingsReference } from "../../src/config/index.js";
import { renderDiagnosticsReference } from "./diagnostics.js";
import { renderFormatExample } from "./format-example.js";

/** Every generated file: path in the repository to content. */
export const renderGenerated = async (): Promise<Readonly<Record<string, string>>> => ({
  "config/defaults.kdl": renderDefaultsKdl(),
  "docs/reference/settings.md": renderSettingsReference(),
  "docs/reference/diagnostics.md": renderDiagnosticsReference(),
  "docs/reference/session-format-example.md": await renderFormatExample(),
});
