/** A broken assumption of ours. Caught only at the three roots (frontend, work, plugin instance); exit status 70. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Throws {@link InvariantError} unless `condition` holds. For bugs only, never for bad input. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition === false || condition === undefined || condition === null) throw new InvariantError(message);
}

/** Marks a switch as exhaustive: compiles only when every member of the union was handled. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`);
}
