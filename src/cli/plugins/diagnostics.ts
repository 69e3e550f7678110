import { closest } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

const usage = (fields: Pick<Diagnostic, "code" | "what" | "why" | "next">): Diagnostic => diagnostic({ ...fields, exit: 2 });

export function noSuchPlugin(id: string, known: readonly string[]): Diagnostic {
  const near = closest(id, known);
  return usage({
    code: "usage.no-such-plugin",
    what: `there is no plugin ${id === "" ? "(empty)" : id}`,
    why: "None of that id comes with smith, is installed, or is part of this project.",
    next: near === undefined ? "See what there is with: smith plugins list." : `Did you mean ${near}? All there are: smith plugins list.`,
  });
}

export const revokeTakesNoId = (id: string): Diagnostic =>
  usage({
    code: "usage.revoke-takes-no-id",
    what: `--revoke does not go with ${id}`,
    why: "It is for the project of this folder; your agreement to an installed plugin ends when the plugin is removed.",
    next: `To leave the plugin unused: smith plugins disable ${id}. To take it away: smith plugins remove ${id}.`,
  });

/** `what` is to be agreed to: a sentence. */
export const cannotAskForAgreement = (what: string): Diagnostic =>
  usage({
    code: "usage.cannot-agree",
    what: "there is no terminal to ask on",
    why: `${what} Standard input and standard error are not both a terminal.`,
    next: "Add --yes to agree without being asked.",
  });

export const trustedWithProject = (id: string): Diagnostic =>
  usage({
    code: "usage.trusted-with-project",
    what: `${id} is part of this project`,
    why: "What a project brings is trusted together, for what it would do as a whole.",
    next: "See what that is and agree to it with: smith plugins trust.",
  });

export const nothingToApprove = (id: string, where: string): Diagnostic =>
  usage({
    code: "usage.nothing-to-approve",
    what: `${id} needs no agreement`,
    why: where,
    next: `To leave it unused: smith plugins disable ${id}.`,
  });

export const checkNeedsFolder = (dir: string): Diagnostic =>
  usage({
    code: "usage.check-needs-folder",
    what: `${dir} is no folder`,
    why: "A plugin is a folder with a manifest.kdl; this does not exist, is something else, or cannot be entered.",
    next: "Name the folder of the plugin. A new one is written with: smith plugins new DIR.",
  });

/** An enabled plugin that a setting keeps off. `where` names the setting's place. */
export const stillDisabled = (id: string, where: string): Diagnostic =>
  diagnostic({
    code: "plugins.still-disabled",
    what: `${id} stays unused`,
    why: `The setting plugins.disabled names it, ${where}.`,
    next: "Take it off that list.",
    severity: "warning",
  });

/** What a project brings and a run leaves unused. */
export interface UnusedProject {
  readonly root: string;
  /** As trust knows it. */
  readonly state: "untrusted" | "changed";
  /** A few words for each kind of thing; empty where it cannot be told. */
  readonly brings: readonly string[];
}

export const projectUnused = ({ root, state, brings }: UnusedProject): Diagnostic =>
  diagnostic({
    code: "trust.project-unused",
    what: `what this project brings is not used${brings.length === 0 ? "" : `: ${brings.join(", ")}`} (${root})`,
    why:
      state === "changed"
        ? "It is not what it was when you trusted it."
        : "It can change what runs here, and you have not trusted this project.",
    next: "See what it would do, and agree to it, with: smith plugins trust. For this run only: --trust. Without this notice: --no-trust.",
    severity: "warning",
  });
