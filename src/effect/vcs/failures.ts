import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";

export const vcsDenied = (plugin: string): Diagnostic =>
  grantDenied({ plugin, wanted: "look at the repository", why: "It has no grant vcs.", manifest: "vcs" });

export const vcsOutside = (plugin: string, path: string): Diagnostic =>
  diagnostic({
    code: "vcs.outside",
    what: `${plugin} may not look at ${path} through git.`,
    why: "The grant vcs reaches the workspace and what is in it. Symbolic links are followed before the check.",
    next: "Name a path in the workspace, or leave it out.",
    source: { type: "plugin", id: plugin },
  });

export const gitMissing = (): Diagnostic =>
  diagnostic({
    code: "vcs.no-git",
    what: "There is no git.",
    why: "The state of a repository is read through the program git, and no folder of PATH has it.",
    next: "Go on without it, or ask the user to install git.",
  });

export const noRepository = (path: string): Diagnostic =>
  diagnostic({
    code: "vcs.no-repository",
    what: `${path} is in no git repository.`,
    why: "Neither it nor a folder above it has a .git.",
    next: "Go on without version control, or ask the user to run git init.",
  });

export const unsafeRepository = (root: string, problem: string): Diagnostic =>
  diagnostic({
    code: "vcs.unsafe-repository",
    what: `The repository ${root} is not looked at: ${problem}.`,
    why: "What a repository brings along must neither be run nor lead out of the workspace, and here that cannot be made sure.",
    next: "Ask the user to look at its .git and its settings (git config --list --show-origin), or use git through a command.",
  });

export const gitFailed = (words: string): Diagnostic =>
  diagnostic({
    code: "vcs.failed",
    what: `git failed: ${words}.`,
    why: "That is what git says about this repository.",
    next: "Repair what it names, or go on without it.",
  });

export const gitTooSlow = (ms: number): Diagnostic =>
  diagnostic({
    code: "vcs.too-slow",
    what: `git was not done after ${ms} ms and was ended.`,
    why: "The repository is very large, or its disk is slow.",
    next: "Name a smaller folder.",
    retry: { type: "now" },
  });

export const vcsStopped = (): Diagnostic =>
  diagnostic({
    code: "vcs.aborted",
    what: "Looking at the repository was stopped.",
    why: "The call was aborted; nothing was changed.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });
