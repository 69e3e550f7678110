import { plural } from "../../base/index.js";
import { type Diagnostic, diagnostic, targetName, type TargetRef, type ThinkingLevel } from "../../schema/index.js";
import type { Dispatch } from "../types.js";
import type { Step } from "./diagnostics.js";

export const unknownFacts = (ref: TargetRef, nearest: string | undefined): Diagnostic =>
  diagnostic({
    code: "route.unknown-facts",
    what: `Nothing is known of the model ${targetName(ref)}.`,
    why: "No catalog says what it can do, and neither does a list of its server: no limit and no price is assumed, no image is sent, and no thinking is asked for.",
    next: `${nearest === undefined ? "" : `Did you mean ${nearest}? Otherwise: `}say what it can do in the configuration, or run smith models refresh.`,
    severity: "warning",
  });

export const memberLeftOut = (step: Step, member: string, cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "route.member-left-out",
    what: `${member} of the group ${step.name} is left out: ${cause.what}`,
    why: cause.why,
    next: cause.next,
    severity: "warning",
    source: step.source,
  });

/** Two members come to one model of one connection, so that the second could not take over from the first. */
export const memberRepeated = ({ ref, routing }: Pick<Dispatch, "ref" | "routing">): Diagnostic =>
  diagnostic({
    code: "route.member-repeated",
    what: `${targetName({ ...ref, connection: routing.connection })} is in the group more than once.`,
    why: "A provider's name stands for the first of its connections that is set up, which another member names already.",
    next: "Set up the other connection, or leave the member out.",
    severity: "warning",
  });

export const thinkingDegraded = (
  ref: TargetRef,
  wished: ThinkingLevel,
  taken: ThinkingLevel,
  levels: readonly ThinkingLevel[],
): Diagnostic =>
  diagnostic({
    code: "route.thinking-degraded",
    what: `${targetName(ref)} is asked to think at level ${taken}, not ${wished}.`,
    why: `The levels it has are ${levels.join(", ")}.`,
    next: `Choose one of them with --thinking, or leave it.`,
    severity: "warning",
  });

export const thinkingUnavailable = (ref: TargetRef, wished: ThinkingLevel, isKnown: boolean): Diagnostic =>
  diagnostic({
    code: "route.thinking-unavailable",
    what: `${targetName(ref)} is not asked to think at level ${wished}.`,
    why: isKnown ? "It is a model that does not think before it answers." : "It is not known whether it can be asked for that.",
    next: isKnown
      ? "Choose a model that thinks, or leave out the level."
      : "Say which levels it has in the configuration, or run smith models refresh.",
    severity: "warning",
  });

export const olderImagesLeftOut = (ref: TargetRef): Diagnostic =>
  diagnostic({
    code: "route.older-images-left-out",
    what: `Older images of the conversation are not sent to ${targetName(ref)} any more.`,
    why: "One request holds at most 20 images and 10 MiB of them; the newest are sent, and in the place of the others a note that there was one.",
    next: "Have an older image read again when it matters.",
    severity: "warning",
  });

export const imagesLeftOut = (ref: TargetRef, count: number, isKnown: boolean): Diagnostic =>
  diagnostic({
    code: "route.images-left-out",
    what: `${plural(count, "image")} of the conversation ${count === 1 ? "is" : "are"} not sent to ${targetName(ref)}.`,
    why: isKnown ? "The model does not take images." : "It is not known whether the model takes images.",
    next: "Choose a model that takes images with --model, or say that this one does in the configuration.",
    severity: "warning",
  });

export const samplingLeftOut = (ref: TargetRef, names: readonly string[]): Diagnostic =>
  diagnostic({
    code: "route.sampling-left-out",
    what: `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} not sent to ${targetName(ref)}.`,
    why: "The model draws its answers in its own way and refuses these settings.",
    next: "Leave them out, or choose another model with --model.",
    severity: "warning",
  });

export const answerClipped = (ref: TargetRef, wished: number, most: number): Diagnostic =>
  diagnostic({
    code: "route.answer-clipped",
    what: `${targetName(ref)} answers with at most ${String(most)} tokens, not ${String(wished)}.`,
    why: "That is the most tokens one answer of this model can have.",
    next: `Ask for at most ${String(most)} tokens.`,
    severity: "warning",
  });
