import type { ModelView } from "../../runtime/index.js";
import type { ModelFacts, ModelRef, ThinkingLevel } from "../../schema/index.js";
import { tokens } from "../render/index.js";
import { sanitizeLine } from "../text/index.js";
import type { ModelRow } from "./types.js";

type Entry = ReturnType<ModelView["entries"]>[number];
type Connection = ReturnType<ModelView["connections"]>[number];

/**
 * What can be selected now: names of configuration, models of servers that are set up, and servers that have to say what they have.
 * Of a model that nobody can be asked for there is no row.
 */
export function modelRows(view: ModelView): readonly ModelRow[] {
  const usable = view.connections().filter(({ isSetUp }) => isSetUp);
  const models = view.entries().flatMap((entry) => {
    const head = headOf(entry, usable);
    return head === undefined ? [] : [modelRow(entry, head)];
  });
  const listed = new Set(models.flatMap(({ ref }) => (ref === undefined ? [] : [ref.provider])));
  const silent = usable.filter(({ provider }) => !listed.has(provider));
  return [...view.names.map(nameRow), ...models, ...silent.map(serverRow)];
}

/** What stands before the slash: the provider, or the server that has it where that is not the provider's first. */
function headOf({ ref, listedBy }: Entry, usable: readonly Connection[]): string | undefined {
  const own = usable.filter(({ provider }) => provider === ref.provider);
  const [first] = own;
  if (first === undefined) return undefined;
  if (listedBy === undefined) return ref.provider;
  const by = listedBy.find((name) => own.some(({ connection }) => connection === name));
  return by === undefined || by === first.connection ? ref.provider : by;
}

const modelRow = ({ ref, title, facts }: Entry, head: string): ModelRow => ({
  selection: `${head}/${ref.model}`,
  ref,
  name: sanitizeLine(`${head}/${ref.model}`),
  title: sanitizeLine(title ?? ""),
  facts: factWords(facts),
  ...(facts.thinking === undefined ? {} : { levels: facts.thinking }),
});

const nameRow = ({ type, name, members }: ModelView["names"][number]): ModelRow => ({
  selection: name,
  name: sanitizeLine(name),
  title: "",
  facts: [sanitizeLine(`${type}: ${members.join(", ")}`)],
});

const serverRow = ({ connection, title, endpoint }: Connection): ModelRow => ({
  selection: connection,
  name: sanitizeLine(connection),
  title: sanitizeLine(title),
  facts: [endpoint?.baseUrl === "" ? "built in, without a server" : "the model its server has"],
});

function factWords({ contextTokens, price, thinking }: ModelFacts): readonly string[] {
  return [
    contextTokens === undefined ? "?" : tokens(contextTokens),
    price === undefined ? "?" : price.input === 0 && price.output === 0 ? "free" : `$${String(price.input)}/$${String(price.output)}`,
    thinking === undefined ? "?" : thinking.length === 0 ? "none" : thinking.join(" "),
  ];
}

/** Levels a model can be asked for; undefined where that is not known. */
export const levelsOf = (view: ModelView, ref: ModelRef): readonly ThinkingLevel[] | undefined => view.find(ref).facts.thinking;
