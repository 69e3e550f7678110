import type { KindFiles, Naming } from "../types.js";

/** A theme and a key: data, so that there is no module. */
export const themeFiles = ({ id, name }: Naming): KindFiles => ({
  about: `A theme: colours by name over those of the built-in dark one. Try: \`/theme ${name}\`, or press ctrl+t.`,
  manifest: `plugin "${id}" version="0.1.0" sdk=1 {
  description "A warm dark theme"
  // Styles that are not named here stay as they are in the base.
  theme "${name}" base="dark" {
    style "accent" fg="#e0a458" bold=#true
    style "muted" fg="#8a7f72"
    style "error" fg="#e06c75"
  }
  key "ctrl+t" command="theme ${name}"
}
`,
});
