import type { PromptSection } from "../../../plugin/index.js";
import type { Action, ToolDefinition } from "../../../schema/index.js";

/** What is in force for this run of a session besides its settings: what people and plugins set, until the process ends. */
export interface Overlay {
  /** The tools that are offered: `chosen` by a person and not disabled by a plugin. No plugin offers what a person left out. */
  offered(tools: readonly ToolDefinition[]): readonly string[] | undefined;
  sections(): readonly PromptSection[];
  setTools(action: Extract<Action, { readonly type: "set-tools" }>): void;
  setPrompt(plugin: string, action: Extract<Action, { readonly type: "set-prompt" }>): void;
  /** Another value whenever what it gives may have changed. */
  readonly revision: number;
}

/** Where a section of a plugin stands that says nothing of it: behind all that manifests bring. */
const LAST = 10_000;

/** Bounds of what one plugin adds to the prompt in a run. */
export const SECTION_LIMITS = { sections: 8, units: 16 * 1024 } as const;

export function createOverlay(initial: { readonly chosen: readonly string[] | undefined }): Overlay {
  let revision = 0;
  let disabled: ReadonlySet<string> = new Set();
  const sections = new Map<string, PromptSection>();
  return {
    get revision() {
      return revision;
    },
    offered(tools) {
      if (disabled.size === 0) return initial.chosen;
      return (initial.chosen ?? tools.map(({ name }) => name)).filter((name) => !disabled.has(name));
    },
    sections: () => [...sections.values()],
    setTools({ enable = [], disable = [] }) {
      disabled = new Set([...[...disabled].filter((name) => !enable.includes(name)), ...disable]);
      revision += 1;
    },
    setPrompt(plugin, { section, text, order }) {
      const key = `${plugin}\0${section}`;
      if (text.trim() === "") sections.delete(key);
      else sections.set(key, { name: section, plugin, order: order ?? LAST, text });
      revision += 1;
    },
  };
}
