import { STATUS_LIMITS, type Diagnostic, type StatusItem, type TextRole, type UiIntentType } from "../../schema/index.js";
import type { CallId, InvocationId, Result, WorkId } from "../../base/index.js";
import type { EmitType } from "../engine/kinds.js";
import { MAX_EMIT_UNITS } from "../limits.js";
import { cleanLine, cleanText, clipUnits, object, readJson, type Reader, text, textRole } from "../shape/index.js";
import { refusedEmit } from "./diagnostics.js";

/** Which invocation says something, so that its session can be found. */
export interface Speaker {
  readonly plugin: string;
  readonly cause: CallId | InvocationId;
  readonly work?: WorkId;
}

/** Who is told what plugins say to people. Everything is bounded, free of control characters and within the plugin's grants. */
export interface EmitListeners {
  readonly onNotify?: (notice: { readonly text: string; readonly role?: TextRole }, speaker: Speaker) => void;
  /** An empty text takes the item away. */
  readonly onStatus?: (item: StatusItem, speaker: Speaker) => void;
  /** Of a command or handler; that of a tool goes to whoever called it. */
  readonly onProgress?: (text: string, speaker: Speaker) => void;
}

export interface Emits {
  /** Takes what a live call says. Never throws for what it says. */
  take(speaker: Speaker, granted: readonly UiIntentType[], onProgress?: (text: string) => void): TakeEmit;
}

type TakeEmit = (what: EmitType, json: string, dropped: number) => void;

const notice = object({ text }, { role: textRole });
const status = object({ key: text, text }, { role: textRole });
const progress = object({ text });

/** What is wrong with what a plugin says is told once for each plugin and kind: nobody waits for an answer there. */
export function createEmits(listeners: EmitListeners & { readonly onDiagnostic: (diagnostic: Diagnostic) => void }): Emits {
  const told = new Set<string>();
  const items = new Map<string, Set<string>>();
  const complain = (plugin: string, what: EmitType, problem: string): void => {
    const key = `${plugin}\n${what}\n${problem.slice(0, 40)}`;
    if (told.has(key) || told.size > MAX_TOLD) return;
    told.add(key);
    listeners.onDiagnostic(refusedEmit(plugin, what, problem));
  };
  const hasRoom = (plugin: string, key: string, isGone: boolean): boolean => {
    const keys = items.get(plugin) ?? new Set<string>();
    items.set(plugin, keys);
    if (isGone) keys.delete(key);
    else if (keys.size < STATUS_LIMITS.items) keys.add(key);
    return isGone || keys.has(key);
  };
  const say: { readonly [What in EmitType]: (speaker: Speaker, json: string, onProgress?: (text: string) => void) => string | undefined } =
    {
      notify: (speaker, json) =>
        read(notice, json, ({ text: words, role }) => listeners.onNotify?.({ text: bounded(cleanText(words)), ...roleOf(role) }, speaker)),
      status: (speaker, json) => {
        let problem: string | undefined;
        const wrong = read(status, json, ({ key, text: words, role }) => {
          const item = { plugin: speaker.plugin, key: short(key), text: short(words), ...roleOf(role) };
          if (hasRoom(item.plugin, item.key, item.text === "")) listeners.onStatus?.(item, speaker);
          else problem = `it has ${STATUS_LIMITS.items} items already, which is the most`;
        });
        return wrong ?? problem;
      },
      progress: (speaker, json, onProgress) =>
        read(progress, json, ({ text: words }) => {
          const shown = bounded(cleanText(words));
          if (onProgress === undefined) listeners.onProgress?.(shown, speaker);
          else onProgress(shown);
        }),
    };
  return {
    take: (speaker, granted, onProgress) => (what, json, dropped) => {
      const { plugin } = speaker;
      if (dropped > 0) complain(plugin, what, "it says more than 100 things within a second; the rest is dropped");
      if (!granted.includes(what)) return complain(plugin, what, `its manifest has no grant ui "${what}"`);
      const problem = say[what](speaker, json, onProgress);
      if (problem !== undefined) complain(plugin, what, problem);
    },
  };
}

const MAX_TOLD = 1_000;

function read<T>(reader: Reader<T>, json: string, use: (value: T) => void): string | undefined {
  const found: Result<T, string> = readJson(reader, json, "it");
  if (!found.ok) return found.error;
  use(found.value);
  return undefined;
}

const bounded = (words: string): string => clipUnits(words, MAX_EMIT_UNITS);
const short = (words: string): string => clipUnits(cleanLine(words), STATUS_LIMITS.units);
const roleOf = (role: TextRole | undefined): { readonly role?: TextRole } => (role === undefined ? {} : { role });
