import { closest } from "../../../base/index.js";
import { type Diagnostic, diagnostic } from "../../../schema/index.js";

export const unknownCommand = (name: string, known: readonly string[]): Diagnostic => {
  const near = closest(name, known);
  return diagnostic({
    code: "command.unknown",
    what: `There is no command /${name}.`,
    why: "No plugin in use contributes a command of that name.",
    next: near === undefined ? "Type / to see the commands there are." : `Did you mean /${near}?`,
    exit: 2,
  });
};

export const unknownLevel = (plugin: string, level: string, levels: readonly string[]): Diagnostic =>
  diagnostic({
    code: "plugin.thinking-unknown",
    what: `${plugin} wants to set thinking to ${JSON.stringify(level)}.`,
    why: `There is no such level. Levels are ${levels.join(", ")}.`,
    next: "Use one of these levels. Nothing of this batch was carried out.",
    source: { type: "plugin", id: plugin },
  });

export const modelRefused = (plugin: string, cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "plugin.model-refused",
    what: `${plugin} wants another model, which cannot be used: ${cause.what}`,
    why: cause.why,
    next: `${cause.next} Nothing of this batch was carried out.`,
    source: { type: "plugin", id: plugin },
    causes: [cause],
  });

export const sectionTooLarge = (plugin: string, section: string, size: { readonly units: number; readonly max: number }): Diagnostic =>
  diagnostic({
    code: "plugin.section-too-large",
    what: `${plugin} wants a section ${JSON.stringify(section)} of ${String(size.units)} characters in the prompt.`,
    why: `A section may have ${String(size.max)} characters.`,
    next: "Say it shorter, or put it into a file the model can read. Nothing of this batch was carried out.",
    source: { type: "plugin", id: plugin },
  });

export const tooManySections = (plugin: string, max: number): Diagnostic =>
  diagnostic({
    code: "plugin.too-many-sections",
    what: `${plugin} wants one more section in the prompt than it may have.`,
    why: `A plugin may add ${String(max)} sections in a run.`,
    next: "Take one away first, with an empty text. Nothing of this batch was carried out.",
    source: { type: "plugin", id: plugin },
  });

export const stateUndeclared = (plugin: string, key: string, scope: string): Diagnostic =>
  diagnostic({
    code: "state.undeclared",
    what: `${plugin} has no state ${JSON.stringify(key)} of scope ${scope}.`,
    why: "A plugin can use the state its manifest declares, with the scope it declares, and no other.",
    next: `Declare it in the manifest: state ${JSON.stringify(key)} scope=${JSON.stringify(scope)}.`,
    source: { type: "plugin", id: plugin },
  });

/** A change of state that was accepted and could not be stored. */
export const stateNotKept = (plugin: string, key: string, cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "state.not-kept",
    what: `${JSON.stringify(key)} of ${plugin} was not stored: ${cause.what}`,
    why: cause.why,
    next: cause.next,
    source: { type: "plugin", id: plugin },
    severity: "warning",
    causes: [cause],
  });
