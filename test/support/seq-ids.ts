import { type AnyId, type IdSource } from "../../src/base/index.js";

/** Ids that count up, so that whole decisions can be compared. */
export function seqIds(): IdSource {
  let count = 0;
  return {
    next<Id extends AnyId>(): Id {
      count += 1;
      return `00000000-0000-7000-8000-${count.toString(16).padStart(12, "0")}` as Id;
    },
  };
}
