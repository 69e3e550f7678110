import { clipUtf8, shortId } from "../../base/index.js";
import type { EffectIntentEntry } from "../../schema/index.js";
import type { EffectWord } from "../facts.js";

/** What is quoted of the input of an effect. */
const MAX_INPUT_BYTES = 400;

/** A person's word on an effect as the model is told of it. */
export function wordFor({ effect, operation, input }: EffectIntentEntry, { outcome, note }: EffectWord): string {
  const quoted = clipUtf8(JSON.stringify(input), MAX_INPUT_BYTES);
  const shown = quoted.omittedBytes === 0 ? quoted.text : `${quoted.text}…`;
  const said = outcome === "applied" ? "was applied" : "was not applied";
  const words = `The user states: effect ${shortId(effect)} (${operation} ${shown}) ${said}.`;
  return note === undefined || note === "" ? words : `${words} Note: ${note}`;
}
