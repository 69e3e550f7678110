import { type Diagnostic, diagnostic } from "../../schema/index.js";
import type { ActivePlugin } from "../types.js";
import { SDK_VERSION } from "./version.js";

/** Two contributions of one name. */
export interface Clash {
  readonly name: string;
  readonly winner: string;
  readonly loser: string;
  /** Whether the winner has the name because it comes from a later place, not for its id. */
  readonly byOrigin: boolean;
}

const reasonOf = ({ byOrigin }: Clash): string =>
  byOrigin
    ? "Of bundled, installed, project and command-line plugins the later one has it."
    : "Both come from the same place, so the first plugin in order of ids has it.";

export const duplicateTool = (clash: Clash): Diagnostic =>
  diagnostic({
    code: "plugin.duplicate-tool",
    what: `The plugins ${clash.winner} and ${clash.loser} both contribute the tool "${clash.name}"; the one of ${clash.winner} is used.`,
    why: `A tool's name is how the model calls it, so it can be given once. ${reasonOf(clash)}`,
    next: `Rename the tool in one of them, or disable ${clash.winner} or ${clash.loser}.`,
    source: { type: "plugin", id: clash.loser },
    severity: "warning",
  });

export const duplicateProvider = (clash: Clash): Diagnostic =>
  diagnostic({
    code: "plugin.duplicate-provider",
    what: `The plugins ${clash.winner} and ${clash.loser} both contribute the provider "${clash.name}"; the one of ${clash.winner} is used.`,
    why: `A provider's id names it in model references, so it can be given once. ${reasonOf(clash)}`,
    next: `Rename the provider in one of them, or disable ${clash.winner} or ${clash.loser}.`,
    source: { type: "plugin", id: clash.loser },
    severity: "warning",
  });

export const duplicateTheme = (clash: Clash): Diagnostic =>
  diagnostic({
    code: "plugin.duplicate-theme",
    what: `The plugins ${clash.winner} and ${clash.loser} both contribute the theme "${clash.name}"; the one of ${clash.winner} is used.`,
    why: `A theme is chosen by its name, so it can be given once. ${reasonOf(clash)}`,
    next: `Rename the theme in one of them, or disable ${clash.winner} or ${clash.loser}.`,
    source: { type: "plugin", id: clash.loser },
    severity: "warning",
  });

export const duplicateKeyBinding = (clash: Clash): Diagnostic =>
  diagnostic({
    code: "plugin.duplicate-key",
    what: `The plugins ${clash.winner} and ${clash.loser} both bind the key ${clash.name}; the binding of ${clash.winner} is used.`,
    why: `A key does one thing. ${reasonOf(clash)}`,
    next: `Change the key in one of them, or disable ${clash.winner} or ${clash.loser}.`,
    source: { type: "plugin", id: clash.loser },
    severity: "warning",
  });

/** `name` without its slash. `loserIs` says what kind of name is not used. */
export const duplicateCommand = (clash: Clash, loserIs: "command" | "alias"): Diagnostic =>
  diagnostic({
    code: "plugin.duplicate-command",
    what: `The ${loserIs} /${clash.name} of ${clash.loser} is not used: ${clash.winner} has a command of that name.`,
    why: `What is typed after the slash can mean one thing; a command's own name comes before aliases. ${reasonOf(clash)}`,
    next: `Rename one of them, or disable ${clash.winner} or ${clash.loser}.`,
    source: { type: "plugin", id: clash.loser },
    severity: "warning",
  });

/** A collected file whose command would have a name that is taken. */
export const shadowedResource = (name: string, owner: string, path: string): Diagnostic =>
  diagnostic({
    code: "plugin.shadowed-resource",
    what: `${path} makes no command /${name}: ${owner} has one of that name.`,
    why: "What is typed after the slash can mean one thing, and declared commands come before those made of files.",
    next: "Give the file another name.",
    source: { type: "file", path },
    severity: "warning",
  });

/** Two plugins of one id from the same place. */
export const duplicatePlugin = (used: ActivePlugin, left: ActivePlugin): Diagnostic =>
  diagnostic({
    code: "plugin.duplicate-id",
    what: `Two ${used.origin} plugins have the id ${used.compiled.id}: ${placeOf(used)} and ${placeOf(left)}. The first is used.`,
    why: "A plugin is known by its id. Of the same place, the first folder in order of names has it.",
    next: "Remove one of them, or give it another id.",
    source: { type: "plugin", id: used.compiled.id },
    severity: "warning",
  });

const placeOf = ({ dir, modules, compiled }: ActivePlugin): string =>
  `${dir ?? (modules.type === "none" ? "the program" : modules.path)} (${compiled.version})`;

export const sdkMismatch = (id: string, found: number): Diagnostic =>
  diagnostic({
    code: "plugin.sdk-mismatch",
    what: `The plugin ${id} was made for plugin SDK ${found}; this smith has SDK ${SDK_VERSION}. It is not used.`,
    why:
      found > SDK_VERSION
        ? `It needs a smith whose plugin SDK is ${found} or the one after.`
        : "This smith takes plugins of its own SDK and of the one before.",
    next: found > SDK_VERSION ? "Update smith, or install an older version of the plugin." : "Install a newer version of the plugin.",
    source: { type: "plugin", id },
    severity: "warning",
  });

export const duplicateOption = (clash: Clash): Diagnostic =>
  diagnostic({
    code: "plugin.duplicate-option",
    what: `The plugins ${clash.winner} and ${clash.loser} both declare the setting ${clash.name}; it is the one of ${clash.winner}.`,
    why: `A setting belongs to one plugin; the other one keeps its default. Bundled plugins come before installed ones, those before a project's.`,
    next: `Rename the option in one of them, or disable ${clash.winner} or ${clash.loser}.`,
    source: { type: "plugin", id: clash.loser },
    severity: "warning",
  });
