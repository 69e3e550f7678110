import { err, ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";
import type { AgentPort, Facility, ToolsPort } from "../types.js";

const MAX_PROMPT_UNITS = 256 * 1024;

/** Work handed to another agent of the session. */
export function createAgentFacility(agents: AgentPort | undefined): { readonly "agent.run": Facility<"agent.run"> } {
  return {
    "agent.run": {
      authorize: async (input, { plugin, grants }) => {
        if (!grants.agent) return err(agentDenied(plugin));
        const units = input.prompt.length + (input.system?.length ?? 0);
        return await Promise.resolve(units > MAX_PROMPT_UNITS ? err(promptTooLarge(units)) : ok(input));
      },
      run: async (input, { plugin, cause, work, signal, onProgress }) => {
        if (agents === undefined) return { outcome: "not-applied", result: err(agentUnavailable()) };
        return await agents.run(input, {
          ...{ plugin, cause, signal },
          ...(work === undefined ? {} : { work }),
          ...(onProgress === undefined ? {} : { onProgress }),
        });
      },
    },
  };
}

/** What a search of tools may find. Names and words only, so it needs no grant. */
export const createToolsFacility = (tools: ToolsPort | undefined): { readonly "tools.searchable": Facility<"tools.searchable"> } => ({
  "tools.searchable": {
    authorize: async (input) => await Promise.resolve(ok(input)),
    run: async () => await Promise.resolve({ outcome: "not-applied", result: ok({ tools: tools?.searchable() ?? [] }) }),
  },
});

const agentDenied = (plugin: string): Diagnostic =>
  grantDenied({ plugin, wanted: "have other agents work", why: "It has no grant agent.", manifest: "agent" });

const promptTooLarge = (units: number): Diagnostic =>
  diagnostic({
    code: "agent.prompt-too-large",
    what: `Prompt and system prompt have ${units} characters together.`,
    why: `An agent is given at most ${MAX_PROMPT_UNITS} characters.`,
    next: "Say less, or name files it can read.",
  });

const agentUnavailable = (): Diagnostic =>
  diagnostic({
    code: "agent.unavailable",
    what: "No other agent can be asked here.",
    why: "This run has none: it may be one itself that is as deep as agents go.",
    next: "Do the work here.",
  });
