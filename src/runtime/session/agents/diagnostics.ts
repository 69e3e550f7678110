import type { Diagnostic } from "../../../schema/index.js";
import { diagnostic } from "../../../schema/index.js";

export const tooDeep = (max: number): Diagnostic =>
  diagnostic({
    code: "agent.too-deep",
    what: "No further agent was asked.",
    why: `Agents that ask agents go ${max} deep at most, and this one is that deep.`,
    next: "Do the work here.",
  });

export const treeSpent = (max: number): Diagnostic =>
  diagnostic({
    code: "agent.tree-rounds",
    what: `The agents below one call have used up their ${max} rounds.`,
    why: "The bound is of all of them together, so that they cannot go on among themselves without end.",
    next: "Go on with what they have found, or do the rest here.",
  });

export const toolsUnknown = (names: readonly string[], offered: readonly string[]): Diagnostic =>
  diagnostic({
    code: "agent.tools-unknown",
    what: `An agent cannot be given ${names.join(", ")}.`,
    why: "It gets only tools that its asker is offered itself, and none that is kept for the session's own branch.",
    next: offered.length === 0 ? "Leave tools out." : `Choose from: ${offered.join(", ")}.`,
  });

export const toolsChange = (names: readonly string[]): Diagnostic =>
  diagnostic({
    code: "agent.tools-change",
    what: `The agent was not asked: ${names.join(", ")} can change things.`,
    why: "It was to work without changing anything.",
    next: "Allow it to write, or leave these tools out.",
  });
