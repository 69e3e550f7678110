import type { ContextItem, ContextTransform, EventOf, Handler, NamedValues } from "smith-agent/plugin";

/**
 * Old long results, left out of the requests once the context is getting full. History keeps them whole, and the model sees that
 * something was there: a result is replaced, since one left out would take its call with it.
 *
 * Nothing is cut before it is needed, as each change of what was sent before costs the server its cache.
 */
export const trim: Handler<"request-prepared"> = (event, { config }) => {
  if (!isFull(event, config)) return undefined;
  const results = event.context.filter(({ role }) => role === "tool");
  const old = results.slice(0, Math.max(0, results.length - Number(config["guard.keep-results"])));
  const transforms = old.filter(({ units }) => units > Number(config["guard.trim-units"])).map(shortened);
  return transforms.length === 0 ? undefined : [{ type: "transform-context", transforms }];
};

/** A server that does not say how much it takes is thought to take this, in tokens. */
const USUAL_LIMIT = 32_768;

const isFull = ({ tokens, contextLimit = USUAL_LIMIT }: EventOf<"request-prepared">, config: NamedValues): boolean =>
  tokens > (contextLimit * Number(config["guard.trim-percent"])) / 100;

const shortened = ({ entry, units, head, tool = "a tool" }: ContextItem): ContextTransform => ({
  operation: "replace",
  target: entry,
  text: `${head.trimEnd()}\n[${units - head.length} more characters of this older result of ${tool} are left out; call it again when you need them]`,
});
