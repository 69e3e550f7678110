import { ok, type Result } from "../../base/index.js";
import type { Generation, GenerationLease } from "../../plugin/index.js";
import { type CooldownView, type Dispatch, orderTargets, type Route, splitLevel } from "../../provider/index.js";
import type { Diagnostic, ThinkingLevel } from "../../schema/index.js";
import type { Models, Wish } from "./models.js";

/** Where a session's requests go. */
export interface ModelBinding {
  /** As a person or plugin chose it, else what made this model the one. */
  readonly selection: string;
  /** The first target, with what is known of it without asking anybody. */
  latest(): Dispatch;
  /** For the next request: the targets in the order they are to be asked, the first with its model. */
  route(lease: GenerationLease, signal: AbortSignal): Promise<Result<Route, Diagnostic>>;
  /** Another selection from the next request on; refused ones change nothing. */
  select(selection: string, generation: Generation): Result<Dispatch, Diagnostic>;
  /** Another level from the next request on; it wins over one in the selection. Undefined: the selection's, else the model's own. */
  think(level: ThinkingLevel | undefined, generation: Generation): Result<Dispatch, Diagnostic>;
}

export interface BindingPorts {
  readonly models: Models;
  readonly cooldowns: CooldownView;
  readonly now: () => number;
  /** Resolves when it is known which servers of this machine answer; at once where nobody looks. */
  readonly discovered: () => Promise<void>;
}

/** What a session begins with. */
export interface InitialModel {
  readonly wish: Wish;
  readonly route: Route;
}

export function bindModel({ models, cooldowns, now, discovered }: BindingPorts, initial: InitialModel): ModelBinding {
  let { wish, route } = initial;
  /** What it was resolved in. */
  let known: { readonly providers: Generation["providers"]; readonly wish: Wish } | undefined;
  const adopt = (wanted: Wish, generation: Generation): Result<Dispatch, Diagnostic> => {
    const found = models.route(wanted, generation);
    if (!found.ok) return found;
    wish = wanted;
    route = found.value;
    known = { providers: generation.providers, wish };
    return ok(first());
  };
  const first = (): Dispatch => models.latest(orderTargets(route.targets, cooldowns, now())[0]);
  return {
    get selection() {
      return wish.selection ?? route.targets[0].source;
    },
    latest: first,
    async route(lease, signal) {
      await discovered();
      const { providers } = lease.generation;
      if (known?.providers !== providers || known.wish !== wish) {
        const again = models.route(wish, lease.generation);
        if (!again.ok) return again;
        route = again.value;
        known = { providers, wish };
      }
      const [wanted, ...others] = orderTargets(route.targets, cooldowns, now());
      const notes = [...route.notes];
      const completed = await models.complete(wanted, lease, { signal, onNote: (note) => notes.push(note) });
      // Another target may answer where this one's server does not even say which models it has.
      if (!completed.ok && others.length === 0) return completed;
      return ok({ ...route, notes, targets: [completed.ok ? completed.value : wanted, ...others] });
    },
    select: (selection, generation) => adopt({ selection, thinking: wish.thinking }, generation),
    think(level, generation) {
      // A level in the selection would win over one that is set now.
      const selection = level === undefined || wish.selection === undefined ? wish.selection : splitLevel(wish.selection).text;
      return adopt({ selection, thinking: level }, generation);
    },
  };
}
