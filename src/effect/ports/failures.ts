import type { Diagnostic, StateInput } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";
import type { StateGrant } from "../types.js";

export const uiDenied = (plugin: string, intent: string, granted: readonly string[]): Diagnostic =>
  grantDenied({
    plugin,
    wanted: intent === "ask" ? "ask people for text" : intent === "choose" ? "let people choose" : "let people confirm",
    why: granted.length === 0 ? "It has no grant ui." : `Its grant is ui=${granted.join(", ")}.`,
    instead: "Decide without asking",
    manifest: `ui "${intent}"`,
  });

export const uiUnavailable = (intent: string): Diagnostic =>
  diagnostic({
    code: "ui.unavailable",
    what: `Nobody can be asked (ui.${intent}).`,
    why: "This run has no frontend that can show a question and bring back an answer.",
    next: "Decide without asking, or say in the result what a person has to decide.",
  });

export const badQuestion = (problem: string): Diagnostic =>
  diagnostic({
    code: "ui.bad-question",
    what: `The question cannot be asked: ${problem}.`,
    why: "A question fits a screen: up to 4,000 characters of text, 1 to 100 options with different values, 200 characters for every other text.",
    next: "Shorten it, or ask in several steps.",
  });

export const badAnswer = (intent: string): Diagnostic =>
  diagnostic({
    code: "ui.bad-answer",
    what: `The answer to ui.${intent} is not of the kind that was asked for.`,
    why: "The frontend answered with something else; nothing of it is handed on.",
    next: "Ask again, or decide without asking.",
  });

export const portStopped = (operation: string): Diagnostic =>
  diagnostic({
    code: "effect.stopped",
    what: `${operation} was stopped.`,
    why: "The call was aborted while it was waiting.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });

export const stateDenied = (plugin: string, { key, scope }: StateInput, granted: readonly StateGrant[]): Diagnostic =>
  grantDenied({
    plugin,
    wanted: `keep state of the scope ${scope}`,
    why:
      granted.length === 0 ? "It declares no state." : `It declares state of the scopes ${granted.map((grant) => grant.scope).join(", ")}.`,
    manifest: `state ${JSON.stringify(key.slice(0, 80))} scope="${scope}"`,
    isTopLevel: true,
  });

export const badKey = (key: string): Diagnostic =>
  diagnostic({
    code: "state.bad-key",
    what: `${JSON.stringify(key.slice(0, 80))} is not a key of state.`,
    why: "A key is a text of 1 to 256 bytes without control characters, and the manifest declares it.",
    next: "Use a key that the manifest declares.",
  });

export const stateTooLarge = (key: string, bytes: number, most: number): Diagnostic =>
  diagnostic({
    code: "state.value-too-large",
    what: `The value for ${key} has ${bytes} bytes of JSON.`,
    why: `What the manifest declares for its scope allows ${most} bytes.`,
    next: 'Keep less, or keep it in a file of the plugin\'s own folder (fs write="plugin-data").',
  });

export const evaluateDenied = (plugin: string): Diagnostic =>
  grantDenied({ plugin, wanted: "evaluate JavaScript", why: "It has no grant evaluate.", manifest: "evaluate" });

export const badSource = (bytes: number, most: number): Diagnostic =>
  diagnostic({
    code: "evaluate.too-large",
    what: `Source and input have ${bytes} bytes together.`,
    why: `At most ${most} bytes are evaluated.`,
    next: "Evaluate it in parts.",
  });

export const resourceUnknown = (plugin: string, kind: string, name: string): Diagnostic =>
  diagnostic({
    code: "resource.unknown",
    what: `${plugin} has no resource ${JSON.stringify(name)} of the kind ${JSON.stringify(kind)}.`,
    why: "Only what its manifest collects can be read, and only what was found when the session was opened.",
    next: "Use the kind and name of a resource that is there.",
    source: { type: "plugin", id: plugin },
  });

export const resourceOutside = (plugin: string, asked: string, folder: string): Diagnostic =>
  diagnostic({
    code: "resource.outside",
    what: `${plugin} may not read ${JSON.stringify(asked)} beside its resource: it does not lie in ${folder}.`,
    why: "Only files in the folder of the resource belong to it. Symbolic links are followed before the check.",
    next: "Name a file in that folder, by a relative path.",
    source: { type: "plugin", id: plugin },
  });

export const resourceAlone = (plugin: string, asked: string, path: string): Diagnostic =>
  diagnostic({
    code: "resource.alone",
    what: `${plugin} may not read ${JSON.stringify(asked)} beside ${path}.`,
    why: "The resource is one file. Only a resource that is a folder, one that its manifest names by its folder, has files beside it.",
    next: 'Declare the resource with named="folder", or read the file with fs.read, which needs a grant.',
    source: { type: "plugin", id: plugin },
  });

export const resourceTooLarge = (path: string, bytes: number, most: number): Diagnostic =>
  diagnostic({
    code: "resource.too-large",
    what: `${path} has ${bytes} bytes.`,
    why: `At most ${most} bytes of a file beside a resource are read.`,
    next: "Split the file, or read a part of it with fs.read.",
  });

export const resourceBinary = (path: string): Diagnostic =>
  diagnostic({
    code: "resource.binary",
    what: `${path} is no text.`,
    why: "Resources are texts in UTF-8.",
    next: "Name a text file.",
  });
