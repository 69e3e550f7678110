import { renderDefaultsKdl, renderSettingsReference } from "../../src/config/index.js";
import { renderDiagnosticsReference } from "./diagnostics.js";

/** Every generated file: path in the repository to content. */
export const renderGenerated = (): Readonly<Record<string, string>> => ({
  "config/defaults.kdl": renderDefaultsKdl(),
  "docs/reference/settings.md": renderSettingsReference(),
  "docs/reference/diagnostics.md": renderDiagnosticsReference(),
});
