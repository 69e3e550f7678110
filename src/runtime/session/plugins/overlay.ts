import type { Generation, PromptSection } from "../../../plugin/index.js";
import type { Action, SearchableTool, ToolDefinition } from "../../../schema/index.js";

/** What is in force for this run of a session besides its settings: what people and plugins set, until the process ends. */
export interface Overlay {
  /** The tools that are offered: `chosen` by a person and not disabled by a plugin. No plugin offers what a person left out. */
  offered(tools: readonly ToolDefinition[], facts: OfferFacts): Offered;
  /** Those that may be called by whoever is no model: there is nothing to search for, and no model that was trained on one. */
  callable(tools: readonly ToolDefinition[], facts: Omit<OfferFacts, "trained">): Required<Offered>;
  /** The tools a search may name, whether it did or not. */
  searchable(tools: readonly ToolDefinition[], facts: Pick<OfferFacts, "hasProgram">): readonly SearchableTool[];
  sections(): readonly PromptSection[];
  setTools(action: Extract<Action, { readonly type: "set-tools" }>): void;
  setPrompt(plugin: string, action: Extract<Action, { readonly type: "set-prompt" }>): void;
  /** Another value whenever what it gives may have changed. */
  readonly revision: number;
}

/** What decides about tools that are not always offered. */
export interface OfferFacts {
  /** Tools the model was trained on. */
  readonly trained: readonly string[];
  readonly hasProgram: (name: string) => boolean;
  readonly hasResource: (kind: string) => boolean;
}

/** The tools of a generation that whoever is no model may call, where `chosen` is what a person named. */
export function callableTools(
  { tools, resources }: Pick<Generation, "tools" | "resources">,
  { chosen, hasProgram }: { readonly chosen: readonly string[] | undefined; readonly hasProgram: OfferFacts["hasProgram"] },
): readonly ToolDefinition[] {
  const hasResource = (kind: string): boolean => resources.some((resource) => resource.kind === kind);
  const { names } = createOverlay({ chosen }).callable(tools, { hasProgram, hasResource });
  return tools.filter(({ name }) => names.includes(name));
}

export interface Offered {
  /** Absent: all of them. */
  readonly names?: readonly string[];
  /** Why a tool that is there is not offered, in a sentence for the model. */
  readonly hidden: ReadonlyMap<string, string>;
}

/** Where a section of a plugin stands that says nothing of it: behind all that manifests bring. */
const LAST = 10_000;

/** Bounds of what one plugin adds to the prompt in a run. */
export const SECTION_LIMITS = { sections: 8, units: 16 * 1024 } as const;

export function createOverlay(initial: { readonly chosen: readonly string[] | undefined }): Overlay {
  let revision = 0;
  let disabled: ReadonlySet<string> = new Set();
  let found: ReadonlySet<string> = new Set();
  const sections = new Map<string, PromptSection>();
  const isAllowed = ({ name }: ToolDefinition): boolean => !disabled.has(name) && initial.chosen?.includes(name) !== false;
  /** What a person named is not searched for. */
  const isSearchable = (tool: ToolDefinition): boolean => tool.offer === "search" && initial.chosen === undefined && isAllowed(tool);
  return {
    get revision() {
      return revision;
    },
    offered(tools, facts) {
      const hidden = new Map<string, string>();
      const waiting = tools.filter((tool) => isSearchable(tool) && !found.has(tool.name) && !lacksProgram(tool, facts));
      const finder = tools.find(({ offer }) => offer === "finder")?.name;
      const isOffered = (tool: ToolDefinition): boolean => {
        if (!isAllowed(tool)) return false;
        const why = whyHidden(tool, { facts, isWaiting: waiting.includes(tool), finder, isNamed: initial.chosen !== undefined });
        if (why !== undefined) hidden.set(tool.name, why);
        return why === undefined && (tool.offer !== "finder" || waiting.length > 0);
      };
      const names = tools.filter(isOffered).map(({ name }) => name);
      return { ...(names.length === tools.length ? {} : { names }), hidden };
    },
    callable(tools, facts) {
      const hidden = new Map<string, string>();
      const circumstances = {
        facts: { ...facts, trained: [] },
        isWaiting: false,
        finder: undefined,
        isNamed: initial.chosen !== undefined,
      };
      const isCallable = (tool: ToolDefinition): boolean => {
        const why = whyHidden(tool, circumstances);
        if (why !== undefined) hidden.set(tool.name, why);
        return isAllowed(tool) && tool.offer !== "finder" && why === undefined;
      };
      return { names: tools.filter(isCallable).map(({ name }) => name), hidden };
    },
    searchable: (tools, facts) => tools.filter(isSearchable).map((tool) => asSearchable(tool, found.has(tool.name), facts)),
    sections: () => [...sections.values()],
    setTools({ enable = [], disable = [] }) {
      disabled = new Set([...[...disabled].filter((name) => !enable.includes(name)), ...disable]);
      found = new Set([...found, ...enable]);
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

interface Circumstances {
  readonly facts: OfferFacts;
  readonly isWaiting: boolean;
  readonly finder: string | undefined;
  /** A person said by name which tools there are. */
  readonly isNamed: boolean;
}

function asSearchable(tool: ToolDefinition, isFound: boolean, facts: Pick<OfferFacts, "hasProgram">): SearchableTool {
  const { name, description, parameters } = tool;
  const isLacking = lacksProgram(tool, facts);
  return {
    name,
    description,
    args: Object.keys(typeof parameters["properties"] === "object" ? (parameters["properties"] ?? {}) : {}),
    offered: isFound && !isLacking,
    ...(isLacking ? { lacks: missingProgram(tool) } : {}),
  };
}

const lacksProgram = ({ program }: ToolDefinition, { hasProgram }: Pick<OfferFacts, "hasProgram">): boolean =>
  program !== undefined && !hasProgram(program);

const missingProgram = ({ program = "", programFrom }: ToolDefinition): string =>
  `It needs the program ${program}, which is not on the PATH of this machine.${programFrom === undefined ? "" : ` It comes with ${programFrom}.`}`;

function whyHidden(tool: ToolDefinition, { facts, isWaiting, finder, isNamed }: Circumstances): string | undefined {
  if (lacksProgram(tool, facts)) return missingProgram(tool);
  if (tool.resources?.some(facts.hasResource) === false) return "There is nothing for it here.";
  if (isNamed) return undefined;
  if (tool.offer === "trained" && !facts.trained.includes(tool.name)) return "It is only for models that were trained on it.";
  if (!isWaiting) return undefined;
  return finder === undefined ? "It is offered once a search of tools has named it." : `It is offered once ${finder} has named it.`;
}
