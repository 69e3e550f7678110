import { type Diagnostic, diagnostic } from "../../../schema/index.js";
import type { GrantLine } from "../../types.js";
import { plainWords } from "../names.js";

const wordsOf = (grants: readonly GrantLine[]): string => (grants.length === 0 ? "nothing" : grants.map(({ words }) => words).join("; "));

export const notApproved = (id: string, dir: string): Diagnostic =>
  diagnostic({
    code: "plugin.not-approved",
    what: `The plugin ${id} is not used: nobody approved it.`,
    why: `Its folder is there, ${plainWords(dir, 400)}, and it was not installed.`,
    next: `See what it wants with: smith plugins info ${id}. Then: smith plugins trust ${id}, or remove the folder.`,
    source: { type: "plugin", id },
    severity: "warning",
  });

export const treeChanged = (id: string): Diagnostic =>
  diagnostic({
    code: "plugin.changed",
    what: `The plugin ${id} is not used: its files are not those that were approved.`,
    why: "Somebody or something has changed them since.",
    next: `Look at it with: smith plugins info ${id}. Then: smith plugins trust ${id}, or install it again.`,
    source: { type: "plugin", id },
    severity: "warning",
  });

export const grantsWidened = (id: string, added: readonly GrantLine[]): Diagnostic =>
  diagnostic({
    code: "plugin.grants-widened",
    what: `The plugin ${id} is not used: it wants more than was approved.`,
    why: `New: ${wordsOf(added)}.`,
    next: `If that is right: smith plugins trust ${id}`,
    source: { type: "plugin", id },
    severity: "warning",
  });

export const folderGone = (id: string, dir: string): Diagnostic =>
  diagnostic({
    code: "plugin.folder-gone",
    what: `The plugin ${id} is installed and its folder is not there: ${plainWords(dir, 400)}.`,
    why: "Somebody or something has removed it.",
    next: `Install it again, or forget it with: smith plugins remove ${id}`,
    source: { type: "plugin", id },
    severity: "warning",
  });

const broughtWords = (brings: readonly string[]): string => (brings.length === 0 ? "" : `: ${brings.join(", ")}`);

/** `brings`: a few words for each kind of thing in the project. */
export const projectUntrusted = (root: string, brings: readonly string[]): Diagnostic =>
  diagnostic({
    code: "plugin.project-untrusted",
    what: `What this project brings is not used${broughtWords(brings)}. ${plainWords(root, 400)} is not trusted.`,
    why: "Whoever wrote the project would decide what runs here.",
    next: "See what it would do with: smith plugins trust. For this run only: --trust. Without this notice: --no-trust.",
    severity: "warning",
  });

export const projectChanged = (root: string, brings: readonly string[]): Diagnostic =>
  diagnostic({
    code: "plugin.project-changed",
    what: `What this project brings is not used${broughtWords(brings)}. What ${plainWords(root, 400)} would do has changed since it was trusted.`,
    why: "Trust is for what was looked at, not for what comes after it.",
    next: "See what it would do now with: smith plugins trust. For this run only: --trust. Without this notice: --no-trust.",
    severity: "warning",
  });

export const projectOverrides = (id: string, origin: string): Diagnostic =>
  diagnostic({
    code: "plugin.project-overrides",
    what: `The project's plugin ${id} is not used: there is ${origin === "bundled" ? "one of the product" : "an installed one"} of that id.`,
    why: "A project cannot put something else in the place of what you use everywhere.",
    next: `Have the project give it an id of its own, or try it with: --plugin .smith/plugins/${id}`,
    source: { type: "plugin", id },
    severity: "warning",
  });

/** Not a problem: said, because nobody was asked. */
export const usedForRun = (id: string, dir: string, grants: readonly GrantLine[]): Diagnostic =>
  diagnostic({
    code: "plugin.used-for-run",
    what: `The plugin ${id} is used in this run${grants.length === 0 ? ". It may do nothing outside of itself." : `. It may ${wordsOf(grants)}.`}`,
    why: `It was named by --plugin, which approves that: ${plainWords(dir, 400)}`,
    next: `Nothing is to be done. To have it in every run: smith plugins install ${plainWords(dir, 400)}`,
    source: { type: "plugin", id },
    severity: "warning",
  });

export const oddFolder = (name: string, dir: string): Diagnostic =>
  diagnostic({
    code: "plugin.odd-folder",
    what: `The folder ${JSON.stringify(plainWords(name))} in ${plainWords(dir, 400)} is not used.`,
    why: "Folders of plugins are named by the plugin's id, lower case words with dots between them.",
    next: "Rename it to the id of its plugin, or take it away.",
    source: { type: "file", path: dir },
    severity: "warning",
  });
