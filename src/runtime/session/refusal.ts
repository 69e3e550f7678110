import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { SessionStorageError } from "../../session/index.js";

/** What is not done, for a reason its sender can act on. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.what);
    this.diagnostic = diagnostic;
  }
}

/** What storage refused, or we refuse, is a result; everything else is a bug and goes on. */
export async function recoverable<T>(work: () => Promise<T>): Promise<Result<T, Diagnostic>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof SessionStorageError || error instanceof Refusal) return err(error.diagnostic);
    throw error;
  }
}

/** The value, or the refusal as what {@link recoverable} makes a result of again. */
export function must<T>(result: Result<T, Diagnostic>): T {
  if (result.ok) return result.value;
  throw new Refusal(result.error);
}

/** The first item; nothing after it is asked for. */
export async function first<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}
