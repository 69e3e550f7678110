import type { JsonValue } from "../../base/index.js";
import type { OfferedSet, PluginHost, ToolSetContribution } from "../../plugin/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { toolSetNote } from "./diagnostics.js";

export interface ToolSetPorts {
  readonly host: Pick<PluginHost, "generation" | "offer">;
  /** Makes a generation with these sets current. */
  readonly publish: (sets: readonly OfferedSet[]) => void;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** What tool sets offer, kept in step with their source. */
export interface ToolSets {
  /** Asks every set again; what it offers is published where that is not as it was. Resolves when it is. */
  refresh(): Promise<void>;
}

/** `source` is asked for at the last moment: of several changes only what they come to is offered. */
export function createToolSets({ host, publish, onDiagnostic }: ToolSetPorts, source: () => JsonValue): ToolSets {
  let published = "[]";
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  const told = new Set<string>();
  const tell = (problem: Diagnostic): void => {
    if (told.has(problem.what)) return;
    told.add(problem.what);
    onDiagnostic(problem);
  };
  const former = new Map<string, OfferedSet>();
  const ask = async (set: ToolSetContribution): Promise<readonly OfferedSet[]> => {
    const key = `${set.plugin}\0${set.name}`;
    const made = await host.offer(set, source());
    if (made.ok) {
      for (const note of made.value.notes) tell(toolSetNote(set.plugin, note));
      former.set(key, made.value.offered);
      return [made.value.offered];
    }
    tell(made.error);
    const before = former.get(key);
    return before === undefined ? [] : [before];
  };
  const round = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      const sets = host.generation.plugins.flatMap(({ compiled }) => compiled.toolSets);
      const offered = (await Promise.all(sets.map(ask))).flat();
      const text = JSON.stringify(offered);
      if (text !== published) publish(offered);
      published = text;
    } while (isAskedAgain);
  };
  return {
    refresh: async () => {
      isAskedAgain = true;
      running ??= round().finally(() => {
        running = undefined;
      });
      await running;
    },
  };
}
