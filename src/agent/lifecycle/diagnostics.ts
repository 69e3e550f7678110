import { type Diagnostic, diagnostic } from "../../schema/index.js";
import type { ActionType } from "../../schema/index.js";

const source = (plugin: string): Pick<Diagnostic, "source"> => ({ source: { type: "plugin", id: plugin } });

/** `cause` is what forbids it to anybody. */
export const actionImpossible = (plugin: string, action: ActionType, cause: Pick<Diagnostic, "what" | "why" | "next">): Diagnostic =>
  diagnostic({
    code: "agent.action-impossible",
    what: `The plugin ${plugin} wanted ${action}, which cannot be carried out: ${cause.what}`,
    why: `${cause.why} Nothing else it wanted at once with that was done either.`,
    next: cause.next,
    ...source(plugin),
  });

export const actionText = (plugin: string, action: ActionType): Diagnostic =>
  diagnostic({
    code: "agent.action-text",
    what: `The plugin ${plugin} wanted ${action} without a text.`,
    why: "What the model is to see has words.",
    next: "Give a text that is not blank, or leave the action out.",
    ...source(plugin),
  });

export const notQueued = (plugin: string, action: ActionType, submission: string): Diagnostic =>
  diagnostic({
    code: "agent.action-queue",
    what: `The plugin ${plugin} wanted ${action} of ${submission}, which does not wait in the queue.`,
    why: "It was delivered or taken back before, or never was input of this session.",
    next: "Name input of the queue that the event shows.",
    ...source(plugin),
  });

export const tooManyTurns = (plugin: string, limit: number): Diagnostic =>
  diagnostic({
    code: "agent.action-turns",
    what: `The plugin ${plugin} wanted to enqueue more input, after ${String(limit)} turns that nobody but plugins asked for.`,
    why: "Plugins that answer each other would keep the model at work for ever.",
    next: "Send a prompt: the count begins anew with it.",
    ...source(plugin),
  });

export const compactionUnclear = (plugin: string, what: string): Diagnostic =>
  diagnostic({
    code: "agent.action-compaction",
    what: `The plugin ${plugin} wanted to summarize the conversation, ${what}.`,
    why: "A summary stands for what comes before an input or an answer, and calls stay with their results.",
    next: "Give a summary and the entry of an input or answer with something before it.",
    ...source(plugin),
  });

export const compactionVetoed = (plugin: string, veto: { readonly plugin: string; readonly why: string }): Diagnostic =>
  diagnostic({
    code: "agent.action-vetoed",
    what: `The plugin ${plugin} wanted to summarize the conversation, and the plugin ${veto.plugin} said no: ${veto.why}`,
    why: "Each plugin may keep the context as it is.",
    next: "Disable one of the two if that is not what you want.",
    ...source(plugin),
  });

export const rewriteInvalid = (plugin: string, tool: string, problems: readonly string[]): Diagnostic =>
  diagnostic({
    code: "agent.action-arguments",
    what: `The plugin ${plugin} gave a call of ${tool} arguments that the tool does not take: ${problems.join("; ")}.`,
    why: "Arguments are checked against the tool's schema whoever gave them; the call is denied, because it was not to run as it was.",
    next: "Give arguments that the schema of the tool takes.",
    ...source(plugin),
  });

/** What plugins wanted, refused by the storage with nothing of it taken in. */
export const actionsUnrecordable = (plugin: string, cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "agent.action-unrecordable",
    what: `What the plugin ${plugin} wanted could not be recorded: ${cause.what}`,
    why: `${cause.why} What is not recorded is not carried out.`,
    next: cause.next,
    ...source(plugin),
  });

export const stoppedByPolicy = (plugin: string, why: string): Diagnostic =>
  diagnostic({
    code: "agent.policy-stop",
    what: `The plugin ${plugin} stopped the turn: ${why}`,
    why: "It has a handler that may stop turns.",
    next: "Send a new prompt to go on, or disable the plugin.",
    ...source(plugin),
  });
