import type { InvocationId } from "../../../src/base/index.js";
import type { LifecyclePort } from "../../../src/agent/index.js";
import type { Action, AttributedAction, Boundary, LifecycleEvent, LifecycleEventType, RefusedBatch } from "../../../src/schema/index.js";

type Of<Type extends LifecycleEventType> = Extract<LifecycleEvent, { readonly type: Type }>;

/** Answers of one plugin to the events it listens to. */
export type Answers = {
  readonly [Type in LifecycleEventType]?: (event: Of<Type>, signal: AbortSignal) => readonly Action[] | Promise<readonly Action[]>;
};

/**
 * Plugins as the driver sees them: asked in order, each batch checked with those before it, everything told kept in order. What a
 * merge would refuse is not looked at.
 */
export class RecordingPort implements LifecyclePort {
  readonly told: LifecycleEvent[] = [];
  readonly adopted: AttributedAction[] = [];
  readonly #plugins: readonly (readonly [plugin: string, answers: Answers])[];
  #count = 0;

  constructor(plugins: { readonly [plugin: string]: Answers }) {
    this.#plugins = Object.entries(plugins);
  }

  listens(event: LifecycleEventType): boolean {
    return this.#plugins.some(([, answers]) => answers[event] !== undefined);
  }

  async run(event: LifecycleEvent, { signal, check, only }: Parameters<LifecyclePort["run"]>[1]): Promise<Boundary> {
    this.told.push(event);
    const accepted: AttributedAction[] = [];
    const refused: RefusedBatch[] = [];
    for (const [plugin, answers] of this.#plugins) {
      // Each handler is given the event it is for: its key is the event's type.
      const answer = answers[event.type] as
        ((event: LifecycleEvent, signal: AbortSignal) => ReturnType<NonNullable<Answers["idle"]>>) | undefined;
      if (answer === undefined || (only !== undefined && only !== plugin)) continue;
      const invocation = this.#next();
      const batch = (await answer(event, signal)).map((action): AttributedAction => ({ plugin, invocation, action }));
      const error = check(batch, accepted);
      if (error === undefined) accepted.push(...batch);
      else refused.push({ plugin, invocation, error });
    }
    return signal.aborted ? { accepted: [], refused: [] } : { accepted, refused };
  }

  adopt(actions: readonly AttributedAction[]): void {
    this.adopted.push(...actions);
  }

  about(): { readonly trusted: boolean; readonly interactive: boolean; readonly generation: number } {
    return { trusted: true, interactive: true, generation: 7 };
  }

  declared(_plugin: string, key: string): { readonly version: number; readonly fork: "copy" } | undefined {
    return key === "declared" ? { version: 3, fork: "copy" } : undefined;
  }

  /** Types of what was told, in order. */
  types(): readonly LifecycleEventType[] {
    return this.told.map(({ type }) => type);
  }

  event<Type extends LifecycleEventType>(type: Type): Of<Type> {
    const found = this.told.find((event): event is Of<Type> => event.type === type);
    if (found === undefined) throw new Error(`${type} was not told`);
    return found;
  }

  #next(): InvocationId {
    this.#count += 1;
    return `00000000-0000-7000-8000-${String(this.#count).padStart(12, "0")}` as InvocationId;
  }
}

/** Asked and never answered, until it is aborted and even then. */
export const never = async (): Promise<readonly Action[]> => await new Promise(() => undefined);
